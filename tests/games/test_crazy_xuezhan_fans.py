"""What a win is worth in 疯狂血战: every row, name, example and cap of docs/rules/crazy_xuezhan.md."""

from __future__ import annotations

import random

import pytest

from games.crazy_xuezhan.fans import TABLE, best_wait, ready_mask, value_win, waits
from games.mahjong.concealed import Concealed
from games.mahjong.fans import NO_CIRCUMSTANCES, Circumstances, How, Value, highest
from games.mahjong.tiles import SUITS, format_tiles, tile_of, tiles_in
from games.options import resolve
from tests.games import naive
from tests.games.naive import held, melds

SELF_DRAW = Circumstances(How.SELF_DRAW)
DISCARD = Circumstances(How.DISCARD)
ROBBED = Circumstances(How.ROBBED_KONG)


def win(
    hand: str, laid: str = "", *, tile: str = "", void: str | None = None, around: Circumstances = NO_CIRCUMSTANCES, cap: int | None = None
) -> Value | str:
    """Value a hand of 14; the winning tile, where it does not matter, is the last one."""
    concealed = held(hand)
    winning = tile_of(tile) if tile else concealed.tiles()[-1]
    return value_win(concealed, melds(laid), winning, None if void is None else SUITS.index(void), around, cap)


def parts(value: Value | str) -> list[str]:
    """The result as it is shown: `清龙七对 5`."""
    assert isinstance(value, Value), value
    assert value.fan == sum(part.fan for part in value.parts)
    return [f"{part.name} {part.fan}" for part in value.parts]


@pytest.mark.parametrize(
    ("hand", "laid", "expected"),
    [
        ("123456789m12344p", "", ["平胡 0"]),
        ("123m44p", "pung 1p, pung 9p, pung 9m", ["平胡 0"]),
        ("111555m222888p33p", "", ["碰碰胡 1"]),
        ("555m33p", "pung 1m, pung 2p, pung 8p", ["碰碰胡 1"]),
        ("33p", "pung 1m, pung 2p, pung 8p, pung 5m", ["金钩钓 2"]),
        ("1133557799m2244p", "", ["七对 2"]),
        ("12233445678999m", "", ["清一色 2"]),
        ("12344m", "pung 7m, pung 8m, pung 9m", ["清一色 2"]),
        ("11133355577799m", "", ["清碰 3"]),
        ("99m", "pung 1m, pung 3m, pung 5m, pung 7m", ["清金钩钓 4"]),
        ("1111335577m2244p", "", ["龙七对 3"]),
        ("11113333m557799p", "", ["双龙七对 4"]),
        ("11113333m555577p", "", ["三龙七对 5"]),
        ("11335577m224466m", "", ["清七对 4"]),
        ("11113355m779922m", "", ["清龙七对 5"]),
        ("1111333355m7799m", "", ["清双龙七对 6"]),
        ("11113333555577m", "", ["清三龙七对 7"]),
        ("55p", "direct 1m, added 2p, concealed 8p, direct 5m", ["十八罗汉 6"]),
        ("99m", "direct 1m, added 2m, concealed 8m, direct 5m", ["清十八罗汉 8"]),
    ],
)
def test_a_hand_has_its_name_and_fan(hand: str, laid: str, expected: list[str]) -> None:
    assert parts(win(hand, laid)) == expected


def test_every_name_of_the_table_is_the_sum_of_shape_suit_and_root() -> None:
    shape = {"平胡": 0, "碰碰胡": 1, "金钩钓": 2, "十八罗汉": 2, "七对": 2}
    names = {
        "清一色": ("平胡", 2),
        "清碰": ("碰碰胡", 2),
        "清金钩钓": ("金钩钓", 2),
        "清十八罗汉": ("十八罗汉", 2),
        "清七对": ("七对", 2),
        "龙七对": ("七对", 0),
        "双龙七对": ("七对", 0),
        "三龙七对": ("七对", 0),
        "清龙七对": ("七对", 2),
        "清双龙七对": ("七对", 2),
        "清三龙七对": ("七对", 2),
    } | {name: (name, 0) for name in shape}
    assert {row.name for row in TABLE.bases} == set(names)
    for row in TABLE.bases:
        base, suit = names[row.name]
        assert row.fan == shape[base] + suit + row.uses[1], row.name


def test_ids_are_unique() -> None:
    ids = [row.id for row in TABLE.bases + TABLE.extras]
    assert len(set(ids)) == len(ids)


# 根


@pytest.mark.parametrize(
    ("hand", "laid", "expected"),
    [
        ("12344p", "direct 1m, pung 5m, pung 9m", ["平胡 0", "根 1"]),  # a kong
        ("12344p", "concealed 1m, added 5m, pung 9m", ["平胡 0", "根 2"]),
        ("123m99p", "pung 1m, pung 5m, pung 9m", ["平胡 0", "根 1"]),  # a pung and the fourth tile
        ("111123m99p", "pung 5m, pung 9m", ["平胡 0", "根 1"]),  # four concealed: 111 and 123
        ("55m", "direct 1m, pung 2p, pung 8p, pung 5p", ["金钩钓 2", "根 1"]),
        ("55m", "direct 1m, added 2p, concealed 8p, pung 5p", ["金钩钓 2", "根 3"]),
        ("555m88p", "direct 1m, added 2m, concealed 8m", ["碰碰胡 1", "根 3"]),
        ("11123444m", "pung 5m, pung 9m", ["清一色 2"]),  # 111 and 123 are three 1m, 44 and 4 three 4m: none
        ("11112344m", "pung 6m, concealed 9m", ["清一色 2", "根 2"]),
    ],
)
def test_each_four_of_a_kind_is_a_root_konged_or_not(hand: str, laid: str, expected: list[str]) -> None:
    assert parts(win(hand, laid)) == expected


def test_the_winning_tile_counts_towards_a_root() -> None:
    assert parts(win("123m99p", "pung 1m, pung 5m, pung 9m", tile="1m")) == ["平胡 0", "根 1"]


def test_a_name_takes_its_roots_with_it_and_leaves_none_to_count_again() -> None:
    assert parts(win("1111335577m2244p", around=SELF_DRAW)) == ["龙七对 3", "自摸 1"]
    assert parts(win("55p", "direct 1m, added 2p, concealed 8p, direct 5m", around=DISCARD)) == ["十八罗汉 6"]


# circumstances


@pytest.mark.parametrize(
    ("around", "expected"),
    [
        (NO_CIRCUMSTANCES, []),
        (DISCARD, []),
        (SELF_DRAW, ["自摸 1"]),
        (Circumstances(How.SELF_DRAW, kongs=1), ["自摸 1", "杠上开花 1"]),
        (Circumstances(How.SELF_DRAW, kongs=3), ["自摸 1", "杠上开花 1"]),
        (Circumstances(How.DISCARD, kongs=1), ["杠上炮 1"]),
        (Circumstances(How.DISCARD, kongs=2), ["杠上炮 1"]),
        (ROBBED, ["抢杠胡 1"]),
        (Circumstances(How.SELF_DRAW, last_tile=True), ["自摸 1", "海底捞月 1"]),
        (Circumstances(How.DISCARD, last_tile=True), ["海底炮 1"]),
        (Circumstances(How.SELF_DRAW, kongs=1, last_tile=True), ["自摸 1", "杠上开花 1", "海底捞月 1"]),
        (Circumstances(How.DISCARD, kongs=1, last_tile=True), ["杠上炮 1", "海底炮 1"]),
        # What cannot go together earns nothing: a robbed kong is never the last tile and follows no replacement.
        (Circumstances(How.ROBBED_KONG, last_tile=True), ["抢杠胡 1"]),
        (Circumstances(How.ROBBED_KONG, kongs=1), ["抢杠胡 1"]),
        # Without how nothing is known.
        (Circumstances(None, kongs=2, last_tile=True), []),
        # The first draw and the dealer earn nothing in this game.
        (Circumstances(How.SELF_DRAW, first_draw=True, dealer=True), ["自摸 1"]),
    ],
)
def test_circumstances_add_to_the_hand(around: Circumstances, expected: list[str]) -> None:
    assert parts(win("123456789m12344p", around=around)) == ["平胡 0", *expected]


def test_the_result_shows_the_name_and_its_parts() -> None:
    value = win("11113355m779922m", around=SELF_DRAW)
    assert parts(value) == ["清龙七对 5", "自摸 1"]
    assert isinstance(value, Value)
    assert (value.fan, value.multiple) == (6, 10**6)


# multiple and cap


@pytest.mark.parametrize(("room", "multiple"), [("mayou", 10**4), ("dashi", 10**4), ("dianfeng", 10**5), ("wangzhe", 10**6)])
def test_the_multiple_is_ten_to_the_fan_up_to_the_cap_of_the_room(room: str, multiple: int) -> None:
    cap = resolve("crazy_xuezhan", {"room": room})["cap"]
    assert isinstance(cap, int)
    value = win("11113333555577m", around=SELF_DRAW, cap=cap)
    assert isinstance(value, Value)
    assert (value.fan, value.multiple) == (8, multiple), "fan is told before the cap"


@pytest.mark.parametrize(
    ("hand", "fan"), [("123456789m12344p", 0), ("111555m222888p33p", 1), ("1133557799m2244p", 2), ("1111335577m2244p", 3)]
)
def test_a_hand_below_the_cap_is_worth_ten_to_its_fan(hand: str, fan: int) -> None:
    for cap in (fan, fan + 1, None):
        value = win(hand, cap=cap)
        assert isinstance(value, Value)
        assert (value.fan, value.multiple) == (fan, 10**fan)


# no win


def test_a_hand_that_holds_its_void_suit_is_no_win() -> None:
    assert win("123456789m12344p", void="p") == "void_suit"
    assert win("123456789m12344p", void="m") == "void_suit"
    assert isinstance(win("123456789m12344p", void="s"), Value)


def test_the_void_suit_is_judged_with_the_melds() -> None:
    assert win("123m44p", "pung 1p, pung 9p, pung 9s", void="s") == "void_suit"
    assert win("99m", "pung 1m, pung 3m, pung 5m, direct 7s", void="s") == "void_suit"


def test_void_suit_is_told_before_no_shape() -> None:
    assert win("147m147p14778899s", void="s") == "void_suit"
    assert win("147m14567p147899p", void="s") == "no_shape"


def test_without_a_void_suit_no_suit_is_ruled_out() -> None:
    assert parts(win("123m456p78999s111p")) == ["平胡 0"]


@pytest.mark.parametrize(
    ("hand", "laid"),
    [("123456789m1234p", ""), ("123m", ""), ("", "pung 1m, pung 2m, pung 3m, pung 4m"), ("123m", "pung 1m, pung 2m, pung 3m, pung 4m")],
)
def test_a_wrong_number_of_tiles_or_no_pair_is_no_shape(hand: str, laid: str) -> None:
    assert win(hand, laid, tile="1m") == "no_shape"


# readings and 查大叫


def test_seven_pairs_that_are_also_runs_count_as_seven_pairs() -> None:
    assert parts(win("112233m445566p99m")) == ["七对 2"]
    assert parts(win("11112222333344m")) == ["清三龙七对 7"]


def test_the_fans_agree_with_the_sum_of_shape_suit_and_root_on_random_wins() -> None:
    rng = random.Random(5)
    seen = set()
    for _ in range(4000):
        tiles, laid = naive.random_win(rng, suits=2)
        value = value_win(Concealed(tiles), laid, tiles[0], None, NO_CIRCUMSTANCES, None)
        assert isinstance(value, Value)
        assert value.fan == naive.sum_of_fans(tiles, laid), (format_tiles(tiles), laid)
        seen.add(value.parts[0].name)
    assert len(seen) >= 13, seen


def test_waits_are_valued_without_circumstances() -> None:
    found = [(tile, value.fan) for tile, value in waits(held("1113456666788s"), (), None, None)]
    # 清一色 and the four 6s.
    assert [format_tiles([tile]) for tile, _ in found] == ["2s", "5s", "7s", "8s"]
    assert {fan for _, fan in found} == {3}


def test_the_void_suit_is_no_wait_and_a_hand_that_holds_it_waits_for_nothing() -> None:
    hand = held("123456789m11p22s")
    assert tiles_in(ready_mask(hand, (), None)) == [tile_of("1p"), tile_of("2s")]
    assert ready_mask(hand, (), SUITS.index("s")) == 0
    alone = held("123456789m1122p")
    assert tiles_in(ready_mask(alone, (), SUITS.index("s"))) == [tile_of("1p"), tile_of("2p")]
    assert ready_mask(held("46p11m"), melds("pung 9s, pung 1s, pung 2m"), SUITS.index("s")) == 0, "melds count"
    assert best_wait(hand, (), SUITS.index("s"), None) is None


def test_the_best_wait_is_the_highest_multiple_over_the_waits() -> None:
    hand = held("11223344m55667p")
    found = {format_tiles([tile]): value.fan for tile, value in waits(hand, (), SUITS.index("s"), None)}
    assert found == {"4p": 0, "7p": 2}, "4p makes runs, 7p seven pairs"
    best = best_wait(hand, (), SUITS.index("s"), None)
    assert best is not None
    assert (best.fan, best.multiple) == (2, 100)


def test_of_waits_with_equal_capped_multiples_the_one_with_more_fan_is_shown() -> None:
    hand = held("1122334445566m")
    found = {format_tiles([tile]): value for tile, value in waits(hand, (), None, 2)}
    assert {tile: value.fan for tile, value in found.items()} == {"1m": 2, "4m": 5, "5m": 2, "6m": 2, "7m": 2}
    assert {value.multiple for value in found.values()} == {100}
    assert best_wait(hand, (), None, 2) == found["4m"]


def test_there_is_no_highest_of_none() -> None:
    assert highest([]) is None
    assert best_wait(held("1357m1357p13579s"), (), None, None) is None
