"""What table servers hold: after a fault no more than before it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tests.e2e.installation import Large, figure, report
from tests.support.process import ProcessError, wait_until

NOTHING: Final = (
    "xuezhan_table_tables",
    "xuezhan_table_seats",
    "xuezhan_table_seats_connected",
    "xuezhan_table_streams",
    "xuezhan_table_watchers",
    "xuezhan_table_waiting",
)
"""What a server without tables and clients has none of."""
NO_MORE: Final = {"xuezhan_part_tasks": 0, "xuezhan_part_threads": 0, "process_open_fds": 4, "process_resident_memory_bytes": 32 * 2**20}
"""What a server has of its own, and once it has played no more of, but for so many: its connections to the database are made by and by, and
memory that was needed for a moment may stay with the process (measured: 1 MiB).
"""
WARM_TABLES: Final = 6
SETTLE_SECONDS: Final = 3
"""So long it is looked what an idle server has: calls that have just ended still have a task."""
IDLE_SECONDS: Final = 30
"""Until players' connections, and what was pooled for a while, are gone."""


def held(large: Large) -> dict[str, dict[str, float]]:
    """What each table server holds that answers."""
    servers = [part for part in large.metrics if part.startswith("table")]
    found = {server: {name: figure(large.metrics[server], name, large.ca) for name in (*NOTHING, *NO_MORE)} for server in servers}
    return {
        server: {name: count for name, count in counts.items() if count is not None}
        for server, counts in found.items()
        if None not in counts.values()
    }


@contextmanager
def nothing_left_behind(large: Large) -> Iterator[None]:
    """Let servers that have played see what happens within: afterwards none of those that answer holds more."""
    if not large.idle:
        large.idle = _idle(large)
    yield
    try:
        wait_until(lambda: not _more(large), seconds=IDLE_SECONDS, what="no more is held than before")
    except ProcessError:
        raise AssertionError(f"left behind: {_more(large)}; an idle server has at most {large.idle}") from None
    print(f"an idle server has at most {large.idle}, now: {held(large)}")


def _idle(large: Large) -> dict[str, float]:
    """The most that a server may have of its own once it has played."""
    with large.load("--tables", WARM_TABLES, "--hands", 1) as load:
        assert report(load, seconds=120)["ok"]
    wait_until(
        lambda: not any(counts[name] for counts in held(large).values() for name in NOTHING), seconds=IDLE_SECONDS, what="idle servers"
    )
    least: dict[str, dict[str, float]] = {}
    settled = time.monotonic() + SETTLE_SECONDS
    while time.monotonic() < settled:
        for server, counts in held(large).items():
            least[server] = {name: min(counts[name], least.get(server, counts)[name]) for name in NO_MORE}
        time.sleep(0.2)
    return {name: max(counts[name] for counts in least.values()) + more for name, more in NO_MORE.items()}


def _more(large: Large) -> dict[str, dict[str, float]]:
    """What servers hold beyond what they had, and beyond nothing."""
    more = {
        server: {name: count for name, count in counts.items() if count > large.idle.get(name, 0)} for server, counts in held(large).items()
    }
    return {server: counts for server, counts in more.items() if counts}
