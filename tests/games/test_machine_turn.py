"""A seat's own turn, played by 疯狂血战: everyone is void in s unless said otherwise."""

from __future__ import annotations

import pytest

from games.hand import WATCHERS, Action, Do
from games.mahjong.events import Drew, Melded, Won
from games.mahjong.fans import How
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.tiles import tile_of
from tests.games.board import asked, board, claims, may, names, out, play, tiles

JUNK = "124578m124578p9m"
NINE_M = tile_of("9m")


def test_a_turn_is_a_draw_then_a_discard_then_the_next_draws() -> None:
    hand = board(JUNK, JUNK, JUNK, JUNK, wall="3m9p3p")
    assert may(hand, 0) == "discard 12345789m124578p"
    events = play(hand, "0 discard 3m")
    assert names(events) == ["discarded", "drew", "drew"]
    assert tiles(hand, 0) == "1245789m124578p"
    assert (asked(hand), hand.turn) == ([1], 1)


def test_only_who_draws_sees_the_tile() -> None:
    hand = board(JUNK, JUNK, JUNK, JUNK, wall="3m9p3p")
    drawn, hidden = play(hand, "0 discard 3m")[1:]
    assert drawn == Drew(0b0010, 1, tile_of("9p"), replacement=False, left=1)
    assert hidden == Drew(WATCHERS | 0b1101, 1, -1, replacement=False, left=1)


def test_while_a_seat_holds_its_void_suit_it_must_throw_that() -> None:
    hand = board("12457m1257p1139s", JUNK, JUNK, JUNK, wall="3m9m9m")
    assert may(hand, 0) == "discard 139s"
    assert hand.offers[0].greyed == sum(1 << tile for tile in range(18) if hand.seats[0].concealed.counts[tile])


def test_a_drawn_tile_that_completes_the_hand_may_be_won_with_or_passed_up() -> None:
    hand = board("123456789m4611p", JUNK, JUNK, JUNK, wall="5p9m9m9m")
    assert may(hand, 0) == "discard 123456789m1456p, win"
    play(hand, "0 discard 1m")
    assert not hand.seats[0].wins


def test_a_self_drawn_win_is_paid_by_all_who_have_not_won() -> None:
    hand = out(board("123456789m4611p", JUNK, JUNK, JUNK, wall="5p9m9m9m"), 2)
    events = play(hand, "0 win")
    assert names(events) == ["won", "stage_claimed", "drew", "drew"]
    assert claims(hand) == [(1, 0, 10), (3, 0, 10)], "self-draw +1"
    assert hand.turn == 1, "the next active seat draws"
    assert isinstance(events[0], Won)
    assert events[0].win.how is How.SELF_DRAW


def test_the_tile_won_with_is_set_aside_and_the_hand_out_of_play() -> None:
    hand = board("123456789m4611p", JUNK, JUNK, JUNK, wall="5p9m9m9m")
    play(hand, "0 win")
    assert tiles(hand, 0) == "123456789m1146p"
    assert hand.seat_done(0)
    assert not hand.seat_done(1)


def test_a_winners_other_tiles_are_shown_only_at_the_end_of_the_hand() -> None:
    hand = board("123456789m4611p", JUNK, JUNK, JUNK, wall="5p9p9p9p")
    play(hand, "0 win")
    assert hand.view(1).seats[0].tiles == ()
    assert hand.view(0).seats[0].tiles != ()
    play(hand, "1 discard 9p", "2 discard 9p", "3 discard 9p")
    assert hand.over
    assert hand.view(None).seats[0].tiles == tuple(hand.seats[0].concealed.tiles())


def test_after_a_pung_its_player_discards_or_kongs() -> None:
    hand = board(JUNK, "3333m55p111222m9m", JUNK, JUNK, wall="5p9m9m9m")
    play(hand, "0 discard 5p", "1 pung")
    assert may(hand, 1) == "discard 1239m, kong 3m concealed"
    assert hand.offers[1].tile == -1


def test_a_pung_that_completes_the_hand_does_not_win() -> None:
    hand = board(JUNK, "123456789m5546p", JUNK, JUNK, wall="5p9m9m9m")
    play(hand, "0 discard 5p", "1 pung")
    assert "win" not in may(hand, 1)


def test_a_kong_is_replaced_from_the_front_of_the_wall_and_its_player_goes_on() -> None:
    hand = board("1111m24578m1245p", JUNK, JUNK, JUNK, wall="9p8p9m9m")
    assert may(hand, 0) == "discard 124578m12459p, kong 1m concealed"
    events = play(hand, "0 kong 1m concealed")
    assert [(event.tile, event.replacement) for event in events if isinstance(event, Drew)] == [(tile_of("8p"), True), (-1, True)]
    assert hand.seats[0].melds == [Meld(MeldKind.CONCEALED_KONG, 0)]
    assert asked(hand) == [0]


def test_a_concealed_kong_lies_open_like_any_other() -> None:
    hand = board("1111m24578m1245p", JUNK, JUNK, JUNK, wall="9p8p9m9m")
    kong = Meld(MeldKind.CONCEALED_KONG, 0)
    assert Melded(hand.rules.all, 0, kong) in play(hand, "0 kong 1m concealed")
    assert hand.view(None).seats[0].melds == (kong,)


def test_a_kong_passed_up_is_offered_again_on_a_later_turn() -> None:
    hand = board("1111m24578m1245p", JUNK, JUNK, JUNK, wall="9p8p9m9m3m9m")
    play(hand, "0 discard 9p", "1 discard 8p", "2 discard 9m", "3 discard 9m")
    assert "kong 1m concealed" in may(hand, 0)


def test_with_an_empty_wall_there_is_no_kong() -> None:
    hand = board("1111m24578m1245p", JUNK, JUNK, JUNK, wall="9p")
    assert may(hand, 0) == "discard 124578m12459p"
    hand = board("24578m12457p | pung 1m", JUNK, JUNK, JUNK, wall="1m")
    assert may(hand, 0) == "discard 124578m12457p"


def test_four_of_the_void_suit_are_no_kong() -> None:
    hand = board("24578m1245p1111s", JUNK, JUNK, JUNK, wall="9p8p9m")
    assert may(hand, 0) == "discard 1s"


def won(*moves: str, hands: tuple[str, ...], wall: str) -> list[str]:
    """Play to a win; return its parts."""
    hand = board(*hands, wall=wall)
    event = next(event for event in play(hand, *moves) if isinstance(event, Won))
    return [part.id for part in event.win.value.parts]


READY = "123456m1146p | pung 9m"


def test_a_win_on_a_replacement_is_a_kong_draw_and_a_self_draw() -> None:
    parts = won("0 kong 9m added", "0 win", hands=(READY, JUNK, JUNK, JUNK), wall="9m5p1m1m")
    assert parts == ["standard", "root", "self_draw", "kong_draw"]


def test_a_win_on_the_discard_after_a_replacement_is_a_kong_discard() -> None:
    hands = ("1111m24578m1245p", JUNK, "123456789m4611p", JUNK)
    assert won("0 kong 1m concealed", "0 discard 5p", "2 win", hands=hands, wall="9p8p9m9m") == ["standard", "kong_discard"]


def test_after_that_discard_the_kong_is_forgotten() -> None:
    hands = ("1111m24578m1245p", JUNK, "123456789m4611p", JUNK)
    moves = ("0 kong 1m concealed", "0 discard 9p", "1 discard 5p", "2 win")
    assert won(*moves, hands=hands, wall="9p9p5p9m9m") == ["standard"]


def test_a_pung_in_between_breaks_a_row_of_kongs() -> None:
    hands = ("1111m24578m1245p", "124578m12588p59m", "123456789m4611p", JUNK)
    moves = ("0 kong 1m concealed", "0 discard 8p", "1 pung", "1 discard 5p", "2 win")
    assert won(*moves, hands=hands, wall="9p8p9m9m") == ["standard"]


def test_a_robbed_kong_on_a_replacement_is_a_robbed_kong_only() -> None:
    hands = ("1111m24578m1p | pung 5p", "123456789m4611p", JUNK, JUNK)
    parts = won("0 kong 1m concealed", "0 kong 5p added", "1 win", hands=hands, wall="9p5p9m9m")
    assert parts == ["standard", "robbed_kong"]


@pytest.mark.parametrize(("wall", "parts"), [("5p", ["standard", "self_draw", "last_draw"]), ("5p9m", ["standard", "self_draw"])])
def test_the_walls_last_tile_is_worth_more(wall: str, parts: list[str]) -> None:
    assert won("0 win", hands=("123456789m4611p", JUNK, JUNK, JUNK), wall=wall) == parts


def test_the_discard_after_the_last_tile_is_worth_more() -> None:
    assert won("0 discard 5p", "1 win", hands=(JUNK, "123456789m4611p", JUNK, JUNK), wall="5p") == ["standard", "last_discard"]


def test_a_replacement_may_be_the_last_tile() -> None:
    parts = won("0 kong 9m added", "0 win", hands=(READY, JUNK, JUNK, JUNK), wall="9m5p")
    assert parts == ["standard", "root", "self_draw", "kong_draw", "last_draw"]


def test_the_server_wins_if_it_can() -> None:
    hand = board("123456789m4611p", JUNK, JUNK, JUNK, wall="5p9m9m9m")
    assert hand.default(0) == Action(0, Do.WIN, auto=True)


def test_the_server_throws_the_drawn_tile_if_it_may() -> None:
    hand = board(JUNK, JUNK, JUNK, JUNK, wall="3m9p3p")
    assert hand.default(0) == Action(0, Do.DISCARD, tile_of("3m"), auto=True)


def test_else_the_server_throws_the_highest_of_the_void_suit() -> None:
    hand = board("12457m1257p1137s", JUNK, JUNK, JUNK, wall="3m9m9m")
    assert hand.default(0) == Action(0, Do.DISCARD, tile_of("7s"), auto=True)


def test_after_a_pung_the_server_throws_the_highest_tile() -> None:
    hand = board(JUNK, "124578m1247p559m", JUNK, JUNK, wall="5m9m9m9m")
    play(hand, "0 discard 5m", "1 pung")
    assert hand.default(1) == Action(1, Do.DISCARD, tile_of("7p"), auto=True)


def test_the_server_does_not_claim_but_to_win() -> None:
    hand = board(JUNK, "123456789m4611p", "124578m124555p9m", JUNK, wall="5p9m9m9m")
    play(hand, "0 discard 5p")
    assert [hand.default(seat) for seat in (1, 2)] == [Action(1, Do.WIN, auto=True), Action(2, Do.PASS, auto=True)]


def test_a_seat_that_is_not_asked_has_no_default() -> None:
    hand = board(JUNK, JUNK, JUNK, JUNK, wall="3m9p3p")
    with pytest.raises(AssertionError, match="not asked"):
        hand.default(1)


def test_offers_to_a_seat_are_numbered_from_1_without_gaps_whatever_others_are_asked() -> None:
    hand = board(JUNK, "123456789m4611p", JUNK, JUNK, wall="5p9m8m9m9m")
    numbers = [hand.offers[0].number]
    play(hand, "0 discard 5p", "1 pass")
    play(hand, "1 discard 9m", "2 discard 8m", "3 discard 9m")
    numbers.append(hand.offers[0].number)
    assert numbers == [1, 2]
    assert hand.seats[1].asked == 2, "the claim and the turn"


def test_the_next_active_seat_is_the_next_that_is_still_in_the_hand() -> None:
    hand = out(board(JUNK, JUNK, JUNK, JUNK, wall="3m9p3p"), 1, 2)
    assert [hand.next_active(seat) for seat in (0, 3)] == [3, 0]
    assert out(hand, 3).next_active(0) == 0
