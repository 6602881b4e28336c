"""One `Play` stream to one table server, carrying any number of seats.

The cost of a stream is per message, not per byte: inputs of all seats wait a few milliseconds for one another and go out together, and what
comes in is a batch too. A stream that breaks is opened again with all its seats for as long as patience lasts; one without seats, which a
server ends, with the next seat.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import Any, Final, Protocol

from grpc import aio

from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.api.table.v1.table_pb2_grpc import TableServiceStub
from xuezhan.client.backoff import Patience
from xuezhan.client.errors import ClientError, from_rpc
from xuezhan.client.seat import Seat

FLUSH_SECONDS: Final = 0.005
"""How long inputs wait for one another: a message costs a server as much as several inputs."""
MAX_BATCH_INPUTS: Final = 500
MAX_BATCH_BYTES: Final = 60_000
"""Below the 64 KiB that a server takes in one message."""
RESEND_SECONDS: Final = 5.0
_KEEP_SECONDS: Final = 1.0
"""How often it is looked for what was not answered."""
LOST_SECONDS: Final = 5.0
"""After so long without its server a stream's seats are looked for elsewhere."""
_CLOSE_SECONDS: Final = 2.0
_OVERHEAD_BYTES: Final = 8
_TURNED_AWAY: Final = frozenset({"expired", "bad_token", "foreign_seat", "unknown_table", "left", "closed", "unavailable", "moved"})
"""What an attach is refused as under a name that a seat has on the server."""

PlayCall = aio.StreamStreamCall[pb.PlayRequest, pb.PlayResponse]


class Owner(Protocol):
    """Who is told about seats that cannot be played on this stream."""

    def seat_detached(self, seat: Seat, what: pb.Detached) -> None:
        """The server does not play this seat on this stream any more."""
        ...

    def seat_moved(self, seat: Seat, what: pb.Moved) -> None:
        """The seat's table is played elsewhere."""
        ...

    def stream_lost(self, seats: list[Seat]) -> None:
        """The server has not been there for a while."""
        ...


class PlayStream:
    """Carries seats. `add` and `remove` them at any time; `close` at the end."""

    def __init__(self, channel: aio.Channel, owner: Owner, patience_seconds: float, flush_seconds: float = FLUSH_SECONDS) -> None:
        self._stub = TableServiceStub(channel)
        self._owner = owner
        self._patience = Patience(patience_seconds)
        self._flush_seconds = flush_seconds
        self._seats: dict[int, Seat] = {}
        self._refs: dict[Seat, int] = {}
        self._next_ref = 1
        self._out: deque[pb.Input] = deque()
        self._wake = asyncio.Event()
        self._seated = asyncio.Event()
        self._call: PlayCall | None = None
        self._closing = asyncio.Event()
        self.broken = 0
        """How often a connection broke that had carried something: a server that stays away for many attempts breaks it once."""
        self._carried = False
        self._task = asyncio.create_task(self._run(), name="play-stream")

    def __len__(self) -> int:
        return len(self._seats)

    @property
    def ended(self) -> bool:
        """Whether the stream has given up."""
        return self._task.done()

    def add(self, seat: Seat) -> None:
        """Attach a seat."""
        ref = self._next_ref
        self._next_ref += 1
        self._seats[ref], self._refs[seat] = seat, ref
        seat.carrier = self
        self._seated.set()
        self.send(seat, seat.attach_input())

    def remove(self, seat: Seat, *, tell: bool = False) -> None:
        """Let a seat go; `tell` says so to the server."""
        if tell:
            self.send(seat, pb.Input(detach=pb.Detach()))
        self._seats.pop(self._refs.pop(seat, 0), None)
        seat.detached()

    def send(self, seat: Seat, item: pb.Input) -> None:
        """Send one input of a seat soon. While the stream is broken it is dropped: seats send again what matters."""
        ref = self._refs.get(seat)
        if ref is None or self._call is None:
            return
        item.seat_ref = ref
        self._out.append(item)
        self._wake.set()

    async def close(self) -> None:
        """End the stream; its seats are detached, not ended. Raises what a listener raised."""
        self._closing.set()
        if self._call is not None and not self._task.done():
            try:
                await self._call.done_writing()
                await asyncio.wait([self._task], timeout=_CLOSE_SECONDS)
            except (aio.AioRpcError, asyncio.InvalidStateError):
                pass
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _run(self) -> None:
        keeper = asyncio.create_task(self._keep(), name="play-keeper")
        try:
            while not self._closing.is_set():
                error = await self._connected()
                for seat in self._seats.values():
                    seat.detached()
                if self._closing.is_set():
                    return
                if not self._seats:
                    self._patience.reset()
                    self._seated.clear()
                    await self._seated.wait()
                    continue
                self.broken += self._carried
                if self._patience.waited > LOST_SECONDS:
                    self._owner.stream_lost(list(self._seats.values()))
                await self._patience.wait(error)
        except ClientError as error:
            self._end_all(ClientError("unreachable", str(error), error.code))
        except Exception as error:
            self._end_all(ClientError("listener_failed", repr(error)))
            raise
        finally:
            keeper.cancel()

    def _end_all(self, error: ClientError) -> None:
        for seat in list(self._seats.values()):
            seat.end(error)

    async def _connected(self) -> ClientError:
        """Carry the seats over one connection until it breaks; return why it did."""
        call: PlayCall = self._stub.Play()
        self._call, self._carried = call, False
        self._out.clear()
        for seat in list(self._seats.values()):
            self.send(seat, seat.attach_input())
        writer = asyncio.create_task(self._write(call), name="play-writer")
        try:
            async for response in call:
                self._carried = True
                self._patience.reset()
                self._deliver(response)
            return ClientError("stream_ended", "the server ended the stream", passing=True)
        except aio.AioRpcError as failure:
            return from_rpc(failure)
        finally:
            self._call = None
            writer.cancel()
            call.cancel()

    async def _write(self, call: PlayCall) -> None:
        try:
            while True:
                await self._wake.wait()
                await asyncio.sleep(self._flush_seconds)
                self._wake.clear()
                while self._out:
                    batch = self._batch()
                    await call.write(batch)
                    self._written(batch)
        except (aio.AioRpcError, asyncio.InvalidStateError):
            pass  # The reader learns the same and says why.

    def _written(self, batch: pb.PlayRequest) -> None:
        """Tell seats whose bytes have gone out: from now on the server may have them."""
        for item in batch.inputs:
            if item.HasField("reveal") and item.seat_ref in self._seats:
                self._seats[item.seat_ref].proof.sent()

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
        seats = self._seats
        for answer in response.answers:
            seat = seats.get(answer.seat_ref)
            if seat is None:
                continue
            if answer.action_id or seat.attached or answer.refused not in _TURNED_AWAY:
                seat.answered(answer)
            elif answer.refused == "moved":
                self._tell(seat, 0, "moved", pb.Moved(address=answer.detail))
            else:
                # The server holds the seat for attached, which was not heard here, and has refused to open it again.
                self._tell(seat, 0, "detached", pb.Detached(reason=answer.refused, code=answer.detail))
        for event in response.events:
            name = event.WhichOneof("what") or ""
            what = getattr(event, name) if name else None
            numbers = event.numbers
            for place, ref in enumerate(event.seat_refs):
                seat = seats.get(ref)
                if seat is not None:
                    self._tell(seat, numbers[place] if numbers else 0, name, what)

    def _tell(self, seat: Seat, number: int, name: str, what: Any) -> None:
        seat.hear(number, name, what)
        if name == "detached":
            self.remove(seat)
            self._owner.seat_detached(seat, what)
        elif name == "moved":
            self.remove(seat)
            self._owner.seat_moved(seat, what)
        elif seat.over is not None:
            self.remove(seat)

    async def _keep(self) -> None:
        """Send again what was not answered for a while: an answer may be lost with a full queue.

        Not for a seat of which something has not even been sent yet: a slow server's queue would grow with every repetition.
        """
        while True:
            await asyncio.sleep(_KEEP_SECONDS)
            if self._call is None:
                continue
            late = asyncio.get_running_loop().time() - RESEND_SECONDS
            unsent = {item.seat_ref for item in self._out}
            for ref, seat in list(self._seats.items()):
                if ref in unsent:
                    continue
                if seat.attached:
                    seat.resend(late)
                elif seat.attach_sent_at < late:
                    self.send(seat, seat.attach_input())
