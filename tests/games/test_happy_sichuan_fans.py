"""What a win is worth in 欢乐麻将: every row, extra and example of docs/rules/happy_sichuan.md."""

from __future__ import annotations

import pytest

from games.happy_sichuan.fans import TABLES, TOP_FAN, best_wait, multiple_of, ready_mask, value_win, waits
from games.mahjong.fans import NO_CIRCUMSTANCES, Circumstances, How, Value
from games.mahjong.tiles import format_tiles
from games.options import resolve
from tests.games.naive import held, melds

SELF_DRAW = Circumstances(How.SELF_DRAW)
DISCARD = Circumstances(How.DISCARD)
ROBBED = Circumstances(How.ROBBED_KONG)
EARTHLY = Circumstances(How.SELF_DRAW, first_draw=True)
HEAVENLY = EARTHLY._replace(dealer=True)


def win(hand: str, laid: str = "", *, around: Circumstances = NO_CIRCUMSTANCES, cap: int | None = None, kong_draw: int = 1) -> Value | str:
    """Value a hand of 14."""
    concealed = held(hand)
    return value_win(concealed, melds(laid), concealed.tiles()[-1], None, around, cap, TABLES[kong_draw])


def worth(value: Value | str) -> tuple[int, int]:
    """The fan before and the multiple after the cap."""
    assert isinstance(value, Value), value
    return value.fan, value.multiple


def parts(value: Value | str) -> list[str]:
    """The result as it is shown: `清龙七对 6`."""
    assert isinstance(value, Value), value
    assert value.fan == sum(part.fan for part in value.parts)
    return [f"{part.name} {part.fan}" for part in value.parts]


# base hands


@pytest.mark.parametrize(
    ("hand", "laid", "expected"),
    [
        ("123456789m12344p", "", "平胡 1"),
        ("123m44p", "pung 1p, pung 9p, pung 9m", "平胡 1"),
        ("111555m222888p33p", "", "对对胡 2"),
        ("33p", "pung 1m, pung 2p, pung 8p, pung 5m", "对对胡 2"),
        ("12233445678999m", "", "清一色 3"),
        ("12344m", "pung 7m, pung 8m, pung 9m", "清一色 3"),
        ("123789m12378999p", "", "带幺九 3"),
        ("78999m", "pung 1m, pung 1p, pung 9p", "带幺九 3"),
        ("1133557799m2244p", "", "七对 3"),
        ("11133355577799m", "", "清对 4"),
        ("99m", "pung 1m, pung 3m, pung 5m, pung 7m", "清对 4"),
        ("222555m222555p88p", "", "将对 4"),
        ("22m", "pung 5m, pung 8m, pung 2p, pung 5p", "将对 4"),
        ("1111335577m2244p", "", "龙七对 5"),
        ("11335577m224466m", "", "清七对 5"),
        ("11123777888999m", "", "清幺九 5"),
        ("11113355m779922m", "", "清龙七对 6"),
    ],
)
def test_a_hand_has_its_base_and_fan(hand: str, laid: str, expected: str) -> None:
    assert parts(win(hand, laid)) == [expected]


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("23445677p345789s", "平胡 1"),
        ("111222444m33399p", "对对胡 2"),
        ("11333222456999s", "清一色 3"),
        ("111222333m78999p", "带幺九 3"),
        ("222555888s88855m", "将对 4"),
        ("11222244p557799m", "龙七对 5"),
        ("11334466778899s", "清七对 5"),
        ("11123777888999p", "清幺九 5"),
        ("11224444557799m", "清龙七对 6"),
    ],
)
def test_the_examples_of_the_source_have_their_names(hand: str, expected: str) -> None:
    assert parts(win(hand)) == [expected]


def test_the_two_misprinted_examples_are_what_the_definitions_say() -> None:
    assert parts(win("99887755221166p")) == ["清七对 5"], "given for 清对"
    assert parts(win("2244552299m1199p")) == ["龙七对 5"], "given for 七对"


def test_base_hands_do_not_add_up() -> None:
    assert parts(win("11123777888999m")) == ["清幺九 5"], "neither 清一色 nor 带幺九 besides"
    assert parts(win("11133355577799m")) == ["清对 4"], "neither 对对胡 nor 清一色 besides"
    assert parts(win("11335577m224466m")) == ["清七对 5"], "neither 七对 nor 清一色 besides"


@pytest.mark.parametrize(
    ("hand", "laid", "reason"),
    [
        ("123789m12378889p", "", "the pair"),
        ("123789m23478999p", "", "a run"),
        ("123789m66678999p", "", "three alike"),
        ("12399p", "pung 1m, pung 9m, pung 2p", "a meld"),
        ("12399p", "pung 1m, pung 9m, concealed 5m", "a kong"),
    ],
)
def test_outside_needs_a_1_or_a_9_in_every_set_and_the_pair(hand: str, laid: str, reason: str) -> None:
    assert parts(win(hand, laid))[0] == "平胡 1", reason


@pytest.mark.parametrize(
    ("hand", "laid"),
    [
        ("11123789m111999p", ""),
        ("78999m", "pung 1m, pung 9p, pung 1p"),
        ("78999m", "direct 1m, added 9p, concealed 1p"),
    ],
)
def test_outside_counts_runs_pungs_kongs_and_pairs_with_terminals(hand: str, laid: str) -> None:
    assert parts(win(hand, laid))[0] == "带幺九 3"


def test_outside_is_found_in_the_reading_that_has_it() -> None:
    assert parts(win("111222333m78999p")) == ["带幺九 3"], "123 123 123, not 111 222 333"
    assert parts(win("111222333m99p", "pung 5p")) == ["对对胡 2"], "the meld is in the middle"


def test_seven_pairs_are_also_read_as_runs_and_the_higher_total_counts() -> None:
    assert parts(win("11223399m778899p")) == ["带幺九 3"], "七对 too: of equal ones the earlier in the table"
    assert parts(win("11112233m778899p")) == ["龙七对 5"], "more than 带幺九 and 根"
    assert parts(win("11223377889999m")) == ["清龙七对 6"], "清幺九 and 根 are 6 too: the higher base"
    assert parts(win("112233m445566p99m")) == ["七对 3"], "more than 平胡"


def test_two_five_eight_needs_all_pungs_and_nothing_but_2_5_and_8() -> None:
    assert parts(win("222555m222555p33p")) == ["对对胡 2"]
    assert parts(win("22m", "pung 5m, pung 8m, pung 2p, pung 4p")) == ["对对胡 2"]
    assert parts(win("225588m225588p22p")) == ["龙七对 5"], "pairs of them are seven pairs"
    assert parts(win("22m", "concealed 5m, direct 8m, added 2p, pung 5p")) == ["将对 4", "杠 3"], "kongs are pungs"


# 天胡 and 地胡


def test_heavenly_and_earthly_are_bases_of_6() -> None:
    assert parts(win("123456789m12344p", around=HEAVENLY)) == ["天胡 6"]
    assert parts(win("123456789m12344p", around=EARTHLY)) == ["地胡 6"]
    assert parts(win("11133355577799m", around=EARTHLY)) == ["地胡 6"], "instead of 清对"


@pytest.mark.parametrize(("around", "name"), [(HEAVENLY, "天胡 6"), (EARTHLY, "地胡 6")])
def test_base_and_reading_are_chosen_together_for_the_highest_total(around: Circumstances, name: str) -> None:
    assert parts(win("1111335577m2244p", around=around)) == [name, "根 1"], "七对 with four of a kind is 6 + 1"
    assert parts(win("11113355m779922m", around=around)) == [name, "根 1"], "7 is more than 清龙七对 with its 根 used up"
    assert parts(win("11113333555577m", around=around)) == [name, "根 3"]


@pytest.mark.parametrize(
    "around",
    [
        HEAVENLY._replace(how=How.DISCARD),
        HEAVENLY._replace(how=How.ROBBED_KONG),
        HEAVENLY._replace(how=None),
        HEAVENLY._replace(first_draw=False),
        EARTHLY._replace(first_draw=False),
        HEAVENLY._replace(kongs=1),
        EARTHLY._replace(kongs=1),
    ],
)
def test_a_win_that_is_no_self_draw_on_the_first_draw_is_neither(around: Circumstances) -> None:
    assert parts(win("123456789m12344p", around=around))[0] == "平胡 1"


def test_who_has_melded_has_neither() -> None:
    assert parts(win("123m44p", "pung 1p, pung 9p, pung 9m", around=HEAVENLY)) == ["平胡 1"]
    assert parts(win("123m44p", "concealed 1p, pung 9p, pung 9m", around=EARTHLY)) == ["平胡 1", "杠 1"]


# extras


@pytest.mark.parametrize(
    ("around", "expected"),
    [
        (NO_CIRCUMSTANCES, []),
        (DISCARD, []),
        (SELF_DRAW, []),
        (Circumstances(How.SELF_DRAW, kongs=1), ["杠上花 1"]),
        (Circumstances(How.SELF_DRAW, kongs=3), ["杠上花 1"]),
        (Circumstances(How.DISCARD, kongs=1), ["杠上炮 1"]),
        (Circumstances(How.DISCARD, kongs=2), ["杠上炮 1"]),
        (ROBBED, ["抢杠胡 1"]),
        (Circumstances(How.ROBBED_KONG, kongs=1), ["抢杠胡 1"]),
        (Circumstances(How.SELF_DRAW, last_tile=True), []),
        (Circumstances(How.DISCARD, last_tile=True), []),
        (Circumstances(None, kongs=2, last_tile=True, first_draw=True, dealer=True), []),
    ],
)
def test_circumstances_add_to_the_base_and_self_draw_adds_nothing(around: Circumstances, expected: list[str]) -> None:
    assert parts(win("123456789m12344p", around=around)) == ["平胡 1", *expected]


def test_a_kong_draw_counts_1_or_2_by_option() -> None:
    around = Circumstances(How.SELF_DRAW, kongs=2)
    assert parts(win("123m44p", "concealed 1p, direct 9p, pung 9m", around=around)) == ["平胡 1", "杠上花 1", "杠 2"]
    assert parts(win("123m44p", "concealed 1p, direct 9p, pung 9m", around=around, kong_draw=2)) == ["平胡 1", "杠上花 2", "杠 2"]
    for kong_draw in (1, 2):
        others = (Circumstances(How.DISCARD, kongs=1), ROBBED, SELF_DRAW)
        assert [worth(win("123456789m12344p", around=one, kong_draw=kong_draw))[0] for one in others] == [2, 2, 1]


@pytest.mark.parametrize(
    ("hand", "laid", "expected"),
    [
        ("12344p", "direct 1m, pung 5m, pung 9m", ["平胡 1", "杠 1"]),
        ("12344p", "concealed 1m, added 5m, direct 9m", ["平胡 1", "杠 3"]),
        ("55p", "direct 1m, added 2p, concealed 8p, direct 5m", ["对对胡 2", "杠 4"]),
        ("99m", "direct 1m, added 2m, concealed 8m, direct 5m", ["清对 4", "杠 4"]),
    ],
)
def test_each_kong_counts_1_and_never_also_as_root(hand: str, laid: str, expected: list[str]) -> None:
    assert parts(win(hand, laid)) == expected


@pytest.mark.parametrize(
    ("hand", "laid", "expected"),
    [
        ("123m99p", "pung 1m, pung 5m, pung 9m", ["平胡 1", "根 1"]),  # a pung and the fourth tile
        ("111123m99p", "pung 5m, pung 9m", ["平胡 1", "根 1"]),  # four concealed: 111 and 123
        ("123m99p", "pung 1m, direct 5m, pung 9m", ["平胡 1", "杠 1", "根 1"]),
        ("11123444m", "pung 5p, pung 9p", ["平胡 1"]),  # three 1m, three 4m: none
        ("11112344m", "pung 6m, concealed 9m", ["清一色 3", "杠 1", "根 1"]),
    ],
)
def test_each_four_of_a_kind_without_a_kong_is_a_root(hand: str, laid: str, expected: list[str]) -> None:
    assert parts(win(hand, laid)) == expected


def test_dragon_seven_pairs_use_up_one_root() -> None:
    assert parts(win("1111335577m2244p")) == ["龙七对 5"]
    assert parts(win("11113333m557799p")) == ["龙七对 5", "根 1"]
    assert parts(win("11113333m555577p")) == ["龙七对 5", "根 2"]
    assert parts(win("11113333555577m")) == ["清龙七对 6", "根 2"]


# multiple, points, cap


@pytest.mark.parametrize(
    ("fan", "multiple", "points"),
    [
        (1, 1, 6),
        (2, 2, 12),
        (3, 4, 24),
        (4, 8, 48),
        (5, 16, 96),
        (6, 32, 192),
        (7, 64, 384),
        (8, 128, 768),
        (9, 256, 1536),
        (10, 512, 3072),
    ],
)
def test_fans_are_worth_2_to_the_fan_less_1(fan: int, multiple: int, points: int) -> None:
    assert multiple_of(fan) == multiple
    assert 6 * multiple == points


@pytest.mark.parametrize(("room", "multiple"), [("open", 128), ("three_fan", 4)])
def test_a_win_is_limited_by_the_cap_of_the_room(room: str, multiple: int) -> None:
    cap = resolve("happy_sichuan", {"room": room})["cap"]
    assert cap is None or isinstance(cap, int)
    assert worth(win("11113333555577m", cap=cap)) == (8, multiple), "fan is told before the cap"


@pytest.mark.parametrize(("hand", "fan"), [("123456789m12344p", 1), ("111555m222888p33p", 2), ("1111335577m2244p", 5)])
def test_a_hand_up_to_the_cap_is_worth_its_fan(hand: str, fan: int) -> None:
    for cap in (fan, fan + 1, None):
        assert worth(win(hand, cap=cap)) == (fan, 2 ** (fan - 1))


def test_the_cap_cuts_bases_and_extras_together() -> None:
    assert worth(win("12344p", "concealed 1m, added 5m, direct 9m", cap=3)) == (4, 4)


# no win


def test_a_winning_hand_holds_at_most_two_suits() -> None:
    assert win("123m456p78999s111p") == "three_suits"
    assert parts(win("123456m78999p111p")) == ["平胡 1"]


def test_the_suits_are_judged_with_the_melds() -> None:
    assert win("123m44p", "pung 1p, pung 9p, pung 9s") == "three_suits"
    assert win("99m", "pung 1m, pung 3p, pung 5m, direct 7s") == "three_suits"
    assert win("99m", "pung 1s, pung 3s, pung 5m, direct 7s") != "three_suits"


def test_three_suits_is_told_before_no_shape() -> None:
    assert win("147m147p14778899s") == "three_suits"
    assert win("147m14567p147899p") == "no_shape"


def test_there_is_no_void_suit_in_this_game() -> None:
    concealed = held("123456789m12344p")
    assert value_win(concealed, (), 0, 0, DISCARD, None) == value_win(concealed, (), 0, None, DISCARD, None)


@pytest.mark.parametrize(
    ("hand", "laid"),
    [("123456789m1234p", ""), ("123m", ""), ("", "pung 1m, pung 2m, pung 3m, pung 4m"), ("123m", "pung 1m, pung 2m, pung 3m, pung 4m")],
)
def test_a_wrong_number_of_tiles_or_no_pair_is_no_shape(hand: str, laid: str) -> None:
    assert value_win(held(hand), melds(laid), 0, None, NO_CIRCUMSTANCES, None) == "no_shape"


# waits and 查大叫


def test_a_hand_of_three_suits_waits_for_nothing() -> None:
    assert ready_mask(held("123456789m1199p"), ()) != 0
    assert ready_mask(held("123456m789p1199s"), ()) == 0
    assert ready_mask(held("1199m"), melds("pung 1p, pung 2p, direct 3s")) == 0, "melds count"
    assert best_wait(held("123456m789p1199s"), (), None) is None


def test_waits_are_valued_with_base_kong_and_root_and_without_circumstances() -> None:
    found = [(format_tiles([tile]), value.fan) for tile, value in waits(held("1113456666788s"), (), None, None)]
    assert found == [("2s", 4), ("5s", 4), ("7s", 4), ("8s", 4)], "清一色 and the four 6s"
    found = [(format_tiles([tile]), value.fan) for tile, value in waits(held("22334455p11199m"), (), None, None)]
    assert found == [("1m", 5), ("9m", 1), ("2p", 1), ("5p", 1)], "龙七对 on 1m, 平胡 else"
    found = [(format_tiles([tile]), value.fan) for tile, value in waits(held("1234p"), melds("concealed 1m, pung 5m, pung 9m"), None, None)]
    assert found == [("1p", 2), ("4p", 2)], "平胡 and 杠"


def test_the_best_wait_is_the_highest_multiple_over_the_waits() -> None:
    best = best_wait(held("22334455p11199m"), (), None)
    assert best is not None
    assert parts(best) == ["龙七对 5"]
    capped = best_wait(held("22334455p11199m"), (), 3)
    assert capped is not None
    assert worth(capped) == (5, 4)


def test_nothing_is_worth_more_than_10_fan() -> None:
    around = Circumstances(How.SELF_DRAW, kongs=4)
    assert parts(win("99m", "direct 1m, added 2m, concealed 8m, direct 5m", around=around, kong_draw=2)) == ["清对 4", "杠上花 2", "杠 4"]
    assert parts(win("88p", "direct 2m, added 2p, concealed 8m, direct 5m", around=around, kong_draw=2)) == ["将对 4", "杠上花 2", "杠 4"]
    assert TOP_FAN == 10


def test_ids_and_names_are_unique() -> None:
    rows = TABLES[1].bases + TABLES[1].extras
    assert len({row.id for row in rows}) == len({row.name for row in rows}) == len(rows)
