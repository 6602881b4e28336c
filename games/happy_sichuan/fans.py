"""The fans of 欢乐麻将 (docs/rules/happy_sichuan.md): one base hand counts, extras add to it. A winning hand holds at most two suits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from games.mahjong import patterns
from games.mahjong.concealed import Concealed
from games.mahjong.fans import NO_CIRCUMSTANCES, Circumstances, Facts, FanTable, How, Row, Value, each_wait, facts_by_counts, highest
from games.mahjong.melds import Meld, meld_mask
from games.mahjong.shapes import Reading, is_seven_pairs, is_standard, readings, wait_mask
from games.mahjong.tiles import RANKS, SUIT_MASKS, SUITS, Suit, Tile
from games.mahjong.valuer import Valuer
from games.option_table import OptionValue

THREE_SUITS: Final = "three_suits"
TOP_FAN: Final = 10
"""No hand is worth more: 清对 or 将对 of four kongs, won on a replacement tile that counts 2."""


def _ranks(*ranks: int) -> int:
    """Return the mask of these ranks in every suit."""
    return sum(1 << suit * RANKS + rank - 1 for suit in range(len(SUITS)) for rank in ranks)


_TERMINALS: Final = _ranks(1, 9)
_OUTSIDE: Final = _ranks(1, 2, 3, 7, 8, 9)
_OUTSIDE_RUNS: Final = _ranks(1, 7)
_TWO_FIVE_EIGHT: Final = _ranks(2, 5, 8)


def _dragon(facts: Facts) -> bool:
    """龙七对: seven pairs with four alike."""
    return facts.seven_pairs and facts.roots > 0


def _first_tiles(facts: Facts) -> bool:
    """Self-drawn on the first draw; after a meld of their own the draw is not the first."""
    around = facts.around
    return around.how is How.SELF_DRAW and around.first_draw and not around.kongs and not facts.melds


def _table(kong_draw_fan: int) -> FanTable:
    return FanTable(
        bases=(
            Row("standard", "平胡", 1, patterns.standard),
            Row("all_pungs", "对对胡", 2, patterns.all_pungs),
            Row("one_suit", "清一色", 3, lambda facts: facts.one_suit),
            Row("outside", "带幺九", 3, lambda facts: facts.outside),
            Row("seven_pairs", "七对", 3, patterns.seven_pairs),
            Row("pure_all_pungs", "清对", 4, lambda facts: facts.all_pungs and facts.one_suit),
            Row("two_five_eight", "将对", 4, lambda facts: facts.all_pungs and facts.two_five_eight),
            Row("dragon_seven_pairs", "龙七对", 5, _dragon, ("root", 1)),
            Row("pure_seven_pairs", "清七对", 5, lambda facts: facts.seven_pairs and facts.one_suit),
            Row("pure_outside", "清幺九", 5, lambda facts: facts.outside and facts.one_suit),
            Row("pure_dragon_seven_pairs", "清龙七对", 6, lambda facts: _dragon(facts) and facts.one_suit, ("root", 1)),
            Row("heavenly", "天胡", 6, lambda facts: _first_tiles(facts) and facts.around.dealer),
            Row("earthly", "地胡", 6, lambda facts: _first_tiles(facts) and not facts.around.dealer),
        ),
        extras=(
            Row("kong_draw", "杠上花", kong_draw_fan, patterns.kong_draw),
            Row("kong_discard", "杠上炮", 1, patterns.kong_discard),
            Row("robbed_kong", "抢杠胡", 1, patterns.robbed_kong),
            Row("kong", "杠", 1, patterns.kongs),
            Row("root", "根", 1, patterns.roots_not_konged),
        ),
        multiple=multiple_of,
    )


def multiple_of(fan: int) -> int:
    """Return the multiple 倍数 of a number of fans, at least one."""
    return 1 << fan - 1


TABLES: Final[Mapping[OptionValue, FanTable]] = {fan: _table(fan) for fan in (1, 2)}
"""The table for each value of the option `kong_draw_fan`."""


def value_win(
    concealed: Concealed,
    melds: Sequence[Meld],
    tile: Tile,  # noqa: ARG001 - other games value a reading by its winning tile
    void: Suit | None,  # noqa: ARG001 - other games have a void suit
    around: Circumstances,
    cap: int | None,
    table: FanTable = TABLES[1],
) -> Value | str:
    """Return what the hand is worth, or why it is no win: `three_suits`, then `no_shape`.

    `concealed` holds the winning `tile`. `cap` in fans, None for no limit.
    """
    if holds_three_suits(concealed, melds):
        return THREE_SUITS
    found = []
    if is_standard(concealed, melds):
        found.append(_standard_facts(concealed, melds, around))
    if is_seven_pairs(concealed, melds):
        found.append(facts_by_counts(concealed, melds, around, seven_pairs=True))
    return table.value(found, cap) if found else "no_shape"


def holds_three_suits(concealed: Concealed, melds: Sequence[Meld]) -> bool:
    """Whether all three suits are held, melds counted: no win, however the tiles lie."""
    held = concealed.mask | meld_mask(melds)
    m, p, s = SUIT_MASKS
    return bool(held & m and held & p and held & s)


def ready_mask(concealed: Concealed, melds: Sequence[Meld]) -> int:
    """Return the mask of the kinds that win with these 13 tiles.

    One tile of a third suit completes nothing, so it is enough that the 13 do not hold three.
    """
    return 0 if holds_three_suits(concealed, melds) else wait_mask(concealed, melds)


def waits(
    concealed: Concealed,
    melds: Sequence[Meld],
    void: Suit | None,  # noqa: ARG001 - other games have a void suit
    cap: int | None,
) -> Iterator[tuple[Tile, Value]]:
    """Return each kind that wins with these 13 tiles, in order, and what it is worth as in 查大叫: without circumstances."""
    return each_wait(
        concealed, ready_mask(concealed, melds), lambda whole, tile: value_win(whole, melds, tile, None, NO_CIRCUMSTANCES, cap)
    )


def best_wait(concealed: Concealed, melds: Sequence[Meld], cap: int | None) -> Value | None:
    """Return the highest value over the waits of these 13 tiles, or None if they are not ready."""
    return highest(waits(concealed, melds, None, cap))


def valuer(options: Mapping[str, OptionValue]) -> Valuer:
    """Return how hands are valued on their own: with what 杠上花 is worth."""
    return Valuer(partial(value_win, table=TABLES[options["kong_draw_fan"]]), waits)


def _standard_facts(concealed: Concealed, melds: Sequence[Meld], around: Circumstances) -> Facts:
    """Return the facts of all standard readings together: no row asks for two that only different readings have."""
    facts = facts_by_counts(concealed, melds, around, seven_pairs=False)
    held = concealed.mask | meld_mask(melds)
    if not held & ~_OUTSIDE and any(map(_is_outside, readings(concealed, melds))) and not meld_mask(melds) & ~_TERMINALS:
        return facts._replace(outside=True)
    return facts if held & ~_TWO_FIVE_EIGHT else facts._replace(two_five_eight=True)


def _is_outside(reading: Reading) -> bool:
    """Whether each set and the pair of the concealed part has a 1 or a 9."""
    in_pungs = (1 << tile for tile in (*reading.triplets, reading.pair))
    return not reading.seven_pairs and all(bit & _TERMINALS for bit in in_pungs) and all(1 << low & _OUTSIDE_RUNS for low in reading.runs)
