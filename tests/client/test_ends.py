"""How a seat ends whose table is over, or which was not opened: for good, or not at all."""

from __future__ import annotations

import asyncio

import pytest

from tests.client.conftest import Table
from tests.client.server import FakeServer
from tests.client.test_seat import closed, offer, until
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as mm
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import Client, ClientError, Place, Seat, acts


def ticket(state: mm.TicketState.ValueType, table: str = "t", **place: object) -> mm.Ticket:
    return mm.Ticket(ticket_id="k", room_id="r", state=state, seat=mm.Seat(table_id=table, seat=2, **place))  # type: ignore[arg-type]


async def taken(server: FakeServer, client: Client) -> Seat:
    """Take the seat of a ticket; the server says next time that it cannot be found there."""
    server.tickets["k"] = [ticket(mm.TICKET_STATE_SEATED, address=server.address, token="seat")]
    seat = await client.take("token", "k")
    await until(seat, "attached")
    return seat


async def names(seat: Seat) -> list[str]:
    async with asyncio.timeout(20):
        return [heard.name async for heard in seat]


AFTERWARDS = {
    "over": ticket(mm.TICKET_STATE_OVER),
    "seated elsewhere": ticket(mm.TICKET_STATE_SEATED, "another", address="127.0.0.1:1", token="other"),
    "waiting again": mm.Ticket(ticket_id="k", state=mm.TICKET_STATE_WAITING),
    "given up": mm.Ticket(ticket_id="k", state=mm.TICKET_STATE_FAILED, reason="short"),
}


@pytest.mark.parametrize("now", AFTERWARDS)
async def test_a_table_that_ended_while_its_client_was_away_ends_the_iteration(server: FakeServer, now: str) -> None:
    async with Client(server.address) as client:
        seat = await taken(server, client)
        answers = asyncio.ensure_future(seat.act(acts.skip(), decision=1))
        server.answers = False
        await asyncio.sleep(0)
        server.tickets["k"] = [AFTERWARDS[now]]
        await server.tell("seat", pb.Event(detached=pb.Detached(reason="unavailable")))
        assert await names(seat) == ["detached"]
        assert seat.over is not None
        assert seat.over.reason == "closed"
        assert (await answers).refused in {"", "seat_over"}


async def test_a_table_that_ended_with_its_server_away_ends_the_iteration(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xuezhan.client.route.LOST_SECONDS", 0.1)
    other = FakeServer()
    await other.start()
    async with Client(other.address) as client:
        other.tickets["k"] = [ticket(mm.TICKET_STATE_SEATED, address=server.address, token="seat")]
        seat = await client.take("token", "k")
        await until(seat, "attached")
        other.tickets["k"] = [ticket(mm.TICKET_STATE_OVER)]
        await server.stop()
        assert await names(seat) == []
        assert str(seat.over) == "closed: table t is over: ticket k is over"
    await other.stop()
    await server.start()


async def test_a_table_that_ended_before_its_seat_was_taken_gives_a_seat_that_is_over(server: FakeServer) -> None:
    server.tickets["k"] = [mm.Ticket(ticket_id="k", state=mm.TICKET_STATE_WAITING), ticket(mm.TICKET_STATE_OVER)]
    heard: list[str] = []
    async with Client(server.address) as client:
        seat = await client.take("token", "k")
        assert (seat.table_id, seat.place.seat, await names(seat)) == ("t", 2, [])
        assert (await seat.act(acts.skip())).refused == "seat_over"
        await client.take("token", "k", listener=lambda _, what: heard.append(what.name))
    assert heard == ["over"]


async def test_a_ticket_that_ended_without_a_seat_is_an_error(server: FakeServer) -> None:
    server.tickets["k"] = [mm.Ticket(ticket_id="k", state=mm.TICKET_STATE_OVER)]
    async with Client(server.address) as client:
        with pytest.raises(ClientError, match="over"):
            await client.take("token", "k")


async def test_an_act_whose_answer_is_still_to_come_when_the_table_closes_is_answered(server: FakeServer, table: Table) -> None:
    """And one that comes after it: a program that answers every offer it hears ends with its table."""
    seat = table.sit()
    await until(seat, "attached")
    server.answers = False
    answers = [seat.submit(acts.discard(mj.TILE_1M), decision=1), asyncio.ensure_future(seat.set_auto_discard(on=True))]
    await server.until(lambda: len(server.switches) == 1)
    await server.show("seat", offer(2))
    await server.show("seat", closed())
    async with asyncio.timeout(20):
        async for _, name, _what in seat:
            if name == "offer":
                assert (await seat.act(acts.skip())).refused == "seat_over"
    assert [(await answer).refused for answer in answers] == ["seat_over"] * 2
    with pytest.raises(ClientError, match="seat_over"):
        seat.submit(acts.skip())


async def test_a_seat_that_is_lost_is_an_error_for_its_acts_too(server: FakeServer, table: Table) -> None:
    seat = table.sit()
    await until(seat, "attached")
    server.answers = False
    answer = seat.submit(acts.skip(), decision=1)
    await server.tell("seat", pb.Event(detached=pb.Detached(reason="attached_elsewhere")))
    with pytest.raises(ClientError, match="attached_elsewhere"):
        await names(seat)
    with pytest.raises(ClientError, match="attached_elsewhere"):
        await answer


async def turn_away(server: FakeServer, refused: str, detail: str = "") -> None:
    ref = server.streams[0].refs["seat"]
    await server.streams[0].write(pb.PlayResponse(answers=[pb.Answer(seat_ref=ref, refused=refused, detail=detail)]))


async def test_an_attach_that_is_refused_does_not_end_a_seat_that_is_attached(server: FakeServer, table: Table) -> None:
    seat = table.sit()
    await until(seat, "attached")
    for refused in ("expired", "unavailable", "foreign_seat", "moved", "closed"):
        await turn_away(server, refused)
    assert (await seat.act(acts.skip(), decision=1)).refused == ""
    assert seat.attached


async def test_a_seat_that_did_not_hear_that_it_is_attached_is_found_again_when_it_is_turned_away(server: FakeServer, table: Table) -> None:
    async def relocate() -> Place:
        return Place(server.address, "new", "t", 0)

    seat = table.sit(relocate=relocate)
    await until(seat, "attached")
    seat.attached = False
    await turn_away(server, "expired", "UNAUTHENTICATED")
    await until(seat, "attached")
    assert [token for token, _ in server.attaches] == ["seat", "new"]
