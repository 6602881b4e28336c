"""A client that sends what is refused, or more than it may, is slowed or sent away itself, and nobody else is."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from services.kit import rpc
from services.kit.errors import ExhaustedError
from services.kit.meters import Meter
from services.table import intake, pace, playing
from services.table.backlog import Pool
from services.table.streams import Limits, Stream
from tests.table.play import seated, until
from tests.table.test_bounds import ended
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb

STREAMS = 10
EMPTY = [pb.Input()] * 32_000
"""In one message nearly the 64 KiB that it may have."""


async def test_a_message_of_thousands_of_empty_inputs_gets_one_answer(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await client.send(*EMPTY)
        await client.caught_up()
        assert [(answer.refused, answer.detail) for answer in client.answers] == [("too_many", "inputs: 32000, at most 2048")]


async def test_of_all_that_a_message_has_without_an_id_one_refusal_is_told_and_every_act_gets_its_own(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        empty, unknown, nothing = pb.Input(seat_ref=0), pb.Input(seat_ref=8, resync=pb.Resync()), pb.Input(seat_ref=9)
        acts = [pb.Input(seat_ref=8, act=pb.Act(action_id=number, do=pb.DO_WIN)) for number in (1, 2, 3)]
        await client.send(*[empty, unknown, nothing] * 100, *acts, *[unknown] * 100)
        await client.caught_up()
        assert [(answer.action_id, answer.refused) for answer in client.answers] == [
            (0, "malformed"),
            *((number, "not_attached") for number in (1, 2, 3)),
        ]


async def test_a_stream_that_goes_on_with_what_is_refused_is_ended_and_told_when_to_come_back(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client, w.client() as other:
        await seated(w, other)
        await until(lambda: len(w.hall.streams) == 2)
        (flooded,) = (stream for stream in w.hall.streams if not stream.attachments)
        # A client that is writing when the server ends the stream learns only that this failed.
        while flooded._closing is None:
            await client.send(pb.Input(seat_ref=9, resync=pb.Resync()))
            await asyncio.sleep(0.01)
        assert await ended(client) == ("RESOURCE_EXHAUSTED", "flood", "too much of what the stream sent was refused")
        assert rpc.from_rpc(client.error).retry_seconds == pace.LONGEST_SECONDS
        assert not (await other.act(0, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_M))).refused
        assert not other.ended


async def test_a_stream_that_goes_on_with_messages_of_nothing_is_ended(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await until(lambda: w.hall.streams)
        (flooded,) = w.hall.streams
        async with asyncio.timeout(20):
            while flooded._closing is None:
                await client.send()
                await asyncio.sleep(0.001)
        assert await ended(client) == ("RESOURCE_EXHAUSTED", "flood", "too much of what the stream sent was refused")


async def test_a_message_costs_more_than_it_takes_to_read_it(world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    w = await world()
    taken: list[float] = []
    monkeypatch.setattr(Stream, "charge", lambda _stream, seconds, _now: taken.append(seconds))
    monkeypatch.setattr(playing, "take_in", lambda *_: asyncio.sleep(0, 0.0))
    async with w.client() as client:
        await client.send()
        await until(lambda: taken)
        assert taken == [playing._MESSAGE_SECONDS]


async def test_a_stream_of_many_seats_may_send_more_that_is_refused() -> None:
    one, many = pace.Pace(Meter()), pace.Pace(Meter())
    assert [one.strike(0, 0) for _ in range(40)].index(True) == 30
    assert not any(many.strike(0, 1000) for _ in range(130))


async def test_the_flood_of_an_address_takes_a_twentieth_of_the_event_loop_however_many_streams_it_has(
    world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    w = await world()
    taken: list[float] = []
    charge = Stream.charge

    def charged(stream: Stream, seconds: float, now: float) -> None:
        taken.append(seconds)
        charge(stream, seconds, now)

    monkeypatch.setattr(Stream, "charge", charged)
    wide = ["--connections", str(STREAMS), "--width", "10", "--seconds", "4"]
    flood = [sys.executable, "-m", "tests.support.flood", w.address, "play", *wide]
    begun = time.monotonic()
    process = await asyncio.create_subprocess_exec(*flood, stdout=subprocess.PIPE)
    told = json.loads((await process.communicate())[0])
    elapsed = time.monotonic() - begun
    assert told["bytes"] > 1_000_000
    assert len(taken) > 2 * STREAMS
    # What is taken in advance, and the last message, come on top.
    assert sum(taken) <= 0.05 * (elapsed + pace._AHEAD_SECONDS) + max(taken)


async def test_between_the_inputs_of_a_long_message_others_have_their_turn(
    world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    w = await world()

    def dear(*_: Any) -> None:
        until = time.thread_time() + 0.001
        while time.thread_time() < until:
            pass

    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with w.client():
        await until(lambda: w.hall.streams)
        (stream,) = w.hall.streams
        monkeypatch.setattr(intake, "receive", dear)
        data = pb.PlayRequest(inputs=[pb.Input()] * 100).SerializeToString()
        other = asyncio.ensure_future(others())
        seconds = await playing.take_in(w.hall, stream, data, 0.0)
        other.cancel()
    assert seconds >= 0.1
    assert turns >= 25


def stream(pool: Pool, size: int = 1_000_000) -> Stream:
    return Stream(Limits(1000, size, 10, size, 0), pool, pace.Pace(Meter()), lambda: True, lambda _of: None)


async def test_when_too_much_waits_for_all_streams_together_the_fullest_lose_what_waits() -> None:
    pool = Pool(300_000)
    full, lean, empty = (stream(pool) for _ in range(3))
    lean.put(b"x" * 20_000)
    for _ in range(13):
        full.put(b"x" * 20_000)
    assert full._size == 13 * 21_000, "there is room for it"
    empty.put(b"x" * 20_000)
    assert (lean._size, empty._size) == (21_000, 21_000), "whoever has less than an equal part keeps it"
    full.put(b"x" * 20_000)
    assert full._size == 0
    assert pool.used == 42_000
    for one in (full, lean, empty):
        one.gone()
        one.put(b"what a table still says")
    assert (pool.used, pool.parts) == (0, 0)


async def test_what_is_being_written_counts_until_it_is_written() -> None:
    pool = Pool(300_000)
    one = stream(pool)
    one.put(b"x" * 1000)
    held = asyncio.Event()

    async def write(_data: bytes) -> None:
        await held.wait()

    writing = asyncio.ensure_future(one.flush(write))
    await asyncio.sleep(0)
    assert (one._size, pool.used) == (0, 2000)
    one.gone()
    held.set()
    await writing
    assert pool.used == 0


async def test_a_flood_error_has_a_reason_and_a_time_to_come_back() -> None:
    one = stream(Pool())
    for number in range(31):
        one.offend(number)
        one.charge(0.0, 0.0)
    with pytest.raises(ExhaustedError, match="refused"):
        await one.write_all(lambda _data: asyncio.sleep(0))
