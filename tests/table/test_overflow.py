"""Streams that do not keep up: what their seats missed is shown again, and what is said only once is never dropped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from services.table.codec import wire
from tests.table.play import PLAYERS, until
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb

NARROW = {"stream_events": 16, "flush_ms": 100}
"""The writer waits so long between two messages that more comes meanwhile than may wait."""


def crowd(stream: Any) -> None:
    """Queue more on a stream than may wait."""
    event = wire.event(wire.varint(77), b"", pb.Event(moved=pb.Moved()).SerializeToString())
    for _ in range(20):
        stream.put(event)


async def test_a_stream_that_does_not_keep_up_is_told_to_resync_and_the_table_goes_on(world: Callable[..., Any]) -> None:
    w = await world(options=NARROW)
    async with w.client() as client, w.client() as slow:
        opened = await w.open(*PLAYERS, table_id="t")
        await slow.attach_all(opened)
        await slow.wait_for("view", 3)
        crowd(w.hall.find("t").seats[0].stream)
        await slow.wait_for("resync_needed", 3)
        assert {ref for ref, _, e in slow.events if e.WhichOneof("what") == "resync_needed"} == {0, 1, 2, 3}
        before = len(slow.numbers(0))
        for ref in range(4):
            await slow.send(pb.Input(seat_ref=ref, act=pb.Act(decision=1, action_id=3, do=pb.DO_VOID, suit=mj.SUIT_M)))
        await slow.until(lambda: len(slow.answers) == 4)
        assert len(slow.numbers(0)) == before
        await slow.send(pb.Input(seat_ref=0, resync=pb.Resync()))
        views = await slow.wait_for("view", 0, count=2)
        assert views[-1].number == w.hall.find("t").course.counts[0]
        await client.caught_up()
        assert not client.events
    await until(lambda: w.hall.metrics.overflows.labels("stream")._value.get() == 1)


async def test_a_seat_that_goes_elsewhere_hears_of_it_though_its_stream_overflows(world: Callable[..., Any]) -> None:
    w = await world(options=NARROW)
    async with w.client() as slow, w.client() as other:
        opened = await w.open(*PLAYERS, table_id="t")
        await slow.attach_all(opened)
        await slow.wait_for("view", 3)
        seat = w.hall.find("t").seats[1]
        stream = seat.stream
        await other.attach(5, opened.tokens[1].token)
        await until(lambda: seat.stream is not stream)
        crowd(stream)
        assert (await slow.wait_for("detached", 1))[0].reason == "attached_elsewhere"
        await slow.wait_for("resync_needed", 3)
        assert {ref for ref, _, event in slow.events if event.HasField("resync_needed")} == {0, 2, 3}


async def test_who_was_to_resync_is_told_so_though_the_stream_overflows_again(world: Callable[..., Any]) -> None:
    """One of its seats has been shown a view meanwhile, and is told a second time; the others are told once."""
    w = await world(options=NARROW)
    async with w.client() as slow:
        await slow.attach_all(await w.open(*PLAYERS, table_id="t"))
        await slow.wait_for("view", 3)
        seats = w.hall.find("t").seats
        stream = seats[0].stream
        crowd(stream)
        seats[0].attachment.hear(live=True)
        crowd(stream)
        await slow.wait_for("resync_needed", 0, count=2)
        told = [ref for ref, _, event in slow.events if event.HasField("resync_needed")]
        assert sorted(told) == [0, 0, 1, 2, 3]
