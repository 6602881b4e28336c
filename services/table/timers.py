"""All timers of a process in one heap, with one call of the event loop armed for the earliest.

A table names the next moment it must look at itself; most moves push that moment back, so an entry that has become too early just looks,
and is put in again.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from contextvars import copy_context
from itertools import count
from math import inf
from typing import Any, Final, Protocol

_AT_A_TIME: Final = 256
"""Tables looked at in one turn of the loop; the rest in the next, so that a thousand timers at once do not stall the streams."""


class Sleeper(Protocol):
    """Something that wants to look at itself at a time. `wake_at` belongs to the timers."""

    wake_at: float

    def tick(self, now: float) -> None:
        """Look at what is due. It asks for its next moment itself."""
        ...


class Timers:
    """One heap of moments on the event loop's clock."""

    def __init__(self, loop: asyncio.AbstractEventLoop, failed: Callable[[Any, Exception], None]) -> None:
        """`failed` is told of a sleeper whose `tick` raised: it must not stop the others."""
        self._loop = loop
        self._context = copy_context()
        """What is due is due for nobody's request, whoever's message it was that armed the timer."""
        self._failed = failed
        self._heap: list[tuple[float, int, Sleeper]] = []
        self._order = count()
        self._handle: asyncio.TimerHandle | None = None
        self._armed_at = inf
        self.now = loop.time

    def wake(self, sleeper: Sleeper, at: float) -> None:
        """Look at the sleeper at `at` or earlier."""
        if at >= sleeper.wake_at:
            return
        sleeper.wake_at = at
        heapq.heappush(self._heap, (at, next(self._order), sleeper))
        if at < self._armed_at:
            self._arm(at)

    def cancel(self, sleeper: Sleeper) -> None:
        """Forget a sleeper; its entries die when they come up."""
        sleeper.wake_at = -inf

    def close(self) -> None:
        """Stop."""
        self._heap.clear()
        self._armed_at = -inf
        if self._handle is not None:
            self._handle.cancel()

    def _arm(self, at: float) -> None:
        if self._handle is not None:
            self._handle.cancel()
        self._armed_at = at
        self._handle = self._loop.call_at(at, self._fire, context=self._context)

    def _fire(self) -> None:
        if self._armed_at == -inf:
            return
        self._handle = None
        self._armed_at = inf
        now = self._loop.time()
        heap = self._heap
        for _ in range(_AT_A_TIME):
            if not heap or heap[0][0] > now:
                break
            at, _order, sleeper = heapq.heappop(heap)
            if at != sleeper.wake_at:
                continue
            sleeper.wake_at = inf
            try:
                sleeper.tick(now)
            except Exception as error:  # noqa: BLE001 - one bad table must not stop the timers of the others
                self._failed(sleeper, error)
        if heap and self._armed_at > heap[0][0]:
            self._arm(heap[0][0])
