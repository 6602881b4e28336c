"""What `xuezhan score` and `xuezhan waits` answer to one line: the value of a win, the waits of a hand of 13.

A line that cannot be used is answered with `{"error": what and where}`; which game and options there are is settled before the first line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.fields import FieldError, shown
from games.mahjong.score_line import HandLine, read_hand, read_win
from games.mahjong.tiles import TILE_NAMES
from games.mahjong.valuer import Valuer
from games.option_table import OptionError
from games.options import asked_cap
from games.registry import GAMES


def valued() -> list[str]:
    """Return the games whose hands can be valued on their own."""
    return [name for name, game in GAMES.items() if game.valuer is not None]


def find_valuer(game: str, options: Mapping[str, object]) -> Valuer:
    """Return how a game values hands with these options, as given. OptionError for a game that has none, or options that cannot be used."""
    found = GAMES.get(game)
    if found is None or found.valuer is None:
        raise OptionError("game", f"{shown(game)} is not one of {', '.join(valued())}")
    return found.valuer(found.options.resolve(options))


def score_line(game: str, options: Mapping[str, object], line: object) -> dict[str, Any]:
    """Value one win as `xuezhan score` does. `options` as given; OptionError if they or the game cannot be used."""
    valuer, cap = find_valuer(game, options), asked_cap(game, options)
    try:
        win = read_win(line)
    except FieldError as bad:
        return {"error": str(bad)}
    hand = win.hand
    whole = hand.concealed.copy()
    whole.add(win.tile)
    value = valuer.win(whole, hand.melds, win.tile, hand.void, win.around, _limit(hand, cap))
    if isinstance(value, str):
        return {"win": False, "why": value}
    return {"win": True, "parts": [part._asdict() for part in value.parts], "fan": value.fan, "multiple": value.multiple}


def waits_line(game: str, options: Mapping[str, object], line: object) -> dict[str, Any]:
    """List the waits of one hand of 13 as `xuezhan waits` does. `options` as given; OptionError if they or the game cannot be used."""
    valuer, cap = find_valuer(game, options), asked_cap(game, options)
    try:
        hand = read_hand(line)
    except FieldError as bad:
        return {"error": str(bad)}
    found = valuer.waits(hand.concealed, hand.melds, hand.void, _limit(hand, cap))
    waits = [{"tile": TILE_NAMES[tile], "fan": value.fan, "multiple": value.multiple} for tile, value in found]
    return {"ready": bool(waits), "waits": waits}


def _limit(hand: HandLine, cap: int | None) -> int | None:
    return cap if hand.cap is None else hand.cap
