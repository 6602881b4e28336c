"""How a hand of 疯狂血战 ends, and who pays what: everyone is void in s unless said otherwise."""

from __future__ import annotations

import pytest

from games.registry import ruleset
from tests.games.board import XUEZHAN, board, claims, names, out, play

JUNK = "124578m124578p9m"
READY = "123456789m4611p"
"""Waits for 5p, multiple 1."""
PIG = "124578m12457p19s"


def run_out(
    *hands: str, voids: str = "ssss", rules: object = XUEZHAN, gone: tuple[int, ...] = ()
) -> list[tuple[str, list[tuple[int, int, int]]]]:
    """The dealer draws the last tile and throws it, and nobody wants it. Returns the stages."""
    hand = out(board(*hands, wall="9p", voids=voids, rules=rules), *gone)
    events = play(hand, "0 discard 9p")
    assert (hand.over, hand.ended) == (True, "wall_empty")
    assert names(events)[-1] == "hand_over"
    return [(stage.cause, claims(hand, place)) for place, stage in enumerate(hand.stages)]


def test_who_is_not_ready_pays_who_is() -> None:
    assert run_out(JUNK, READY, JUNK, JUNK) == [("not_ready", [(0, 1, 1), (2, 1, 1), (3, 1, 1)])]


def test_several_who_are_ready_are_each_paid_by_each_who_is_not() -> None:
    assert run_out(JUNK, READY, JUNK, READY) == [("not_ready", [(0, 1, 1), (0, 3, 1), (2, 1, 1), (2, 3, 1)])]


def test_nothing_is_paid_when_all_are_ready_or_nobody_is() -> None:
    assert run_out(READY, READY, READY, READY) == []
    assert run_out(JUNK, JUNK, JUNK, JUNK) == []


def test_a_ready_hand_counts_what_its_best_wait_is_worth_without_circumstances() -> None:
    """On 5p all pungs 碰碰胡, on 3p and 6p standard."""
    stages = run_out(JUNK, "111222333m4445p", JUNK, JUNK)
    assert stages == [("not_ready", [(0, 1, 10), (2, 1, 10), (3, 1, 10)])]


def test_the_room_caps_what_a_wait_is_worth() -> None:
    """清龙七对, five fans."""
    for room, multiple in (("mayou", 10**4), ("dianfeng", 10**5), ("wangzhe", 10**5)):
        rules = ruleset("crazy_xuezhan", {"room": room})
        stages = run_out(JUNK, "2222334455667m", READY, READY, rules=rules)
        assert (0, 1, multiple) in stages[0][1], room


def test_who_has_won_neither_pays_nor_is_paid() -> None:
    assert run_out(JUNK, READY, JUNK, READY, gone=(1, 2)) == [("not_ready", [(0, 3, 1)])]


def test_a_flower_pig_pays_each_who_is_none_the_cap() -> None:
    stages = run_out(JUNK, PIG, JUNK, JUNK)
    assert stages == [("flower_pig", [(1, 0, 10**4), (1, 2, 10**4), (1, 3, 10**4)])]


@pytest.mark.parametrize(("room", "multiple"), [("mayou", 10**4), ("dashi", 10**4), ("dianfeng", 10**5), ("wangzhe", 10**6)])
def test_what_a_flower_pig_pays_is_the_cap_of_the_room(room: str, multiple: int) -> None:
    stages = run_out(JUNK, PIG, JUNK, JUNK, rules=ruleset("crazy_xuezhan", {"room": room}))
    assert stages[0][1][0] == (1, 0, multiple)


def test_a_flower_pig_is_not_ready_either_and_pays_again_in_a_stage_of_its_own() -> None:
    stages = run_out(JUNK, PIG, READY, JUNK)
    assert stages == [
        ("flower_pig", [(1, 0, 10**4), (1, 2, 10**4), (1, 3, 10**4)]),
        ("not_ready", [(0, 2, 1), (1, 2, 1), (3, 2, 1)]),
    ]


def test_flower_pigs_do_not_pay_each_other() -> None:
    stages = run_out(JUNK, PIG, PIG, JUNK)
    assert stages == [("flower_pig", [(1, 0, 10**4), (1, 3, 10**4), (2, 0, 10**4), (2, 3, 10**4)])]


def test_if_all_are_flower_pigs_nothing_is_paid() -> None:
    assert run_out(PIG, PIG, PIG, PIG, voids="pppp") == []


def test_melds_count_towards_the_three_suits() -> None:
    assert run_out(JUNK, "124578m1245p | pung 9s", JUNK, JUNK, voids="sssm")[0][0] == "flower_pig"


def test_a_hand_that_holds_its_void_suit_is_not_ready_and_no_pig_with_two_suits() -> None:
    """Ready in shape, but 11p is of the void suit."""
    assert run_out(JUNK, "123456789m4611p", READY, JUNK, voids="spss") == [("not_ready", [(0, 2, 1), (1, 2, 1), (3, 2, 1)])]


def test_a_kind_of_which_one_owns_all_four_is_no_wait() -> None:
    """Only a fifth 1m would make the pair."""
    assert run_out(JUNK, "1m | pung 1m, pung 2m, pung 3m, pung 4m", JUNK, JUNK) == []


def test_the_last_discard_is_answered_before_the_checks() -> None:
    hand = board(JUNK, "123456789m4611p", "123456789m1199p", JUNK, wall="5p")
    assert names(play(hand, "0 discard 5p")) == ["discarded"]
    events = play(hand, "1 win")
    assert names(events) == ["won", "stage_claimed", "stage_claimed", "hand_over"]
    assert [stage.cause for stage in hand.stages] == ["win", "not_ready"]
    assert claims(hand) == [(0, 2, 1), (3, 2, 1)], "the winner no longer takes part"


def test_after_a_self_drawn_win_on_the_last_tile_the_checks_follow() -> None:
    hand = board(READY, READY, JUNK, JUNK, wall="5p")
    events = play(hand, "0 win")
    assert names(events) == ["won", "stage_claimed", "stage_claimed", "hand_over"]
    assert claims(hand) == [(2, 1, 1), (3, 1, 1)]


def test_the_third_win_ends_the_hand_without_checks() -> None:
    hand = out(board(READY, PIG, JUNK, JUNK, wall="5p"), 2, 3)
    assert names(play(hand, "0 win")) == ["won", "stage_claimed", "hand_over"]
    assert hand.ended == "third_win"
    assert hand.result()["ended"] == "third_win"


def test_kongs_earn_nothing() -> None:
    hand = board("1111m24578m1245p", JUNK, JUNK, JUNK, wall="9p8p9m9m")
    play(hand, "0 kong 1m concealed")
    assert hand.stages == []
    assert hand.points() == [0, 0, 0, 0]


def test_points_are_the_sum_of_all_claims() -> None:
    hand = board(JUNK, READY, READY, JUNK, wall="5p9m5p5p9m")
    play(hand, "0 discard 5p", "1 win", "2 pass")
    assert hand.points() == [-1, 1, 0, 0]
    play(hand, "2 discard 9m", "3 discard 5p", "2 win")
    assert hand.points() == [-1, 1, 1, -1]


def test_the_largest_claim_is_the_cap_multiple() -> None:
    assert XUEZHAN.largest_claim == 10**4
    assert ruleset("crazy_xuezhan", {"cap": 9}).largest_claim == 10**9


def test_a_winner_may_go_and_who_has_not_won_is_played_by_the_server() -> None:
    hand = board(READY, JUNK, JUNK, JUNK, wall="5p9m9m")
    play(hand, "0 win")
    assert [hand.seat_done(seat) for seat in range(4)] == [True, False, False, False]
    assert not XUEZHAN.may_leave
