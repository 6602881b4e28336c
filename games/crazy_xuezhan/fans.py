"""The fans of 疯狂血战 (docs/rules/crazy_xuezhan.md).

Shape and suit together have a name, and some names take 根 with them: each is a base row that is worth the sum of what it is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from games.mahjong import patterns
from games.mahjong.concealed import Concealed
from games.mahjong.fans import NO_CIRCUMSTANCES, Circumstances, Facts, FanTable, Row, Value, each_wait, facts_by_counts, highest
from games.mahjong.melds import Meld, meld_mask
from games.mahjong.shapes import is_seven_pairs, is_standard, wait_mask
from games.mahjong.tiles import SUIT_MASKS, Suit, Tile
from games.mahjong.valuer import Valuer
from games.option_table import OptionValue

Times = Callable[[Facts], int]


def _pure(pattern: Times) -> Times:
    """The pattern in one suit 清."""
    return lambda facts: pattern(facts) and facts.one_suit


def _dragons(number: int) -> Times:
    """Seven pairs with at least so many four alike 龙."""
    return lambda facts: facts.seven_pairs and facts.roots >= number


def _roots(number: int) -> tuple[str, int]:
    return ("root", number)


TABLE = FanTable(
    bases=(
        Row("standard", "平胡", 0, patterns.standard),
        Row("all_pungs", "碰碰胡", 1, patterns.all_pungs),
        Row("seven_pairs", "七对", 2, patterns.seven_pairs),
        Row("one_suit", "清一色", 2, _pure(patterns.standard)),
        Row("golden_hook", "金钩钓", 2, patterns.golden_hook),
        Row("pure_all_pungs", "清碰", 3, _pure(patterns.all_pungs)),
        Row("dragon_seven_pairs", "龙七对", 3, _dragons(1), _roots(1)),
        Row("pure_golden_hook", "清金钩钓", 4, _pure(patterns.golden_hook)),
        Row("two_dragon_seven_pairs", "双龙七对", 4, _dragons(2), _roots(2)),
        Row("pure_seven_pairs", "清七对", 4, _pure(patterns.seven_pairs)),
        Row("three_dragon_seven_pairs", "三龙七对", 5, _dragons(3), _roots(3)),
        Row("pure_dragon_seven_pairs", "清龙七对", 5, _pure(_dragons(1)), _roots(1)),
        Row("pure_two_dragon_seven_pairs", "清双龙七对", 6, _pure(_dragons(2)), _roots(2)),
        Row("eighteen_arhats", "十八罗汉", 6, patterns.eighteen_arhats, _roots(4)),
        Row("pure_three_dragon_seven_pairs", "清三龙七对", 7, _pure(_dragons(3)), _roots(3)),
        Row("pure_eighteen_arhats", "清十八罗汉", 8, _pure(patterns.eighteen_arhats), _roots(4)),
    ),
    extras=(
        Row("root", "根", 1, patterns.roots),
        Row("self_draw", "自摸", 1, patterns.self_draw),
        Row("kong_draw", "杠上开花", 1, patterns.kong_draw),
        Row("kong_discard", "杠上炮", 1, patterns.kong_discard),
        Row("robbed_kong", "抢杠胡", 1, patterns.robbed_kong),
        Row("last_draw", "海底捞月", 1, patterns.last_draw),
        Row("last_discard", "海底炮", 1, patterns.last_discard),
    ),
    multiple=lambda fan: 10**fan,
)


def value_win(
    concealed: Concealed,
    melds: Sequence[Meld],
    tile: Tile,  # noqa: ARG001 - other games value a reading by its winning tile
    void: Suit | None,
    around: Circumstances,
    cap: int | None,
) -> Value | str:
    """Return what the hand is worth, or why it is no win: `void_suit`, then `no_shape`.

    `concealed` holds the winning `tile`. `void` None: no suit is ruled out. `cap` in fans, None for no limit.
    """
    if _holds(void, concealed, melds):
        return "void_suit"
    if is_seven_pairs(concealed, melds):
        # Never less than the same tiles read as sets: the fans are the same and the shape is worth more.
        seven_pairs = True
    elif is_standard(concealed, melds):
        seven_pairs = False
    else:
        return "no_shape"
    return TABLE.value((facts_by_counts(concealed, melds, around, seven_pairs=seven_pairs),), cap)


def ready_mask(concealed: Concealed, melds: Sequence[Meld], void: Suit | None) -> int:
    """Return the mask of the kinds that win with these 13 tiles.

    A hand that holds its void suit 缺门 waits for nothing; one that does not cannot wait for a tile of it.
    """
    return 0 if _holds(void, concealed, melds) else wait_mask(concealed, melds)


def waits(concealed: Concealed, melds: Sequence[Meld], void: Suit | None, cap: int | None) -> Iterator[tuple[Tile, Value]]:
    """Return each kind that wins with these 13 tiles, in order, and what it is worth as in 查大叫: without circumstances."""
    return each_wait(
        concealed, ready_mask(concealed, melds, void), lambda whole, tile: value_win(whole, melds, tile, void, NO_CIRCUMSTANCES, cap)
    )


def best_wait(concealed: Concealed, melds: Sequence[Meld], void: Suit | None, cap: int | None) -> Value | None:
    """Return the highest value over the waits of these 13 tiles, or None if they are not ready 未听牌."""
    return highest(waits(concealed, melds, void, cap))


def valuer(options: Mapping[str, OptionValue]) -> Valuer:
    """Return how hands are valued on their own: no option changes it."""
    del options
    return Valuer(value_win, waits)


def _holds(void: Suit | None, concealed: Concealed, melds: Sequence[Meld]) -> bool:
    return void is not None and (concealed.mask | meld_mask(melds)) & SUIT_MASKS[void] != 0
