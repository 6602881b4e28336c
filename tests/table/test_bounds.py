"""What strangers may take of a table server: streams that play nothing, and calls that are dear."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from grpc import aio

from services.kit import rpc
from services.kit.errors import ServiceError
from tests.table.play import seated, until
from tests.table.world import Rules
from xuezhan.api.table.v1 import table_pb2 as pb


async def ended(client: Any) -> tuple[str, str, str]:
    """How the server ended a stream: code, reason, text."""
    await client.until(lambda: client.ended)
    assert isinstance(client.error, aio.AioRpcError)
    return client.error.code().name, rpc.from_rpc(client.error).reason, client.error.details() or ""


async def test_a_stream_that_never_holds_a_seat_is_ended(world: Callable[..., Any]) -> None:
    w = await world(options={"stream_idle_seconds": 0.2})
    async with w.client() as client:
        await client.attach(0, "no token")
        code, reason, text = await ended(client)
        assert (code, reason) == ("FAILED_PRECONDITION", "no_seat")
        assert "0.2 s" in text
        assert [gone.reason for gone in client.of("detached")] == ["bad_token"], "it was still answered"
    await until(lambda: not w.hall.streams)


async def test_a_stream_may_stay_as_long_as_it_holds_a_seat(world: Callable[..., Any]) -> None:
    w = await world(options={"stream_idle_seconds": 0.2})
    async with w.client() as client:
        await seated(w, client)
        await client.send(*(pb.Input(seat_ref=seat, detach=pb.Detach()) for seat in (1, 2, 3)))
        await client.listen(0.6)
        assert not client.ended
        await client.send(pb.Input(seat_ref=0, detach=pb.Detach()))
        assert (await ended(client))[1] == "no_seat"
    assert w.hall.find("t") is not None, "its table goes on"


async def test_a_server_takes_only_so_many_streams(world: Callable[..., Any]) -> None:
    w = await world(options={"max_streams": 2, "peer_share": 1})
    async with w.client() as first:
        async with w.client():
            await until(lambda: len(w.hall.streams) == 2)
            async with w.client() as third:
                assert await ended(third) == ("RESOURCE_EXHAUSTED", "too_many_streams", "this server has 2 streams")
        await until(lambda: len(w.hall.streams) == 1)
        async with w.client() as client:
            await seated(w, client)
        await first.caught_up()
        assert not first.ended


async def test_one_address_has_only_its_share_of_the_streams(world: Callable[..., Any]) -> None:
    w = await world(options={"max_streams": 8, "peer_share": 0.25, "trusted_proxies": "127.0.0.1"})
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(2):
            await stack.enter_async_context(w.client(peer="192.0.2.7"))
        await until(lambda: len(w.hall.streams) == 2)
        third = await stack.enter_async_context(w.client(peer="192.0.2.7"))
        assert await ended(third) == ("RESOURCE_EXHAUSTED", "too_many_streams", "one address has at most 2 streams here")
        assert rpc.from_rpc(third.error).retry_seconds == 1
        for peer in ("192.0.2.8", "192.0.2.8", "2001:db8::1"):
            await stack.enter_async_context(w.client(peer=peer))
        await until(lambda: len(w.hall.streams) == 5)
    await until(lambda: not w.hall.streams)
    async with w.client(peer="192.0.2.7") as client:
        await seated(w, client)


async def test_one_address_has_only_its_share_of_the_watchers(world: Callable[..., Any]) -> None:
    w = await world(options={"max_watchers": 4, "peer_share": 0.5, "trusted_proxies": "127.0.0.1"})
    await w.open("ann", "bob", "cem", "dee", table_id="t")

    async def watching(stub: Any, player: str, peer: str) -> Any:
        metadata = (*rpc.metadata(w.keys.player(player)), ("x-forwarded-for", peer))
        call = stub.Watch(pb.WatchRequest(table_id="t"), metadata=metadata)
        await call.read()
        return call

    async with w.stub() as stub:
        calls = [await watching(stub, f"zoe{number}", "192.0.2.7") for number in range(2)]
        with pytest.raises(aio.AioRpcError) as refused:
            await watching(stub, "yan", "192.0.2.7")
        error = rpc.from_rpc(refused.value)
        assert (type(error).__name__, error.reason) == ("ExhaustedError", "too_many_watchers")
        calls += [await watching(stub, "xia", "192.0.2.8")]
        for call in calls:
            call.cancel()
    await until(lambda: not w.hall.watchers)
    assert w.hall.pool.used == w.hall.pool.parts == 0


async def test_calls_for_records_are_bounded_for_each_player_and_for_all(
    world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    w = await world(rules=Rules(contribution=0))
    await w.open("ann", "bob", "cem", "dee", table_id="t")
    await until(lambda: w.hall.find("t").course.hand is not None and not w.hall.find("t").in_flight)
    go = asyncio.Event()
    running: list[int] = []
    most: list[int] = []

    async def slow(*_: Any) -> list[tuple[int, str]]:
        running.append(1)
        most.append(len(running))
        await go.wait()
        running.pop()
        return [(1, "{}")]

    monkeypatch.setattr(w.hall.archive, "read", slow)
    async with w.stub() as stub:

        def ask(token: str) -> asyncio.Task[Any]:
            return asyncio.ensure_future(rpc.call(stub.GetRecord, pb.GetRecordRequest(table_id="t"), token, 20))

        def player(name: str) -> str:
            return str(w.keys.player(name))

        async def refused(token: str) -> tuple[str, str]:
            with pytest.raises(ServiceError) as error:
                await ask(token)
            return type(error.value).__name__, f"{error.value.reason}: {error.value.message}"

        asked = [ask(player("ann")) for _ in range(4)]
        await until(lambda: running)
        assert await refused(player("ann")) == ("ExhaustedError", "too_many: a player makes at most 4 calls for records at a time")
        asked += [ask(player("bob")) for _ in range(4)]
        await until(lambda: w.service._servicer._records._all == 8)
        assert await refused(player("cem")) == ("ExhaustedError", "too_many: one address makes at most 8 calls for records at a time")
        asked += [ask(w.reader_token()) for _ in range(24)]
        await until(lambda: w.service._servicer._records._all == 32)
        assert await refused(w.reader_token()) == ("ExhaustedError", "too_many: 32 calls for records wait already")
        # Everything else is answered as ever.
        assert (await stub.ListTables(pb.ListTablesRequest(), metadata=rpc.metadata(player("yan")))).tables
        go.set()
        assert {tuple(answer.records) for answer in await asyncio.gather(*asked)} == {("{}",)}
        assert max(most) == 8
        await ask(player("ann"))


async def test_a_room_that_is_not_there_is_named(world: Callable[..., Any]) -> None:
    w = await world()
    token = w.viewer_token()
    async with w.stub() as stub:
        with pytest.raises(ServiceError) as unknown:
            await rpc.call(stub.ListTables, pb.ListTablesRequest(room_id="nosuch"), token)
        assert (type(unknown.value).__name__, unknown.value.reason) == ("NotFoundError", "unknown_room")
        assert unknown.value.message == "room_id: there is no room 'nosuch'"
        asked = pb.ListTablesRequest(room_id=w.rules.room_id)
        assert not (await rpc.call(stub.ListTables, asked, token)).tables
        await w.open("ann", "bob", "cem", "dee", table_id="t")
        # A table goes on in its room as it was, also where a new configuration does not have it.
        w.hall.rooms._rooms.clear()
        assert len((await rpc.call(stub.ListTables, asked, token)).tables) == 1
