"""From a ticket to a seat, and calls to servers that are away."""

from __future__ import annotations

import asyncio

import pytest

from tests.client.server import FakeServer
from tests.support.process import free_port
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as mm
from xuezhan.client import Client, ClientError

SEATED = mm.Ticket(state=mm.TICKET_STATE_SEATED, seat=mm.Seat(address="10.0.0.1:7200", token="t1", table_id="m1", seat=2))


async def test_a_ticket_is_followed_to_its_seat(server: FakeServer) -> None:
    server.tickets["k"] = [mm.Ticket(state=mm.TICKET_STATE_WAITING), mm.Ticket(state=mm.TICKET_STATE_SEATING), SEATED]
    async with Client(server.address) as client:
        ticket = await client.tickets.create("token", "crazy_xuezhan/mayou", "k")
        place = await client.tickets.place("token", ticket.ticket_id)
    assert (place.address, place.token, place.table_id, place.seat) == ("10.0.0.1:7200", "t1", "m1", 2)


async def test_a_ticket_that_fails_says_why(server: FakeServer) -> None:
    server.tickets["k"] = [mm.Ticket(state=mm.TICKET_STATE_FAILED, reason="short")]
    async with Client(server.address) as client:
        with pytest.raises(ClientError) as failed:
            await client.tickets.place("token", "k")
    assert failed.value.reason == "short"


async def test_an_unknown_ticket_is_an_error_at_once(server: FakeServer) -> None:
    async with Client(server.address) as client:
        with pytest.raises(ClientError) as failed:
            await client.tickets.place("token", "nope")
    assert (failed.value.code, server.ticket_calls) == ("NOT_FOUND", 1)


async def test_a_ticket_is_followed_across_a_restart_of_matchmaking(server: FakeServer) -> None:
    server.tickets["k"] = [mm.Ticket(state=mm.TICKET_STATE_WAITING)]
    async with Client(server.address) as client:
        waiting = asyncio.create_task(client.tickets.place("token", "k"))
        await asyncio.sleep(0)
        await server.stop()
        server.tickets["k"] = [SEATED]
        await server.start()
        assert (await asyncio.wait_for(waiting, 10)).token == "t1"


async def test_a_call_to_a_server_that_is_away_is_made_again_until_it_is_there(server: FakeServer) -> None:
    await server.stop()
    async with Client(server.address) as client:
        asking = asyncio.create_task(client.tickets.create("token", "r", "k"))
        await asyncio.sleep(0.05)
        await server.start()
        assert (await asyncio.wait_for(asking, 10)).ticket_id == "k"


async def test_without_patience_a_server_that_is_away_is_an_error_at_once() -> None:
    async with Client(f"127.0.0.1:{free_port()}", patience_seconds=0) as client:
        with pytest.raises(ClientError) as away:
            await client.tickets.create("token", "r")
    assert away.value.code == "UNAVAILABLE"
    assert away.value.passing
