"""A winner of 血战卡心五 stays in with a locked hand and wins on (docs/rules/kaxinwu.md)."""

from __future__ import annotations

import pytest

from games.hand import Action, Do, Refusal, Why
from games.mahjong.machine import MahjongHand
from games.mahjong.tiles import tile_of
from tests.games.board import act, asked, claims, may, names, play, tiles
from tests.games.kaxinwu import JUNK, LONG, OTHER, READY, THREE, TWO, board, causes, did, go, won

PUNG_9S = "2457p124578s | pung 9s"
"""Can rob nobody, and add a 9s to its pung."""


def hows(hand: MahjongHand, seat: int) -> list[str]:
    return [win.how.value for win in hand.seats[seat].wins]


# a winner stays in


def test_the_tile_of_a_self_draw_is_set_aside_and_the_other_13_stay() -> None:
    hand = board(READY, JUNK, JUNK, JUNK, wall="9s" + LONG)
    play(hand, "0 win")
    assert (tiles(hand, 0), hand.over, hand.seats[0].out, hand.seat_done(0)) == (READY, False, False, False)
    assert [win.tile for win in hand.seats[0].wins] == [tile_of("9s")]


def test_a_tile_won_on_a_discard_stays_before_its_discarder() -> None:
    hand = board(JUNK, READY, JUNK, JUNK, wall="9s" + LONG)
    go(hand, "0 discard 9s", "1 win")
    assert (tiles(hand, 1), hand.seats[0].river) == (READY, [tile_of("9s")])


def test_a_winner_draws_and_the_server_throws_what_he_drew() -> None:
    hand = board(READY, JUNK, JUNK, JUNK, wall="9s1p1p1p6s1p" + LONG)
    play(hand, "0 win", "1 discard 1p", "2 discard 1p", "3 discard 1p")
    assert hand.seats[0].drawn == tile_of("6s")
    assert go(hand) == [Action(0, Do.DISCARD, tile_of("6s"), auto=True)]
    assert tiles(hand, 0) == READY


def test_only_the_drawn_tile_of_a_locked_hand_may_be_thrown_all_others_are_greyed() -> None:
    hand = board(READY, JUNK, JUNK, JUNK, wall="9s1p1p1p6s1p" + LONG)
    play(hand, "0 win", "1 discard 1p", "2 discard 1p", "3 discard 1p")
    offer = hand.offers[0]
    assert (may(hand, 0), offer.at_once) == ("discard 6s", True)
    assert offer.greyed == hand.seats[0].concealed.mask & ~offer.discards
    for move in ("0 discard 1p", "0 win", "0 discard 9s"):
        answer = hand.apply(act(move))
        assert isinstance(answer, Refusal)
        assert answer.why is Why.NOT_OFFERED


def test_he_wins_again_by_robbing_a_kong_on_a_discard_and_by_self_draw() -> None:
    hand = board(READY, JUNK, PUNG_9S, JUNK, wall="9s1p9s4p5p6s6s6s6s1s" + LONG)
    go(hand, "0 win")
    assert did(go(hand, "1 discard 1p", "2 kong 9s added")) == ["0 win"]
    assert did(go(hand, "1 discard 4p", "2 discard 1s")) == ["0 win"]
    assert did(go(hand, "1 discard 6s", "2 discard 6s", "3 discard 6s")) == ["0 discard"]
    assert did(go(hand, "1 discard 1s")) == ["0 win"]
    assert hows(hand, 0) == ["self_draw", "robbed_kong", "discard", "discard"]
    hand = board(READY, JUNK, JUNK, JUNK, wall="9s1p1p1p1s1p1p1p9s" + LONG)
    go(hand, "0 win", *("1 discard 1p", "2 discard 1p", "3 discard 1p") * 2)
    assert hows(hand, 0) == ["self_draw"] * 3


def test_wins_of_a_locked_hand_are_carried_out_by_the_server_and_cannot_be_passed() -> None:
    hand = board(READY, JUNK, JUNK, JUNK, wall="9s1s" + LONG)
    play(hand, "0 win", "1 discard 1s")
    assert (may(hand, 0), hand.offers[0].at_once) == ("win", True)
    refused = hand.apply(act("0 pass"))
    assert isinstance(refused, Refusal)
    assert go(hand) == [Action(0, Do.WIN, auto=True)]
    hand = board(READY, JUNK, JUNK, JUNK, wall="9s1p1p1p1s" + LONG)
    play(hand, "0 win", "1 discard 1p", "2 discard 1p", "3 discard 1p")
    assert (may(hand, 0), hand.offers[0].at_once) == ("win", True)
    assert go(hand) == [Action(0, Do.WIN, auto=True)]


def test_the_first_win_is_the_players_own_choice() -> None:
    hand = board(JUNK, READY, JUNK, JUNK, wall="9s" + LONG)
    go(hand, "0 discard 9s")
    assert (may(hand, 1), hand.offers[1].at_once) == ("win, pung, pass", False)
    hand = board(READY, JUNK, JUNK, JUNK, wall="9s" + LONG)
    assert ("win" in may(hand, 0), hand.offers[0].at_once) == (True, False)


def test_a_winner_is_paid_for_every_win() -> None:
    hand = board(READY, JUNK, JUNK, JUNK, wall="9s1s" + LONG)
    go(hand, "0 win", "1 discard 1s")
    assert [claims(hand, place) for place in (0, 1)] == [[(1, 0, 2), (2, 0, 2), (3, 0, 2)], [(1, 0, 2)]]
    assert hand.points() == [8, -4, -2, -2]


def test_a_winner_cannot_pung() -> None:
    hand = board(JUNK, "12345p55567899s", JUNK, JUNK, wall="3p9s" + LONG)
    go(hand, "0 discard 3p", "1 win")
    assert may(hand, 2) == "discard 1245789p1245789s"
    go(hand, "2 discard 9s")
    assert asked(hand) == [3], "seat 1 holds 99s"


def test_a_hand_ends_when_the_wall_is_empty_however_many_have_won() -> None:
    hand = board(READY, READY, READY, READY, wall="9s9s9s9s1s")
    go(hand, "0 win", "1 win", "2 win", "3 win")
    assert (hand.over, hand.ended) == (True, "wall_empty")
    assert [len(seat.wins) for seat in hand.seats] == [2, 1, 1, 1]


def test_the_last_discard_can_still_be_won_but_not_melded() -> None:
    hand = board(JUNK, READY, JUNK, JUNK, wall="9s")
    go(hand, "0 discard 9s")
    assert may(hand, 1) == "win, pass"
    go(hand, "1 win")
    assert (hand.over, won(hand, 1)) == (True, ["平胡 1"])


# who pays


def test_a_self_draw_is_paid_by_every_other_player_whether_or_not_he_has_won() -> None:
    hand = board(READY, READY, JUNK, JUNK, wall="9s1s" + LONG)
    play(hand, "0 win", "1 win")
    assert claims(hand, 0) == [(1, 0, 2), (2, 0, 2), (3, 0, 2)]
    assert claims(hand, 1) == [(2, 1, 2), (3, 1, 2), (0, 1, 2)]


def test_a_discard_is_paid_by_its_player_alone_also_if_he_has_won() -> None:
    hand = board(READY, OTHER, JUNK, JUNK, wall="9s1p1p1p8s" + LONG)
    go(hand, "0 win", "1 discard 1p", "2 discard 1p", "3 discard 1p", "1 win")
    assert claims(hand) == [(0, 1, 2)]


def test_a_robbed_kong_is_paid_by_the_konger() -> None:
    hand = board(PUNG_9S, READY, JUNK, JUNK, wall="9s" + LONG)
    go(hand, "0 kong 9s added", "1 win")
    assert (causes(hand), claims(hand), won(hand, 1)) == (["win"], [(0, 1, 4)], ["平胡 1", "抢杠胡 1"])


def test_each_of_several_winners_is_paid_their_own_hand() -> None:
    hand = board(JUNK, READY, "112233445566s9s", JUNK, wall="9s" + LONG)
    go(hand, "0 discard 9s", "1 win", "2 win")
    assert claims(hand) == [(0, 1, 2), (0, 2, 8)], "平胡 2, 清一色 七对 8"


# who draws next


def drawing(hand: MahjongHand) -> tuple[int, str]:
    """Whose turn it is, and the event that began it."""
    return hand.turn, "drew" if hand.seats[hand.turn].drawn >= 0 else ""


@pytest.mark.parametrize(
    ("seats", "winner", "draws"), [((READY, JUNK, JUNK), 1, 2), ((JUNK, READY, JUNK), 2, 3), ((JUNK, JUNK, READY), 3, 0)]
)
def test_after_one_win_on_a_discard_the_seat_after_the_winner_draws(seats: tuple[str, ...], winner: int, draws: int) -> None:
    hand = board(JUNK, *seats, wall="9s1p" + LONG)
    go(hand, "0 discard 9s", f"{winner} win")
    assert drawing(hand) == (draws, "drew")


@pytest.mark.parametrize("seats", [(READY, READY, JUNK), (READY, JUNK, READY), (JUNK, READY, READY), (READY, READY, READY)])
def test_when_several_win_on_a_discard_its_discarder_draws(seats: tuple[str, ...]) -> None:
    hand = board(JUNK, *seats, wall="9s1p" + LONG)
    winners = [who for who, tiles_held in enumerate(seats, 1) if tiles_held == READY]
    go(hand, "0 discard 9s", *(f"{who} win" for who in winners))
    assert drawing(hand) == (0, "drew")


def test_after_a_robbed_kong_the_seat_after_one_winner_draws_or_after_several_the_konger() -> None:
    hand = board(PUNG_9S, JUNK, READY, JUNK, wall="9s1p" + LONG)
    go(hand, "0 kong 9s added", "2 win")
    assert drawing(hand) == (3, "drew")
    hand = board(PUNG_9S, READY, READY, JUNK, wall="9s1p" + LONG)
    go(hand, "0 kong 9s added", "1 win", "2 win")
    assert drawing(hand) == (0, "drew")


def test_after_a_self_draw_the_next_seat_draws_a_winner_too() -> None:
    hand = board(READY, READY, JUNK, JUNK, wall="9s1s1p1p1p6s" + LONG)
    play(hand, "0 win", "1 win")
    assert drawing(hand) == (2, "drew")
    go(hand, "2 discard 1p")
    assert did(go(hand, "3 discard 1p")) == ["0 discard", "1 discard"], "both drew"
    assert drawing(hand) == (2, "drew")


def test_a_locked_winner_counts_among_several() -> None:
    hand = board(READY, READY, JUNK, JUNK, wall="9s6p1s6p" + LONG)
    go(hand, "0 win", "1 discard 6p", "2 discard 1s")
    assert asked(hand) == [1], "seat 0 has answered by itself"
    go(hand, "1 win")
    assert claims(hand) == [(2, 0, 2), (2, 1, 2)]
    assert drawing(hand) == (2, "drew")


@pytest.mark.parametrize("rules", [TWO, THREE])
def test_two_and_three_players_go_round_the_same_way(rules: object) -> None:
    others = [JUNK] * (1 if rules is TWO else 2)
    hand = board(READY, *others, wall="9s1s" + LONG, rules=rules)
    play(hand, "0 win")
    assert drawing(hand) == (1, "drew")
    play(hand, "1 discard 1s")
    go(hand)
    assert drawing(hand) == (1, "drew"), "the seat after the winner"
    assert hand.points() == ([4, -4] if rules is TWO else [6, -4, -2])


def test_nobody_is_told_that_a_winner_was_asked() -> None:
    """What the server does for a locked hand shows as what it does, in the order of the seats."""
    hand = board(READY, READY, JUNK, JUNK, wall="9s6p1s6p" + LONG)
    go(hand, "0 win", "1 discard 6p")
    play(hand, "2 discard 1s")
    assert hand.apply(hand.default(0)) == []
    events = play(hand, "1 win")
    assert names(events) == ["won", "won", "stage_claimed", "drew", "drew"]
