"""The call `Play`: a client's stream, read at the pace that it may have, and written by one task."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Final

from google.protobuf.message import DecodeError
from grpc import aio

from services.kit import rpc
from services.table import intake
from xuezhan.api.table.v1 import table_pb2 as pb

if TYPE_CHECKING:
    from services.table.hall import Hall
    from services.table.streams import Stream

_LOOKS: Final = 4
"""How often it is looked whether a stream holds a seat, in the time that it may hold none."""
_MESSAGE_SECONDS: Final = 0.0001
"""What it takes of the event loop to be given a message, before it is looked at."""
_TURN_SECONDS: Final = 0.002
"""Inputs of one message are taken in for so long before the loop turns to other streams."""


async def play(hall: Hall, context: Any) -> None:
    """Play any number of seats over one stream."""
    peer = "" if rpc.part() is not None else hall.peers.of(context)
    stream = hall.enter(peer)
    writer = asyncio.ensure_future(stream.write_all(context.write))
    reader = asyncio.ensure_future(_read(hall, stream, context))
    try:
        idle = hall.settings.stream_idle_seconds
        while not (await asyncio.wait((reader, writer), timeout=idle / _LOOKS, return_when=asyncio.FIRST_COMPLETED))[0]:
            stream.look(hall.now(), idle)
        if writer.done():
            writer.result()
        reader.result()
        await stream.flush(context.write)
    finally:
        for task in (reader, writer):
            task.cancel()
        hall.leave(stream, peer)
        await asyncio.wait((reader, writer))
        for task in (reader, writer):
            # What a write to a client that has gone says is nobody's business; it must only be looked at.
            if not task.cancelled():
                task.exception()


async def _read(hall: Hall, stream: Stream, context: Any) -> None:
    while await _next(hall, stream, context):
        pass


async def _next(hall: Hall, stream: Stream, context: Any) -> bool:
    """Read a message and do what it asks for; False at the end."""
    # Messages come as bytes: what it takes to make sense of one counts too.
    data = await context.read()
    if data is aio.EOF:
        return False
    # After the read: what an input costs that waited for its turn may be known only now.
    await stream.roomy()
    await stream.in_turn(hall.now)
    received = hall.now()
    stream.charge(_MESSAGE_SECONDS + await take_in(hall, stream, data, received), hall.now())
    return True


async def take_in(hall: Hall, stream: Stream, data: bytes, received: float) -> float:
    """Do what a message asks for; returns the seconds of this thread that it took."""
    begun = time.thread_time()
    try:
        inputs = pb.PlayRequest.FromString(data).inputs
    except DecodeError:
        intake.unreadable(stream, received)
        return time.thread_time() - begun
    if len(inputs) > intake.MAX_INPUTS:
        intake.too_many(stream, len(inputs), received)
        return time.thread_time() - begun
    if not inputs:
        # There is nothing to answer.
        stream.offend(received)
    taken, until = 0.0, time.monotonic() + _TURN_SECONDS
    for item in inputs:
        intake.receive(hall, stream, item, received)
        # Not by the loop's clock, which stands still meanwhile, nor by the thread's, which costs ten times as much to read.
        if time.monotonic() > until:
            taken += time.thread_time() - begun
            await asyncio.sleep(0)
            begun, until = time.thread_time(), time.monotonic() + _TURN_SECONDS
    return taken + time.thread_time() - begun
