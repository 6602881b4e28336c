"""Void suit 定缺 and exchange three 换三张."""

from __future__ import annotations

import pytest

from games.crazy_xuezhan.exchange import takes_part
from games.deal import Stream
from games.hand import WATCHERS, Action, Do, Setup
from games.mahjong.events import Dealt, Exchanged, VoidsShown
from games.mahjong.tiles import format_tiles
from games.registry import ruleset
from tests.games.board import XUEZHAN, asked, before_play, names, play, tiles
from tests.games.naive import held

EXCHANGE_FIRST = ruleset("crazy_xuezhan", {"phases": "exchange_void"})
MIXED = "1122m1122p11223s"
SETTLED = "123456789m11p22s"
"""好牌不换: neither p nor s counts three."""
VOIDS = ("0 void m", "1 void p", "2 void s", "3 void m")


def test_all_name_a_void_suit_at_the_same_time_then_exchange_then_the_dealer_draws() -> None:
    hand = before_play(MIXED, MIXED, MIXED, MIXED)
    assert (hand.view(None).phase, asked(hand)) == ("void", [0, 1, 2, 3])
    play(hand, *VOIDS)
    assert (hand.view(None).phase, asked(hand)) == ("exchange", [0, 1, 2, 3])
    events = play(hand, "0 exchange 223s", "1 exchange 223s", "2 exchange 223s", "3 exchange 223s")
    assert names(events)[-2:] == ["drew", "drew"]
    assert (hand.view(None).phase, asked(hand)) == ("play", [hand.dealer])


def test_the_order_of_the_two_is_an_option() -> None:
    hand = before_play(MIXED, MIXED, MIXED, MIXED, rules=EXCHANGE_FIRST)
    assert hand.view(None).phase == "exchange"
    play(hand, *(f"{seat} exchange 223s" for seat in range(4)))
    assert hand.view(None).phase == "void"
    play(hand, *VOIDS)
    assert hand.view(None).phase == "play"


def test_void_suits_are_shown_when_all_have_chosen_and_not_before() -> None:
    hand = before_play(MIXED, MIXED, MIXED, MIXED)
    assert play(hand, "2 void s", "0 void m", "3 void m") == []
    assert [seat.void for seat in hand.view(1).seats] == [-1] * 4
    assert hand.view(2).named_void == 2, "one's own choice is in one's own view"
    assert hand.view(1).named_void == -1
    assert play(hand, "1 void p")[0] == VoidsShown(hand.rules.all, (0, 1, 2, 0))
    assert [seat.void for seat in hand.view(None).seats] == [0, 1, 2, 0]


@pytest.mark.parametrize(
    ("concealed", "void"),
    [("1112223334m11p1s", "s"), ("123m45678p12345s", "m"), ("1234m1234p12345s", "m"), ("12345m1234p1234s", "p"), ("1234567m123p123s", "p")],
)
def test_the_server_names_the_suit_with_the_fewest_tiles_and_of_equals_the_first(concealed: str, void: str) -> None:
    hand = before_play(concealed, MIXED, MIXED, MIXED)
    assert hand.default(0) == Action(0, Do.VOID, "mps".index(void), auto=True)


def test_each_gives_to_the_participant_shift_places_on() -> None:
    hands = ("111m2233445566p", "222m2233445566p", "333m2233445566p", "444m2233445566p")
    for shift, received in ((1, "4123"), (2, "3412"), (3, "2341")):
        hand = before_play(*hands, shift=shift)
        play(hand, *VOIDS)
        play(hand, "0 exchange 111m", "1 exchange 222m", "2 exchange 333m", "3 exchange 444m")
        hand.seats[hand.dealer].concealed.remove(hand.seats[hand.dealer].drawn)
        assert [tiles(hand, seat)[:4] for seat in range(4)] == [f"{rank * 3}m" for rank in received]


def test_a_seat_sees_what_it_gave_and_got_and_all_see_who_took_part() -> None:
    hand = before_play("111m2233445566p", SETTLED, "333m2233445566p", "444m2233445566p", shift=1)
    play(hand, *VOIDS)
    events = play(hand, "0 exchange 111m", "2 exchange 333m", "3 exchange 444m")
    exchanged = [event for event in events if isinstance(event, Exchanged)]
    assert exchanged == [
        Exchanged(0b0001, (0, 2, 3), 1, (0, 0, 0), (3, 3, 3)),
        Exchanged(0b0100, (0, 2, 3), 1, (2, 2, 2), (0, 0, 0)),
        Exchanged(0b1000, (0, 2, 3), 1, (3, 3, 3), (2, 2, 2)),
        Exchanged(WATCHERS | 0b0010, (0, 2, 3), 1),
    ]


def test_what_is_given_moves_only_when_all_have_given() -> None:
    hand = before_play("111m2233445566p", MIXED, MIXED, MIXED, shift=1)
    play(hand, *VOIDS)
    assert play(hand, "0 exchange 111m") == []
    assert tiles(hand, 0) == "111m2233445566p"
    assert hand.view(0).gave == (0, 0, 0)
    assert hand.view(1).gave == ()


@pytest.mark.parametrize(
    ("concealed", "takes"),
    [
        (SETTLED, False),
        ("1234567m123p123s", True),
        ("123456789m123p1s", True),
        ("123456789m12p12s", False),
        ("1234567899m123p", True),
        ("1234567899m12p1s", False),
        ("112233445566m1p", False),
        ("123456m123456p1s", True),
    ],
)
def test_a_seat_whose_other_suits_both_count_fewer_than_three_sits_out(concealed: str, takes: bool) -> None:
    assert takes_part(held(concealed)) is takes
    hand = before_play(concealed, MIXED, MIXED, MIXED)
    play(hand, *VOIDS)
    assert asked(hand) == ([0, 1, 2, 3] if takes else [1, 2, 3])


def test_who_takes_part_alone_is_not_asked() -> None:
    hand = before_play(MIXED, SETTLED, SETTLED, SETTLED)
    events = play(hand, *VOIDS)
    assert names(events) == ["voids_shown", "exchanged", "drew", "drew"]
    assert events[1] == Exchanged(hand.rules.all, (), 0), "nobody can tell whether one or none would have taken part"
    assert tiles(hand, 1) == SETTLED


def test_the_shift_is_drawn_at_the_deal_from_1_to_one_less_than_take_part() -> None:
    shifts = set()
    for key in range(60):
        hand = before_play(MIXED, SETTLED, MIXED, MIXED)
        hand.shift = 0
        hand.rules.phases[1].prepare(hand, Stream(bytes([key] * 32)))
        shifts.add(hand.shift)
    assert shifts == {1, 2}


def test_the_dealer_takes_part_with_13_tiles() -> None:
    hand = before_play(MIXED, MIXED, MIXED, MIXED)
    play(hand, *VOIDS)
    assert [seat.concealed.size for seat in hand.seats] == [13] * 4


def test_every_copy_of_a_suit_of_three_or_more_may_be_given() -> None:
    hand = before_play("11122m3344556p1s", MIXED, MIXED, MIXED)
    play(hand, *VOIDS)
    assert format_tiles(hand.offers[0].tiles) == "11122m3344556p"
    assert format_tiles(hand.offers[0].of_suit(0)) == "11122m"


@pytest.mark.parametrize(
    ("concealed", "given"),
    [
        ("123456m123p1234s", "123p"),
        ("123456m1234p777s", "777s"),
        ("12345m1234p1123s", "123p"),
        ("123m12345p12345s", "123m"),
        ("12m123456p12345s", "123s"),
        ("1234567m123p122s", "123p"),
    ],
)
def test_the_server_gives_the_lowest_of_the_shortest_suit_that_holds_three(concealed: str, given: str) -> None:
    hand = before_play(concealed, MIXED, MIXED, MIXED)
    play(hand, *VOIDS)
    action = hand.default(0)
    assert (action.do, action.auto, format_tiles(action.tiles)) == (Do.EXCHANGE, True, given)


def test_void_tiles_may_come_in_the_exchange_and_are_thrown_first() -> None:
    hand = before_play("111m2233445566p", MIXED, MIXED, MIXED, wall="9p9m9p9m", shift=3)
    play(hand, "0 void s", "1 void p", "2 void s", "3 void m")
    play(hand, "0 exchange 344p", "1 exchange 223s", "2 exchange 223s", "3 exchange 223s")
    assert format_tiles(tile for tile in range(27) if hand.offers[0].discards >> tile & 1) == "23s"


def test_the_first_hand_of_a_table_can_be_dealt_again_from_its_setup() -> None:
    setup = Setup("t", 1, bytes(range(32)), (bytes(16), None, None, bytes(16)))
    one, events = XUEZHAN.deal(setup)
    other, again = XUEZHAN.deal(setup)
    assert (one.dump(), events) == (other.dump(), again)
    assert names(events) == ["dealt"] * 5
    assert [event.to for event in events] == [1, 2, 4, 8, WATCHERS]
    assert [len(event.tiles) for event in events if isinstance(event, Dealt)] == [13, 13, 13, 13, 0]


def test_the_deal_is_blocks_of_13_and_the_dealer_draws_the_53rd_tile() -> None:
    hand, _ = XUEZHAN.deal(Setup("t", 1, bytes(range(32)), (None,) * 4))
    assert len(hand.wall) == 108
    assert sorted(hand.wall) == sorted(list(range(27)) * 4)
    for seat in range(4):
        assert sorted(hand.wall[13 * seat : 13 * seat + 13]) == hand.seats[seat].concealed.tiles()
    while hand.view(None).phase != "play":
        for seat in asked(hand):
            hand.apply(hand.default(seat))
    assert hand.seats[hand.dealer].drawn == hand.wall[52]


def test_the_dealer_is_drawn_and_any_seat_can_be_he() -> None:
    dealers = {XUEZHAN.deal(Setup("t", number, bytes(32), (None,) * 4))[0].dealer for number in range(40)}
    assert dealers == {0, 1, 2, 3}


def test_a_setup_without_a_contribution_for_each_seat_is_refused() -> None:
    with pytest.raises(ValueError, match="contributions: 3 of 4 seats"):
        XUEZHAN.deal(Setup("t", 1, bytes(32), (None,) * 3))
