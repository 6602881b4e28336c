"""What is put together by hand is the same as what the message classes write."""

import random

import pytest

from games.hand import Refusal, Why
from games.mahjong.events import Discarded, Drew
from games.mahjong.offers import ClaimOffer, ExchangeOffer, TurnOffer, VoidOffer
from services.table.codec import actions, registry, wire
from xuezhan.api.table.v1 import cards_pb2
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb


@pytest.mark.parametrize("value", [0, 1, 127, 128, 300, 16383, 16384, 2**32 - 1, 2**40])
def test_a_varint_is_read_back(value: int) -> None:
    """Small ones come from a table, large ones are computed."""
    assert pb.View.FromString(wire.number_field(1, value & 0xFFFFFFFF)).number == value & 0xFFFFFFFF


def test_an_event_for_several_seats_lists_them_with_their_numbers() -> None:
    what = pb.Event(seat_changed=pb.SeatChanged(seat=2, on_auto=True)).SerializeToString()
    head = wire.event_head([wire.varint(7), wire.varint(300)])
    data = wire.counted_event(head, [5, 70_000], what)
    (event,) = pb.PlayResponse.FromString(data).events
    assert list(event.seat_refs) == [7, 300]
    assert list(event.numbers) == [5, 70_000]
    assert event.seat_changed == pb.SeatChanged(seat=2, on_auto=True)


def test_an_answer_is_what_the_message_class_reads() -> None:
    data = wire.answer(wire.varint(9), 2**64 - 1, 12, b"stale", "过".encode())
    (answer,) = pb.PlayResponse.FromString(data).answers
    assert answer == pb.Answer(seat_ref=9, action_id=2**64 - 1, decision=12, refused="stale", detail="过")


def test_answers_and_events_may_stand_mixed() -> None:
    """The buffer of a stream is a mixture; a reader gets the answers first."""
    event = wire.event(wire.varint(1), b"", pb.Event(resync_needed=pb.ResyncNeeded()).SerializeToString())
    response = pb.PlayResponse.FromString(event + wire.answer(b"\x01", 5, 1) + event)
    assert (len(response.answers), len(response.events)) == (1, 2)


@pytest.mark.parametrize("tile", [-1, 0, 26])
@pytest.mark.parametrize("replacement", [False, True])
def test_a_draw_shows_its_tile_only_where_the_event_has_it(tile: int, replacement: bool) -> None:
    drawn = registry.event(Drew(1, 3, tile, replacement, 55), 1)
    assert pb.Event.FromString(drawn) == pb.Event(
        drew=mj.Drew(seat=3, tile=mj.Tile.ValueType(tile + 1), replacement=replacement, wall_left=55)
    )


def test_a_discard_is_written_for_every_seat_and_tile() -> None:
    for seat in range(4):
        for tile in range(27):
            event = registry.event(Discarded(1, seat, tile), 1)
            assert pb.Event.FromString(event) == pb.Event(discarded=mj.Discarded(seat=seat, tile=mj.Tile.ValueType(tile + 1)))


def _masks() -> list[int]:
    rng = random.Random(4)
    return [0, 1, 1 << 26, (1 << 27) - 1, *(rng.getrandbits(27) for _ in range(50))]


def _kinds(mask: int) -> list[int]:
    return [tile + 1 for tile in range(27) if mask >> tile & 1]


@pytest.mark.parametrize("mask", _masks())
def test_a_turn_lists_exactly_what_may_be_discarded_and_what_not(mask: int) -> None:
    offer = TurnOffer(0, 4, 5, mask, 1 << 3, 1 << 20, win=True, greyed=mask ^ (1 << 27) - 1, confirm_pass=mask > 0)
    written = pb.Event.FromString(registry.offer_event(11, registry.choices(offer), 15_000)).offer
    assert (written.decision, written.time_left_ms) == (11, 15_000)
    choices = written.mahjong
    assert list(choices.discards) == _kinds(mask)
    assert list(choices.greyed) == _kinds(mask ^ (1 << 27) - 1)
    assert [(kong.tile, kong.kind) for kong in choices.kongs] == [
        (4, mj.MELD_KIND_CONCEALED_KONG),
        (21, mj.MELD_KIND_ADDED_KONG),
    ]
    assert (choices.may_win, choices.may_pass, choices.may_pung, choices.tile) == (True, False, False, 6)
    assert choices.confirm_pass == (mask > 0)


def test_a_claim_says_what_of_whom_and_whether_to_ask_again() -> None:
    offer = ClaimOffer(1, 2, 8, 0, win=False, kong=True, pung=True, may_pass=True, confirm_pass=True, greyed=3 << 8)
    written = pb.Event.FromString(registry.offer_event(3, registry.choices(offer), 0)).offer
    assert written.mahjong == mj.MahjongChoices(
        kongs=[mj.KongChoice(tile=mj.TILE_9M, kind=mj.MELD_KIND_DIRECT_KONG)],
        may_pung=True,
        may_pass=True,
        tile=mj.TILE_9M,
        from_seat_plus_one=1,
        greyed=[mj.TILE_9M, mj.TILE_1P],
        confirm_pass=True,
    )


def test_the_choices_before_play_list_suits_and_tiles() -> None:
    void = registry.offer_message(1, VoidOffer(0, 1), 1)
    assert list(void.mahjong.void_suits) == [mj.SUIT_M, mj.SUIT_P, mj.SUIT_S]
    exchange = registry.offer_message(1, ExchangeOffer(0, 1, (0, 0, 4, 9, 10, 11)), 1)
    assert list(exchange.mahjong.exchange_from) == [1, 1, 5, 10, 11, 12]


@pytest.mark.parametrize(
    ("act", "detail"),
    [
        (pb.Act(), "do: unknown"),
        (pb.Act(do=77), "do: unknown"),  # type: ignore[arg-type]
        (pb.Act(do=pb.DO_VOID), "suit: missing"),
        (pb.Act(do=pb.DO_VOID, suit=mj.SUIT_M, tile=mj.TILE_1M), "suit: only to name a void suit, and then no tile"),
        (pb.Act(do=pb.DO_DISCARD, suit=mj.SUIT_M), "suit: only to name a void suit, and then no tile"),
        (pb.Act(do=pb.DO_KONG, tile=mj.TILE_1M, kong=99), "kong: unknown"),  # type: ignore[arg-type]
        (pb.Act(do=pb.DO_PLAY, play=99), "play: unknown"),  # type: ignore[arg-type]
        (pb.Act(do=pb.DO_KONG, kong=mj.MELD_KIND_ADDED_KONG, play=cards_pb2.PLAY_KIND_SINGLE), "kong, play: one of them"),
        (pb.Act(do=pb.DO_PLAY, cards=[cards_pb2.CARD_9S], tiles=[mj.TILE_1M]), "tiles, cards: one of them"),
    ],
)
def test_an_act_that_cannot_be_read_is_malformed(act: pb.Act, detail: str) -> None:
    assert actions.action_of(act, 0) == Refusal(Why.MALFORMED, detail)
