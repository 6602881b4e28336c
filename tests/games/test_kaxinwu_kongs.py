"""Kongs before winning in 血战卡心五, with `must_kong` 有杠必杠 off and on; what is greyed and confirmed (docs/rules/kaxinwu.md)."""

from __future__ import annotations

from typing import Any

import pytest

from games.hand import Action, Do, Refusal, Why
from games.mahjong.machine import MahjongHand
from games.mahjong.melds import MeldKind
from games.mahjong.tiles import tile_of
from tests.games.board import act, asked, may, play
from tests.games.kaxinwu import FOUR, JUNK, LONG, MUST, READY, board, did, go

TRIPLE_3S = "12479p12333578s"
"""Not ready; holds 333s and no other pair."""
WIN_OR_KONG = "11123456p78999s"
"""Waits for 6s and 9s, and holds 999s."""
PUNG_9S = "12457p12478s | pung 9s"
FOUR_3S = "1247p123333578s"
"""Not ready; holds 3333s."""
PUNG_AND_FOUR = "12p12333378s | pung 9s"
"""Not ready; holds 3333s and can add a 9s."""


def words(hand: MahjongHand, seat: int) -> set[str]:
    """What a seat may do, a discard without its tiles."""
    return {word.split(" ")[0] if word.startswith("discard") else word for word in may(hand, seat).split(", ")}


def refused(hand: MahjongHand, move: str) -> None:
    before = hand.dump()
    answer = hand.apply(act(move))
    assert isinstance(answer, Refusal), move
    assert answer.why is Why.NOT_OFFERED
    assert hand.dump() == before


# direct kongs


def test_off_a_direct_kong_may_be_made_punged_or_passed() -> None:
    hand = board(JUNK, TRIPLE_3S, JUNK, JUNK, wall="3s" + LONG)
    go(hand, "0 discard 3s")
    assert may(hand, 1) == "kong, pung, pass"


def test_on_a_direct_kong_must_be_made() -> None:
    hand = board(JUNK, TRIPLE_3S, JUNK, JUNK, wall="3s" + LONG, rules=MUST)
    go(hand, "0 discard 3s")
    assert may(hand, 1) == "kong"
    assert not hand.offers[1].at_once, "its player is asked all the same"
    refused(hand, "1 pass")
    refused(hand, "1 pung")


def test_on_a_pung_of_two_may_be_passed() -> None:
    hand = board(JUNK, "12479p12335678s", JUNK, JUNK, wall="3s" + LONG, rules=MUST)
    go(hand, "0 discard 3s")
    assert may(hand, 1) == "pung, pass"


def test_a_win_comes_first_and_who_wins_need_not_kong() -> None:
    for rules, offered in ((FOUR, "win, kong, pung, pass"), (MUST, "win, kong")):
        hand = board(JUNK, WIN_OR_KONG, JUNK, JUNK, wall="9s" + LONG, rules=rules)
        go(hand, "0 discard 9s")
        assert may(hand, 1) == offered
        go(hand, "1 win")
        assert hand.seats[1].melds == []


def test_on_a_win_that_was_passed_leaves_only_the_kong() -> None:
    hand = board(JUNK, WIN_OR_KONG, JUNK, JUNK, wall="9s" + LONG, rules=MUST)
    go(hand, "0 discard 9s", "1 kong 9s direct")
    assert hand.seats[1].melds[0].kind is MeldKind.DIRECT_KONG


def test_without_a_tile_to_replace_it_there_is_no_kong_to_force() -> None:
    for rules in (FOUR, MUST):
        hand = board(JUNK, TRIPLE_3S, JUNK, JUNK, wall="3s", rules=rules)
        go(hand, "0 discard 3s")
        assert hand.over
        hand = board(PUNG_AND_FOUR, JUNK, JUNK, JUNK, wall="9s", rules=rules)
        assert words(hand, 0) == {"discard"}


def test_off_who_pungs_instead_of_a_kong_may_never_add_the_fourth_tile() -> None:
    hand = board(JUNK, TRIPLE_3S, JUNK, JUNK, wall="3s9p9p9p6p6p" + LONG)
    go(hand, "0 discard 3s", "1 pung")
    assert words(hand, 1) == {"discard"}, "not at once"
    refused(hand, "1 kong 3s added")
    go(hand, "1 discard 1s", "2 discard 9p", "3 discard 9p", "0 discard 9p")
    assert words(hand, 1) == {"discard"}, "nor later"
    go(hand, "1 discard 3s")
    assert hand.turn == 2, "the tile itself may be thrown"


def test_off_who_pungs_with_two_may_add_the_fourth_tile_when_it_comes() -> None:
    hand = board(JUNK, "12479p12335678s", JUNK, JUNK, wall="3s9p9p9p3s6p" + LONG)
    go(hand, "0 discard 3s", "1 pung", "1 discard 1s", "2 discard 9p", "3 discard 9p", "0 discard 9p")
    assert words(hand, 1) == {"discard", "kong 3s added"}


def test_a_kong_that_was_given_up_does_not_bind_other_pungs() -> None:
    hand = board(JUNK, "1247p12333s5799s", JUNK, JUNK, wall="3s9s9p9p6p9s" + LONG)
    go(hand, "0 discard 3s", "1 pung", "1 discard 1s", "2 discard 9s", "1 pung", "1 discard 2s")
    go(hand, "2 discard 9p", "3 discard 9p", "0 discard 6p")
    assert words(hand, 1) == {"discard", "kong 9s added"}, "3s is in hand too"


# added kongs


def test_off_an_added_kong_may_be_passed_and_is_offered_again_on_each_own_draw() -> None:
    hand = board(PUNG_9S, JUNK, JUNK, JUNK, wall="9s1p1p1p6p" + LONG)
    assert words(hand, 0) == {"discard", "kong 9s added"}
    go(hand, "0 discard 1p", "1 discard 1p", "2 discard 1p", "3 discard 1p")
    assert words(hand, 0) == {"discard", "kong 9s added"}


def test_on_an_added_kong_must_be_made() -> None:
    hand = board(PUNG_9S, JUNK, JUNK, JUNK, wall="9s" + LONG, rules=MUST)
    assert may(hand, 0) == "kong 9s added"
    assert not hand.offers[0].at_once
    refused(hand, "0 discard 1p")
    refused(hand, "0 discard 9s")


def test_on_a_win_goes_before_the_forced_kong() -> None:
    hand = board("123456p78s11s | pung 9s", JUNK, JUNK, JUNK, wall="9s" + LONG, rules=MUST)
    assert words(hand, 0) == {"win", "kong 9s added"}
    go(hand, "0 win")
    assert hand.seats[0].melds[0].kind is MeldKind.PUNG


def test_on_a_concealed_kong_may_be_made_instead_of_the_added_one_but_nothing_thrown() -> None:
    hand = board(PUNG_AND_FOUR, JUNK, JUNK, JUNK, wall="9s6p" + LONG, rules=MUST)
    assert words(hand, 0) == {"kong 9s added", "kong 3s concealed"}
    go(hand, "0 kong 3s concealed")
    assert words(hand, 0) == {"kong 9s added"}, "the added kong is still forced"


# concealed kongs


@pytest.mark.parametrize("rules", [FOUR, MUST])
def test_a_concealed_kong_may_be_passed_and_is_offered_again_on_each_own_draw(rules: Any) -> None:
    hand = board(FOUR_3S, JUNK, JUNK, JUNK, wall="6p1p1p1p6p" + LONG, rules=rules)
    assert words(hand, 0) == {"discard", "kong 3s concealed"}
    go(hand, "0 discard 6p", "1 discard 1p", "2 discard 1p", "3 discard 1p")
    assert words(hand, 0) == {"discard", "kong 3s concealed"}


@pytest.mark.parametrize("rules", [FOUR, MUST])
def test_a_kong_may_be_declared_right_after_a_pung_a_win_may_not(rules: Any) -> None:
    hand = board(JUNK, "1266p123333578s", JUNK, JUNK, wall="6p" + LONG, rules=rules)
    go(hand, "0 discard 6p", "1 pung")
    assert words(hand, 1) == {"discard", "kong 3s concealed"}
    hand = board(JUNK, "123456789p1199s", JUNK, JUNK, wall="9s" + LONG, rules=rules)
    go(hand, "0 discard 9s", "1 pung")
    assert words(hand, 1) == {"discard"}


def test_a_win_may_follow_a_pung_and_a_kong() -> None:
    hand = board(JUNK, "1166p333378999s", JUNK, JUNK, wall="6p9s" + LONG)
    go(hand, "0 discard 6p", "1 pung", "1 kong 3s concealed")
    assert "win" in may(hand, 1)


# what a client is told


def test_all_is_greyed_while_one_may_claim() -> None:
    hand = board(JUNK, READY, JUNK, JUNK, wall="9s" + LONG)
    go(hand, "0 discard 9s")
    assert hand.offers[1].greyed == hand.seats[1].concealed.mask


def test_all_is_greyed_while_a_kong_is_forced() -> None:
    hand = board(PUNG_9S, JUNK, JUNK, JUNK, wall="9s" + LONG, rules=MUST)
    assert hand.offers[0].greyed == hand.seats[0].concealed.mask
    assert hand.offers[0].discards == 0


def test_nothing_is_greyed_that_may_be_thrown() -> None:
    hand = board(PUNG_9S, JUNK, JUNK, JUNK, wall="9s" + LONG)
    assert (hand.offers[0].greyed, hand.offers[0].discards) == (0, hand.seats[0].concealed.mask)


@pytest.mark.parametrize(
    ("concealed", "tile", "rules", "confirm"),
    [
        (READY, "9s", FOUR, True),
        (TRIPLE_3S, "3s", FOUR, True),
        (WIN_OR_KONG, "9s", FOUR, True),
        (READY, "1s", MUST, True),
        ("12479p12335678s", "3s", FOUR, False),
        (TRIPLE_3S, "3s", MUST, False),
        (WIN_OR_KONG, "9s", MUST, False),
    ],
)
def test_passing_a_win_or_kong_should_be_confirmed_passing_a_pung_not(concealed: str, tile: str, rules: Any, confirm: bool) -> None:
    """Nothing is confirmed where there is no pass."""
    hand = board(JUNK, concealed, JUNK, JUNK, wall=tile + LONG, rules=rules)
    go(hand, f"0 discard {tile}")
    assert hand.offers[1].confirm_pass is confirm


@pytest.mark.parametrize(
    ("hand", "drawn", "rules", "confirm"),
    [
        (READY, "9s", FOUR, True),
        (PUNG_9S, "9s", FOUR, True),
        (FOUR_3S, "6p", FOUR, True),
        (FOUR_3S, "6p", MUST, True),
        (JUNK, "6p", FOUR, False),
        (PUNG_9S, "9s", MUST, False),
    ],
)
def test_a_discard_that_passes_up_a_win_or_kong_should_be_confirmed(hand: str, drawn: str, rules: Any, confirm: bool) -> None:
    laid = board(hand, JUNK, JUNK, JUNK, wall=drawn + LONG, rules=rules)
    assert laid.offers[0].confirm_pass is confirm


# the server's answers


@pytest.mark.parametrize(
    ("concealed", "tile", "rules", "answer"),
    [
        (READY, "9s", FOUR, Action(1, Do.WIN, auto=True)),
        (WIN_OR_KONG, "9s", MUST, Action(1, Do.WIN, auto=True)),
        (TRIPLE_3S, "3s", FOUR, Action(1, Do.PASS, auto=True)),
        (TRIPLE_3S, "3s", MUST, Action(1, Do.KONG, tile_of("3s"), kind=MeldKind.DIRECT_KONG, auto=True)),
    ],
)
def test_to_a_claim_the_server_answers_win_a_forced_kong_or_pass(concealed: str, tile: str, rules: Any, answer: Action) -> None:
    hand = board(JUNK, concealed, JUNK, JUNK, wall=tile + LONG, rules=rules)
    go(hand, f"0 discard {tile}")
    assert hand.default(1) == answer


@pytest.mark.parametrize(
    ("hand", "drawn", "rules", "answer"),
    [
        (READY, "9s", FOUR, Action(0, Do.WIN, auto=True)),
        (PUNG_9S, "9s", FOUR, Action(0, Do.DISCARD, tile_of("9s"), auto=True)),
        (PUNG_9S, "9s", MUST, Action(0, Do.KONG, tile_of("9s"), kind=MeldKind.ADDED_KONG, auto=True)),
        (PUNG_AND_FOUR, "9s", MUST, Action(0, Do.KONG, tile_of("9s"), kind=MeldKind.ADDED_KONG, auto=True)),
        (FOUR_3S, "6p", MUST, Action(0, Do.DISCARD, tile_of("6p"), auto=True)),
    ],
)
def test_on_a_turn_the_server_wins_makes_a_forced_kong_or_throws_the_drawn_tile(hand: str, drawn: str, rules: Any, answer: Action) -> None:
    laid = board(hand, JUNK, JUNK, JUNK, wall=drawn + LONG, rules=rules)
    assert laid.default(0) == answer
    assert not isinstance(laid.apply(answer), Refusal)


def test_after_a_pung_the_server_throws_the_highest_tile() -> None:
    hand = board(JUNK, READY, JUNK, JUNK, wall="9s" + LONG)
    go(hand, "0 discard 9s", "1 pung")
    assert hand.default(1) == Action(1, Do.DISCARD, tile_of("1s"), auto=True)


# 自动摸打


def test_a_seat_may_have_the_server_throw_what_it_draws() -> None:
    assert FOUR.auto_discard


@pytest.mark.parametrize(
    ("hand", "drawn", "by_itself"),
    [(JUNK, "6p", True), (READY, "5p", True), (READY, "9s", False), (PUNG_9S, "9s", False), (FOUR_3S, "6p", False)],
)
def test_nothing_but_a_discard_must_be_possible_for_it(hand: str, drawn: str, by_itself: bool) -> None:
    laid = board(hand, JUNK, JUNK, JUNK, wall=drawn + LONG)
    assert laid.offers[0].draw_and_discard is by_itself


def test_it_waits_for_the_player_after_a_pung_and_where_the_drawn_tile_must_stay() -> None:
    hand = board(JUNK, READY, JUNK, JUNK, wall="9s" + LONG)
    go(hand, "0 discard 9s", "1 pung")
    assert not hand.offers[1].draw_and_discard
    hand = board(PUNG_9S, JUNK, JUNK, JUNK, wall="9s" + LONG, rules=MUST)
    assert not hand.offers[0].draw_and_discard


def test_another_ones_discard_is_never_answered_for_the_player() -> None:
    hand = board(JUNK, READY, JUNK, JUNK, wall="9s" + LONG)
    go(hand, "0 discard 9s")
    assert not hand.offers[1].draw_and_discard


def test_what_it_does_is_the_servers_answer() -> None:
    hand = board(JUNK, JUNK, JUNK, JUNK, wall="6p" + LONG)
    assert hand.default(0) == Action(0, Do.DISCARD, tile_of("6p"), auto=True)
    play(hand, "0 discard 6p")
    assert asked(hand) == [1]
    assert did([hand.default(1)]) == ["1 discard"]
