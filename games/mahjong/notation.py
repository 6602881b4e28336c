"""Actions of mahjong in the notation of hand records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from games.hand import Action, Do, Refusal, Why
from games.mahjong.melds import MeldKind
from games.mahjong.tiles import SUITS, TILE_NAMES, suit_of, tile_of


def action_to_json(action: Action) -> dict[str, Any]:
    """Return the action as it stands in a record. Only what the action uses is written."""
    written: dict[str, Any] = {"seat": action.seat, "do": action.do.value}
    match action.do:
        case Do.VOID:
            written["suit"] = SUITS[action.tile]
        case Do.EXCHANGE:
            written["tiles"] = [TILE_NAMES[tile] for tile in action.tiles]
        case Do.DISCARD:
            written["tile"] = TILE_NAMES[action.tile]
        case Do.KONG:
            written |= {"tile": TILE_NAMES[action.tile], "kind": str(action.kind)}
        case _:
            pass
    if action.auto:
        written["auto"] = True
    return written


def action_from_json(value: Mapping[str, Any], players: int) -> Action | Refusal:
    """Read an action of a record. Fields that it does not use are ignored; of those it uses each must be of its form."""
    seat, auto, do = value.get("seat"), value.get("auto", False), value.get("do")
    if not isinstance(seat, int) or isinstance(seat, bool) or not 0 <= seat < players:
        return Refusal(Why.MALFORMED, f"seat: {seat!r} is no seat")
    if not isinstance(auto, bool):
        return Refusal(Why.MALFORMED, f"auto: {auto!r} is neither true nor false")
    if not isinstance(do, str) or do not in _READERS:
        return Refusal(Why.MALFORMED, f"do: {do!r} is nothing a seat does here")
    try:
        return Action(seat, Do(do), auto=auto, **_READERS[do](value))
    except ValueError as error:
        return Refusal(Why.MALFORMED, str(error))


def _text(value: Mapping[str, Any], name: str) -> str:
    text = value.get(name)
    if not isinstance(text, str):
        raise ValueError(f"{name}: {text!r} is no text")
    return text


def _tiles(value: Mapping[str, Any]) -> tuple[int, ...]:
    names = value.get("tiles")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"tiles: {names!r} is no list of tiles")
    return tuple(tile_of(name) for name in names)


def _nothing(value: Mapping[str, Any]) -> dict[str, Any]:
    del value
    return {}


_READERS: Final[dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "void": lambda value: {"tile": suit_of(_text(value, "suit"))},
    "exchange": lambda value: {"tiles": _tiles(value)},
    "discard": lambda value: {"tile": tile_of(_text(value, "tile"))},
    "pung": _nothing,
    "kong": lambda value: {"tile": tile_of(_text(value, "tile")), "kind": MeldKind(_text(value, "kind"))},
    "win": _nothing,
    "pass": _nothing,
    "leave": _nothing,
}
