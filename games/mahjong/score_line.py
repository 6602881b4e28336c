"""Reading the lines of `xuezhan score` and `xuezhan waits`.

Law: what is read is a hand that can lie on a table: 13 tiles, melds counted, and no fifth copy of a tile. ValueError names the field otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from games.mahjong.concealed import Concealed
from games.mahjong.fans import Circumstances, How
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.shapes import SETS, WAITING_SIZE
from games.mahjong.tiles import COPIES, KINDS, TILE_NAMES, Suit, Tile, parse_tiles, suit_of, tile_of

E = TypeVar("E", bound=StrEnum)


class HandLine(NamedTuple):
    """A hand of 13. `void` None: no suit is ruled out; `cap` in fans, None: not given."""

    concealed: Concealed
    melds: tuple[Meld, ...]
    void: Suit | None
    cap: int | None


class WinLine(NamedTuple):
    """A hand of 13, the tile that won and how it came."""

    hand: HandLine
    tile: Tile
    around: Circumstances


def read_hand(line: object) -> HandLine:
    """Read the fields that a hand of 13 has. ValueError for a line that cannot be used."""
    return _read_hand(_object(line, "line"), None)


def read_win(line: object) -> WinLine:
    """Read a win. ValueError for a line that cannot be used."""
    fields = _object(line, "line")
    tile = _tile(_text(fields, "tile"), "tile")
    hand = _read_hand(fields, tile)
    how = fields.get("how")
    around = Circumstances(
        how=None if how is None else _member(How, how, "how"),
        kongs=_kongs(fields.get("kongs", 0)),
        last_tile=_flag(fields, "last_tile"),
        first_draw=_flag(fields, "first_draw"),
        dealer=_flag(fields, "dealer"),
    )
    return WinLine(hand, tile, around)


def _read_hand(fields: Mapping[str, Any], winning: Tile | None) -> HandLine:
    tiles = _tiles(_text(fields, "concealed"))
    melds = _melds(fields.get("melds", []))
    size = len(tiles) + 3 * len(melds)
    if size != WAITING_SIZE:
        raise ValueError(f"concealed: {size} tiles with the melds, not {WAITING_SIZE}")
    held = [0] * KINDS
    for tile in tiles if winning is None else [*tiles, winning]:
        held[tile] += 1
    for meld in melds:
        held[meld.tile] += meld.size
    for tile, count in enumerate(held):
        if count > COPIES:
            raise ValueError(f"concealed: {count} of {TILE_NAMES[tile]} with the melds and the winning tile")
    return HandLine(Concealed(tiles), melds, _void(fields.get("void")), _cap(fields.get("cap")))


def _object(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{where}: not a JSON object")  # noqa: TRY004 - bad input is answered, not a bug
    return value


def _text(fields: Mapping[str, Any], name: str) -> str:
    if name not in fields:
        raise ValueError(f"{name}: missing")
    value = fields[name]
    if not isinstance(value, str):
        raise ValueError(f"{name}: {value!r} is not text")  # noqa: TRY004 - as above
    return value


def _tiles(text: str) -> list[Tile]:
    try:
        return parse_tiles(text)
    except ValueError as bad:
        raise ValueError(f"concealed: {bad}") from None


def _tile(text: str, where: str) -> Tile:
    try:
        return tile_of(text)
    except ValueError as bad:
        raise ValueError(f"{where}: {bad}") from None


def _melds(value: object) -> tuple[Meld, ...]:
    if not isinstance(value, list):
        raise ValueError("melds: not a list")  # noqa: TRY004 - as above
    if len(value) > SETS:
        raise ValueError(f"melds: {len(value)} of them, and a hand has {SETS} sets")
    melds = []
    for place, one in enumerate(value):
        where = f"melds[{place}]"
        fields = _object(one, where)
        kind = _member(MeldKind, fields.get("kind"), f"{where} kind")
        tile = fields.get("tile")
        if not isinstance(tile, str):
            raise ValueError(f"{where} tile: {tile!r} is not a tile")  # noqa: TRY004 - as above
        melds.append(Meld(kind, _tile(tile, f"{where} tile")))
    return tuple(melds)


def _member(words: type[E], value: object, where: str) -> E:
    for word in words:
        if value == word:
            return word
    raise ValueError(f"{where}: {value!r} is not one of {', '.join(words)}")


def _void(value: object) -> Suit | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError(f"void: {value!r} is not a suit")  # noqa: TRY004 - as above
    try:
        return suit_of(value)
    except ValueError as bad:
        raise ValueError(f"void: {bad}") from None


def _cap(value: object) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"cap: {value!r} is not a number of fans")  # noqa: TRY004 - as above
    if value < 1:
        raise ValueError(f"cap: {value} is below 1")
    return value


def _kongs(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= SETS:
        raise ValueError(f"kongs: {value!r} is not a number from 0 to {SETS}")
    return value


def _flag(fields: Mapping[str, Any], name: str) -> bool:
    value = fields.get(name, False)
    if not isinstance(value, bool):
        raise ValueError(f"{name}: {value!r} is neither true nor false")  # noqa: TRY004 - as above
    return value
