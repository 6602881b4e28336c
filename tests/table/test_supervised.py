"""Whatever serves in the background of a table server is begun again when it dies, and play goes on."""

from __future__ import annotations

import asyncio
import random
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest

from services.kit import supervise
from services.table.appends import Append, Fate
from tests.support.threads import kill_thread
from tests.table.play import PLAYERS, seated, until
from tests.table.world import World


async def figure(w: World, name: str, what: str) -> float:
    """Scrape one figure of what serves."""
    assert w.running is not None
    url = f"http://127.0.0.1:{w.running.metrics_port}/metrics"
    text = await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=10).read().decode())
    line = f'{name}{{what="{what}"}} '
    return next((float(found.removeprefix(line)) for found in text.splitlines() if found.startswith(line)), 0.0)


async def plays_a_hand(w: World, table: str) -> None:
    """Open a table, play a hand and wait for its coins."""
    async with w.client() as client:
        await seated(w, client, table)
        await client.play(random.Random(5), lambda: bool(client.of("table_closed", 0)), 30)


async def dies_and_is_back(w: World, what: str) -> None:
    """Wait until the death was counted and the part serves again."""
    supervisor = w.service._supervisor
    async with asyncio.timeout(20):
        while await figure(w, "xuezhan_part_serving_deaths_total", what) < 1:  # noqa: ASYNC110 - it is told from another thread
            await asyncio.sleep(0.02)
    await until(lambda: supervisor.ready, 20)
    assert await figure(w, "xuezhan_part_serving_faults", what) == 0


@pytest.mark.parametrize("what", ["outcomes", "publisher", "database", "checkpoints", "metrics"])
async def test_a_thread_that_dies_is_begun_again_and_hands_are_played_to_their_end(world: Callable[..., Any], what: str) -> None:
    w = await world()
    await plays_a_hand(w, "t")
    kill_thread(f"{what}_0")
    await dies_and_is_back(w, what)
    await plays_a_hand(w, "u")


@pytest.mark.parametrize("what", ["lease", "relay"])
async def test_a_task_that_dies_is_begun_again_and_hands_are_played_to_their_end(
    world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    w = await world(options={"lease_seconds": 2})
    serving: list[bool] = []
    w.service._supervisor.listen(lambda: serving.append(w.service._supervisor.ready))
    part, step = (w.hall.lease._database, "run") if what == "lease" else (w.hall.relay, "_take")
    monkeypatch.setattr(supervise, "PAUSE_SECONDS", 0.1)
    real = getattr(part, step)

    def fail(*args: Any) -> Any:
        setattr(part, step, real)
        raise RuntimeError("a fault that nobody foresaw")

    if what == "lease":
        # Only what the lease asks of the database.
        real_run = real

        async def fail_once(work: Any, *args: Any) -> Any:
            if work.__name__ == "renew":
                fail()
            return await real_run(work, *args)

        part.run = fail_once
    else:
        part._take = fail
        await w.open(*PLAYERS, table_id="first")
    await dies_and_is_back(w, what)
    assert serving == [False, True]
    await plays_a_hand(w, "t")


async def test_a_batch_that_fails_in_a_way_nobody_foresaw_is_read_again_and_its_tables_play_on(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        journal = w.hall.journal
        store = journal._store

        def fail(_batch: list[Append], _openings: Any) -> list[Fate]:
            journal._store = store
            raise KeyError("a fault that nobody foresaw")

        journal._store = fail
        await client.play(random.Random(5), lambda: bool(client.of("detached", 0)), 30)
    assert w.hall.metrics.alarms.labels("journal_failed")._value.get() == 1
    await until(lambda: w.hall.find("t") is not None)
    async with w.client() as client:
        await client.attach_all(await w.open(*PLAYERS, table_id="t"))
        await client.play(random.Random(6), lambda: bool(client.of("table_closed", 0)), 30)
