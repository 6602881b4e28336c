"""A table server behind a proxy, in a world in which nobody waits as long as in the real one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from services.table import shuffle
from tests.support.process import free_port
from tests.support.proxy import Proxy
from tests.table.deals import nonces
from tests.table.play import until
from tests.table.world import World


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let servers beat, and clients lose patience with them, five times as fast as they do."""
    monkeypatch.setattr("services.table.streams._HEARTBEAT_SECONDS", 0.2)
    monkeypatch.setattr("xuezhan.client.health.SILENCE_SECONDS", 0.6)
    for module in ("health", "stream"):
        monkeypatch.setattr(f"xuezhan.client.{module}.LOOK_SECONDS", 0.1)


@pytest.fixture
async def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres: Any) -> AsyncIterator[list[tuple[World, Proxy]]]:
    """Two servers of one PostgreSQL, each behind a proxy."""
    monkeypatch.setattr(shuffle, "new_nonce", nonces())
    url = postgres.new_database("network")
    made: list[tuple[World, Proxy]] = []
    async with AsyncExitStack() as stack:
        for number in range(2):
            port = free_port()
            proxy = await stack.enter_async_context(Proxy(port))
            options = {"port": port, "advertise": proxy.address, "lease_seconds": 1.0}
            world = World(tmp_path, database_url=url, settles=number == 0, options=options)
            made.append((await stack.enter_async_context(world), proxy))
        await until(lambda: all(w.hall.lease.proven() for w, _ in made))
        yield made


@pytest.fixture
async def worlds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Callable[..., Any]]:
    """Makes and starts a world and a proxy to it, under whose address it is known: `w, proxy = await worlds()`."""
    monkeypatch.setattr(shuffle, "new_nonce", nonces())
    async with AsyncExitStack() as stack:

        async def make(**more: Any) -> tuple[World, Proxy]:
            port = free_port()
            proxy = await stack.enter_async_context(Proxy(port))
            options = {"port": port, "advertise": proxy.address} | more.pop("options", {})
            world = await stack.enter_async_context(World(tmp_path, options=options, **more))
            return world, proxy

        yield make
