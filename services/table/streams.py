"""One client's stream: a bounded queue out, written by one task, and the seats that are played over it.

Law: nothing here ever waits for a client but the client's own reader and writer. What does not fit is dropped, and the seats are told to
resync.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Final, Protocol

from services.kit.errors import ExhaustedError, FailedPreconditionError, ServiceError, UnavailableError
from services.table import backlog, pace
from services.table.backlog import Backlog, Pool
from services.table.codec import wire
from services.table.turns import Turns
from xuezhan.api.table.v1 import table_pb2 as pb

if TYPE_CHECKING:
    from services.table.pace import Pace

_WRITE_SECONDS: Final = 30.0
"""A client that takes no byte for so long is gone."""
_MESSAGE_BYTES: Final = 512 * 1024
"""A message is cut here, well below what clients accept."""
_REFS_AT_A_TIME: Final = 1000
_SEAT_BYTES: Final = 4096
"""So much more may wait for a stream for each of its seats: a full view, and what happens while it is read."""
_USUAL_BYTES: Final = 512
"""So much waits for a seat between two messages when all is well: a stream for which no more waits is not looked at seat by seat."""
_HEARTBEAT_SECONDS: Final = 1.0
"""After so long without a word the client is told that the server is still there."""
_HEARTBEAT: Final = pb.PlayResponse(heartbeat=pb.Heartbeat()).SerializeToString()
_RESYNC_NEEDED: Final = pb.Event(resync_needed=pb.ResyncNeeded()).SerializeToString()


@dataclass(slots=True, frozen=True)
class Limits:
    """What may wait for one stream, and for one seat of it, and the least time between two messages on it."""

    events: int
    size: int
    seats: int
    seat_size: int
    flush_seconds: float


class Held(Protocol):
    """What a stream needs of the seats that are played over it (services.table.seats.Attachment)."""

    ref: int
    name: bytes
    live: bool

    def hear(self, *, live: bool) -> None:
        """Let the table's events go to the stream, or not."""
        ...

    def end(self) -> None:
        """Untie the seat from the stream."""
        ...


class Stream:
    """What goes out to one client."""

    __slots__ = (
        "_asleep",
        "_awaited",
        "_backlog",
        "_beat",
        "_chunks",
        "_closing",
        "_debt",
        "_each",
        "_kept",
        "_limits",
        "_look_at",
        "_may_speak",
        "_now",
        "_offended",
        "_overflowed",
        "_pace",
        "_parts",
        "_pool",
        "_ready",
        "_refused_at",
        "_roomy",
        "_size",
        "_wrote_at",
        "attachments",
        "seated_at",
        "turns",
    )

    def __init__(
        self,
        limits: Limits,
        pool: Pool,
        pace: Pace,
        may_speak: Callable[[], bool],
        overflowed: Callable[[str], None],
    ) -> None:
        """`may_speak`: whether this server still owns its tables; `overflowed` is told when too much waited: for a "seat", or for the
        whole "stream". `_debt`: seconds the client has to wait before it is read again, for what it asked that is dear and not needed.
        `seated_at`: when it was last seen with a seat, on the loop's clock. `turns`: of a gateway's seats, whose
        stream is always read on.
        """
        self._pool = pool
        self._parts = 1
        pool.parts += 1
        self._pace = pace
        self.turns = Turns() if pace.is_free else None
        self._offended = False
        self._refused_at = -inf
        self.attachments: dict[int, Held] = {}
        self._awaited: dict[str, float] = {}
        self._now = asyncio.get_running_loop().time
        self.seated_at = self._wrote_at = self._now()
        self._beat: asyncio.TimerHandle | None = None
        self._debt = 0.0
        self._overflowed = overflowed
        self._limits = limits
        # Each chunk weighs at least so much that as many as may wait weigh as much as may wait: one bound to look at.
        self._each = limits.size // limits.events
        self._asleep = True
        self._may_speak = may_speak
        self._chunks: list[bytes] = []
        self._kept: list[bytes] = []
        self._size = 0
        self._backlog = Backlog()
        self._look_at = limits.seat_size
        self._ready = asyncio.Event()
        self._roomy = asyncio.Event()
        self._roomy.set()
        self._closing: ServiceError | None = None

    def hold(self, attachment: Held) -> None:
        """Let the client's name for a seat stand for this attachment."""
        self.attachments[attachment.ref] = attachment
        self.seated_at = self._now()
        self._take_parts()

    def release(self, attachment: Held) -> None:
        """Let the name be free again, unless it stands for another attachment meanwhile."""
        if self.attachments.get(attachment.ref) is attachment:
            del self.attachments[attachment.ref]
            self.seated_at = self._now()
            self._take_parts()

    def _take_parts(self) -> None:
        parts = max(1, len(self.attachments))
        self._pool.parts += parts - self._parts
        self._parts = parts

    def awaits(self, token: str) -> None:
        """Note that the client has shown a seat's good token and must wait for its table: no stranger, it counts as having the seat."""
        now = self._now()
        if token in self._awaited or len(self._awaited) < self._limits.seats:
            self._awaited[token] = now
        self.seated_at = now

    @property
    def seats(self) -> int:
        """How many seats the client has or waits for: the more, the more it may ask."""
        return len(self.attachments) + len(self._awaited)

    def offend(self, received: float) -> bool:
        """Note that the message which came at that time has something in it that no client of ours sends.

        Returns whether it is the first such thing in that message: one answer is enough.
        """
        self._offended = True
        first = received != self._refused_at
        self._refused_at = received
        return first

    def put(self, chunk: bytes) -> None:
        """Queue an element of a PlayResponse."""
        self.put_all((chunk,))

    def put_all(self, chunks: Sequence[bytes]) -> None:
        """Queue elements of a PlayResponse that belong together."""
        self._chunks += chunks
        size = sum(map(len, chunks)) + len(chunks) * self._each
        self._size += size
        pool = self._pool
        pool.used += size
        if self._size > self._look_at or (pool.used > pool.most and pool.crowded(self._size, self._parts)):
            self._bound()
        if self._asleep:
            self._asleep = False
            self._ready.set()

    def keep(self, chunk: bytes) -> None:
        """Queue what is said once and never again: it is not dropped with the rest."""
        self._kept.append(chunk)
        self.put(chunk)

    @property
    def _most(self) -> int:
        """How much may wait."""
        return self._limits.size + len(self.attachments) * _SEAT_BYTES

    @property
    def _little(self) -> int:
        """How much may come before it is looked at for whom it waits."""
        return self._limits.seat_size + len(self.attachments) * _USUAL_BYTES

    def _bound(self) -> None:
        """Let seats resync for which too much waits; all of them where too much waits for the stream."""
        pool, limits = self._pool, self._limits
        flooded = [ref for ref in self._backlog.count(self._chunks, limits.seat_size) if ref in self.attachments]
        if flooded:
            self._cut(flooded)
        if self._size > self._most or (pool.used > pool.most and pool.crowded(self._size, self._parts)):
            self._overflow()
        self._look_at = min(self._size + self._little, self._most)

    def _cut(self, refs: list[int]) -> None:
        """Drop the events that wait for some seats. Answers stay: they are few."""
        self._overflowed("seat")
        left = backlog.without(self._chunks, set(refs), self._kept)
        self._backlog.forget(refs, left)
        self._replace(left, self._kept)
        self._resync([self.attachments[ref] for ref in refs])

    def _overflow(self) -> None:
        self._overflowed("stream")
        kept = self._kept
        self._backlog.clear()
        self._replace(kept[:], kept)
        self._resync(list(self.attachments.values()))

    def _resync(self, attachments: list[Held]) -> None:
        """Tell seats that they must resync, once and whatever else is dropped, and nothing more until they do."""
        names = [one.name for one in attachments if one.live]
        for one in attachments:
            if one.live:
                one.hear(live=False)
        told = [
            wire.event(b"".join(names[start : start + _REFS_AT_A_TIME]), b"", _RESYNC_NEEDED)
            for start in range(0, len(names), _REFS_AT_A_TIME)
        ]
        self._replace(self._chunks + told, self._kept + told)

    def _replace(self, chunks: list[bytes], kept: list[bytes]) -> None:
        """Let other chunks wait instead of those that do."""
        self._chunks, self._kept = chunks, kept
        size = sum(map(len, chunks)) + len(chunks) * self._each
        self._pool.used += size - self._size
        self._size = size

    def _clear(self) -> None:
        self._chunks = []
        self._kept = []
        self._size = 0
        self._backlog.clear()
        self._look_at = self._little

    def close(self, error: ServiceError) -> None:
        """End the stream with an error after what is queued."""
        self._closing = self._closing or error
        self._ready.set()
        self._roomy.set()

    def look(self, now: float, idle_seconds: float) -> None:
        """Close the stream if it has held no seat for too long, nor waited for one."""
        if self._awaited:
            self._awaited = {token: at for token, at in self._awaited.items() if now - at < idle_seconds}
        if self.attachments:
            self.seated_at = now
        elif now - self.seated_at >= idle_seconds:
            self.close(
                FailedPreconditionError("no_seat", f"the stream has held no seat for {idle_seconds:g} s; open it with the next seat")
            )

    def slow(self, seconds: float, name: bytes) -> None:
        """Read the client so much later: what it asked for is dear, and not needed. A gateway's seat of that name waits alone."""
        if self.turns is None:
            self._debt += seconds
        else:
            self.turns.slow(name, seconds)

    def charge(self, seconds: float, now: float) -> None:
        """Count what the last message took of the event loop, and end a stream of which too much was refused."""
        self._debt += self._pace.wait(now, seconds, self.seats)
        if self._offended:
            self._offended = False
            if self._pace.strike(now, self.seats):
                self.close(ExhaustedError("flood", "too much of what the stream sent was refused", retry_seconds=pace.LONGEST_SECONDS))

    async def in_turn(self, now: Callable[[], float]) -> None:
        """Wait until what came over the stream may be looked at: of a peer's streams without a seat one after the other."""
        while (seconds := self._pace.due(now(), self.seats)) > 0:  # noqa: ASYNC110 - a time is awaited, which others put off meanwhile
            await asyncio.sleep(seconds)

    async def roomy(self) -> None:
        """Wait until a client that does not read what it is sent, or asks too much, may send more."""
        if self._debt:
            debt, self._debt = min(self._debt, pace.LONGEST_SECONDS), 0.0
            await asyncio.sleep(debt)
        if self._size * 2 > self._most:
            self._roomy.clear()
            await self._roomy.wait()

    async def write_all(self, write: Callable[[bytes], Awaitable[Any]]) -> None:
        """Write what is queued, in order, until the stream is closed; then raise why. Nothing to say for a second: a heartbeat."""
        self._keep_beating()
        while True:
            await self._ready.wait()
            if not self._chunks and self._closing is not None:
                raise self._closing
            await self.flush(write)
            if self._limits.flush_seconds:
                await asyncio.sleep(self._limits.flush_seconds)

    def _keep_beating(self) -> None:
        """Queue a heartbeat when nothing has been written for a while; never one behind anything that a slow client has not taken yet."""
        loop = asyncio.get_running_loop()
        due = self._wrote_at + _HEARTBEAT_SECONDS
        if loop.time() >= due:
            if not self._chunks:
                self.put(_HEARTBEAT)
            due = loop.time() + _HEARTBEAT_SECONDS
        self._beat = loop.call_at(due, self._keep_beating)

    async def flush(self, write: Callable[[bytes], Awaitable[Any]]) -> None:
        """Write what is queued now."""
        chunks, size, pool = self._chunks, self._size, self._pool
        self._clear()
        if self._closing is None:
            self._ready.clear()
            self._asleep = True
        try:
            await self._write(_messages(chunks), write)
        finally:
            pool.used -= size
        self._wrote_at = self._now()
        self._roomy.set()

    async def _write(self, messages: list[bytes], write: Callable[[bytes], Awaitable[Any]]) -> None:
        for data in messages:
            # The last look before speaking: a server that was frozen past its lease has been replaced.
            if not self._may_speak():
                raise UnavailableError("not_owner", "this server no longer owns its tables")
            try:
                async with asyncio.timeout(_WRITE_SECONDS):
                    await write(data)
            except TimeoutError:
                raise UnavailableError("stalled", "the client takes nothing") from None

    def gone(self) -> None:
        """Wait for nothing any more: the client has gone. What is still queued for it counts no more."""
        if self._beat is not None:
            self._beat.cancel()
        if self.turns is not None:
            self.turns.close()
        self._pool.used -= self._size
        self._pool.parts -= self._parts
        self._pool, self._parts = Pool(), 0
        self._clear()


def _messages(chunks: list[bytes]) -> list[bytes]:
    whole = b"".join(chunks)
    if len(whole) <= _MESSAGE_BYTES:
        return [whole] if whole else []
    messages, part, size = [], [], 0
    for chunk in chunks:
        part.append(chunk)
        size += len(chunk)
        if size > _MESSAGE_BYTES:
            messages.append(b"".join(part))
            part, size = [], 0
    return [*messages, b"".join(part)] if part else messages
