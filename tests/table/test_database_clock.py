"""The database's clock is set an hour ahead or back while tables are played: leases end or last on, and nothing wrong happens."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from services.table import store_ownership
from tests.support.clock import Clock
from tests.support.postgres import Postgres
from tests.table.play import until
from tests.table.several import Servers, attach, plays_to_the_end, rows, run, servers
from tests.table.world import World

__all__ = ["servers"]

HOUR = 3600


@pytest.fixture(scope="module")
def clock() -> Iterator[Clock]:
    if (missing := Clock.missing()) is not None:
        pytest.skip(f"needs {missing}")
    with Clock() as made:
        yield made


@pytest.fixture(scope="module")
def postgres(clock: Clock) -> Iterator[Postgres]:
    """A PostgreSQL whose clock the test sets."""
    if (missing := Postgres.missing()) is not None:
        pytest.skip(f"needs {missing}")
    with Postgres(env=clock.environment) as server:
        yield server


@pytest.fixture(autouse=True)
def right(clock: Clock) -> Iterator[None]:
    """Each test begins with a clock that is right."""
    clock.jump(0)
    yield
    clock.jump(0)


async def opened_at(worlds: list[World]) -> dict[str, tuple[World, Any]]:
    """Open a table at each server."""
    return {f"t-{w.server_name}": (w, await w.open("ann", "bob", "cem", "dee", table_id=f"t-{w.server_name}")) for w in worlds}


async def settle(worlds: list[World], tables: dict[str, Any]) -> None:
    """Wait until each table is played by its owner, and by nobody else, and all leases are good."""

    async def once() -> bool:
        owners = await rows(worlds[0])
        played = {table: [w.server_name for w in worlds if w.hall.find(table) is not None] for table in tables}
        return played == {table: [owners[table][0]] for table in tables} and all(w.hall.lease.proven() for w in worlds)

    async with asyncio.timeout(20):
        while not await once():  # noqa: ASYNC110 - the rows say so
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("seconds", [HOUR, -HOUR])
async def test_a_jump_of_the_clock_costs_silence_at_most(servers: Servers, clock: Clock, seconds: int) -> None:
    worlds = await servers(3)
    tables = await opened_at(worlds)
    async with worlds[0].client() as client:
        await attach(client, tables[f"t-{worlds[0].server_name}"][1])
        await client.until(lambda: client.offers)
    clock.jump(seconds)
    # Renewed, or lost and claimed again.
    await asyncio.sleep(1)
    await settle(worlds, tables)
    listed = await run(worlds[0], store_ownership.list_servers)
    assert all(0 < one.lease_seconds <= 1 for one in listed)
    for table, (_, opened) in tables.items():
        w = next(w for w in worlds if w.hall.find(table) is not None)
        async with w.client() as client:
            await attach(client, opened)
            await plays_to_the_end(client)


async def test_what_a_server_left_behind_before_the_clock_was_set_back_keeps_nobody_from_anything(servers: Servers, clock: Clock) -> None:
    """Its row says for an hour that it has a lease: nobody is sent to it, and it can be started again under its name."""
    a, b = await servers(2)
    await a.stop()
    clock.jump(-HOUR)
    listed = await run(b, store_ownership.list_servers)
    assert [one.name for one in listed] == [b.server_name]
    await asyncio.wait_for(a.start(), 10)
    await until(a.hall.lease.valid)
