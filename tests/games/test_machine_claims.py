"""Claims on discards and announced kongs, played by 疯狂血战: everyone is void in s."""

from __future__ import annotations

import pytest

from games.hand import Action, Do
from games.mahjong.events import Drew, KongRobbed, Melded, Won
from games.mahjong.fans import How
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.tiles import tile_of
from tests.games.board import asked, board, claims, may, names, out, play, tiles

JUNK = "124578m124578p9m"
WAITS_5P = "123456789m4611p"
PAIR_5P = "124578m124558p9m"
THREE_5P = "124578m124555p9m"
FIVE_P = tile_of("5p")


def test_everybody_who_can_do_something_is_asked_at_the_same_time() -> None:
    hand = board(JUNK, WAITS_5P, PAIR_5P, JUNK, wall="5p9m9m9m")
    assert names(play(hand, "0 discard 5p")) == ["discarded"], "nothing else happens before they have answered"
    assert [may(hand, seat) for seat in range(4)] == ["", "win, pass", "pung, pass", ""]
    assert (hand.view(3).announced, hand.view(3).discard) == (-1, FIVE_P)


def test_three_alike_may_be_konged_or_punged() -> None:
    hand = board(JUNK, THREE_5P, JUNK, JUNK, wall="5p9m9m9m")
    play(hand, "0 discard 5p")
    assert may(hand, 1) == "kong, pung, pass"


def test_nobody_claims_their_own_discard() -> None:
    hand = board(THREE_5P, JUNK, JUNK, JUNK, wall="5p9m9m9m")
    events = play(hand, "0 discard 5p")
    assert names(events) == ["discarded", "drew", "drew"], "the next seat draws at once"
    assert asked(hand) == [1]


def test_who_has_won_is_not_asked() -> None:
    hand = out(board(JUNK, WAITS_5P, WAITS_5P, JUNK, wall="5p9m9m9m"), 1)
    play(hand, "0 discard 5p")
    assert asked(hand) == [2]


def test_an_answer_is_not_shown_before_all_that_matter_are_in() -> None:
    hand = board(JUNK, WAITS_5P, PAIR_5P, JUNK, wall="5p9m9m9m")
    play(hand, "0 discard 5p")
    public, other = hand.view(None), hand.view(3)
    assert play(hand, "2 pung") == []
    assert (hand.view(None), hand.view(3)) == (public, other)
    assert asked(hand) == [1], "who has answered is not asked again"


def test_a_pung_waits_for_who_could_win_and_is_carried_out_when_he_passes() -> None:
    hand = board(JUNK, WAITS_5P, PAIR_5P, JUNK, wall="5p9m9m9m")
    play(hand, "0 discard 5p", "2 pung")
    events = play(hand, "1 pass")
    assert events == [Melded(hand.rules.all, 2, Meld(MeldKind.PUNG, FIVE_P, 0))]
    assert hand.turn == 2
    assert tiles(hand, 2) == "1245789m1248p", "two of their own lie with the tile they claimed"
    assert hand.seats[0].river == [], "the tile has left the discarder's row"


def test_the_same_tile_may_be_won_and_punged_and_the_turn_goes_on_with_who_punged() -> None:
    hand = board(JUNK, WAITS_5P, PAIR_5P, JUNK, wall="5p9m9m9m")
    play(hand, "0 discard 5p", "2 pung")
    events = play(hand, "1 win")
    assert names(events) == ["won", "stage_claimed", "melded"]
    assert claims(hand) == [(0, 1, 1)]
    assert hand.seats[1].out
    assert asked(hand) == [2]
    assert may(hand, 2) == "discard 1245789m1248p"


def test_the_same_tile_may_be_won_and_konged_and_the_replacement_is_drawn_by_who_konged() -> None:
    hand = board(JUNK, WAITS_5P, THREE_5P, JUNK, wall="5p9m9m9m")
    play(hand, "0 discard 5p", "1 win")
    events = play(hand, "2 kong 5p direct")
    assert names(events) == ["won", "stage_claimed", "melded", "drew", "drew"]
    assert isinstance(events[3], Drew)
    assert (events[3].seat, events[3].replacement) == (2, True)


def test_after_a_win_the_pung_is_still_awaited() -> None:
    hand = board(JUNK, WAITS_5P, PAIR_5P, JUNK, wall="5p9m9m9m")
    assert play(hand, "0 discard 5p", "1 win") == []
    assert asked(hand) == [2]
    assert names(play(hand, "2 pass")) == ["won", "stage_claimed", "drew", "drew"]


def test_who_could_both_win_and_pung_chooses_one() -> None:
    hand = board(JUNK, "123456789m4556p", JUNK, WAITS_5P, wall="5p9m9m9m")
    play(hand, "0 discard 5p")
    assert may(hand, 1) == "win, pung, pass"
    events = play(hand, "1 pung", "3 win")
    assert [event.seat for event in events if isinstance(event, Won)] == [3]
    assert hand.turn == 1


def test_several_win_on_one_tile_in_order_from_the_discarder_on_and_are_paid_as_one_stage() -> None:
    hand = board(WAITS_5P, "123456789m4622p", JUNK, JUNK, wall="5p9m9m9m", dealer=2)
    events = play(hand, "2 discard 5p", "1 win", "0 win")
    assert [event.seat for event in events if isinstance(event, Won)] == [0, 1], "3 comes first, then 0 and 1, whoever answered first"
    assert [stage.cause for stage in hand.stages] == ["win"]
    assert claims(hand) == [(2, 0, 1), (2, 1, 1)]
    assert hand.points() == [1, 1, -2, 0]


@pytest.mark.parametrize(("winners", "draws"), [((1,), 2), ((2,), 3), ((3,), 0), ((1, 2), 3), ((1, 3), 0), ((2, 3), 0)])
def test_after_wins_on_a_discard_the_next_active_seat_after_the_last_winner_draws(winners: tuple[int, ...], draws: int) -> None:
    hand = board(JUNK, *(WAITS_5P if seat in winners else JUNK for seat in (1, 2, 3)), wall="5p9m9m9m")
    play(hand, "0 discard 5p", *(f"{seat} win" for seat in winners))
    assert (hand.turn, asked(hand)) == (draws, [draws])


def test_the_seat_after_the_last_winner_is_passed_over_if_it_has_won() -> None:
    hand = out(board(JUNK, WAITS_5P, JUNK, JUNK, wall="5p9m9m9m"), 2)
    play(hand, "0 discard 5p", "1 win")
    assert hand.turn == 3


def test_three_wins_on_one_tile_end_the_hand_and_nothing_is_drawn() -> None:
    hand = board(JUNK, WAITS_5P, WAITS_5P, WAITS_5P, wall="5p9m9m9m")
    events = play(hand, "0 discard 5p", "3 win", "1 win", "2 win")
    assert names(events) == ["won", "won", "won", "stage_claimed", "hand_over"]
    assert (hand.over, hand.ended, hand.left) == (True, "third_win", 3)
    assert claims(hand) == [(0, 1, 1), (0, 2, 1), (0, 3, 1)]
    assert asked(hand) == []


def test_a_win_that_ends_the_hand_leaves_nobody_to_meld() -> None:
    """Two winners and the discarder leave one seat of four: if it melds it has not won, and the hand goes on."""
    hand = out(board(JUNK, WAITS_5P, PAIR_5P, JUNK, wall="5p9m9m9m"), 3)
    play(hand, "0 discard 5p", "1 win", "2 pung")
    assert not hand.over
    assert hand.rules.meld_stands(hand, ())
    assert not hand.rules.meld_stands(hand, (2,)), "a claim would fall away with the third win"


def test_on_the_discard_after_the_last_tile_only_wins_are_possible() -> None:
    hand = board(JUNK, "123456789m4556p", THREE_5P, JUNK, wall="5p")
    play(hand, "0 discard 5p")
    assert [may(hand, seat) for seat in (1, 2)] == ["win, pass", ""]


def test_a_tile_of_the_void_suit_is_not_claimed() -> None:
    hand = board(JUNK, WAITS_5P, THREE_5P, JUNK, wall="5p9m9m9m", voids="sppm")
    events = play(hand, "0 discard 5p")
    assert names(events) == ["discarded", "drew", "drew"]


def test_who_still_holds_their_void_suit_may_pung_another_but_not_win() -> None:
    hand = board(JUNK, "123456m455699p1s", JUNK, JUNK, wall="5p9m9m9m")
    play(hand, "0 discard 5p")
    assert may(hand, 1) == "pung, pass"
    play(hand, "1 pung")
    assert may(hand, 1) == "discard 1s"


def test_an_announced_kong_may_be_robbed_by_all_who_wait_for_it() -> None:
    hand = board("124578m1248p | pung 5p", WAITS_5P, PAIR_5P, "123456789m4622p", wall="5p9m8m9m")
    assert names(play(hand, "0 kong 5p added")) == ["kong_announced"]
    assert [may(hand, seat) for seat in range(4)] == ["", "win, pass", "", "win, pass"]
    assert (hand.view(2).announced, hand.view(2).discard) == (FIVE_P, -1)


def test_a_robbed_kong_never_happened() -> None:
    hand = board("124578m1248p | pung 5p", WAITS_5P, JUNK, "123456789m4622p", wall="5p9m8m9m")
    events = play(hand, "0 kong 5p added", "3 win", "1 win")
    assert names(events) == ["kong_robbed", "won", "won", "stage_claimed", "drew", "drew"]
    assert events[0] == KongRobbed(hand.rules.all, 0, FIVE_P)
    assert hand.seats[0].melds == [Meld(MeldKind.PUNG, FIVE_P, -1)], "the pung stays"
    assert tiles(hand, 0).count("5") == 1, "the tile is gone"
    assert claims(hand) == [(0, 1, 10), (0, 3, 10)], "the konger pays, robbed kong +1"
    assert hand.turn == 0, "the next active seat after the last winner draws"
    assert hand.seats[1].wins[0].how is How.ROBBED_KONG


def test_a_kong_that_nobody_robs_is_laid_down_and_replaced() -> None:
    hand = board("124578m1248p | pung 5p", WAITS_5P, JUNK, JUNK, wall="5p9m8m9m")
    events = play(hand, "0 kong 5p added", "1 pass")
    assert names(events) == ["melded", "drew", "drew"]
    assert hand.seats[0].melds == [Meld(MeldKind.ADDED_KONG, FIVE_P, -1)]
    assert hand.turn == 0
    assert hand.seats[0].pungs == 0, "nothing more can be added to it"


def test_a_kong_that_nobody_can_rob_is_laid_down_at_once() -> None:
    hand = board("124578m1248p | pung 5p", JUNK, JUNK, JUNK, wall="5p9m8m9m")
    assert names(play(hand, "0 kong 5p added")) == ["kong_announced", "melded", "drew", "drew"]


def test_a_pung_added_to_keeps_who_it_came_from() -> None:
    hand = board(JUNK, PAIR_5P, JUNK, JUNK, wall="5p9m8m9m5p9m")
    play(hand, "0 discard 5p", "1 pung", "1 discard 1m", "2 discard 9m", "3 discard 8m", "0 discard 9m")
    play(hand, "1 kong 5p added")
    assert hand.seats[1].melds == [Meld(MeldKind.ADDED_KONG, FIVE_P, 0)]


def test_a_concealed_kong_cannot_be_robbed() -> None:
    hand = board(THREE_5P, WAITS_5P, JUNK, JUNK, wall="5p9m8m9m")
    assert names(play(hand, "0 kong 5p concealed")) == ["melded", "drew", "drew"]


def test_an_added_kong_is_robbed_by_a_win_that_is_taken_even_by_default() -> None:
    hand = board("124578m1248p | pung 5p", WAITS_5P, JUNK, JUNK, wall="5p9m8m9m")
    play(hand, "0 kong 5p added")
    assert hand.default(1) == Action(1, Do.WIN, auto=True)


def test_whose_kong_was_robbed_waits_for_what_their_other_tiles_wait_for() -> None:
    hand = board("123456m1125p | pung 5p", WAITS_5P, JUNK, JUNK, wall="3p4p9m9m")
    play(hand, "0 kong 5p added", "1 win", "2 discard 4p")
    assert may(hand, 0) == "win, pass", "23p wait for 1p and 4p"
