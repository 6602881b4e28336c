"""Turns, claims, wins and the last four tiles of 欢乐麻将 (docs/rules/happy_sichuan.md)."""

from __future__ import annotations

import pytest

from games.hand import Action, Do, Policy, Refusal, Setup, Why
from games.mahjong.tiles import tile_of
from games.registry import ruleset
from tests.games.board import act, asked, claims, may, names, play, tiles
from tests.games.happy import FAR, HAPPY, JUNK, LONG, OTHER, PAIR, READY, SINGLE, board, causes, fresh, won

SETUP = Setup("t", 1, bytes(32), (None,) * 4)


# the deal


def test_four_players_have_108_tiles_and_play_begins_at_once() -> None:
    hand, events = HAPPY.deal(SETUP)
    assert (hand.players, len(hand.wall)) == (4, 108)
    assert names(events)[-2:] == ["drew", "drew"], "no void suit, no exchange"
    assert asked(hand) == [hand.dealer] == [hand.turn]


def test_the_game_pays_pooled_and_a_multiple_is_worth_six_points() -> None:
    assert (HAPPY.policy, HAPPY.base) == (Policy.POOLED, 1)
    hand = board(READY, JUNK, JUNK, JUNK, wall="9p" + LONG)
    play(hand, "0 win")
    assert hand.points() == [18, -6, -6, -6]


# winning


def test_a_hand_of_three_suits_is_not_offered_a_win() -> None:
    hand = board("123456m789p1199s", JUNK, JUNK, JUNK, wall="9s" + LONG)
    assert may(hand, 0) == "discard 123456m789p19s"
    hand = board("123456m789p1199s", JUNK, JUNK, JUNK, wall="9s" + LONG, dealer=3)
    play(hand, "3 discard 9s")
    assert may(hand, 0) == "pung, pass"


def test_the_two_suits_are_judged_with_the_melds() -> None:
    hand = board("1199p789m | pung 5m, pung 7s", JUNK, JUNK, JUNK, wall="9p" + LONG)
    assert "win" not in may(hand, 0)
    hand = board("1199p789m | pung 5m, pung 7p", JUNK, JUNK, JUNK, wall="9p" + LONG)
    assert "win" in may(hand, 0)


def test_a_self_draw_is_paid_by_every_player_who_has_not_won() -> None:
    hand = board(READY, JUNK, READY, JUNK, wall="1p2s9p" + LONG)
    play(hand, "0 win")
    assert claims(hand) == [(1, 0, 1), (2, 0, 1), (3, 0, 1)]
    play(hand, "1 discard 2s", "2 win")
    assert claims(hand) == [(3, 2, 1), (1, 2, 1)], "seat 0 has won"


def test_a_discard_win_is_paid_by_the_discarder() -> None:
    hand = board(FAR, JUNK, READY, JUNK, wall="9p" + LONG)
    play(hand, "0 discard 9p", "2 win")
    assert claims(hand) == [(0, 2, 1)]


def test_several_win_on_one_tile_and_each_is_counted_one_to_one() -> None:
    hand = board(FAR, READY, JUNK, "111222333m1199p", wall="9p" + LONG)
    play(hand, "0 discard 9p", "1 win", "3 win")
    assert claims(hand) == [(0, 1, 1), (0, 3, 4)], "平胡 1 and 带幺九 3"
    assert hand.points() == [-30, 6, 0, 24]


def test_a_win_may_be_passed() -> None:
    hand = board(FAR, READY, JUNK, JUNK, wall="9p2s" + LONG)
    play(hand, "0 discard 9p")
    assert may(hand, 1) == "win, pung, pass"
    play(hand, "1 pass")
    assert causes(hand) == []
    assert asked(hand) == [1], "the next draws"


def test_a_win_ranks_over_kong_and_pung() -> None:
    hand = board(FAR, "345678m999p1235s", READY, JUNK, wall="9p" + LONG)
    play(hand, "0 discard 9p")
    assert (may(hand, 1), may(hand, 2)) == ("kong, pung, pass", "win, pung, pass")
    play(hand, "2 win")
    assert claims(hand) == [(0, 2, 1)]
    assert not hand.seats[1].melds
    assert asked(hand) == [3]


@pytest.mark.parametrize(
    ("seats", "winners", "draws"),
    [
        ((FAR, READY, READY, JUNK), (1, 2), 3),
        ((FAR, READY, JUNK, READY), (1, 3), 0),
        ((FAR, JUNK, READY, JUNK), (2,), 3),
        ((FAR, JUNK, JUNK, READY), (3,), 0),
    ],
)
def test_after_wins_on_a_discard_the_next_active_seat_after_the_last_winner_draws(
    seats: tuple[str, ...], winners: tuple[int, ...], draws: int
) -> None:
    hand = board(*seats, wall="9p2s" + LONG)
    play(hand, "0 discard 9p", *(f"{who} win" for who in winners))
    assert asked(hand) == [draws]
    assert hand.seats[draws].drawn == tile_of("2s")


def test_after_a_self_draw_win_the_next_active_seat_draws() -> None:
    hand = board(JUNK, READY, JUNK, JUNK, wall="9p2s" + LONG, dealer=1)
    play(hand, "1 win")
    assert asked(hand) == [2]


def test_a_winner_is_neither_asked_nor_drawing_again() -> None:
    hand = board(READY, JUNK, JUNK, JUNK, wall="9p9p9p9p9p" + LONG)
    play(hand, "0 win")
    assert hand.seat_done(0)
    for who in (1, 2, 3, 1):
        assert asked(hand) == [who]
        play(hand, f"{who} discard 9p")


def test_the_server_wins_else_passes_and_throws_the_drawn_tile() -> None:
    hand = board(READY, READY, JUNK, JUNK, wall="9p" + LONG)
    assert hand.default(0) == Action(0, Do.WIN, auto=True)
    hand = board(FAR, READY, PAIR, JUNK, wall="9p" + LONG)
    assert hand.default(0) == Action(0, Do.DISCARD, tile_of("9p"), auto=True)
    play(hand, "0 discard 9p")
    assert hand.default(1) == Action(1, Do.WIN, auto=True)
    assert hand.default(2) == Action(2, Do.PASS, auto=True)


def test_after_a_pung_the_server_throws_the_highest_tile() -> None:
    hand = board(FAR, JUNK, PAIR, JUNK, wall="9p" + LONG)
    play(hand, "0 discard 9p", "2 pung")
    assert hand.default(2) == Action(2, Do.DISCARD, tile_of("8s"), auto=True)


def test_a_win_is_worth_what_the_options_say() -> None:
    for rules, parts, multiple in (
        (HAPPY, ["平胡 1", "杠上花 1", "杠 1"], 4),
        (ruleset("happy_sichuan", {"kong_draw_fan": 2}), ["平胡 1", "杠上花 2", "杠 1"], 8),
        (ruleset("happy_sichuan", {"kong_draw_fan": 2, "cap": 2}), ["平胡 1", "杠上花 2", "杠 1"], 2),
    ):
        hand = board("111m456789m1199p", JUNK, JUNK, JUNK, wall="1m9p" + LONG, rules=rules)
        play(hand, "0 kong 1m concealed", "0 win")
        assert won(hand, 0) == parts
        assert claims(hand) == [(1, 0, multiple), (2, 0, multiple), (3, 0, multiple)]


# robbed kongs


def test_a_robbed_kong_is_one_fan_more_and_paid_by_the_konger() -> None:
    hand = board("1357m2468p23s | pung 9p", READY, JUNK, JUNK, wall="9p2s" + LONG)
    play(hand, "0 kong 9p added")
    assert may(hand, 1) == "win, pass"
    play(hand, "1 win")
    assert won(hand, 1) == ["平胡 1", "抢杠胡 1"]
    assert (causes(hand), claims(hand)) == (["win"], [(0, 1, 2)])


def test_a_robbed_kong_never_happened() -> None:
    hand = board("1357m2468p23s | pung 9p", READY, JUNK, JUNK, wall="9p2s" + LONG)
    play(hand, "0 kong 9p added", "1 win")
    assert [meld.kind for meld in hand.seats[0].melds] == ["pung"]
    assert tiles(hand, 0) == "1357m2468p23s", "the tile is gone"
    assert asked(hand) == [2], "the seat after the winner draws"


# 天胡 and 地胡


def test_the_dealer_who_wins_on_their_first_14_tiles_has_the_heavenly_hand() -> None:
    hand = fresh(READY, JUNK, JUNK, JUNK, wall="9p" + LONG)
    play(hand, "0 win")
    assert won(hand, 0) == ["天胡 6"]


def test_another_who_wins_by_self_draw_on_their_first_draw_has_the_earthly_hand() -> None:
    hand = fresh(FAR, JUNK, OTHER, JUNK, wall="2s3s5p" + LONG)
    play(hand, "0 discard 2s", "1 discard 3s", "2 win")
    assert won(hand, 2) == ["地胡 6"]


def test_a_first_discard_won_is_neither() -> None:
    hand = fresh(FAR, READY, JUNK, JUNK, wall="9p" + LONG)
    play(hand, "0 discard 9p", "1 win")
    assert won(hand, 1) == ["平胡 1"]


def test_a_meld_of_anybody_before_ends_the_earthly_hand() -> None:
    hand = fresh(FAR, OTHER, JUNK, PAIR, wall="9p2s5p" + LONG)
    play(hand, "0 discard 9p", "3 pung", "3 discard 8s", "0 discard 2s", "1 win")
    assert won(hand, 1) == ["平胡 1"], "a pung"
    hand = fresh("111357m1346789p", OTHER, JUNK, JUNK, wall="1m2s5p" + LONG)
    play(hand, "0 kong 1m concealed", "0 discard 2s", "1 win")
    assert won(hand, 1) == ["平胡 1"], "a concealed kong"


def test_ones_own_concealed_kong_ends_the_first_draw_too() -> None:
    hand = fresh("111m456789m1199p", JUNK, JUNK, JUNK, wall="1m9p" + LONG)
    play(hand, "0 kong 1m concealed", "0 win")
    assert won(hand, 0) == ["平胡 1", "杠上花 1", "杠 1"]
    hand = fresh(FAR, "111m456789m1199p", JUNK, JUNK, wall="2s1m9p" + LONG)
    play(hand, "0 discard 2s", "1 kong 1m concealed", "1 win")
    assert won(hand, 1) == ["平胡 1", "杠上花 1", "杠 1"]


def test_a_win_that_others_had_before_does_not_end_the_earthly_hand() -> None:
    hand = fresh(FAR, OTHER, JUNK, READY, wall="9p2s5p" + LONG)
    play(hand, "0 discard 9p", "3 win", "0 discard 2s", "1 win")
    assert won(hand, 1) == ["地胡 6"]


# how far a hand goes


def test_xuezhan_goes_on_until_the_third_win() -> None:
    hand = board(READY, READY, READY, JUNK, wall="9p9p9p" + LONG)
    play(hand, "0 win", "1 win")
    assert not hand.over
    events = play(hand, "2 win")
    assert (hand.over, hand.ended) == (True, "third_win")
    assert names(events) == ["won", "stage_claimed", "hand_over"], "no check when three have won"
    assert causes(hand) == ["win"] * 3


def test_two_wins_on_one_tile_can_be_the_second_and_the_third() -> None:
    hand = board(READY, FAR, READY, READY, wall="9p9p" + LONG)
    play(hand, "0 win", "1 discard 9p", "2 win", "3 win")
    assert hand.ended == "third_win"
    assert causes(hand) == ["win", "win"]


def test_single_ends_with_the_first_win_or_several_on_one_tile() -> None:
    hand = board(READY, READY, JUNK, JUNK, wall="9p" + LONG, rules=SINGLE)
    play(hand, "0 win")
    assert (hand.ended, causes(hand)) == ("first_win", ["win"])
    hand = board(FAR, READY, JUNK, READY, wall="9p" + LONG, rules=SINGLE)
    play(hand, "0 discard 9p", "1 win", "3 win")
    assert (hand.ended, claims(hand)) == ("first_win", [(0, 1, 1), (0, 3, 1)])


def test_xuezhan_is_the_default_mode() -> None:
    assert HAPPY.options["mode"] == "xuezhan"


# 最后四张自动胡


def refused(hand: object, move: str) -> None:
    answer = hand.apply(act(move))  # type: ignore[attr-defined]
    assert isinstance(answer, Refusal), move
    assert answer.why is Why.NOT_OFFERED


def test_with_more_than_four_tiles_left_a_win_is_free() -> None:
    hand = board(READY, JUNK, JUNK, JUNK, wall="9p2s2s2s2s")
    assert may(hand, 0) == "discard 123456789m19p, win"
    play(hand, "0 discard 9p")


def test_who_draws_their_win_as_one_of_the_last_four_must_win() -> None:
    hand = board(READY, JUNK, JUNK, JUNK, wall="9p2s2s2s")
    assert may(hand, 0) == "win"
    assert hand.offers[0].greyed == hand.seats[0].concealed.mask
    for move in ("0 discard 9p", "0 discard 1m", "0 pass"):
        refused(hand, move)
    assert hand.default(0) == Action(0, Do.WIN, auto=True)
    play(hand, "0 win")


def test_who_could_also_kong_must_win() -> None:
    hand = board("111m456789m1199p", JUNK, JUNK, JUNK, wall="9p2s2s2s")
    assert may(hand, 0) == "win"
    hand = board("222p456789m1199p", JUNK, JUNK, JUNK, wall="2p2s2s2s")
    assert may(hand, 0) == "discard 456789m129p, kong 2p concealed", "no win: everything may be done"


def test_a_win_on_a_discard_must_be_taken_from_the_last_four_on() -> None:
    hand = board(FAR, READY, JUNK, JUNK, wall="9p2s2s2s")
    play(hand, "0 discard 9p")
    assert may(hand, 1) == "win", "neither pung nor pass"
    refused(hand, "1 pass")
    refused(hand, "1 pung")
    assert hand.default(1) == Action(1, Do.WIN, auto=True)


def test_a_tile_drawn_before_the_last_four_and_thrown_after_must_be_won_too() -> None:
    hand = board("13579m1234567p9p", READY, JUNK, JUNK, wall="2s2s2s2s")
    play(hand, "0 discard 9p")
    assert may(hand, 1) == "win"


def test_a_robbed_kong_must_be_won_from_the_last_four_on() -> None:
    hand = board("1357m2468p23s | pung 9p", READY, JUNK, JUNK, wall="9p2s2s2s")
    play(hand, "0 kong 9p added")
    assert may(hand, 1) == "win"
    refused(hand, "1 pass")


def test_the_replacement_of_a_kong_counts_as_one_of_the_last_four() -> None:
    hand = board("111m456789m1199p", READY, JUNK, JUNK, wall="1m9p2s2s2s")
    assert may(hand, 0) == "discard 1456789m19p, kong 1m concealed"
    play(hand, "0 kong 1m concealed")
    assert may(hand, 0) == "win", "the first of the last four was drawn for the kong"


def test_the_last_tile_of_the_wall_drawn_for_a_kong_leaves_only_wins() -> None:
    hand = board("111357m1346789p", READY, PAIR, JUNK, wall="1m9p")
    play(hand, "0 kong 1m concealed", "0 discard 9p")
    assert (may(hand, 1), may(hand, 2)) == ("win", ""), "no tile left: no pung"


def test_pungs_and_kongs_stay_possible_for_who_cannot_win() -> None:
    hand = board(FAR, READY, "345678m999p1235s", JUNK, wall="9p2s2s2s")
    play(hand, "0 discard 9p")
    assert (may(hand, 1), may(hand, 2)) == ("win", "kong, pung, pass")
    hand = board(FAR, OTHER, "345678m999p1235s", JUNK, wall="9p2s2s2s")
    play(hand, "0 discard 9p", "2 kong 9p direct")
    assert may(hand, 2).startswith("discard")
    hand = board("1357m2468p23s | pung 9p", JUNK, JUNK, JUNK, wall="9p2s2s2s")
    play(hand, "0 kong 9p added")
    assert causes(hand) == ["kong"]


def test_the_rule_holds_in_both_modes() -> None:
    for rules in (HAPPY, SINGLE, ruleset("happy_sichuan", {"cap": 1, "kong_draw_fan": 2})):
        assert may(board(READY, JUNK, JUNK, JUNK, wall="9p2s2s2s", rules=rules), 0) == "win"
