"""The checks on an empty wall of 欢乐麻将: 查花猪, 查大叫, 退税 (docs/rules/happy_sichuan.md)."""

from __future__ import annotations

import pytest

from games.mahjong.machine import MahjongHand
from tests.games.board import names, out, play
from tests.games.happy import FAR, HAPPY, JUNK, OTHER, READY, SINGLE, THREE_FAN, board, causes, stage

DRAGON = "22334455p11199m"
"""Waits: 1m for 龙七对 5, three others for 平胡 1."""
TAXED = "1357m246788p | pung 9p"
"""Draws 9p for an added kong, and is not ready with it."""
KONGER = "111357m1346789p"
"""Draws 1m for a concealed kong, and is not ready with it."""


def emptied(*hands: str, rules: object = HAPPY, won: tuple[int, ...] = ()) -> MahjongHand:
    """The dealer drew the last tile, 2s, and threw it."""
    hand = out(board(*hands, wall="2s", rules=rules), *won)
    play(hand, "0 discard 2s")
    assert (hand.over, hand.ended) == (True, "wall_empty")
    return hand


# 查花猪


def test_each_pig_pays_each_other_player_16() -> None:
    hand = emptied(FAR, JUNK, FAR, FAR)
    assert stage(hand, "flower_pig") == [(1, 0, 16), (1, 2, 16), (1, 3, 16)]
    assert hand.points() == [96, -288, 96, 96]
    assert sorted(stage(emptied(FAR, JUNK, JUNK, FAR), "flower_pig")) == [(1, 0, 16), (1, 3, 16), (2, 0, 16), (2, 3, 16)]


def test_a_pig_is_who_holds_all_three_suits_melds_counted() -> None:
    hand = emptied(FAR, "1357m246p | pung 9p, concealed 1s", FAR, FAR)
    assert {payer for payer, _, _ in stage(hand, "flower_pig")} == {1}


def test_pigs_do_not_pay_each_other() -> None:
    assert causes(emptied(JUNK, JUNK, JUNK, JUNK)) == []


def test_no_cap_limits_what_a_pig_pays() -> None:
    assert {multiple for _, _, multiple in stage(emptied(FAR, JUNK, FAR, FAR, rules=THREE_FAN), "flower_pig")} == {16}


# 查大叫


def test_who_is_not_ready_pays_each_ready_player_their_highest_multiple() -> None:
    hand = emptied(FAR, FAR, DRAGON, OTHER)
    assert stage(hand, "not_ready") == [(0, 2, 16), (0, 3, 1), (1, 2, 16), (1, 3, 1)]
    assert causes(hand) == ["not_ready"]


def test_the_highest_multiple_counts_base_kong_and_root() -> None:
    assert stage(emptied(FAR, "1234p | concealed 1m, pung 5m, pung 9m", FAR, FAR), "not_ready")[0] == (0, 1, 2), "平胡 and 杠"
    assert stage(emptied(FAR, "34m99p | concealed 1m, pung 5m, pung 9m", FAR, FAR), "not_ready")[0] == (0, 1, 4), "on 5m 根 too"


def test_the_highest_multiple_is_limited_by_the_cap() -> None:
    assert stage(emptied(FAR, DRAGON, FAR, FAR, rules=THREE_FAN), "not_ready")[0] == (0, 1, 4)


def test_pigs_do_not_pay_who_is_ready_again() -> None:
    hand = emptied(FAR, JUNK, READY, OTHER)
    assert causes(hand) == ["flower_pig", "not_ready"], "in this order"
    assert stage(hand, "not_ready") == [(0, 2, 1), (0, 3, 1)]


def test_a_hand_of_three_suits_is_not_ready() -> None:
    hand = emptied("123456m789p1199s", "123456m789p1199s", READY, READY)
    assert causes(hand) == ["flower_pig"]


def test_if_all_are_ready_nobody_pays() -> None:
    assert causes(emptied(OTHER, READY, OTHER, READY)) == []


def test_who_waits_only_for_a_kind_of_which_he_owns_all_four_is_not_ready() -> None:
    hand = emptied(FAR, "1p | pung 1p, pung 5m, pung 9m, pung 7p", READY, READY)
    assert {payer for payer, _, _ in stage(hand, "not_ready")} == {0, 1}
    hand = emptied(FAR, "1p | pung 2p, pung 5m, pung 9m, pung 7p", READY, READY)
    assert {payer for payer, _, _ in stage(hand, "not_ready")} == {0}


# who takes part


def test_who_has_won_neither_pays_nor_is_paid() -> None:
    hand = emptied(FAR, JUNK, READY, JUNK, won=(2, 3))
    assert stage(hand, "flower_pig") == [(1, 0, 16)]
    assert causes(hand) == ["flower_pig"], "the ready winner is not paid 大叫"
    hand = emptied(FAR, DRAGON, FAR, READY, won=(2, 3))
    assert stage(hand, "not_ready") == [(0, 1, 16)]


def test_three_wins_leave_nothing_to_check() -> None:
    hand = board(READY, READY, READY, JUNK, wall="9p9p9p")
    play(hand, "0 win", "1 win", "2 win")
    assert (hand.ended, causes(hand)) == ("third_win", ["win"] * 3)


def test_single_checks_when_nobody_has_won() -> None:
    hand = emptied(FAR, JUNK, READY, OTHER, rules=SINGLE)
    assert causes(hand) == ["flower_pig", "not_ready"]
    hand = board(READY, JUNK, FAR, FAR, wall="9p", rules=SINGLE)
    play(hand, "0 win")
    assert (hand.ended, causes(hand)) == ("first_win", ["win"])


def test_the_last_discard_is_answered_before_the_checks() -> None:
    hand = board(FAR, READY, JUNK, JUNK, wall="9p")
    play(hand, "0 discard 9p")
    assert not hand.over
    play(hand, "1 win")
    assert causes(hand) == ["win", "flower_pig"]


# 退税


def test_who_is_not_ready_gives_every_kong_payment_back() -> None:
    hand = board(TAXED, FAR, FAR, FAR, wall="9p2s")
    events = play(hand, "0 kong 9p added", "0 discard 2s")
    assert names(events) == ["discarded", "stage_claimed", "hand_over"]
    assert stage(hand, "refund") == [(0, 1, 1), (0, 2, 1), (0, 3, 1)]
    assert hand.points() == [0, 0, 0, 0]


def test_an_added_kong_that_somebody_could_have_robbed_is_given_back_too() -> None:
    hand = board(TAXED, READY, FAR, FAR, wall="9p1s2s3s4s5s")
    play(hand, "0 kong 9p added", "1 pass", "0 discard 1s", "1 discard 2s", "2 discard 3s", "3 discard 4s", "0 discard 5s")
    assert stage(hand, "refund") == [(0, 1, 1), (0, 2, 1), (0, 3, 1)]


def test_direct_and_concealed_kongs_are_given_back_as_they_were_paid() -> None:
    hand = board(KONGER, FAR, FAR, FAR, wall="1m2s")
    play(hand, "0 kong 1m concealed", "0 discard 2s")
    assert stage(hand, "refund") == [(0, 1, 2), (0, 2, 2), (0, 3, 2)]
    hand = board(FAR, FAR, "1357m134678999p", FAR, wall="9p2s")
    play(hand, "0 discard 9p", "2 kong 9p direct", "2 discard 2s")
    assert stage(hand, "refund") == [(2, 0, 1)]


def test_pigs_give_back_too() -> None:
    hand = board("1357m2468p23s | pung 9p", FAR, FAR, FAR, wall="9p5s")
    play(hand, "0 kong 9p added", "0 discard 5s")
    assert causes(hand) == ["kong", "flower_pig", "refund"]
    assert stage(hand, "refund") == [(0, 1, 1), (0, 2, 1), (0, 3, 1)]


def test_who_is_ready_keeps_what_their_kongs_earned() -> None:
    hand = board("123456m1199p | pung 5p", FAR, FAR, FAR, wall="5p2s")
    play(hand, "0 kong 5p added", "0 discard 2s")
    assert causes(hand) == ["kong", "not_ready"]


def test_who_has_won_keeps_what_their_kongs_earned() -> None:
    hand = board("111m456789m1199p", FAR, FAR, FAR, wall="1m9p2s")
    play(hand, "0 kong 1m concealed", "0 win", "1 discard 2s")
    assert causes(hand) == ["kong", "win"]


WON_AFTER_PAYING = ("0 kong 1m concealed", "0 discard 9s", "1 win")


def test_a_winner_who_is_still_seated_gets_their_payment_back() -> None:
    hand = board(KONGER, OTHER, FAR, FAR, wall="1m9s5p4s4s2s")
    play(hand, *WON_AFTER_PAYING, "2 discard 4s", "3 discard 4s", "0 discard 2s")
    assert stage(hand, "refund") == [(0, 1, 2), (0, 2, 2), (0, 3, 2)]


def test_a_winner_who_has_left_gets_nothing_back() -> None:
    hand = board(KONGER, OTHER, FAR, FAR, wall="1m9s5p4s4s2s")
    play(hand, *WON_AFTER_PAYING)
    frozen = hand.points()[1]
    play(hand, "1 leave", "2 discard 4s", "3 discard 4s", "0 discard 2s")
    assert stage(hand, "refund") == [(0, 2, 2), (0, 3, 2)]
    assert hand.points()[1] == frozen


def test_a_kong_that_was_handed_over_is_not_given_back() -> None:
    hand = board(KONGER, READY, FAR, FAR, wall="1m9p4s4s2s")
    play(hand, "0 kong 1m concealed", "0 discard 9p", "1 win", "2 discard 4s", "3 discard 4s", "0 discard 2s")
    assert causes(hand) == ["kong", "win", "kong_transfer"]


def test_of_a_row_the_kongs_that_were_not_handed_over_are_given_back() -> None:
    hand = board("1113m134678p | pung 9m", OTHER, FAR, FAR, wall="1m9m5p4s4s2s")
    play(hand, "0 kong 1m concealed", "0 kong 9m added", "0 discard 5p", "1 win", "2 discard 4s", "3 discard 4s", "0 discard 2s")
    assert stage(hand, "kong_transfer") == [(0, 1, 3)]
    assert stage(hand, "refund") == [(0, 1, 2), (0, 2, 2), (0, 3, 2)], "the concealed one, not the added one"


@pytest.mark.parametrize("rules", [HAPPY, SINGLE])
def test_the_three_checks_come_in_order_in_both_modes(rules: object) -> None:
    hand = board(TAXED, JUNK, OTHER, FAR, wall="9p2s", rules=rules)
    play(hand, "0 kong 9p added", "0 discard 2s")
    assert causes(hand) == ["kong", "flower_pig", "not_ready", "refund"]
