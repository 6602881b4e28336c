"""A server that has nothing to say tells its clients that it is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from grpc import aio

from services.kit import rpc
from tests.table.play import seated
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.api.table.v1 import table_pb2_grpc


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.table.streams._HEARTBEAT_SECONDS", 0.1)


async def beats(call: Any, count: int) -> list[float]:
    """When so many heartbeats came, one after the other."""
    heard: list[float] = []
    async with asyncio.timeout(10):
        while len(heard) < count:
            response = await call.read()
            assert response is not aio.EOF
            if response.HasField("heartbeat"):
                heard.append(asyncio.get_running_loop().time())
    return heard


async def test_a_stream_on_which_nothing_is_said_hears_a_heartbeat_again_and_again(world: Callable[..., Any]) -> None:
    w = await world()
    async with aio.insecure_channel(w.address) as channel:
        call = table_pb2_grpc.TableServiceStub(channel).Play()
        times = await beats(call, 5)
        assert times[-1] - times[0] > 0.35, "and no more often"
        call.cancel()


async def test_a_stream_that_hears_other_things_needs_none(world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.table.streams._HEARTBEAT_SECONDS", 1.0)
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        beaten = client.beats
        for _ in range(20):
            await client.send(pb.Input(seat_ref=0, resync=pb.Resync()))
            await client.listen(0.1)
        assert client.beats == beaten
        await client.until(lambda: client.beats > beaten)


async def test_one_heartbeat_at_most_waits_for_a_client_that_does_not_read(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        (stream,) = w.hall.streams
        taken = asyncio.Event()

        async def stuck(_messages: list[bytes], _write: Any) -> None:
            taken.set()
            await asyncio.Event().wait()

        stream_class = type(stream)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stream_class, "_write", lambda _self, messages, write: stuck(messages, write))
            await client.send(pb.Input(seat_ref=0, act=pb.Act(decision=1, action_id=1, do=pb.DO_VOID, suit=mj.SUIT_M)))
            await asyncio.wait_for(taken.wait(), 10)
            before = len(stream._chunks)
            await asyncio.sleep(0.5)
            assert len(stream._chunks) <= before + 1


async def test_a_server_that_owns_nothing_any_more_does_not_say_that_it_is_there(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        w.hall.lease._silent_at = 0.0
        beaten = client.beats
        await client.until(lambda: client.ended)
        assert client.beats == beaten
        assert isinstance(client.error, aio.AioRpcError)
        assert rpc.from_rpc(client.error).reason == "not_owner"
