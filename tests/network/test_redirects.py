"""Servers that are silent, gone, or not the table's owner, as scripts that keep to the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.client.conftest import Table
from tests.client.server import FakeServer, started
from tests.client.test_seat import offer, until
from tests.table.play import until as eventually
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import Place, Seat, acts


@pytest.fixture
async def server() -> AsyncIterator[FakeServer]:
    async with started() as fake:
        yield fake


@pytest.fixture
async def table(server: FakeServer) -> AsyncIterator[Table]:
    table = Table(server)
    yield table
    await table.close()


@pytest.fixture
async def other() -> AsyncIterator[FakeServer]:
    async with started() as fake:
        yield fake


def sit(table: Table, *addresses: str, epoch: int = 0) -> Seat:
    """Take a seat whose place names live servers."""
    seat = Seat(Place(table.server.address, "seat", "t", 0, addresses, epoch), "alice")
    table.streams.add(seat)
    return seat


async def attached(seat: Seat) -> None:
    await until(seat, "attached")


def wait(milliseconds: int = 250) -> pb.Event:
    return pb.Event(wait=pb.Wait(retry_after_ms=milliseconds))


def moved(address: str, epoch: int) -> pb.Event:
    return pb.Event(moved=pb.Moved(address=address, epoch=epoch))


async def test_a_seat_whose_server_dies_waits_at_another_for_the_next_owner_and_its_act_is_answered(
    server: FakeServer, other: FakeServer, table: Table
) -> None:
    other.on_attach["seat"] = [wait(), wait()]
    seat = sit(table, server.address, other.address)
    await attached(seat)
    await server.show("seat", offer(1))
    await until(seat, "offer")
    server.answers = False
    answer = seat.submit(acts.discard(mj.TILE_1M))
    await server.until(lambda: server.acts)
    other.log["seat"] = list(server.log["seat"])
    begun = asyncio.get_running_loop().time()
    await server.stop()
    assert (await asyncio.wait_for(answer, 10)).refused == ""
    assert 0.5 <= asyncio.get_running_loop().time() - begun < 3
    assert [attach.last_number for _, attach in other.attaches] == [1, 1, 1]
    assert server.acts[0][1].action_id == other.acts[0][1].action_id
    assert (table.streams.waits, table.streams.broken, seat.place.address) == (2, 1, other.address)
    await server.start()


async def test_a_hand_over_is_followed_and_what_was_not_answered_is_sent_again(server: FakeServer, other: FakeServer, table: Table) -> None:
    server.epoch, other.epoch = 3, 4
    seat = sit(table)
    await attached(seat)
    server.answers = False
    answer = seat.submit(acts.skip(), decision=1)
    await server.until(lambda: server.acts)
    await server.tell("seat", moved(other.address, 4))
    assert (await asyncio.wait_for(answer, 10)).refused == ""
    assert server.acts[0][1].action_id == other.acts[0][1].action_id
    assert [attach.epoch for _, attach in other.attaches] == [4]
    assert (table.streams.moves, table.streams.broken) == (1, 0)


async def test_what_a_former_owner_says_of_the_table_is_ignored(server: FakeServer, other: FakeServer, table: Table) -> None:
    server.epoch = 5
    seat = sit(table)
    await attached(seat)
    await server.tell("seat", moved(other.address, 4))
    assert (await seat.act(acts.skip(), decision=1)).refused == ""
    assert seat.attached
    assert not other.attaches
    await server.tell("seat", moved(other.address, 6))
    await other.until(lambda: other.attaches)


async def test_a_former_owner_that_sends_a_seat_away_is_not_believed_where_to(server: FakeServer, other: FakeServer, table: Table) -> None:
    async with started() as third:
        server.on_attach["seat"] = moved(third.address, 4)
        seat = sit(table, other.address, epoch=5)
        await attached(seat)
        assert (seat.place.address, third.attaches) == (other.address, [])


async def test_a_former_owner_that_still_attaches_a_seat_is_left_for_another_server(
    server: FakeServer, other: FakeServer, table: Table
) -> None:
    server.epoch, other.epoch = 4, 5
    seat = sit(table, other.address, epoch=5)
    await attached(seat)
    assert seat.place.address == other.address
    assert len(server.attaches) == 1


async def test_a_server_that_falls_silent_breaks_no_connection_and_is_left_for_another(
    server: FakeServer, other: FakeServer, table: Table
) -> None:
    seat = sit(table, server.address, other.address)
    await attached(seat)
    begun = asyncio.get_running_loop().time()
    for _ in range(3):
        await server.beat()
        await asyncio.sleep(0.5)
    await attached(seat)
    assert seat.place.address == other.address
    assert 3.5 < asyncio.get_running_loop().time() - begun < 6.5


async def test_a_server_that_leaves_an_act_unanswered_is_left_although_it_beats(
    server: FakeServer, other: FakeServer, table: Table
) -> None:
    seat = sit(table, server.address, other.address)
    await attached(seat)

    async def beat() -> None:
        while True:
            await server.beat()
            await asyncio.sleep(0.3)

    beating = asyncio.create_task(beat())
    server.answers = False
    assert (await asyncio.wait_for(seat.act(acts.skip(), decision=1), 6)).refused == ""
    assert seat.place.address == other.address
    beating.cancel()


async def test_a_silent_server_that_still_has_the_table_is_come_back_to_over_another_connection(
    server: FakeServer, other: FakeServer, table: Table
) -> None:
    """It may have been the connection."""
    other.on_attach["seat"] = moved(server.address, 1)
    seat = sit(table, server.address, other.address)
    await attached(seat)
    await server.beat()
    await attached(seat)
    assert seat.place.address == server.address
    assert (len(server.attaches), len(other.attaches)) == (2, 1)


async def test_other_servers_are_learnt_from_list_servers_and_from_being_attached(server: FakeServer, other: FakeServer) -> None:
    for how in ("list_servers", "attached"):
        table = Table(server)
        if how == "attached":
            server.addresses = [server.address, other.address]
        else:
            table.streams.servers.token = "a player's"
            server.servers = [
                pb.TableServer(name="a", address=server.address, state=pb.SERVER_STATE_SERVING),
                pb.TableServer(name="b", address=other.address, state=pb.SERVER_STATE_DRAINING),
                pb.TableServer(name="c", address="127.0.0.1:1", state=pb.SERVER_STATE_LOST),
            ]
        seat = sit(table)
        await attached(seat)
        if how == "list_servers":
            streams = table.streams
            await eventually(lambda streams=streams: other.address in streams.addresses)  # type: ignore[misc]
            assert "127.0.0.1:1" not in streams.addresses
        await server.stop()
        await attached(seat)
        assert seat.place.address == other.address
        await table.close()
        await server.start()


async def test_an_attach_of_ones_own_that_comes_late_does_not_end_the_seat(server: FakeServer, table: Table) -> None:
    """It went over a connection that was given up, and takes the seat from the one that came after it."""
    server.on_attach["seat"] = [pb.Event(seat_changed=pb.SeatChanged())]
    seat = sit(table)
    await server.until(lambda: server.attaches)
    await server.beat()
    await attached(seat)
    assert len(server.attaches) == 2
    await server.tell("seat", pb.Event(detached=pb.Detached(reason="attached_elsewhere")))
    await attached(seat)
    await server.tell("seat", pb.Event(detached=pb.Detached(reason="attached_elsewhere")))
    await eventually(lambda: seat.over)
    assert seat.over is not None
    assert seat.over.reason == "attached_elsewhere", "by another program"


async def test_a_connection_that_is_never_made_is_given_up_after_two_seconds(other: FakeServer) -> None:
    """A server that is cut off refuses nothing: what is sent to it is dropped."""
    holes: list[asyncio.StreamWriter] = []

    async def swallow(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        holes.append(writer)

    hole = await asyncio.start_server(swallow, "127.0.0.1", 0)
    host, port = hole.sockets[0].getsockname()
    table = Table(other)
    seat = Seat(Place(f"{host}:{port}", "seat", "t", 0, (other.address,)), "alice")
    begun = asyncio.get_running_loop().time()
    table.streams.add(seat)
    await attached(seat)
    assert asyncio.get_running_loop().time() - begun < 4
    await table.close()
    hole.close()
    for writer in holes:
        writer.transport.abort()
    await hole.wait_closed()
