"""What a player hears and says, whatever becomes of the connection."""

from __future__ import annotations

import asyncio
import hashlib

import pytest

from tests.client.conftest import Table
from tests.client.server import FakeServer
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import ClientError, Heard, Place, Seat, acts


def drew(left: int) -> pb.Event:
    return pb.Event(drew=mj.Drew(seat=1, wall_left=left))


def offer(decision: int) -> pb.Event:
    return pb.Event(offer=pb.Offer(decision=decision, mahjong=mj.MahjongChoices(discards=[mj.TILE_1M])))


def closed() -> pb.Event:
    return pb.Event(table_closed=pb.TableClosed(state=pb.TABLE_STATE_CLOSED))


async def heard(seat: Seat, number: int) -> list[Heard]:
    """The next counted events of a seat."""
    found: list[Heard] = []
    async with asyncio.timeout(10):
        async for one in seat:
            if one.number:
                found.append(one)
            if len(found) == number:
                break
    return found


async def until(seat: Seat, name: str) -> Heard:
    async with asyncio.timeout(10):
        async for one in seat:
            if one.name == name:
                return one
    raise AssertionError(f"{name} was not heard")


async def test_a_seat_hears_everything_once_and_in_order_across_a_broken_stream(server: FakeServer, table: Table) -> None:
    seat = table.sit()
    await until(seat, "attached")
    await server.show("seat", drew(9))
    first = await heard(seat, 1)
    await server.stop()
    server.log["seat"] += [drew(8), drew(7)]
    await server.start()
    second = await heard(seat, 2)
    assert [one.what.wall_left for one in first + second] == [9, 8, 7]
    assert server.attaches[-1][1].last_number == 1
    assert seat.faults == []


async def test_an_act_without_an_answer_is_sent_again_under_its_own_id_after_the_stream_broke(server: FakeServer, table: Table) -> None:
    seat = table.sit()
    await until(seat, "attached")
    await server.show("seat", offer(1))
    await until(seat, "offer")
    server.answers = False
    answer = seat.submit(acts.discard(mj.TILE_1M))
    await server.until(lambda: len(server.acts) == 1)
    await server.stop()
    server.answers = True
    await server.start()
    assert (await asyncio.wait_for(answer, 10)).refused == ""
    (_, before), (_, after) = server.acts
    assert before.action_id == after.action_id != 0
    assert (after.decision, after.tile) == (1, mj.TILE_1M)


async def test_a_seat_that_the_server_does_not_know_any_more_attaches_again_once_and_acts(server: FakeServer, table: Table) -> None:
    """The event that said so may be lost with a full queue."""
    seat = table.sit()
    await until(seat, "attached")
    await server.show("seat", offer(1))
    await until(seat, "offer")
    server.streams[0].refs.clear()
    server.log["seat"].append(drew(9))
    answers = await asyncio.wait_for(asyncio.gather(*(seat.act(acts.discard(mj.TILE_1M)) for _ in range(3))), 4)
    assert [answer.refused for answer in answers] == ["", "", ""]
    assert [attach.last_number for _, attach in server.attaches] == [0, 1]
    assert [one.what.wall_left for one in await heard(seat, 1)] == [9]
    assert [token for token, _ in server.acts] == [*[""] * 3, *["seat"] * 3]
    assert len(server.streams) == 1


async def test_a_refused_act_is_an_answer_and_the_offer_stays_open(server: FakeServer, table: Table) -> None:
    seat = table.sit()
    await server.show("seat", offer(3))
    await until(seat, "offer")
    server.refusals[3] = "not_offered"
    assert (await seat.act(acts.skip())).refused == "not_offered"
    assert seat.offer is not None
    server.refusals.clear()
    assert (await seat.act(acts.discard(mj.TILE_1M))).refused == ""
    assert seat.offer is None


async def test_a_gap_in_the_numbers_is_counted_and_what_is_missing_is_asked_for(server: FakeServer, table: Table) -> None:
    seat = table.sit()
    await until(seat, "attached")
    server.log["seat"].append(drew(5))
    await server.show("seat", drew(4))
    assert [one.what.wall_left for one in await heard(seat, 2)] == [5, 4]
    assert (seat.gaps, seat.faults) == (1, [])
    assert server.resyncs == [0]


async def test_an_event_that_comes_twice_is_heard_once(server: FakeServer, table: Table) -> None:
    seat = table.sit()
    await until(seat, "attached")
    await server.show("seat", drew(5))
    await server.show("seat", drew(5), number=1)
    await server.show("seat", drew(3), number=2)
    assert [one.what.wall_left for one in await heard(seat, 2)] == [5, 3]


async def test_an_offer_that_comes_with_a_full_view_is_heard_as_an_offer_unless_it_is_being_answered(
    server: FakeServer, table: Table
) -> None:
    seat = table.sit()
    await until(seat, "attached")
    view = pb.Event(view=pb.View(number=7, offer=offer(4).offer))
    await server.tell("seat", view)
    assert (await until(seat, "offer")).what.decision == 4
    assert seat.last_number == 7
    server.answers = False
    seat.submit(acts.discard(mj.TILE_1M))
    await server.tell("seat", view)
    await server.show("seat", drew(1), number=8)
    names = []
    async for one in seat:
        names.append(one.name)
        if one.name == "drew":
            break
    assert names == ["view", "drew"]


async def test_a_closed_table_ends_the_iteration(server: FakeServer, table: Table) -> None:
    seat = table.sit()
    await server.show("seat", closed())
    assert [one.name async for one in seat] == ["attached", "table_closed"]
    with pytest.raises(ClientError, match="seat_over"):
        seat.submit(acts.skip())


async def test_a_player_who_does_not_read_starts_over_with_a_full_view_instead_of_filling_the_memory(
    server: FakeServer, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xuezhan.client.seat.MAX_HEARD", 3)
    seat = table.sit()
    await until(seat, "attached")
    for left in range(5):
        await server.show("seat", drew(left))
    await server.until(lambda: 0 in server.resyncs)


def committed(hand: int, *hashes: bytes) -> pb.Event:
    commitment = hashlib.sha256(b"s" * 32).digest()
    return pb.Event(hand_committed=pb.HandCommitted(hand=hand, commitment=commitment, contribution_hashes=hashes))


async def test_a_seat_reveals_its_bytes_and_offers_others_for_every_hand(server: FakeServer, table: Table) -> None:
    seat = table.sit()
    await until(seat, "attached")
    for hand in (1, 2, 3):
        promised = server.offered[-1]
        await server.show("seat", committed(hand, promised))
        await server.until(lambda hand=hand: len(server.offered) == hand + 1)
        mine = server.reveals[-1]
        assert hashlib.sha256(mine).digest() == promised
        await server.show("seat", pb.Event(contribution_revealed=pb.ContributionRevealed(seat=0, contribution=mine)))
        await server.show("seat", pb.Event(hand_over=pb.HandOver(hand=hand, seed=b"s" * 32, contributions=[mine])))
        await until(seat, "hand_over")
    assert len(set(server.reveals)) == len(server.reveals) == 3
    assert len(set(server.offered)) == 4
    kinds = [item.WhichOneof("input") for request in server.requests for item in request.inputs]
    assert kinds == ["attach", *["reveal", "contribute"] * 3], "an answer to the offer tells that the bytes were read"
    assert seat.faults == []


async def test_a_seat_that_comes_back_reveals_its_bytes_again_and_offers_fresh_ones(server: FakeServer, table: Table) -> None:
    seat = table.sit()
    await until(seat, "attached")
    await server.show("seat", committed(1, server.offered[-1]))
    await server.until(lambda: len(server.offered) == 2)
    await server.stop()
    await server.start()
    await server.until(lambda: len(server.reveals) == 2)
    assert server.reveals[0] == server.reveals[1]
    await server.until(lambda: len(server.offered) == 4)
    assert len(set(server.offered)) == 4, "by attaching, and behind the bytes"
    assert seat.faults == []


async def test_what_goes_wrong_with_a_deal_is_a_fault_of_the_seat(server: FakeServer, table: Table) -> None:
    seat = table.sit()
    await until(seat, "attached")
    await server.show("seat", committed(1, server.offered[-1]))
    await server.show("seat", pb.Event(hand_over=pb.HandOver(hand=1, seed=b"x" * 32)))
    await until(seat, "hand_over")
    assert [str(fault) for fault in seat.faults] == ["other_deal in hand 1: the seed is not the one committed to"]


async def test_a_token_that_is_refused_ends_the_seat_with_the_servers_reason(server: FakeServer, table: Table) -> None:
    server.on_attach["forged"] = pb.Event(detached=pb.Detached(reason="bad_token", code="UNAUTHENTICATED"))
    seat = table.sit("forged")
    with pytest.raises(ClientError) as refused:
        await until(seat, "attached")
    assert (refused.value.reason, refused.value.code) == ("bad_token", "UNAUTHENTICATED")


@pytest.mark.parametrize("reason", ["expired", "unavailable", "unknown_table"])
async def test_a_seat_whose_token_expired_or_whose_table_is_being_taken_up_is_found_again(
    server: FakeServer, table: Table, reason: str
) -> None:
    server.on_attach["old"] = pb.Event(detached=pb.Detached(reason=reason))

    async def relocate() -> Place:
        return Place(server.address, "new", "t", 0)

    seat = table.sit("old", relocate=relocate)
    await until(seat, "attached")
    assert [token for token, _ in server.attaches] == ["old", "new"]


async def test_leaving_is_said_again_after_the_stream_broke(server: FakeServer, table: Table) -> None:
    seat = table.sit()
    await until(seat, "attached")
    await server.stop()
    seat.leave()
    await server.start()
    await server.until(lambda: any(item.HasField("leave") for request in server.requests for item in request.inputs))


async def test_a_seat_knows_who_sits_at_its_table_when_seats_change_hands(server: FakeServer, table: Table) -> None:
    seat = table.sit()
    await until(seat, "attached")
    seat.info.seats.extend(pb.SeatAssignment(player_id=name) for name in ("ann", "bob"))
    await server.show("seat", pb.Event(seat_changed=pb.SeatChanged(seat=1, left=True)))
    await server.show("seat", pb.Event(seat_taken=pb.SeatTaken(seat=1, player_id="cem", money=[5, 6])))
    await heard(seat, 2)
    assert [one.player_id for one in seat.info.seats] == ["ann", "cem"]
    view = pb.View(number=2, seats=[pb.SeatAssignment(player_id="ann"), pb.SeatAssignment()])
    seat.hear(0, "view", view)
    assert [one.player_id for one in seat.info.seats] == ["ann", ""]


def is_on(seat: Seat) -> bool:
    """Whether 自动摸打 is on, as the seat knows."""
    return seat.auto_discard


async def test_auto_discard_is_on_as_soon_as_the_server_says_so_and_off_with_the_hand(server: FakeServer, table: Table) -> None:
    """自动摸打."""
    seat = table.sit()
    await until(seat, "attached")
    await server.show("seat", offer(3))
    await until(seat, "offer")
    server.refusals[0] = "not_offered"
    assert (await seat.set_auto_discard(on=True)).refused == "not_offered"
    assert not is_on(seat)
    server.refusals.clear()
    assert (await seat.set_auto_discard(on=True)).refused == ""
    assert is_on(seat)
    assert seat.offer is not None, "the offer is still open"
    assert (await seat.set_auto_discard(on=False)).refused == ""
    assert not is_on(seat)
    await seat.set_auto_discard(on=True)
    await server.show("seat", pb.Event(hand_over=pb.HandOver(hand=1)))
    await until(seat, "hand_over")
    assert not is_on(seat)


async def test_whether_auto_discard_is_on_comes_with_attached_and_every_view(server: FakeServer, table: Table) -> None:
    seat = table.sit()
    await until(seat, "attached")
    for on in (True, False):
        await server.tell("seat", pb.Event(view=pb.View(auto_discard=on)))
        await until(seat, "view")
        assert is_on(seat) is on
    await server.tell("seat", pb.Event(attached=pb.Attached(auto_discard=True)))
    await until(seat, "attached")
    assert is_on(seat)


async def test_passing_every_claim_is_a_switch_like_it(server: FakeServer, table: Table) -> None:
    seat = table.sit()
    await until(seat, "attached")
    seen = [seat.auto_pass]
    for on in (True, False, True):
        assert (await seat.set_auto_pass(on=on)).refused == ""
        seen.append(seat.auto_pass)
    await server.show("seat", pb.Event(hand_over=pb.HandOver(hand=1)))
    await until(seat, "hand_over")
    seen.append(seat.auto_pass)
    for name, event in (("view", pb.Event(view=pb.View(auto_pass=True))), ("attached", pb.Event(attached=pb.Attached()))):
        await server.tell("seat", event)
        await until(seat, name)
        seen.append(seat.auto_pass)
    assert seen == [False, True, False, True, False, True, False]
    assert not seat.auto_discard


async def test_a_switch_without_an_answer_is_sent_again_under_its_own_id_after_the_stream_broke(server: FakeServer, table: Table) -> None:
    seat = table.sit()
    await until(seat, "attached")
    server.answers = False
    answer = asyncio.ensure_future(seat.set_auto_discard(on=True))
    await server.until(lambda: len(server.switches) == 1)
    await server.stop()
    server.answers = True
    await server.start()
    assert (await asyncio.wait_for(answer, 10)).refused == ""
    assert server.switches[0] == server.switches[1]
    assert is_on(seat)
