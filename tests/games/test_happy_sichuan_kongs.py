"""Kong scores 刮风下雨 of 欢乐麻将, 杠上炮 and what is handed over (docs/rules/happy_sichuan.md)."""

from __future__ import annotations

import pytest

from games.mahjong.machine import MahjongHand
from tests.games.board import claims, may, names, out, play
from tests.games.happy import FAR, HAPPY, JUNK, LONG, OTHER, READY, SINGLE, board, causes, stage, won

KONGER = "111357m1346789p"
"""Draws 1m and may lay down a concealed kong of it."""
TWICE = "11124m13468p | pung 7s"
"""Draws 1m for a concealed kong, then 7s for an added one."""
THREE_ALIKE = "345678m999p1235s"
PUNGED = "1357m2468p23s | pung 9p"


def test_a_direct_kong_is_paid_by_the_discarder_alone() -> None:
    hand = board(FAR, JUNK, THREE_ALIKE, JUNK, wall="9p" + LONG)
    play(hand, "0 discard 9p", "2 kong 9p direct")
    assert (causes(hand), claims(hand)) == (["kong"], [(0, 2, 1)])
    assert hand.points() == [-6, 0, 6, 0]


def test_an_added_kong_is_paid_by_every_other_player() -> None:
    hand = board(PUNGED, JUNK, JUNK, JUNK, wall="9p" + LONG)
    play(hand, "0 kong 9p added")
    assert (causes(hand), claims(hand)) == (["kong"], [(1, 0, 1), (2, 0, 1), (3, 0, 1)])


def test_an_added_kong_counts_likewise_on_a_later_draw() -> None:
    hand = board(PUNGED, JUNK, JUNK, JUNK, wall="9p1s4s4s4s2m" + LONG)
    play(hand, "0 discard 1m", "1 discard 1s", "2 discard 4s", "3 discard 4s", "0 kong 9p added")
    assert claims(hand) == [(1, 0, 1), (2, 0, 1), (3, 0, 1)]


def test_a_concealed_kong_is_paid_twice_by_every_other_player() -> None:
    hand = board(KONGER, JUNK, JUNK, JUNK, wall="1m" + LONG)
    play(hand, "0 kong 1m concealed")
    assert claims(hand) == [(1, 0, 2), (2, 0, 2), (3, 0, 2)]
    assert hand.points() == [36, -12, -12, -12]


def test_players_who_have_won_pay_for_no_kong() -> None:
    hand = out(board(PUNGED, JUNK, JUNK, JUNK, wall="9p" + LONG), 2)
    play(hand, "0 kong 9p added")
    assert claims(hand) == [(1, 0, 1), (3, 0, 1)]
    hand = out(board(KONGER, JUNK, JUNK, JUNK, wall="1m" + LONG), 1, 3)
    play(hand, "0 kong 1m concealed")
    assert claims(hand) == [(2, 0, 2)]


def test_a_robbed_kong_is_paid_by_nobody() -> None:
    hand = board(PUNGED, READY, JUNK, JUNK, wall="9p" + LONG)
    play(hand, "0 kong 9p added", "1 win")
    assert causes(hand) == ["win"]


def test_a_kong_that_nobody_robbed_although_he_could_is_paid() -> None:
    hand = board(PUNGED, READY, JUNK, JUNK, wall="9p" + LONG)
    play(hand, "0 kong 9p added")
    assert causes(hand) == [], "not before it is decided"
    play(hand, "1 pass")
    assert (causes(hand), claims(hand)) == (["kong"], [(1, 0, 1), (2, 0, 1), (3, 0, 1)])


def test_the_konger_goes_on_with_a_replacement_from_the_wall() -> None:
    hand = board(KONGER, JUNK, JUNK, JUNK, wall="1m5s" + LONG)
    play(hand, "0 kong 1m concealed")
    assert may(hand, 0) == "discard 357m1346789p5s"


# 杠上花, 杠上炮


def test_a_self_draw_on_a_replacement_is_a_kong_draw() -> None:
    hand = board("111m456789m1199p", JUNK, JUNK, JUNK, wall="1m9p" + LONG)
    play(hand, "0 kong 1m concealed", "0 win")
    assert won(hand, 0) == ["平胡 1", "杠上花 1", "杠 1"]
    assert causes(hand) == ["kong", "win"], "nothing is handed over"
    assert claims(hand) == [(1, 0, 4), (2, 0, 4), (3, 0, 4)]


def transferred(*, rules: object = HAPPY, out_of_it: tuple[int, ...] = ()) -> MahjongHand:
    """Seat 0 laid down a concealed kong and threw what seats 1 and 3 won with."""
    hand = out(board(KONGER, READY, JUNK, READY, wall="1m9p" + LONG, rules=rules), *out_of_it)
    play(hand, "0 kong 1m concealed", "0 discard 9p", *(f"{who} win" for who in (1, 3) if who not in out_of_it))
    return hand


def test_what_the_kong_earned_goes_to_who_wins_on_the_discard_after_it() -> None:
    hand = transferred(out_of_it=(3,))
    assert won(hand, 1) == ["平胡 1", "杠上炮 1"]
    assert causes(hand) == ["kong", "win", "kong_transfer"], "a stage of its own after the win"
    assert stage(hand, "win") == [(0, 1, 2)]
    assert stage(hand, "kong_transfer") == [(0, 1, 4)], "also what the winner had paid"
    assert hand.points() == [24 - 12 - 24, -12 + 12 + 24, -12, 0]


def test_each_of_several_winners_gets_the_full_amount() -> None:
    hand = transferred()
    assert stage(hand, "win") == [(0, 1, 2), (0, 3, 2)]
    assert stage(hand, "kong_transfer") == [(0, 1, 6), (0, 3, 6)]
    assert sum(hand.points()) == 0


def test_a_direct_kong_is_handed_over_likewise() -> None:
    hand = board(FAR, READY, "345678m555s1235p", JUNK, wall="5s9p" + LONG)
    play(hand, "0 discard 5s", "2 kong 5s direct", "2 discard 9p", "1 win")
    assert stage(hand, "kong_transfer") == [(2, 1, 1)], "seat 0 had paid it"
    hand = board("123456789m1199p", JUNK, "345678m555s1235p", JUNK, wall="5s9p" + LONG)
    play(hand, "0 discard 5s", "2 kong 5s direct", "2 discard 9p", "0 win")
    assert stage(hand, "kong_transfer") == [(2, 0, 1)], "the winner had paid it"


def test_an_added_kong_is_handed_over_likewise() -> None:
    hand = board("13579m12468p | pung 7s", OTHER, JUNK, JUNK, wall="7s5p" + LONG)
    play(hand, "0 kong 7s added", "0 discard 5p", "1 win")
    assert stage(hand, "kong_transfer") == [(0, 1, 3)]


def test_of_kongs_in_a_row_only_the_last_is_handed_over_and_the_same_to_every_winner() -> None:
    hand = board(TWICE, READY, JUNK, READY, wall="1m7s9p" + LONG)
    play(hand, "0 kong 1m concealed", "0 kong 7s added", "0 discard 9p", "1 win", "3 win")
    assert causes(hand) == ["kong", "kong", "win", "kong_transfer"]
    assert stage(hand, "kong_transfer") == [(0, 1, 3), (0, 3, 3)], "the added one's 3, not the concealed one's 6"
    assert won(hand, 1) == won(hand, 3) == ["平胡 1", "杠上炮 1"]


def test_single_hands_over_before_the_hand_is_over() -> None:
    hand = board(KONGER, READY, JUNK, JUNK, wall="1m9p" + LONG, rules=SINGLE)
    events = play(hand, "0 kong 1m concealed", "0 discard 9p", "1 win")
    assert names(events) == ["won", "stage_claimed", "stage_claimed", "hand_over"]
    assert causes(hand) == ["kong", "win", "kong_transfer"]


def test_only_the_discard_right_after_the_replacement_hands_over() -> None:
    hand = board(KONGER, OTHER, JUNK, JUNK, wall="1m9s5s5p" + LONG)
    play(hand, "0 kong 1m concealed", "0 discard 9s", "1 discard 5s", "2 discard 5p", "1 win")
    assert causes(hand) == ["kong", "win"]
    assert won(hand, 1) == ["平胡 1"]


@pytest.mark.parametrize("passes", [True, False])
def test_after_a_pung_nothing_is_handed_over(passes: bool) -> None:
    hand = board(KONGER, "3579m24689p1155s", READY, JUNK, wall="1m5s" + LONG)
    play(hand, "0 kong 1m concealed", "0 discard 5s", "1 pung", "1 discard 9p", "2 pass" if passes else "2 win")
    assert causes(hand) == (["kong"] if passes else ["kong", "win"])


def test_a_robbed_kong_after_a_kong_hands_nothing_over() -> None:
    hand = board("11124m13468p | pung 5p", OTHER, JUNK, JUNK, wall="1m5p" + LONG)
    play(hand, "0 kong 1m concealed", "0 kong 5p added", "1 win")
    assert won(hand, 1) == ["平胡 1", "抢杠胡 1"]
    assert causes(hand) == ["kong", "win"]


def test_the_konger_loses_what_he_hands_over_once_for_each_winner() -> None:
    hand = transferred()
    assert hand.points() == [36 - 24 - 72, -12 + 12 + 36, -12, -12 + 12 + 36]
