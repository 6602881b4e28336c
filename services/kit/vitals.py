"""What every part tells of itself: its version, and how late its event loop is.

Law: watching costs next to nothing, and a loop that is blocked now is seen now: how late it is by then is computed at the scrape.
"""

from __future__ import annotations

import asyncio
import platform
import threading
from collections import deque
from collections.abc import Iterable
from importlib import metadata
from math import inf
from typing import Final

from prometheus_client import CollectorRegistry, Gauge, Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from services.kit.metrics import LoopHistogram

_LOOK_SECONDS: Final = 0.1
_SLOT_SECONDS: Final = 5.0
_SLOTS: Final = 12
"""The longest of a minute is that of so many slots."""


def export_info(registry: CollectorRegistry, role: str) -> None:
    """Export what runs."""
    info = Gauge("xuezhan_part_info", "Which release a part runs, as what, under which Python; always 1.", _INFO, registry=registry)
    info.labels(metadata.version("xuezhan"), role, platform.python_version()).set(1)


_INFO: Final = ("version", "role", "python")


class LoopWatch(Collector):
    """How late an event loop wakes who sleeps on it: time in which everybody who is served by it waits."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Begin to watch the running loop."""
        self._loop = asyncio.get_running_loop()
        self._seconds = LoopHistogram("xuezhan_part_loop_lag_seconds", "How late the event loop wakes a sleeper.")
        self._worst: deque[tuple[int, float]] = deque(maxlen=_SLOTS + 1)
        """The longest of each slot of time that had any."""
        self._due = inf
        registry.register(self)
        self._sleep(self._loop.time())

    def close(self) -> None:
        """End."""
        self._handle.cancel()
        self._due = inf

    def longest(self) -> float:
        """Return by how much the loop was late at most in the last minute, up to now."""
        now = self._loop.time()
        oldest = int(now / _SLOT_SECONDS) - _SLOTS
        return max(0.0, now - self._due, *(late for slot, late in list(self._worst) if slot >= oldest))

    def collect(self) -> Iterable[Metric]:
        """Return what is known now. Another thread's work than the loop's, so it also tells of one that is blocked."""
        yield from self._seconds.collect()
        yield GaugeMetricFamily("xuezhan_part_tasks", "Tasks of the event loop.", value=len(asyncio.all_tasks(self._loop)))
        yield GaugeMetricFamily("xuezhan_part_threads", "Threads of Python.", value=threading.active_count())
        text = "By how much the event loop was late at most in the last minute, up to now."
        yield GaugeMetricFamily("xuezhan_part_loop_lag_max_seconds", text, value=self.longest())

    def _sleep(self, now: float) -> None:
        self._due = now + _LOOK_SECONDS
        self._handle = self._loop.call_at(self._due, self._look)

    def _look(self) -> None:
        now = self._loop.time()
        late = max(0.0, now - self._due)
        self._seconds.observe(late)
        slot, worst = int(now / _SLOT_SECONDS), self._worst
        if worst and worst[-1][0] == slot:
            if late > worst[-1][1]:
                worst[-1] = slot, late
        else:
            worst.append((slot, late))
        self._sleep(now)
