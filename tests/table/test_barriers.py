"""A barrier in each step of an adoption and of a hand-over: there the server is killed, or sleeps until others have acted without it.

Whatever happens, one server goes on with the table where everybody left it.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from services.table import store
from tests.table.play import until
from tests.table.several import Servers, attach, midway, plays_to_the_end, rows, run, servers
from tests.table.world import World

__all__ = ["servers"]

FAULTS = ["killed", pytest.param("late", marks=pytest.mark.drill)]
"""Together they take minutes: the second is drilled."""
ADOPTION = [("kill", "before"), ("kill", "after"), ("claim", "before"), ("claim", "after"), ("_read", "after"), ("went_live", "before")]
"""What an adopter asks of the database, in order."""
SOURCE = [("move", "before"), ("move", "after")]
TARGET = [("handed", "before"), ("_read", "after"), ("went_live", "before")]


class Barrier:
    """Holds a server where it asks the database something for the first time, or has just got the answer."""

    def __init__(self, w: World, step: str, when: str) -> None:
        self.reached, self.go = asyncio.Event(), asyncio.Event()
        real = w.hall.database.run

        async def held(work: Any, *args: Any) -> Any:
            if work.__name__ != step or self.reached.is_set():
                return await real(work, *args)
            found = await real(work, *args) if when == "after" else None
            self.reached.set()
            await self.go.wait()
            return found if when == "after" else await real(work, *args)

        w.hall.database.run = held


async def expire(w: World) -> None:
    """Let the lease of a server run out while it does not notice."""
    change = store.servers.update().where(store.servers.c.name == w.server_name).values(lease_until=0.0)
    await run(w, lambda connection: connection.execute(change))


async def only(w: World, others: list[World], digest: Any) -> int:
    """Wait until a server plays the table, and no other does; returns its epoch."""
    await until(lambda: w.hall.find("t") is not None, seconds=30)
    await until(lambda: all(other.running is None or other.hall.find("t") is None for other in others), seconds=30)
    table = w.hall.find("t")
    assert table.course.digest() == digest
    assert (await rows(w))["t"] == (w.server_name, table.epoch, "open")
    return int(table.epoch)


async def played_on(w: World, opened: Any) -> None:
    async with w.client() as client:
        await attach(client, opened)
        await plays_to_the_end(client)


async def fail(w: World, barrier: Barrier, fault: str, taken_up: Any) -> None:
    """Kill a server at its barrier; or let it sleep there past its lease, until another has acted, and go on then."""
    if fault == "killed":
        await w.crash()
        await until(taken_up, seconds=30)
        return
    await expire(w)
    await until(taken_up, seconds=30)
    barrier.go.set()


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("step", "when"), ADOPTION)
async def test_an_adopter_fails_at_a_step_and_another_adopts(servers: Servers, step: str, when: str, fault: str) -> None:
    a, b, c = await servers(3)
    async with a.client() as client:
        opened = await midway(a, client)
    digest = a.hall.find("t").course.digest()
    since, c.hall.lease._held_since = c.hall.lease._held_since, float("inf")
    barrier = Barrier(b, step, when)
    await a.crash()
    await asyncio.wait_for(barrier.reached.wait(), 20)
    c.hall.lease._held_since = since
    await fail(b, barrier, fault, lambda: c.hall.find("t") is not None)
    assert await only(c, [b], digest) in {2, 3}
    await played_on(c, opened)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("step", "when"), SOURCE)
async def test_the_source_of_a_hand_over_fails_at_a_step(servers: Servers, step: str, when: str, fault: str) -> None:
    a, b = await servers(2)
    async with a.client() as client:
        opened = await midway(a, client)
    digest = a.hall.find("t").course.digest()
    barrier = Barrier(a, step, when)
    drained = asyncio.ensure_future(a.service._hand_over.run(patient=False))
    await asyncio.wait_for(barrier.reached.wait(), 20)
    await fail(a, barrier, fault, lambda: b.hall.find("t") is not None)
    assert await only(b, [a], digest) == 2
    await played_on(b, opened)
    drained.cancel()


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("step", "when"), TARGET)
async def test_the_target_of_a_hand_over_fails_at_a_step_and_another_adopts(servers: Servers, step: str, when: str, fault: str) -> None:
    a, b, c = await servers(3)
    async with a.client() as client:
        opened = await midway(a, client)
    digest = a.hall.find("t").course.digest()
    targets = a.service._hand_over._targets

    async def only_b() -> Any:
        return [one for one in await targets() if one.name == b.server_name]

    a.service._hand_over._targets = only_b
    barrier = Barrier(b, step, when)
    drained = asyncio.ensure_future(a.service._hand_over.run(patient=False))
    await asyncio.wait_for(barrier.reached.wait(), 20)
    assert a.hall.find("t") is None
    # One that wakes up in time may take its own tables up again.
    others = [c] if fault == "killed" else [b, c]

    def owners() -> list[World]:
        return [w for w in others if w.hall.find("t") is not None and w.hall.find("t").epoch == 3]

    await fail(b, barrier, fault, lambda: bool(owners()))
    owner = owners()[0]
    assert await only(owner, [w for w in (a, b, c) if w is not owner], digest) == 3
    await played_on(owner, opened)
    drained.cancel()
