"""From a ticket to a seat, and calls to servers that are away."""

from __future__ import annotations

import asyncio

import pytest
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]

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


async def test_a_ticket_of_which_a_server_says_nothing_any_more_is_followed_at_another(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that hangs breaks no connection."""
    monkeypatch.setattr("xuezhan.client.tickets.QUIET_SECONDS", 0.3)
    other = FakeServer()
    await other.start()
    server.hangs, server.tickets["k"], other.tickets["k"] = True, [mm.Ticket(state=mm.TICKET_STATE_WAITING)], [SEATED]
    async with Client(f"{server.address},{other.address}") as client:
        place = await asyncio.wait_for(client.tickets.place("token", "k"), 10)
    assert (place.table_id, server.ticket_calls, other.ticket_calls) == ("m1", 1, 1)
    await other.stop()


async def test_a_seated_ticket_may_be_silent_for_as_long_as_it_likes(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xuezhan.client.tickets.QUIET_SECONDS", 0.1)
    server.hangs, server.tickets["k"] = True, [SEATED]
    async with Client(server.address) as client:
        changes = client.tickets.follow("token", "k")
        assert (await anext(changes)).seat.table_id == "m1"
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(changes), 0.5)
        await changes.aclose()
    assert server.ticket_calls == 1


async def test_one_of_several_addresses_that_answers_is_enough(server: FakeServer) -> None:
    server.tickets["k"] = [SEATED]
    async with Client(f"127.0.0.1:{free_port()}, {server.address}", patience_seconds=0) as client:
        assert (await client.tickets.create("token", "crazy_xuezhan/mayou", "k")).ticket_id == "k"
        assert (await client.tickets.place("token", "k")).token == "t1"


async def test_a_place_names_the_servers_that_know_where_its_table_is(server: FakeServer) -> None:
    seat = mm.Seat(address="a:1", token="t1", table_id="m1", epoch=7, addresses=["a:1", "b:1"])
    server.tickets["k"] = [mm.Ticket(state=mm.TICKET_STATE_SEATED, seat=seat)]
    async with Client(server.address) as client:
        place = await client.tickets.place("token", "k")
    assert (place.addresses, place.epoch) == (("a:1", "b:1"), 7)


async def test_a_call_to_a_server_that_is_away_is_made_again_until_it_is_there(server: FakeServer) -> None:
    await server.stop()
    async with Client(server.address) as client:
        asking = asyncio.create_task(client.tickets.create("token", "r", "k"))
        await asyncio.sleep(0.05)
        await server.start()
        assert (await asyncio.wait_for(asking, 10)).ticket_id == "k"


def busy(retry_seconds: float) -> tuple[tuple[str, bytes], ...]:
    """What a server says beside RESOURCE_EXHAUSTED."""
    status = status_pb2.Status(code=8)
    status.details.add().Pack(error_details_pb2.ErrorInfo(reason="tickets", domain="xuezhan"))
    status.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=Duration(nanos=int(retry_seconds * 1e9))))
    return (("grpc-status-details-bin", status.SerializeToString()),)


async def test_a_client_that_asked_too_often_waits_as_long_as_it_is_told_and_asks_again(server: FakeServer) -> None:
    server.full = [busy(0.6)]
    async with Client(server.address) as client:
        assert (await client.tickets.create("token", "r", "k")).ticket_id == "k"
    first, second = server.created_at
    assert second - first >= 0.6


async def test_a_client_without_the_patience_to_wait_as_long_as_it_is_told_says_so_at_once(server: FakeServer) -> None:
    server.full = [busy(0.9)]
    async with Client(server.address, patience_seconds=0.5) as client:
        with pytest.raises(ClientError) as failed:
            await client.tickets.create("token", "r", "k")
    assert (failed.value.reason, failed.value.code, failed.value.retry_seconds) == ("tickets", "RESOURCE_EXHAUSTED", 0.9)
    assert len(server.created_at) == 1


async def test_without_patience_a_server_that_is_away_is_an_error_at_once() -> None:
    async with Client(f"127.0.0.1:{free_port()}", patience_seconds=0) as client:
        with pytest.raises(ClientError) as away:
            await client.tickets.create("token", "r")
    assert away.value.code == "UNAVAILABLE"
    assert away.value.passing
