"""What every part tells of itself: its release, and how late its event loop is."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from prometheus_client import CollectorRegistry

from services.kit import vitals

LONGEST = "xuezhan_part_loop_lag_max_seconds"


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


def longest(registry: CollectorRegistry) -> float:
    found = registry.get_sample_value(LONGEST)
    assert found is not None
    return found


def late(registry: CollectorRegistry, seconds: float) -> float:
    """How many wakes were later than that."""
    name = "xuezhan_part_loop_lag_seconds"
    whole = registry.get_sample_value(f"{name}_count")
    in_time = registry.get_sample_value(f"{name}_bucket", {"le": str(seconds)})
    assert whole is not None
    assert in_time is not None
    return whole - in_time


async def test_a_loop_that_is_blocked_is_seen_while_it_is_and_afterwards(registry: CollectorRegistry) -> None:
    watch = vitals.LoopWatch(registry)
    await asyncio.sleep(0.3)
    assert longest(registry) < 0.5
    seen: list[float] = []
    looking = threading.Timer(1.0, lambda: seen.append(longest(registry)))
    looking.start()
    time.sleep(1.5)  # noqa: ASYNC251 - this is the fault
    looking.join()
    assert 0.5 < seen[0] < 1.4
    await asyncio.sleep(0.2)
    assert longest(registry) >= 1.3
    assert late(registry, 1.0) == 1
    watch.close()


async def test_tasks_and_threads_are_counted_while_they_are_there(registry: CollectorRegistry) -> None:
    watch = vitals.LoopWatch(registry)

    def counted() -> list[float | None]:
        return [registry.get_sample_value(f"xuezhan_part_{what}") for what in ("tasks", "threads")]

    before, go = counted(), threading.Event()
    task = asyncio.create_task(asyncio.sleep(60))
    thread = threading.Thread(target=go.wait)
    thread.start()
    assert [now - then for now, then in zip(counted(), before, strict=True) if now is not None and then is not None] == [1, 1]
    go.set()
    thread.join()
    task.cancel()
    await asyncio.wait([task])
    assert counted() == before
    watch.close()


async def test_what_was_late_more_than_a_minute_ago_is_forgotten(registry: CollectorRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vitals, "_SLOT_SECONDS", 0.05)
    watch = vitals.LoopWatch(registry)
    time.sleep(0.6)  # noqa: ASYNC251 - this is the fault
    await asyncio.sleep(0.15)
    assert longest(registry) > 0.4
    await asyncio.sleep(1.0)
    assert longest(registry) < 0.4
    assert late(registry, 0.25) >= 1
    watch.close()


async def test_a_part_says_which_release_it_is(registry: CollectorRegistry) -> None:
    vitals.export_info(registry, "table")
    (family,) = registry.collect()
    (sample,) = family.samples
    assert (sample.name, sample.labels["role"], sample.value) == ("xuezhan_part_info", "table", 1)
    assert sample.labels["version"]
    assert sample.labels["python"].startswith("3.")
