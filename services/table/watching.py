"""Watching: the public view of a table, as much later as its room says.

Law: a watcher is told nothing that everybody at the table does not know, and nothing earlier than the delay: the view they start with
waits like the events after it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

from services.kit.errors import ExhaustedError, ServiceError, UnavailableError

if TYPE_CHECKING:
    from services.table.backlog import Pool

_WAITING: Final = 4096
"""Events that may wait for one watcher, the delayed ones included."""
_WRITE_SECONDS: Final = 30.0


class Watcher:
    """One stream of a table's public view, of a player or (empty) a service."""

    __slots__ = ("_closing", "_delay", "_pool", "_ready", "_size", "_waiting", "player", "table_id")

    def __init__(self, table_id: str, delay: float, player: str, pool: Pool) -> None:
        self._pool = pool
        self._size = 0
        pool.parts += 1
        self.table_id = table_id
        self.player = player
        self._delay = delay
        self._waiting: deque[tuple[float, bytes]] = deque()
        self._ready = asyncio.Event()
        self._closing: ServiceError | bool = False

    def event(self, data: bytes, now: float) -> None:
        """Queue an element of a WatchResponse that happened now."""
        if self._closing:
            return
        if len(self._waiting) >= _WAITING or self._pool.crowded(self._size):
            self._waiting.clear()
            self._shrink(self._size)
            self.close(ExhaustedError("too_slow", "the watcher does not keep up; watch again"))
            return
        self._waiting.append((now + self._delay, data))
        self._size += len(data)
        self._pool.used += len(data)
        self._ready.set()

    def _shrink(self, size: int) -> None:
        self._size -= size
        self._pool.used -= size

    def gone(self) -> None:
        """Wait for nothing any more: the watcher has gone."""
        self._closing = self._closing or True
        self._waiting.clear()
        self._shrink(self._size)
        self._pool.parts -= 1

    def close(self, error: ServiceError | None = None) -> None:
        """End after what is queued: with an error, or well (the table is over)."""
        self._closing = error or self._closing or True
        self._ready.set()

    async def write_all(self, write: Callable[[bytes], Awaitable[Any]], may_speak: Callable[[], bool]) -> None:
        """Write what is due, in order, until closed."""
        loop = asyncio.get_running_loop()
        while True:
            await self._ready.wait()
            due = []
            while self._waiting and self._waiting[0][0] <= loop.time():
                due.append(self._waiting.popleft()[1])
            if due:
                if not may_speak():
                    raise UnavailableError("not_owner", "this server no longer owns its tables")
                async with asyncio.timeout(_WRITE_SECONDS):
                    await write(b"".join(due))
                self._shrink(min(self._size, sum(map(len, due))))
            if self._waiting:
                await asyncio.sleep(max(0.0, self._waiting[0][0] - loop.time()))
            elif self._closing:
                if isinstance(self._closing, ServiceError):
                    raise self._closing
                return
            else:
                self._ready.clear()
