"""One `Play` stream to one table server, carrying any number of seats.

The cost of a stream is per message, not per byte: inputs of all seats wait a few milliseconds for one another and go out together, and what
comes in is a batch too. A stream is one connection: it ends when that breaks, or when its server is silent, and its owner carries the seats
on.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import Any, Final, Protocol

from grpc import aio

from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.api.table.v1.table_pb2_grpc import TableServiceStub
from xuezhan.client.errors import ClientError, from_rpc
from xuezhan.client.health import LOOK_SECONDS, Health
from xuezhan.client.seat import Seat

FLUSH_SECONDS: Final = 0.005
"""How long inputs wait for one another: a message costs a server as much as several inputs."""
MAX_BATCH_INPUTS: Final = 500
MAX_BATCH_BYTES: Final = 60_000
"""Below the 64 KiB that a server takes in one message."""
_CLOSE_SECONDS: Final = 2.0
_OVERHEAD_BYTES: Final = 8
_LEAVING: Final = frozenset({"detached", "moved", "wait"})
"""Events after which the server does not play the seat on this stream."""
_TURNED_AWAY: Final = frozenset({"expired", "bad_token", "foreign_seat", "unknown_table", "left", "closed", "unavailable", "moved", "wait"})
"""What an attach is refused as under a name that a seat has on the server."""

PlayCall = aio.StreamStreamCall[pb.PlayRequest, pb.PlayResponse]


class Owner(Protocol):
    """Who decides where seats are carried."""

    def seat_attached(self, stream: PlayStream, seat: Seat, what: pb.Attached) -> bool:
        """A server attached the seat. False if it may not: a former owner of the table."""
        ...

    def heeds(self, seat: Seat, name: str, what: Any) -> bool:
        """Whether a detached, moved or wait is to be heeded, and not what a former owner says."""
        ...

    def seat_left(self, seat: Seat, name: str, what: Any) -> None:
        """The server does not play the seat on this stream (any more), by such an event."""
        ...

    def seat_unanswered(self, stream: PlayStream, seat: Seat, *, deaf: bool) -> None:
        """Something that the seat said was not answered in time. `deaf`: nor was anything else that was said since."""
        ...

    def stream_ended(self, stream: PlayStream, seats: list[Seat], error: ClientError, *, silent: bool) -> None:
        """The stream broke, or its server is `silent`; the seats are on no stream any more."""
        ...


class PlayStream:
    """Carries seats. `add` and `remove` them at any time; `close` at the end. `carried`: whether anything came over it."""

    def __init__(self, channel: aio.Channel, address: str, owner: Owner, flush_seconds: float = FLUSH_SECONDS) -> None:
        """The stream closes the channel when it ends."""
        self.address = address
        self.carried = False
        self.ended = False
        """Whether the stream takes no seats any more."""
        self._channel = channel
        self._owner = owner
        self._flush_seconds = flush_seconds
        self._seats: dict[int, Seat] = {}
        self._refs: dict[Seat, int] = {}
        self._next_ref = 1
        self._out: deque[pb.Input] = deque()
        self._writing = pb.PlayRequest()
        self._wake = asyncio.Event()
        self._call: PlayCall | None = None
        self._closing = self._retired = False
        self._silent = False
        self._health = Health(asyncio.get_running_loop().time())
        self._task = asyncio.create_task(self._run(), name="play-stream")

    def __len__(self) -> int:
        return len(self._seats)

    def add(self, seat: Seat) -> None:
        """Attach a seat."""
        ref = self._next_ref
        self._next_ref += 1
        self._seats[ref], self._refs[seat] = seat, ref
        seat.carrier = self
        self.send(seat, seat.attach_input())

    def remove(self, seat: Seat, *, tell: bool = False) -> None:
        """Let a seat go; `tell` says so to the server."""
        if tell:
            self.send(seat, pb.Input(detach=pb.Detach()))
        self._seats.pop(self._refs.pop(seat, 0), None)
        self._drop(seat)

    def send(self, seat: Seat, item: pb.Input) -> None:
        """Send one input of a seat soon. What is not sent when the stream ends is dropped: seats send again what matters."""
        ref = self._refs.get(seat)
        if ref is None or self.ended:
            return
        item.seat_ref = ref
        self._out.append(item)
        self._wake.set()

    def carries(self, seat: Seat) -> bool:
        """Whether the seat is on this stream."""
        return seat in self._refs

    def retire(self) -> None:
        """End when the last seat has gone."""
        self._retired = True

    async def close(self) -> None:
        """End the stream; its seats are detached, not ended. Raises what a listener raised."""
        self._closing = True
        if self._call is not None and not self._task.done():
            with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError, asyncio.CancelledError):
                await asyncio.wait_for(self._call.done_writing(), _CLOSE_SECONDS)
                await asyncio.wait([self._task], timeout=_CLOSE_SECONDS)
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _run(self) -> None:
        try:
            error = await self._carry()
        except Exception as failure:
            self.ended = True
            for seat in list(self._seats.values()):
                seat.end(ClientError("listener_failed", repr(failure)))
            raise
        else:
            self._let_go(error)
        finally:
            self._let_go(None)
            # A channel stays connected for as long as a call of it is kept.
            self._call = None
            await self._channel.close()

    def _let_go(self, error: ClientError | None) -> None:
        self.ended = True
        seats = list(self._seats.values())
        self._seats.clear()
        self._refs.clear()
        self._out.clear()
        if error is None or self._closing:
            for seat in seats:
                self._drop(seat)
        else:
            self._owner.stream_ended(self, seats, error, silent=self._silent)

    def _drop(self, seat: Seat) -> None:
        if seat.carrier is self:
            seat.carrier = None
        seat.detached()

    async def _carry(self) -> ClientError:
        """Carry the seats until the connection breaks or its server is silent; return why it ended."""
        call: PlayCall = TableServiceStub(self._channel).Play()
        self._call = call
        reader = asyncio.create_task(self._read(call), name="play-reader")
        keeper = asyncio.create_task(self._keep(), name="play-keeper")
        writer = asyncio.create_task(self._write(call), name="play-writer")
        try:
            await asyncio.wait([reader, keeper], return_when=asyncio.FIRST_COMPLETED)
            return (reader if reader.done() else keeper).result()
        finally:
            for task in (reader, keeper, writer):
                task.cancel()
            call.cancel()
            await asyncio.wait([reader, keeper, writer])

    async def _read(self, call: PlayCall) -> ClientError:
        try:
            async for response in call:
                self.carried = True
                self._deliver(response)
        except aio.AioRpcError as failure:
            return from_rpc(failure)
        return ClientError("stream_ended", "the server ended the stream", passing=True)

    async def _write(self, call: PlayCall) -> None:
        try:
            while True:
                await self._wake.wait()
                await asyncio.sleep(self._flush_seconds)
                self._wake.clear()
                while self._out:
                    self._writing = batch = self._batch()
                    await call.write(batch)
                    self._writing = pb.PlayRequest()
                    self._written(batch)
        except (aio.AioRpcError, asyncio.InvalidStateError):
            pass  # The reader learns the same and says why.

    def _written(self, batch: pb.PlayRequest) -> None:
        """Tell seats what of theirs has gone out: from now on the server may have it."""
        for item in batch.inputs:
            seat = self._seats.get(item.seat_ref)
            if seat is not None:
                seat.written(item)

    def _batch(self) -> pb.PlayRequest:
        out, size = self._out, 0
        batch: list[pb.Input] = []
        while out and len(batch) < MAX_BATCH_INPUTS:
            size += out[0].ByteSize() + _OVERHEAD_BYTES
            if batch and size > MAX_BATCH_BYTES:
                break
            batch.append(out.popleft())
        return pb.PlayRequest(inputs=batch)

    def _deliver(self, response: pb.PlayResponse) -> None:
        seats, now = self._seats, asyncio.get_running_loop().time()
        self._health.heard(now, beats=response.HasField("heartbeat"))
        if response.answers:
            self._health.reacted(now)
        for answer in response.answers:
            seat = seats.get(answer.seat_ref)
            if seat is None:
                continue
            if answer.action_id or seat.attached or answer.refused not in _TURNED_AWAY:
                seat.answered(answer)
            else:
                # The server holds the seat for attached, which was not heard here, and has refused to open it again.
                self._turned_away(seat, answer)
        for event in response.events:
            name = event.WhichOneof("what") or ""
            what = getattr(event, name) if name else None
            numbers = event.numbers
            for place, ref in enumerate(event.seat_refs):
                seat = seats.get(ref)
                if seat is not None:
                    self._tell(seat, numbers[place] if numbers else 0, name, what)

    def _turned_away(self, seat: Seat, answer: pb.Answer) -> None:
        detail = answer.detail
        match answer.refused:
            case "moved":
                self._tell(seat, 0, "moved", pb.Moved(address=detail))
            case "wait":
                self._tell(seat, 0, "wait", pb.Wait(retry_after_ms=int(detail) if detail.isdecimal() else 0))
            case reason:
                self._tell(seat, 0, "detached", pb.Detached(reason=reason, code=detail))

    def _tell(self, seat: Seat, number: int, name: str, what: Any) -> None:
        if name in _LEAVING:
            self._health.reacted(asyncio.get_running_loop().time())
            if self._owner.heeds(seat, name, what):
                seat.hear(number, name, what)
                self.remove(seat)
                self._owner.seat_left(seat, name, what)
            return
        if name == "attached":
            now = asyncio.get_running_loop().time()
            self._health.reacted(now)
            # Servers that say their epoch also send heartbeats.
            self._health.heard(now, beats=what.epoch > 0)
            if not self._owner.seat_attached(self, seat, what):
                self.remove(seat)
                self._owner.seat_left(seat, "moved", pb.Moved(epoch=what.epoch))
                return
        seat.hear(number, name, what)
        if seat.over is not None:
            self.remove(seat)

    async def _keep(self) -> ClientError:
        """Look again and again whether the server is there, and whether it has left something unanswered, until it is silent."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            now = loop.time()
            self._silent = self._health.silent(now)
            if self._silent or (self._retired and not self._seats):
                return ClientError("silent", f"{self.address} has not been heard for too long", passing=True)
            self._look_for_unanswered(now)

    def _look_for_unanswered(self, now: float) -> None:
        unsent = {item.seat_ref for item in (*self._out, *self._writing.inputs)}
        health = self._health
        for ref, seat in list(self._seats.items()):
            since = seat.waits_since
            # A slow server's queue would grow with every repetition of what has not even been sent.
            hurry = ref not in unsent and (seat.attached or health.deaf(since))
            if since and health.overdue(since, now, hurry=hurry, held_seconds=seat.info.longest_window_ms / 1000):
                self._owner.seat_unanswered(self, seat, deaf=health.deaf(since))
