"""查叫 in 血战卡心五, and what follows a hand (docs/rules/kaxinwu.md)."""

from __future__ import annotations

import pytest

from games.mahjong.machine import MahjongHand
from tests.games.board import claims
from tests.games.kaxinwu import JUNK, OTHER, READY, TWO, board, causes, go, won

MIDDLE = "46p11123478999s"
"""Waits for 5p, 卡心五."""
TWO_WAITS = "4446p111234789s"
"""Waits for 5p, 卡心五, and 6p, 平胡."""


def not_ready(hand: MahjongHand) -> list[tuple[int, int, int]]:
    """What is paid for not being ready. The hand is over."""
    assert (hand.over, hand.ended) == (True, "wall_empty")
    return claims(hand) if causes(hand)[-1:] == ["not_ready"] else []


# who pays whom


def test_each_who_is_not_ready_pays_each_ready_player_their_highest_wait() -> None:
    hand = board(JUNK, READY, MIDDLE, JUNK, wall="2p")
    go(hand, "0 discard 2p")
    assert not_ready(hand) == [(0, 1, 2), (0, 2, 4), (3, 1, 2), (3, 2, 4)]
    hand = board(JUNK, TWO_WAITS, READY, READY, wall="2p")
    go(hand, "0 discard 2p")
    assert not_ready(hand) == [(0, 1, 4), (0, 2, 2), (0, 3, 2)]


def test_who_has_won_is_paid_their_best_winning_hand_not_their_best_wait() -> None:
    hand = board(TWO_WAITS, JUNK, READY, OTHER, wall="6p2p")
    go(hand, "0 win", "1 discard 2p")
    assert won(hand, 0) == ["平胡 1"]
    assert (1, 0, 2) in not_ready(hand), "they waited for 卡心五 too, and did not win with it"


@pytest.mark.parametrize("wall", ["6p2p2p2p5p2p", "5p2p2p2p6p2p"])
def test_of_several_hands_he_won_with_the_highest_counts(wall: str) -> None:
    hand = board(TWO_WAITS, JUNK, READY, OTHER, wall=wall)
    go(hand, "0 win", "1 discard 2p", "2 discard 2p", "3 discard 2p", "1 discard 2p")
    assert [win.value.multiple for win in hand.seats[0].wins] in ([2, 4], [4, 2])
    assert (1, 0, 4) in not_ready(hand)


def test_only_the_base_and_one_suit_count_the_example_of_the_source() -> None:
    """A has won with 平胡, 清一色 and 杠上花: B, not ready, pays them 2 fan."""
    hand = board("1111234567899p", JUNK, JUNK, JUNK, wall="8p8p")
    go(hand, "0 kong 1p concealed", "0 win")
    assert won(hand, 0) == ["平胡 1", "清一色 1", "杠上花 1"]
    assert causes(hand) == ["kong", "win", "not_ready"]
    assert not_ready(hand) == [(1, 0, 4), (2, 0, 4), (3, 0, 4)]


@pytest.mark.parametrize(
    ("hand", "move", "extra"),
    [("46p99s | pung 5p, pung 1s, pung 8p", "0 discard 5p", "鬼 1"), ("123456789p1199s", "0 kong 9s added", "抢杠胡 1")],
)
def test_neither_ghosts_nor_robbing_count(hand: str, move: str, extra: str) -> None:
    source = "12457p12478s | pung 9s" if "kong" in move else JUNK
    laid = board(source, hand, JUNK, JUNK, wall="9s2p" if "kong" in move else "5p2p")
    go(laid, move, "1 win", "2 discard 2p")
    assert extra in won(laid, 1)
    multiple = 2 if "kong" in move else 4
    assert not_ready(laid)[-1] == (3, 1, multiple)


def test_a_discard_after_a_kong_does_not_count_either() -> None:
    hand = board("1245p124555578s", READY, JUNK, JUNK, wall="6p9s2p")
    go(hand, "0 kong 5s concealed", "0 discard 9s", "1 win", "2 discard 2p")
    assert won(hand, 1) == ["平胡 1", "杠上炮 1"]
    assert not_ready(hand) == [(0, 1, 2), (2, 1, 2), (3, 1, 2)]


def test_ghosts_do_not_raise_a_wait() -> None:
    hand = board(JUNK, "46p99s | pung 5p, pung 1s, pung 8p", READY, OTHER, wall="2p")
    go(hand, "0 discard 2p")
    assert not_ready(hand) == [(0, 1, 4), (0, 2, 2), (0, 3, 2)]


def test_the_highest_of_all_readings_counts() -> None:
    """Won with 5p: three pungs, or three times 456, which is 卡心五."""
    hand = board("44455666p12399s", JUNK, READY, OTHER, wall="5p2p")
    go(hand, "0 win", "1 discard 2p")
    assert (1, 0, 4) in not_ready(hand)


def test_a_kong_after_the_win_does_not_change_what_was_won_with() -> None:
    hand = board("3455588999s | pung 1p", JUNK, READY, OTHER, wall="2s9s6p2p2p2p")
    go(hand, "0 win", "1 discard 9s")
    assert hand.own["best_win"] == [2, 0, 0, 0]


def test_who_has_won_never_pays() -> None:
    hand = board(READY, READY, JUNK, READY, wall="9s1s2p")
    go(hand, "0 win", "1 win", "2 discard 2p")
    assert {payer for payer, _, _ in not_ready(hand)} == {2}


def test_nothing_is_paid_where_all_are_ready_or_none_is() -> None:
    hand = board(READY, READY, OTHER, OTHER, wall="2p")
    go(hand, "0 discard 2p")
    assert not_ready(hand) == []
    hand = board(JUNK, JUNK, JUNK, JUNK, wall="2p")
    go(hand, "0 discard 2p")
    assert (not_ready(hand), hand.points()) == ([], [0] * 4)


def test_a_hand_that_waits_only_for_what_it_owns_itself_is_not_ready() -> None:
    hand = board(JUNK, "46p99s | direct 5p, pung 1s, pung 8p", READY, READY, wall="2p")
    go(hand, "0 discard 2p")
    assert (1, 2, 2) in not_ready(hand)


def test_what_others_hold_or_have_thrown_does_not_matter_for_being_ready() -> None:
    hand = board("1245555p124578s", MIDDLE, READY, READY, wall="2p")
    go(hand, "0 discard 2p")
    assert not_ready(hand) == [(0, 1, 4), (0, 2, 2), (0, 3, 2)], "seat 0 holds all four 5p"


def test_who_is_ready_pays_nothing_also_if_he_has_passed_a_win() -> None:
    hand = board(JUNK, READY, READY, READY, wall="9s")
    go(hand, "0 discard 9s", "1 pass", "2 pass", "3 pass")
    assert not_ready(hand) == [(0, 1, 2), (0, 2, 2), (0, 3, 2)]


def test_it_changes_nothing_in_what_was_won_before() -> None:
    hand = board(READY, JUNK, OTHER, OTHER, wall="9s2p")
    go(hand, "0 win")
    before = [claims(hand, 0), hand.points()]
    go(hand, "1 discard 2p")
    assert [claims(hand, 0), [6, -2, -2, -2]] == before
    assert hand.points() == [6 + 2, -2 - 6, -2 + 2, -2 + 2]


def test_two_players_settle_the_same_way() -> None:
    hand = board(JUNK, MIDDLE, wall="2p", rules=TWO)
    go(hand, "0 discard 2p")
    assert hand.points() == [-4, 4]


# the next dealer


def test_whoever_drew_the_last_tile_deals_next_with_or_without_a_win_on_it() -> None:
    hand = board(JUNK, JUNK, JUNK, JUNK, wall="2p2p2p")
    go(hand, "0 discard 2p", "1 discard 2p", "2 discard 2p")
    assert hand.carry() == {"dealer": 2}
    hand = board(JUNK, READY, JUNK, JUNK, wall="2p2p9s")
    go(hand, "0 discard 2p", "1 discard 2p", "2 discard 9s", "1 win")
    assert hand.carry() == {"dealer": 2}
    hand = board(JUNK, READY, JUNK, JUNK, wall="2p9s")
    go(hand, "0 discard 2p", "1 win")
    assert hand.carry() == {"dealer": 1}


def test_a_replacement_may_be_the_last_tile() -> None:
    hand = board(JUNK, JUNK, "1247p123334578s", JUNK, wall="3s2p")
    go(hand, "0 discard 3s", "2 kong 3s direct", "2 discard 2p")
    assert (hand.over, hand.carry()) == (True, {"dealer": 2})


def test_a_pung_is_no_draw() -> None:
    hand = board(JUNK, JUNK, "12479p12335678s", JUNK, wall="2p3s1p")
    go(hand, "0 discard 2p", "1 discard 3s", "2 pung", "2 discard 1p")
    assert hand.own["drew"] == 3
    go(hand, "3 discard 1p")
    assert hand.carry() == {"dealer": 3}
