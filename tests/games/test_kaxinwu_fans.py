"""What a win is worth in 血战卡心五: every row, extra and check of docs/rules/kaxinwu.md."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from games.kaxinwu.fans import CHECK, FIVES, FIVES_OF_THREE_SUITS, TOP_FAN, best_wait, check_value, value_win, waits
from games.mahjong.concealed import Concealed
from games.mahjong.fans import NO_CIRCUMSTANCES, Circumstances, How, Value
from games.mahjong.tiles import TILE_NAMES, tile_of
from tests.games import kaxinwu, naive
from tests.games.naive import held, melds

SELF_DRAW = Circumstances(How.SELF_DRAW)
DISCARD = Circumstances(How.DISCARD)
ROBBED = Circumstances(How.ROBBED_KONG)


def win(hand: str, tile: str, laid: str = "", *, around: Circumstances = NO_CIRCUMSTANCES, fives: int = FIVES) -> Value | str:
    """Value a hand of 14, the winning tile in it."""
    return value_win(held(hand), melds(laid), tile_of(tile), None, around, None, fives=fives)


def parts(value: Value | str) -> list[str]:
    """The result as it is shown: `龙七对 3`."""
    assert isinstance(value, Value), value
    assert value.fan == sum(part.fan for part in value.parts)
    assert value.multiple == 2**value.fan
    return [f"{part.name} {part.fan}" for part in value.parts]


# base hands


@pytest.mark.parametrize(
    ("hand", "tile", "laid", "expected"),
    [
        ("123456789p12344s", "1s", "", "平胡 1"),
        ("123p44s", "3p", "pung 7p, pung 9p, pung 9s", "平胡 1"),
        ("111333p222888s33s", "3s", "", "大对子 2"),
        ("33p", "3p", "pung 1s, direct 2p, concealed 8p, added 5s", "大对子 2"),
        ("123p456789s11345s", "3s", "", "平胡 1"),
        ("123p456777s99s888p", "5s", "", "卡心五 2"),
        ("456p44s", "5p", "pung 1s, pung 9p, pung 9s", "卡心五 2"),
        ("113355p22446688s", "8s", "", "七对 2"),
        ("1111335577p2244s", "7p", "", "龙七对 3"),
        ("11113333p557722s", "2s", "", "双龙七对 4"),
        ("111133335555p22s", "2s", "", "三龙七对 5"),
    ],
)
def test_each_base_hand_has_its_n(hand: str, tile: str, laid: str, expected: str) -> None:
    assert parts(win(hand, tile, laid)) == [expected]


def test_what_has_no_winning_shape_is_no_win() -> None:
    assert win("123456789p12355s", "1s") != "no_shape"
    assert win("123456789p12345s", "1s") == "no_shape"
    assert win("19s", "9s", "pung 1p, pung 2p, pung 3p, pung 4p") == "no_shape", "four melds and no pair"
    assert win("1122p33s", "3s", "pung 1s, pung 9p") == "no_shape", "too few tiles, and pairs with melds are not seven pairs"
    assert win("11224455p", "3p", "pung 1s, pung 9p") == "no_shape", "neither sets nor seven pairs"


def test_a_winning_hand_may_hold_all_three_suits() -> None:
    assert parts(win("123m456p78999s777m", "7s")) == ["平胡 1"]
    assert parts(win("1155m3399p227744s", "4s")) == ["七对 2"]


# 卡心五


@pytest.mark.parametrize(
    ("hand", "tile", "base", "why"),
    [
        ("456p123789s111s99p", "5p", "卡心五 2", "46 and the 5 between"),
        ("123p456s123789p99s", "5s", "卡心五 2", "in s as well"),
        ("456p123789s111s99p", "4p", "平胡 1", "won with the 4"),
        ("456p456s123p111s99p", "5s", "卡心五 2", "the winning tile alone counts, and it is between"),
        ("345p123789s111s99p", "5p", "平胡 1", "34 and the 5 after"),
        ("567p123789s111s99p", "5p", "平胡 1", "67 and the 5 before"),
        ("345567p789s111s99p", "5p", "平胡 1", "4 and 6 are there, but in 345 and 567"),
        ("44455666p123789s", "5p", "平胡 1", "444 55 666: the 5 is the pair"),
        ("444555666p12399s", "5p", "卡心五 2", "also three times 456"),
        ("34455666p123888s", "5p", "卡心五 2", "345 456 66: the 5 may stand in either, and counts between 4 and 6"),
        ("444666p45699111s", "5s", "卡心五 2", "the run is what counts"),
        ("456p444666p55s111s", "5s", "平胡 1", "the run is of another suit than the winning tile"),
        ("345p444666p55s111s", "5s", "平胡 1", "4 and 6 are of another suit"),
    ],
)
def test_a_middle_five_is_judged_by_the_reading_not_by_4_and_6_being_there(hand: str, tile: str, base: str, why: str) -> None:
    assert parts(win(hand, tile))[0] == base, why


def test_a_middle_five_of_m_counts_with_three_suits_alone() -> None:
    hand = "456m123789s555s99p"
    assert parts(win(hand, "5m")) == ["平胡 1"]
    assert parts(win(hand, "5m", fives=FIVES_OF_THREE_SUITS)) == ["卡心五 2"]
    for tile, suit in (("5p", "p"), ("5s", "s")):
        assert parts(win(f"456{suit}123m55599m111{suit}", tile, fives=FIVES_OF_THREE_SUITS))[0] == "卡心五 2"


def test_of_equal_totals_the_higher_base_counts_then_the_one_earlier_in_the_table() -> None:
    assert parts(win("444555666p11199s", "5p")) == ["大对子 2"], "or 卡心五"
    assert parts(win("445566p44556699s", "5p")) == ["卡心五 2"], "or 七对"
    assert parts(win("44555566p112233s", "5p")) == ["龙七对 3"], "or 卡心五 and 鬼"


# extras


@pytest.mark.parametrize(
    ("around", "extra"),
    [
        (Circumstances(), []),
        (SELF_DRAW, []),
        (DISCARD, []),
        (ROBBED, ["抢杠胡 1"]),
        (SELF_DRAW._replace(kongs=1), ["杠上花 1"]),
        (SELF_DRAW._replace(kongs=2), ["双杠上花 2"]),
        (SELF_DRAW._replace(kongs=3), ["三杠上花 3"]),
        (SELF_DRAW._replace(kongs=4), ["三杠上花 3"]),
        (DISCARD._replace(kongs=1), ["杠上炮 1"]),
        (DISCARD._replace(kongs=3), ["杠上炮 1"]),
        (ROBBED._replace(kongs=2), ["抢杠胡 1"]),
        (SELF_DRAW._replace(last_tile=True, first_draw=True, dealer=True), []),
        (DISCARD._replace(last_tile=True), []),
    ],
)
def test_circumstances_add_what_the_page_lists_and_nothing_else(around: Circumstances, extra: list[str]) -> None:
    assert parts(win("123p44s", "3p", "pung 7p, pung 9p, pung 9s", around=around)) == ["平胡 1", *extra]


def test_one_suit_is_judged_with_the_melds() -> None:
    assert parts(win("123p44p", "3p", "pung 7p, pung 9p, direct 8p")) == ["平胡 1", "清一色 1"]
    assert parts(win("123p44p", "3p", "pung 7p, pung 9p, direct 7s")) == ["平胡 1"]


@pytest.mark.parametrize(
    ("hand", "laid", "ghosts"),
    [
        ("123p44s", "pung 1p, pung 9p, pung 9s", 1),
        ("123p44s", "pung 1p, pung 3p, pung 9s", 2),
        ("123p44s", "direct 7p, added 9p, concealed 9s", 0),
        ("333p11144s", "pung 9p, pung 9s", 0),
        ("111123p44s", "pung 9p, pung 9s", 1),
        ("123p99s", "pung 1p, pung 2p, pung 3p", 3),
    ],
)
def test_each_four_of_a_kind_that_is_no_kong_is_a_ghost(hand: str, laid: str, ghosts: int) -> None:
    """The fourth tile of a pung counts, wherever it stands; so does the winning tile."""
    value = win(hand, "3p", laid, around=SELF_DRAW)
    assert [part for part in parts(value) if part.startswith("鬼")] == [f"鬼 {ghosts}"] * (ghosts > 0)


@pytest.mark.parametrize(
    ("hand", "dragons"), [("1111335577p2244s", "龙七对 3"), ("11113333p557722s", "双龙七对 4"), ("111133335555p22s", "三龙七对 5")]
)
def test_there_is_no_ghost_for_seven_pairs_with_four_alike(hand: str, dragons: str) -> None:
    assert parts(win(hand, hand[0] + "p", around=SELF_DRAW)) == [dragons]


# checks of the source


@pytest.mark.parametrize(
    ("hand", "fan", "points"),
    [("11335577992244p", 3, 8), ("11113355779922p", 4, 16)],
)
def test_the_checks_of_the_source_pure_seven_pairs_8_pure_dragon_seven_pairs_16(hand: str, fan: int, points: int) -> None:
    value = win(hand, "1p")
    assert isinstance(value, Value)
    assert (value.fan, value.multiple) == (fan, points)


def test_points_are_two_to_the_sum_of_all_fans() -> None:
    value = win("123p44p", "3p", "pung 1p, pung 9p, direct 7p", around=SELF_DRAW._replace(kongs=2))
    assert parts(value) == ["平胡 1", "清一色 1", "双杠上花 2", "鬼 1"]
    assert isinstance(value, Value)
    assert value.multiple == 2 ** (1 + 1 + 2 + 1)


def test_no_hand_is_worth_more_than_128_points() -> None:
    top = DISCARD._replace(kongs=1)
    assert parts(win("11113333555522p", "2p", around=top)) == ["三龙七对 5", "清一色 1", "杠上炮 1"]
    assert parts(win("456p99p", "5p", "pung 4p, pung 5p, pung 6p", around=top)) == ["卡心五 2", "清一色 1", "杠上炮 1", "鬼 3"]
    assert TOP_FAN == 7


# 查叫


def test_for_not_being_ready_only_the_base_and_one_suit_count() -> None:
    assert parts(check_value(held("123p44p"), melds("pung 1p, pung 9p, direct 7p"), tile_of("3p"))) == ["平胡 1", "清一色 1"]
    assert parts(check_value(held("456p99p"), melds("pung 4p, pung 5p, pung 6p"), tile_of("5p"))) == ["卡心五 2", "清一色 1"]
    assert parts(check_value(held("11113333555522p"), (), tile_of("2p"))) == ["三龙七对 5", "清一色 1"]


def shown(hand: str, laid: str = "", fives: int = FIVES) -> list[str]:
    return [f"{TILE_NAMES[tile]} {value.fan}" for tile, value in waits(held(hand), melds(laid), None, None, fives)]


def test_waits_are_valued_as_for_not_being_ready() -> None:
    assert shown("46p123789s111s99p") == ["5p 2"]
    assert shown("1113456666788s") == ["2s 2", "5s 2", "7s 2", "8s 2"], "5 completes 345, and no reading has 456"
    assert shown("22334455p11s111m") == ["1m 3", "2p 1", "5p 1", "1s 1"], "1m makes seven pairs with four alike"
    assert shown("46m123789s111s99p") == ["5m 1"]
    assert shown("46m123789s111s99p", fives=FIVES_OF_THREE_SUITS) == ["5m 2"]
    assert shown("147p258p369s1234s") == []


def test_a_kind_of_which_one_owns_all_four_is_no_wait() -> None:
    assert shown("1p", "pung 2p, pung 3p, pung 4p, pung 5p") == ["1p 3"]
    assert shown("5555p123789s111s", "") == [], "a fifth 5p would be needed"
    assert shown("46p99s", "pung 5p, pung 1s, pung 9p") == ["5p 2"]
    assert shown("46p99s", "direct 5p, pung 1s, pung 9p") == []


def test_the_best_wait_is_the_highest() -> None:
    best = best_wait(held("22334455p11s111m"), ())
    assert best is not None
    assert (best.fan, best.multiple) == (3, 8)
    assert best_wait(held("147p258p369s1234s"), ()) is None


# against a slow second opinion


HOWS = [("", 0), ("self_draw", 0), ("self_draw", 1), ("self_draw", 2), ("self_draw", 4), ("discard", 0), ("discard", 2), ("robbed_kong", 0)]


def test_random_wins_are_worth_what_adding_up_every_reading_gives() -> None:
    rng = random.Random(5)
    seen = Counter[str]()
    for _ in range(3000):
        tiles, laid = naive.random_win(rng, suits=2)
        tile, (how, kongs), three = rng.choice(tiles), rng.choice(HOWS), rng.random() < 0.5
        fives = FIVES_OF_THREE_SUITS if three else FIVES
        around = Circumstances(How(how) if how else None, kongs)
        value = value_win(Concealed(tiles), laid, tile, None, around, None, fives=fives)
        assert isinstance(value, Value)
        assert value.fan == kaxinwu.fan(tiles, laid, tile, kaxinwu.FIVES[three], how, kongs), (tiles, laid, tile)
        assert value.fan <= TOP_FAN or (how == "self_draw" and kongs > sum(meld.is_kong for meld in laid))
        checked = value_win(Concealed(tiles), laid, tile, None, around, None, CHECK, fives)
        assert isinstance(checked, Value)
        assert checked.fan == kaxinwu.fan(tiles, laid, tile, kaxinwu.FIVES[three], check=True)
        seen.update(part.id for part in value.parts)
    assert set(seen) >= {row.id for row in (*CHECK.bases, *CHECK.extras)} - {"three_dragon_seven_pairs"}
    assert seen["ghost"] > 100
