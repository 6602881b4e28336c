"""What `xuezhan score` and `xuezhan waits` answer to one line: the value of a win, the waits of a hand of 13.

A line that cannot be used is answered with `{"error": what and where}`; which game and options there are is settled before the first line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from games.crazy_xuezhan import fans as crazy_xuezhan
from games.fields import FieldError, shown
from games.happy_sichuan import fans as happy_sichuan
from games.kaxinwu import fans as kaxinwu
from games.mahjong.concealed import Concealed
from games.mahjong.fans import Circumstances, Value
from games.mahjong.melds import Meld
from games.mahjong.score_line import HandLine, read_hand, read_win
from games.mahjong.tiles import TILE_NAMES, Suit, Tile
from games.option_table import OptionError, OptionValue
from games.options import asked_cap, resolve

WinValue: TypeAlias = Callable[[Concealed, Sequence[Meld], Tile, Suit | None, Circumstances, int | None], Value | str]
"""What a win is worth in one game under a cap in fans, or why it is none; the concealed tiles hold the winning one."""


class Valuer(NamedTuple):
    """How one game with its options values hands."""

    win: WinValue
    waits: Callable[[Concealed, Sequence[Meld], Suit | None, int | None], Iterable[tuple[Tile, Value]]]


def _kaxinwu(options: Mapping[str, OptionValue]) -> Valuer:
    fives = kaxinwu.FIVES_OF_THREE_SUITS if options["three_suits"] else kaxinwu.FIVES
    return Valuer(partial(kaxinwu.value_win, fives=fives), partial(kaxinwu.waits, fives=fives))


VALUERS: dict[str, Callable[[Mapping[str, OptionValue]], Valuer]] = {
    "crazy_xuezhan": lambda _options: Valuer(crazy_xuezhan.value_win, crazy_xuezhan.waits),
    "happy_sichuan": lambda options: Valuer(
        partial(happy_sichuan.value_win, table=happy_sichuan.TABLES[options["kong_draw_fan"]]), happy_sichuan.waits
    ),
    "kaxinwu": _kaxinwu,
}
"""The games whose hands can be valued on their own."""


def find_valuer(game: str, options: Mapping[str, object]) -> Valuer:
    """Return how a game values hands with these options, as given. OptionError for a game that has none, or options that cannot be used."""
    valuer = VALUERS.get(game)
    if valuer is None:
        raise OptionError("game", f"{shown(game)} is not one of {', '.join(VALUERS)}")
    return valuer(resolve(game, options))


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
