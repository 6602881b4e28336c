"""Kongs after winning in 血战卡心五: only where the hand still waits for all it has won with (docs/rules/kaxinwu.md)."""

from __future__ import annotations

from typing import Any

import pytest

from games.hand import Action, Do, Refusal
from games.mahjong.machine import MahjongHand
from games.mahjong.melds import MeldKind
from games.mahjong.tiles import format_tiles, tile_of, tiles_in
from tests.games.board import act, asked, may, play
from tests.games.kaxinwu import FOUR, JUNK, LONG, MUST, READY, board, did, go

KEEPS_25 = "2255666777s | pung 1p"
"""Waits for 258s; with four 6s konged for 2s and 5s."""
KEEPS_28 = "2266677788s | pung 1p"
"""Waits for 258s; with four 6s konged for 2s and 8s."""
KEEPS_NONE = "3456667777s | pung 1p"
"""Waits for 258s; with four 6s konged for nothing."""
KEEPS_ALL = "3455588999s | pung 1p"
"""Waits for 258s, also with four 9s konged."""


def waits(hand: MahjongHand, seat: int) -> str:
    return format_tiles(tiles_in(hand.seats[seat].waits))


def locked(hand: str, won: str, wall: str, *others: str, rules: Any = FOUR) -> MahjongHand:
    """Seat 0 has won by self-draw; seat 1 has drawn the first tile of the wall."""
    laid = board(hand, *(others or (JUNK, JUNK, JUNK)), wall=won + wall + LONG, rules=rules)
    assert waits(laid, 0) == "258s"
    go(laid, "0 win")
    return laid


# direct


@pytest.mark.parametrize("rules", [FOUR, MUST])
def test_a_direct_kong_that_does_not_change_the_waits_is_made_by_the_server(rules: Any) -> None:
    hand = locked(KEEPS_ALL, "5s", "9s4p", rules=rules)
    play(hand, "1 discard 9s")
    assert (may(hand, 0), hand.offers[0].at_once) == ("kong", True)
    assert isinstance(hand.apply(act("0 pass")), Refusal)
    done = go(hand)
    assert done[0] == Action(0, Do.KONG, tile_of("9s"), kind=MeldKind.DIRECT_KONG, auto=True)
    assert did(done) == ["0 kong", "0 discard"], "and the replacement is thrown"
    assert waits(hand, 0) == "258s"


@pytest.mark.parametrize("rules", [FOUR, MUST])
def test_a_direct_kong_that_leaves_fewer_waits_is_offered(rules: Any) -> None:
    """The example of the source: waits 258s, won with 5s, a kong that leaves 25s is possible."""
    hand = locked(KEEPS_25, "5s", "6s4p", rules=rules)
    go(hand, "1 discard 6s")
    assert (may(hand, 0), hand.offers[0].at_once) == ("kong, pass", False)
    assert hand.offers[0].confirm_pass
    assert hand.offers[0].greyed == hand.seats[0].concealed.mask
    assert hand.default(0) == Action(0, Do.PASS, auto=True)
    assert did(go(hand, "0 kong 6s direct")) == ["0 discard"]
    assert waits(hand, 0) == "25s"


def test_it_may_be_passed() -> None:
    hand = locked(KEEPS_25, "5s", "6s")
    go(hand, "1 discard 6s", "0 pass")
    assert (asked(hand), waits(hand, 0)) == ([2], "258s")


def test_a_kong_that_loses_a_kind_already_won_with_is_not_possible() -> None:
    """The example of the source: waits 258s, won with 5s, a kong that leaves 28s is not possible."""
    hand = locked(KEEPS_28, "5s", "6s")
    go(hand, "1 discard 6s")
    assert asked(hand) == [2]


def test_of_several_kinds_won_with_all_must_stay() -> None:
    hand = locked(KEEPS_28, "2s", "6s")
    go(hand, "1 discard 6s")
    assert may(hand, 0) == "kong, pass", "5s was not won with"
    hand = locked(KEEPS_28, "2s", "5s6p6s")
    go(hand, "1 discard 5s", "1 discard 6p", "2 discard 6s")
    assert len(hand.seats[0].wins) == 2
    assert asked(hand) == [3]


def test_a_kong_that_leaves_the_hand_not_ready_is_not_possible() -> None:
    hand = locked(KEEPS_NONE, "2s", "6s")
    go(hand, "1 discard 6s")
    assert asked(hand) == [2]


def test_a_win_on_the_tile_goes_before_its_kong() -> None:
    hand = locked("2345567888s | pung 1p", "5s", "8s")
    assert did(go(hand, "1 discard 8s")) == ["0 win"]
    assert all(meld.kind is MeldKind.PUNG for meld in hand.seats[0].melds)


def test_a_direct_kong_of_the_server_is_lost_to_a_win() -> None:
    hand = locked(KEEPS_ALL, "5s", "9s", JUNK, READY, JUNK)
    go(hand, "1 discard 9s")
    assert asked(hand) == [2], "seat 0 has answered"
    go(hand, "2 win")
    assert len(hand.seats[0].melds) == 1
    assert hand.turn == 3


# added and concealed


@pytest.mark.parametrize("rules", [FOUR, MUST])
def test_an_added_kong_with_the_drawn_tile_is_offered_else_it_is_thrown(rules: Any) -> None:
    hand = locked(KEEPS_ALL, "5s", "6p6p6p1p4p", rules=rules)
    go(hand, "1 discard 6p", "2 discard 6p", "3 discard 6p")
    offer = hand.offers[0]
    assert (may(hand, 0), offer.at_once, offer.confirm_pass) == ("discard 1p, kong 1p added", False, False)
    assert hand.default(0) == Action(0, Do.DISCARD, tile_of("1p"), auto=True)
    assert did(go(hand, "0 kong 1p added")) == ["0 discard"]
    hand = locked(KEEPS_ALL, "5s", "6p6p6p1p", rules=rules)
    go(hand, "1 discard 6p", "2 discard 6p", "3 discard 6p", "0 discard 1p")
    assert hand.turn == 1


@pytest.mark.parametrize("rules", [FOUR, MUST])
def test_a_concealed_kong_with_the_drawn_tile_is_offered_also_if_it_leaves_fewer_waits(rules: Any) -> None:
    hand = locked(KEEPS_25, "5s", "6p6p6p6s4p", rules=rules)
    go(hand, "1 discard 6p", "2 discard 6p", "3 discard 6p")
    assert (may(hand, 0), hand.offers[0].at_once) == ("discard 6s, kong 6s concealed", False)
    assert did(go(hand, "0 kong 6s concealed")) == ["0 discard"]
    assert waits(hand, 0) == "25s"


def test_a_concealed_kong_that_loses_a_kind_won_with_is_not_possible_and_the_tile_is_thrown() -> None:
    hand = locked(KEEPS_28, "5s", "6p6p6p6s")
    go(hand, "1 discard 6p", "2 discard 6p")
    assert did(go(hand, "3 discard 6p")) == ["0 discard"]


def test_four_alike_that_were_in_the_hand_already_are_not_konged_after_the_win() -> None:
    ghost = "111123456p1199s"
    hand = board(ghost, JUNK, JUNK, JUNK, wall="9s6p6p6p7s" + LONG)
    assert "kong 1p concealed" in may(hand, 0), "before the win"
    go(hand, "0 win", "1 discard 6p", "2 discard 6p")
    assert did(go(hand, "3 discard 6p")) == ["0 discard"]


def test_a_win_on_the_drawn_tile_goes_before_its_kong() -> None:
    hand = locked("2345567888s | pung 1p", "5s", "6p6p6p8s")
    go(hand, "1 discard 6p", "2 discard 6p")
    assert did(go(hand, "3 discard 6p")) == ["0 win"]


def test_without_a_tile_to_replace_it_there_is_no_kong() -> None:
    hand = board(KEEPS_ALL, JUNK, JUNK, JUNK, wall="5s9s")
    go(hand, "0 win", "1 discard 9s")
    assert hand.over
    hand = board(KEEPS_ALL, JUNK, JUNK, JUNK, wall="5s6p6p6p1p")
    go(hand, "0 win", "1 discard 6p", "2 discard 6p", "3 discard 6p")
    assert hand.over, "the drawn 1p was thrown"


def test_an_added_kong_of_a_locked_hand_can_be_robbed_and_the_hand_stays_as_it_was() -> None:
    robber = "23p123456789s99p"
    hand = locked(KEEPS_ALL, "5s", "6p6p6p1p4p", JUNK, robber, JUNK)
    go(hand, "1 discard 6p", "2 discard 6p", "3 discard 6p", "0 kong 1p added")
    assert may(hand, 2) == "win, pass"
    go(hand, "2 win")
    assert [meld.kind for meld in hand.seats[0].melds] == [MeldKind.PUNG]
    assert waits(hand, 0) == "258s"


def test_tiles_won_with_are_set_aside_and_not_part_of_the_hand() -> None:
    """Seat 0 has won with two 9s that it drew itself and holds the others: it has no four of them, and still waits for 9s."""
    hand = board(READY, JUNK, JUNK, JUNK, wall="9s6p6p6p9s" + LONG)
    go(hand, "0 win", "1 discard 6p", "2 discard 6p")
    assert did(go(hand, "3 discard 6p")) == ["0 win"]
    assert waits(hand, 0) == "19s"
    assert [part.id for part in hand.seats[0].wins[-1].value.parts] == ["standard"]
