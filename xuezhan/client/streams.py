"""The streams of one client: which seat is carried to which server, and where it goes when its table moves."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client.backoff import Patience
from xuezhan.client.channels import Channels
from xuezhan.client.errors import ClientError
from xuezhan.client.seat import Seat
from xuezhan.client.stream import FLUSH_SECONDS, PlayStream

_LOOK_AGAIN: Final = frozenset({"expired", "unknown_table", "unavailable"})
"""Reasons for which a detached seat is looked for again; all others end it."""
_LOOKING_AT_ONCE: Final = 16


class Streams:
    """Carries seats over as few streams as possible: one a server."""

    def __init__(self, channels: Channels, flush_seconds: float = FLUSH_SECONDS) -> None:
        self._channels = channels
        self._flush_seconds = flush_seconds
        self._streams: dict[str, PlayStream] = {}
        self._broken_before = 0
        """How often streams broke that are not carried on."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._sought: set[Seat] = set()
        self._at_once = asyncio.Semaphore(_LOOKING_AT_ONCE)

    def add(self, seat: Seat) -> None:
        """Carry a seat to the server where it is played."""
        address = seat.place.address
        stream = self._streams.get(address)
        if stream is None or stream.ended:
            self._broken_before += stream.broken if stream is not None else 0
            channel = self._channels.channel(address)
            stream = PlayStream(channel, self, self._channels.patience_seconds, self._flush_seconds)
            self._streams[address] = stream
        if seat.hops is None:
            seat.hops = Patience(self._channels.patience_seconds)
        stream.add(seat)

    def remove(self, seat: Seat) -> None:
        """Give a seat up; its table goes on."""
        if isinstance(seat.carrier, PlayStream):
            seat.carrier.remove(seat, tell=True)

    @property
    def broken(self) -> int:
        """Return how often streams broke."""
        return self._broken_before + sum(stream.broken for stream in self._streams.values())

    async def close(self) -> None:
        """End all streams."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for stream in self._streams.values():
            await stream.close()
        self._broken_before = self.broken
        self._streams.clear()

    def seat_detached(self, seat: Seat, what: pb.Detached) -> None:
        """Look for the seat again if that makes sense, else end it."""
        if what.reason in _LOOK_AGAIN and seat.relocate is not None:
            self._start(self._look(seat, wait=True))
        else:
            seat.end(ClientError(what.reason or "detached", what.reason, what.code))

    def seat_moved(self, seat: Seat, what: pb.Moved) -> None:
        """Follow the table."""
        self._start(self._follow(seat, what.address))

    def stream_lost(self, seats: list[Seat]) -> None:
        """Ask where the tables are now."""
        for seat in seats:
            if seat.relocate is not None and seat not in self._sought:
                self._start(self._look(seat, wait=False))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _follow(self, seat: Seat, address: str) -> None:
        try:
            await _take_turn(seat)
        except ClientError as error:
            seat.end(error)
        else:
            seat.place = seat.place._replace(address=address)
            self.add(seat)

    async def _look(self, seat: Seat, *, wait: bool) -> None:
        assert seat.relocate is not None
        self._sought.add(seat)
        try:
            if wait:
                await _take_turn(seat)
            async with self._at_once:
                place = await seat.relocate()
        except ClientError as error:
            self.remove(seat)
            seat.end(error)
        else:
            if seat.over is None and not seat.attached:
                self.remove(seat)
                seat.place = place
                self.add(seat)
        finally:
            self._sought.discard(seat)


async def _take_turn(seat: Seat) -> None:
    """Wait before a seat is tried again: longer each time until it is attached, and not for ever."""
    assert seat.hops is not None
    await seat.hops.wait(ClientError("lost", "the table is sent around without being found"))
