"""过手胡 and 过手碰 in 血战卡心五: what was passed is not offered again for a while (docs/rules/kaxinwu.md)."""

from __future__ import annotations

from games.mahjong.machine import MahjongHand
from games.mahjong.tiles import tile_of
from tests.games.board import asked, may, play
from tests.games.kaxinwu import FOUR, JUNK, LONG, READY, board, did, go, won

PAIR_6P = "1246679p124578s"
"""Not ready; can pung 6p."""
PAIR_9S = "12458p12457899s"
"""Not ready; can pung 9s."""
WAITS_6S = "12345699p11178s"
"""Waits for 6s and 9s, and holds no pair of them."""
KONG_5S = "1245p124555578s"
"""Can lay down four 5s."""
KONG_6S = "1245p124666678s"
NINE_S = tile_of("9s")


# 过手胡


def passed_9s(wall: str) -> MahjongHand:
    """Seat 2 waits for 1s and 9s and has passed the win on a 9s of seat 3. Seat 0 draws the first tile of the wall."""
    hand = board(JUNK, JUNK, READY, JUNK, wall="1p9s" + wall + LONG, dealer=2)
    go(hand, "2 discard 1p", "3 discard 9s")
    assert may(hand, 2) == "win, pung, pass"
    go(hand, "2 pass")
    return hand


def test_after_passing_a_win_on_a_discard_the_same_kind_is_not_offered_again() -> None:
    hand = passed_9s("1p9s1p")
    go(hand, "0 discard 1p", "1 discard 9s")
    assert asked(hand) == [2]
    assert may(hand, 2).startswith("discard"), "nobody was asked about the second 9s"


def test_another_kind_is_offered() -> None:
    hand = passed_9s("1s")
    go(hand, "0 discard 1s")
    assert may(hand, 2) == "win, pung, pass"


def test_passes_of_several_kinds_bind_side_by_side() -> None:
    for second in ("9s", "1s"):
        hand = passed_9s("1s" + second)
        go(hand, "0 discard 1s", "2 pass", f"1 discard {second}")
        assert may(hand, 2).startswith("discard"), second


def test_their_own_draw_ends_it() -> None:
    hand = passed_9s("1p1p1p1p1p9s")
    go(hand, "0 discard 1p", "1 discard 1p", "2 discard 1p", "3 discard 1p", "0 discard 1p", "1 discard 9s")
    assert may(hand, 2) == "win, pung, pass"


def test_their_own_pung_ends_it() -> None:
    hand = board(JUNK, JUNK, "123456p1116699s", JUNK, wall="1p9s6s" + LONG, dealer=2)
    go(hand, "2 discard 1p", "3 discard 9s", "2 pass")
    assert hand.own["wins"][2] == [[NINE_S, 1]]
    go(hand, "0 discard 6s", "2 pung")
    assert hand.own["wins"][2] == []


def test_their_own_kong_ends_it() -> None:
    hand = board(JUNK, JUNK, "12378p11166699s", JUNK, wall="1p9p6s" + LONG, dealer=2)
    go(hand, "2 discard 1p", "3 discard 9p", "2 pass")
    assert len(hand.own["wins"][2]) == 1
    go(hand, "0 discard 6s", "2 kong 6s direct")
    assert hand.own["wins"][2] == []


def test_a_win_worth_more_fan_is_offered() -> None:
    """The second 9s comes right after a kong."""
    hand = board(JUNK, KONG_5S, READY, JUNK, wall="1p9s1p6p9s" + LONG, dealer=2)
    go(hand, "2 discard 1p", "3 discard 9s", "2 pass", "0 discard 1p", "1 kong 5s concealed", "1 discard 9s")
    assert may(hand, 2) == "win, pass"
    go(hand, "2 win")
    assert won(hand, 2) == ["平胡 1", "杠上炮 1"]


def test_a_richer_win_that_is_passed_too_binds_from_then_on() -> None:
    hand = board(KONG_5S, KONG_6S, READY, JUNK, wall="1p9s6p9s6p9s" + LONG, dealer=2)
    go(hand, "2 discard 1p", "3 discard 9s", "2 pass", "0 kong 5s concealed", "0 discard 9s", "2 pass")
    assert hand.own["wins"][2] == [[NINE_S, 2]]
    go(hand, "1 kong 6s concealed", "1 discard 9s")
    assert may(hand, 2).startswith("discard"), "杠上炮 again, worth as much"


def test_robbing_a_kong_of_the_kind_is_worth_more_than_the_discard_that_was_passed() -> None:
    """Seat 3 pungs the 9s that seat 2 passed; the fourth comes as the replacement of another kong, before seat 2 draws."""
    hand = board(JUNK, JUNK, WAITS_6S, "1245557p147899s", wall="9s5p9s" + LONG)
    go(hand, "0 discard 9s", "2 pass", "3 pung", "3 discard 1p", "0 discard 5p", "3 kong 5p direct", "3 kong 9s added")
    assert may(hand, 2) == "win, pass"
    play(hand, "2 pass")
    assert hand.own["wins"][2] == [[NINE_S, 1]], "no other 9s can come: nothing to remember"


def test_it_binds_also_who_has_won_on_another_tile_meanwhile() -> None:
    hand = passed_9s("1s9s6p6p6p9s")
    go(hand, "0 discard 1s", "2 win")
    assert did(go(hand, "3 discard 9s")) == []
    assert (hand.turn, len(hand.seats[2].wins)) == (0, 1), "seat 2 is locked and waits for 9s, and is passed over"
    assert did(go(hand, "0 discard 6p", "1 discard 6p")) == ["2 discard"], "their own draw ends it"
    assert did(go(hand, "3 discard 9s")) == ["2 win"]


def test_passing_a_self_draw_is_no_pass_the_first_discard_is_offered_the_second_after_it_is_not() -> None:
    """The special case of the source: they may still take the first of the others, not the second."""
    hand = board(JUNK, JUNK, READY, JUNK, wall="9s9s9s" + LONG, dealer=2)
    assert "win" in may(hand, 2)
    go(hand, "2 discard 9s", "3 discard 9s")
    assert may(hand, 2) == "win, pung, pass"
    go(hand, "2 pass", "0 discard 9s")
    assert asked(hand) == [1]


def test_who_declines_a_win_for_their_pung_has_passed_it_also_if_the_pung_is_lost() -> None:
    hand = board(JUNK, READY, READY, JUNK, wall="9s9s" + LONG)
    go(hand, "0 discard 9s", "1 pung", "2 win")
    assert (hand.seats[1].melds, hand.own["wins"][1]) == ([], [[NINE_S, 1]])
    play(hand, "3 discard 9s")
    assert may(hand, 1) == "pung, pass", "a lost pung is no pass and ends none"


def test_who_declines_a_win_for_their_kong_has_passed_it_also_if_the_kong_is_lost() -> None:
    hand = board(JUNK, "11123456p78999s", WAITS_6S, JUNK, wall="9s" + LONG)
    go(hand, "0 discard 9s")
    assert may(hand, 1) == "win, kong, pung, pass"
    go(hand, "1 kong 9s direct", "2 win")
    assert (hand.seats[1].melds, hand.own["wins"][1]) == ([], [[NINE_S, 2]]), "平胡 and 鬼"


def test_who_wins_has_passed_nothing() -> None:
    hand = board(JUNK, READY, READY, JUNK, wall="9s" + LONG)
    go(hand, "0 discard 9s", "1 win", "2 win")
    assert hand.own["wins"] == [[]] * 4


def test_each_is_bound_by_their_own_passes_alone() -> None:
    hand = board(READY, JUNK, JUNK, READY, wall="9s1p9s" + LONG, dealer=1)
    go(hand, "1 discard 9s", "0 pass", "3 win", "0 discard 1p")
    assert hand.own["wins"] == [[]] * 4, "seat 0 has drawn"


# 过手碰


def test_after_passing_a_pung_the_same_kind_is_not_offered_until_their_own_draw() -> None:
    hand = board(JUNK, JUNK, PAIR_6P, JUNK, wall="1p6p9p6p9p9p9p6p" + LONG, dealer=2)
    go(hand, "2 discard 1p", "3 discard 6p")
    assert may(hand, 2) == "pung, pass"
    go(hand, "2 pass", "0 discard 9p", "1 discard 6p")
    assert may(hand, 2).startswith("discard"), "nobody was asked"
    go(hand, "2 discard 9p", "3 discard 9p", "0 discard 9p", "1 discard 6p")
    assert may(hand, 2) == "pung, pass"


def test_a_pung_of_another_kind_is_offered_and_ends_the_pass() -> None:
    hand = board(JUNK, JUNK, "1266779p124578s", JUNK, wall="1p6p7p6p" + LONG, dealer=2)
    go(hand, "2 discard 1p", "3 discard 6p", "2 pass", "0 discard 7p")
    assert may(hand, 2) == "pung, pass"
    go(hand, "2 pung")
    assert hand.own["pungs"] == [0] * 4


def test_a_pung_that_was_lost_or_not_answered_is_no_pass() -> None:
    for answers in (("1 pung", "2 win"), ("2 win",)):
        hand = board(JUNK, PAIR_9S, READY, JUNK, wall="9s" + LONG)
        go(hand, "0 discard 9s", *answers)
        assert hand.own["pungs"] == [0] * 4


def test_a_pung_that_was_passed_is_passed_also_if_another_wins() -> None:
    hand = board(JUNK, PAIR_9S, READY, JUNK, wall="9s9s" + LONG)
    go(hand, "0 discard 9s", "1 pass", "2 win")
    assert hand.own["pungs"] == [0, 1 << NINE_S, 0, 0]
    assert did(go(hand, "3 discard 9s")) == ["2 win"]
    assert asked(hand) == [3], "seat 1 was not asked"


def test_a_pass_of_a_win_and_a_pung_passes_both() -> None:
    hand = passed_9s("")
    assert (hand.own["wins"][2], hand.own["pungs"][2]) == ([[NINE_S, 1]], 1 << NINE_S)


def test_what_was_passed_is_part_of_the_stored_hand() -> None:
    loaded = FOUR.load(passed_9s("1p9s").dump())
    go(loaded, "0 discard 1p", "1 discard 9s")
    assert asked(loaded) == [2]
    assert may(loaded, 2).startswith("discard")
