"""Many seats over one stream, streams that break, tables that move."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from grpc.aio import UsageError

from tests.client.conftest import Table
from tests.client.server import FakeServer, started
from tests.table.play import until
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import Client, ClientError, Heard, Place, Seat, acts
from xuezhan.client.stream import MAX_BATCH_BYTES
from xuezhan.client.streams import Streams


async def over(seat: Seat) -> ClientError:
    async def listen() -> None:
        async for _ in seat:
            pass

    with pytest.raises(ClientError) as ended:
        await asyncio.wait_for(listen(), 20)
    return ended.value


async def until_attached(seat: Seat) -> None:
    async with asyncio.timeout(10):
        async for heard in seat:
            if heard.name == "attached":
                return


async def test_all_seats_of_a_client_share_one_stream_and_their_inputs_go_in_batches(server: FakeServer, table: Table) -> None:
    seats = [table.sit(f"seat-{number}", listener=lambda *_: None) for number in range(300)]
    await server.until(lambda: len(server.attaches) == 300)
    await asyncio.gather(*(seat.act(acts.skip(), decision=1) for seat in seats))
    assert len({act.action_id for _, act in server.acts}) == 300
    assert len(server.streams) == 1
    assert len(server.requests) < 60
    assert max(request.ByteSize() for request in server.requests) <= MAX_BATCH_BYTES


async def test_no_message_is_larger_than_a_server_takes(server: FakeServer, table: Table) -> None:
    for number in range(100):
        table.sit(f"{number:03d}" + "x" * 1500, listener=lambda *_: None)
    await server.until(lambda: len(server.attaches) == 100)
    assert max(request.ByteSize() for request in server.requests) <= MAX_BATCH_BYTES


async def test_an_event_for_several_seats_is_heard_by_each_under_its_own_number(server: FakeServer, table: Table) -> None:
    told: list[tuple[str, int]] = []
    both_told = asyncio.Event()

    def listen(seat: Seat, heard: Heard) -> None:
        if heard.name == "drew":
            told.append((seat.place.token, heard.number))
            if len(told) == 2:
                both_told.set()

    for token in ("a", "b"):
        seat = table.sit(token, listener=listen)
        seat.last_number = {"a": 4, "b": 7}[token]
    await server.until(lambda: len(server.attaches) == 2)
    refs = server.streams[0].refs
    both = pb.Event(seat_refs=[refs["a"], refs["b"]], numbers=[5, 8], drew=mj.Drew(seat=1))
    await server.streams[0].write(pb.PlayResponse(events=[both]))
    await asyncio.wait_for(both_told.wait(), 10)
    assert told == [("a", 5), ("b", 8)]


async def test_a_table_that_moved_is_followed(server: FakeServer, table: Table) -> None:
    other = FakeServer()
    await other.start()
    try:
        server.on_attach["seat"] = pb.Event(moved=pb.Moved(address=other.address, epoch=2))
        seat = table.sit()
        async with asyncio.timeout(10):
            async for heard in seat:
                if heard.name == "attached":
                    break
        assert [token for token, _ in other.attaches] == ["seat"]
        assert seat.place.address == other.address
    finally:
        await table.close()
        await other.stop()


async def test_a_table_that_is_sent_around_without_end_is_given_up(server: FakeServer) -> None:
    table = Table(server, patience=1)
    server.on_attach["seat"] = pb.Event(moved=pb.Moved(address=server.address, epoch=2))
    seat = table.sit()
    assert (await over(seat)).reason == "lost"
    assert 2 <= len(server.attaches) < 12
    await table.close()


async def test_a_server_that_does_not_come_back_ends_its_seats_when_patience_is_over(server: FakeServer) -> None:
    table = Table(server, patience=1)
    seat = table.sit()
    await server.until(lambda: server.attaches)
    await server.stop()
    answer = seat.submit(acts.skip(), decision=1)
    assert (await over(seat)).reason == "unreachable"
    with pytest.raises(ClientError, match="unreachable"):
        await answer
    await table.close()
    await server.start()


async def test_seats_of_a_lost_server_are_looked_for_and_played_where_they_are_found(
    server: FakeServer, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xuezhan.client.route.LOST_SECONDS", 0.1)
    other = FakeServer()
    await other.start()

    async def relocate() -> Place:
        return Place(other.address, "again", "t", 0)

    seat = table.sit(relocate=relocate)
    await server.until(lambda: server.attaches)
    await server.stop()
    await other.until(lambda: other.attaches)
    assert other.attaches[0][0] == "again"
    assert seat.over is None
    await table.close()
    await other.stop()
    await server.start()


async def test_a_listener_that_fails_is_not_silent(server: FakeServer) -> None:
    over = asyncio.Event()

    def fail(seat: Seat, heard: Heard) -> None:
        if heard.name == "over":
            over.set()
        if heard.name == "drew":
            raise KeyError("bug")

    table = Table(server)
    seat = table.sit(listener=fail)
    await server.until(lambda: server.attaches)
    await server.show("seat", pb.Event(drew=mj.Drew()))
    await asyncio.wait_for(over.wait(), 10)
    assert seat.over is not None
    assert seat.over.reason == "listener_failed"
    with pytest.raises(KeyError):
        await table.close()
    await table.channels.close()


async def test_a_stream_without_seats_that_the_server_ends_is_opened_again_with_the_next_seat(server: FakeServer, table: Table) -> None:
    """And not before; nor is it counted as broken."""
    server.ends_empty = True
    seat = table.sit("first")
    await until_attached(seat)
    table.streams.remove(seat)
    # An open stream would be there again after a moment.
    await asyncio.sleep(0.5)
    assert not server.streams
    table.sit("second")
    await server.until(lambda: len(server.attaches) == 2)
    assert table.streams.broken == 0


async def test_a_server_that_is_away_for_many_attempts_breaks_a_stream_once(
    server: FakeServer, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xuezhan.client.route.MOST_SECONDS", 0.1)
    seat = table.sit()
    await until_attached(seat)
    for times in (1, 2):
        await server.stop()
        # Time for several attempts.
        await asyncio.sleep(0.7)
        await server.start()
        await until_attached(seat)
        assert table.streams.broken == times
    await table.close()
    assert table.streams.broken == 2


async def test_how_often_streams_broke_is_known_of_those_too_that_were_replaced(server: FakeServer, table: Table) -> None:
    names: asyncio.Queue[str] = asyncio.Queue()

    def fail(seat: Seat, heard: Heard) -> None:
        names.put_nowait(heard.name)
        if heard.name == "drew":
            raise KeyError("bug")

    table.sit(listener=fail)
    assert await asyncio.wait_for(names.get(), 10) == "attached"
    await server.stop()
    await server.start()
    assert await asyncio.wait_for(names.get(), 10) == "attached"
    await server.show("seat", pb.Event(drew=mj.Drew()))
    assert [await asyncio.wait_for(names.get(), 10) for _ in range(2)] == ["drew", "over"]
    await until_attached(table.sit("another"))
    assert table.streams.broken == 1


async def test_a_lost_answer_is_asked_for_in_time_on_a_stream_that_has_other_things_to_send(
    server: FakeServer, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xuezhan.client.health.SILENCE_SECONDS", 0.7)
    monkeypatch.setattr("xuezhan.client.stream.LOOK_SECONDS", 0.2)
    # Something waits to be sent whenever it is looked for what is late.
    table.streams = Streams(table.channels, flush_seconds=1.0)
    quiet, busy = table.sit("quiet"), table.sit("busy")
    await until_attached(quiet)
    await until_attached(busy)
    server.answers = False

    async def talk() -> None:
        while True:
            busy.resume()
            await asyncio.sleep(0.01)

    talking = asyncio.create_task(talk())
    quiet.submit(acts.skip(), decision=1)
    await server.until(lambda: len(server.acts) > 1)
    talking.cancel()
    assert len({act.action_id for _, act in server.acts}) == 1


async def test_what_waits_to_be_sent_is_not_sent_a_second_time_beside_it(
    server: FakeServer, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xuezhan.client.health.SILENCE_SECONDS", 1.0)
    monkeypatch.setattr("xuezhan.client.stream.LOOK_SECONDS", 0.2)
    table.streams = Streams(table.channels, flush_seconds=1.2)
    seat = table.sit()
    await until_attached(seat)
    assert (await seat.act(acts.skip(), decision=1)).refused == ""
    assert (len(server.attaches), len(server.acts)) == (1, 1)


async def test_a_listener_that_fails_leaves_nothing_else_of_its_program_open(server: FakeServer, tmp_path: Path) -> None:
    def fail(_seat: Seat, heard: Heard) -> None:
        if heard.name == "drew":
            raise KeyError("bug")

    async with started() as other:
        client = Client(receipts=tmp_path / "receipts.jsonl")
        client.streams.add(failing := Seat(Place(server.address, "seat", "t", 0), listener=fail))
        client.streams.add(Seat(Place(other.address, "seat", "t", 0), listener=lambda *_: None))
        await server.until(lambda: server.attaches)
        await other.until(lambda: other.attaches)
        await server.show("seat", pb.Event(drew=mj.Drew()))
        await until(lambda: failing.over is not None)
        with pytest.raises(KeyError):
            await client.close()
        await until(lambda: not other.streams)
        with pytest.raises(UsageError, match="closed"):
            await client.tickets.rooms("token")


async def test_a_seat_that_is_given_up_between_two_connections_is_not_attached_again(server: FakeServer, table: Table) -> None:
    given_up, other = table.sit("given-up"), table.sit("other")
    await until_attached(given_up)
    await until_attached(other)
    await server.stop()
    await until(lambda: table.streams.broken == 1)
    table.streams.remove(given_up)
    await server.start()
    await until_attached(other)
    assert [token for token, _ in server.attaches].count("given-up") == 1
    table.streams.add(given_up)
    await until_attached(given_up)


async def test_a_seat_that_is_turned_away_while_its_ticket_is_asked_beside_is_looked_for_until_it_is_found(
    server: FakeServer, table: Table
) -> None:
    asked, goes_on = asyncio.Queue[int](), asyncio.Event()

    async def relocate() -> Place:
        asked.put_nowait(1)
        if not goes_on.is_set():
            await goes_on.wait()
            raise ClientError("unavailable", "matchmaking is away", passing=True)
        return Place(server.address, "fresh", "t", 0)

    def turned_away(reason: str) -> pb.Event:
        return pb.Event(detached=pb.Detached(reason=reason))

    server.on_attach["old"] = [turned_away("unavailable"), turned_away("expired")]
    seat = table.sit("old", relocate=relocate)
    await asyncio.wait_for(asked.get(), 10)
    # The second time, which finds matchmaking still being asked.
    await until(lambda: not server.on_attach["old"])
    await server.until(lambda: len(server.attaches) == 2)
    await until(lambda: seat.carrier is None)
    await asyncio.sleep(0.5)  # Longer than the pause before the ticket is asked.
    goes_on.set()
    await until_attached(seat)
    assert seat.place.token == "fresh"
