"""Several table servers of one PostgreSQL, in this process, and what can be said of their tables."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from services.table import shuffle, store
from tests.table.client import Client
from tests.table.deals import nonces
from tests.table.play import seated, until
from tests.table.world import Rules, World
from xuezhan.api.table.v1 import table_pb2 as pb

LEASE_SECONDS = 1.0
Servers = Callable[..., Any]


@pytest.fixture
async def servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres: Any) -> AsyncIterator[Servers]:
    """Starts servers of one installation: `a, b = await servers(2)`. One settlement answers them all."""
    monkeypatch.setattr(shuffle, "new_nonce", nonces())
    url = postgres.new_database("ownership")
    started: list[World] = []
    async with AsyncExitStack() as stack:

        async def make(count: int, rules: Rules | None = None, **options: Any) -> list[World]:
            for _ in range(count):
                options = {"lease_seconds": LEASE_SECONDS, **options}
                w = World(tmp_path, rules=rules or Rules(), database_url=url, settles=not started, options=options)
                started.append(await stack.enter_async_context(w))
            made = started[-count:]
            if count > 1:
                await until(lambda: all(w.hall.lease.proven() for w in made))
            return made

        yield make


def run(w: World, work: Callable[..., Any], *args: Any) -> Any:
    return w.hall.database.run(work, *args)


async def rows(w: World) -> dict[str, tuple[str, int, str]]:
    """Owner, epoch and state of every table."""
    query = sa.select(store.tables.c.id, store.tables.c.owner, store.tables.c.epoch, store.tables.c.state)
    found = await run(w, lambda connection: connection.execute(query).all())
    return {row.id: (row.owner, row.epoch, row.state) for row in found}


async def attach(client: Client, opened: pb.OpenTableResponse, epoch: int = 0) -> None:
    """Attach all players of a table, who have heard of this epoch."""
    await client.send(*(pb.Input(seat_ref=one.seat, attach=pb.Attach(token=one.token, epoch=epoch)) for one in opened.tokens))


async def midway(w: World, client: Client, acts: int = 12) -> pb.OpenTableResponse:
    """Play a hand at table `t` for a while, until it stands still."""
    opened = await seated(w, client)
    await client.play(random.Random(3), lambda: len(client.of("discarded", 0)) >= acts)
    await until(lambda: not w.hall.find("t").in_flight and not w.hall.find("t").rows)
    return opened


async def plays_to_the_end(client: Client) -> None:
    await client.play(random.Random(4), lambda: bool(client.of("hand_over", 0)))


def held(step: Callable[..., Any], go: asyncio.Event) -> Callable[..., Any]:
    """A step that waits for the test first."""

    async def step_held(*args: Any) -> Any:
        await go.wait()
        return await step(*args)

    return step_held
