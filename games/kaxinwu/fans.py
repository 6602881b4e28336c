"""The fans of 血战卡心五 (docs/rules/kaxinwu.md): one base hand N and the extras M; the multiple is 2^(N + M)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from games.mahjong import patterns
from games.mahjong.concealed import Concealed
from games.mahjong.fans import NO_CIRCUMSTANCES, Circumstances, Facts, FanTable, Row, Value, each_wait, facts_by_counts, highest
from games.mahjong.melds import Meld
from games.mahjong.shapes import is_seven_pairs, is_standard, readings, wait_mask
from games.mahjong.tiles import Suit, Tile, tile_of
from games.mahjong.valuer import Valuer
from games.option_table import OptionValue

TOP_FAN: Final = 7
"""No hand is worth more: 清一色 三龙七对 won by 杠上炮, or 清一色 卡心五 of three pungs with their fourth tiles in the run, likewise."""
FIVES: Final = 1 << tile_of("5p") | 1 << tile_of("5s")
"""The tiles that 卡心五 can be won with."""
FIVES_OF_THREE_SUITS: Final = FIVES | 1 << tile_of("5m")


def _dragons(number: int) -> Callable[[Facts], int]:
    """Seven pairs with exactly so many four alike 龙."""
    return lambda facts: facts.seven_pairs and facts.roots == number


def _kong_draw(least: int, most: int) -> Callable[[Facts], int]:
    """Self-draw on the replacement after so many kongs in a row."""
    return lambda facts: patterns.self_draw(facts) and least <= facts.around.kongs <= most


_ENDLESS: Final = 99
_ONE_SUIT: Final = Row("one_suit", "清一色", 1, lambda facts: facts.one_suit)

TABLE: Final = FanTable(
    bases=(
        Row("standard", "平胡", 1, patterns.standard),
        Row("all_pungs", "大对子", 2, patterns.all_pungs),
        Row("middle_five", "卡心五", 2, lambda facts: facts.middle_five),
        Row("seven_pairs", "七对", 2, _dragons(0)),
        Row("dragon_seven_pairs", "龙七对", 3, _dragons(1), ("ghost", 1)),
        Row("two_dragon_seven_pairs", "双龙七对", 4, _dragons(2), ("ghost", 2)),
        Row("three_dragon_seven_pairs", "三龙七对", 5, _dragons(3), ("ghost", 3)),
    ),
    extras=(
        _ONE_SUIT,
        Row("robbed_kong", "抢杠胡", 1, patterns.robbed_kong),
        Row("kong_draw", "杠上花", 1, _kong_draw(1, 1)),
        Row("two_kong_draw", "双杠上花", 2, _kong_draw(2, 2)),
        Row("three_kong_draw", "三杠上花", 3, _kong_draw(3, _ENDLESS)),
        Row("kong_discard", "杠上炮", 1, patterns.kong_discard),
        Row("ghost", "鬼", 1, patterns.roots_not_konged),
    ),
    multiple=lambda fan: 1 << fan,
)
CHECK: Final = FanTable(TABLE.bases, (_ONE_SUIT,), TABLE.multiple)
"""What counts in 查叫."""


def value_win(
    concealed: Concealed,
    melds: Sequence[Meld],
    tile: Tile,
    void: Suit | None,  # noqa: ARG001 - other games have a void suit
    around: Circumstances,
    cap: int | None,
    table: FanTable = TABLE,
    fives: int = FIVES,
) -> Value | str:
    """Return what the hand is worth, or why it is no win: `no_shape`.

    `concealed` holds the winning `tile`. `cap` in fans, None for no limit. `fives`: mask of the tiles that 卡心五 can be won with.
    """
    found = []
    if is_standard(concealed, melds):
        # One for all standard readings: no row asks for two that only different readings have.
        facts = facts_by_counts(concealed, melds, around, seven_pairs=False)
        found.append(facts._replace(middle_five=True) if _is_middle(concealed, melds, tile, fives) else facts)
    if is_seven_pairs(concealed, melds):
        found.append(facts_by_counts(concealed, melds, around, seven_pairs=True))
    return table.value(found, cap) if found else "no_shape"


def _is_middle(concealed: Concealed, melds: Sequence[Meld], tile: Tile, fives: int) -> bool:
    """卡心五: whether the winning tile is a 5 that stands between 4 and 6 in one of the readings."""
    if not fives >> tile & 1:
        return False
    beside = 1 << tile - 1 | 1 << tile + 1
    return concealed.mask & beside == beside and any(tile - 1 in reading.runs for reading in readings(concealed, melds))


def check_value(concealed: Concealed, melds: Sequence[Meld], tile: Tile, fives: int = FIVES, cap: int | None = None) -> Value:
    """Return what a winning hand, the winning `tile` in it, is worth in 查叫: the base and 清一色, of all readings the highest."""
    value = value_win(concealed, melds, tile, None, NO_CIRCUMSTANCES, cap, CHECK, fives)
    assert isinstance(value, Value), "a hand that does not win"
    return value


def waits(
    concealed: Concealed,
    melds: Sequence[Meld],
    void: Suit | None,  # noqa: ARG001 - other games have a void suit
    cap: int | None,
    fives: int = FIVES,
) -> Iterator[tuple[Tile, Value]]:
    """Return each kind that wins with these 13 tiles, in order, and what it is worth in 查叫."""
    return each_wait(concealed, wait_mask(concealed, melds), lambda whole, tile: check_value(whole, melds, tile, fives, cap))


def best_wait(concealed: Concealed, melds: Sequence[Meld], fives: int = FIVES) -> Value | None:
    """Return the highest value over the waits of these 13 tiles, or None if they are not ready."""
    return highest(waits(concealed, melds, None, None, fives))


def valuer(options: Mapping[str, OptionValue]) -> Valuer:
    """Return how hands are valued on their own: with the tiles that 卡心五 can be won with."""
    fives = FIVES_OF_THREE_SUITS if options["three_suits"] else FIVES
    return Valuer(partial(value_win, fives=fives), partial(waits, fives=fives))
