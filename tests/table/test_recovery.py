"""Tables read again from the database, when that does not go well at first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf
from typing import Any

from services.kit.errors import UnavailableError
from services.table import ownership, recovery, store
from tests.table.play import PLAYERS, seated, until

TABLES = [f"t{number}" for number in range(5)]


async def opened(w: Any) -> None:
    """Open tables that wait for their players, and end as a killed process would."""
    for table in TABLES:
        await w.open(*PLAYERS, table_id=table)
    await until(lambda: all(w.hall.find(table).course.phase == "gathering" for table in TABLES))
    await w.crash()


async def epochs(w: Any) -> dict[str, int]:
    """The epochs of the tables as the database has them."""
    rows = [await w.hall.database.run(store.find_table, table) for table in TABLES]
    return {row.id: row.epoch for row in rows}


async def lives(w: Any) -> None:
    """Every table is here under the epoch that it has in the database, and can be played."""
    await until(lambda: w.hall.open and len(w.hall.tables) == len(TABLES))
    assert {table.id: table.epoch for table in w.hall.tables.values()} == await epochs(w)
    async with w.client() as client:
        for number, table in enumerate(TABLES):
            await client.attach_all(await w.open(*PLAYERS, table_id=table), first_ref=10 * number)
        await client.until(lambda: len(client.offers) >= len(TABLES) * len(PLAYERS))
    assert len(w.hall.tables) == len(TABLES), "none of them was fenced"


def answers_from(monkeypatch: Any, number: int) -> list[int]:
    """Let the database not answer when tables are read for the time of that number."""
    calls: list[int] = []
    read = recovery._read

    def flaky(*args: Any) -> Any:
        calls.append(1)
        if len(calls) == number:
            raise UnavailableError("database", "once")
        return read(*args)

    monkeypatch.setattr(recovery, "_read", flaky)
    return calls


async def test_a_take_up_that_was_interrupted_begins_again_and_leaves_no_table_behind(world: Callable[..., Any], monkeypatch: Any) -> None:
    w = await world()
    await opened(w)
    monkeypatch.setattr(ownership, "CLAIM_TABLES", 2)
    calls = answers_from(monkeypatch, 2)
    await w.start()
    await lives(w)
    assert len(calls) == 4, "the batch that could not be read is read again, and no other"


async def test_a_lease_that_is_lost_while_tables_are_taken_up_leaves_none_behind(world: Callable[..., Any], monkeypatch: Any) -> None:
    w = await world()
    await opened(w)
    restore = recovery._restore
    restored: list[int] = []
    losses: list[asyncio.Future[None]] = []

    def restoring(*args: Any) -> Any:
        restored.append(1)
        if len(restored) == 2:
            w.hall.database.run_sync(expire, w.server_name)
            w.hall.lease._silent_at = -inf
            losses.append(asyncio.ensure_future(w.service._lease_lost()))
        return restore(*args)

    monkeypatch.setattr(recovery, "_restore", restoring)
    await w.start()
    await losses[0]
    await lives(w)


def expire(connection: Any, name: str) -> None:
    connection.execute(store.servers.update().where(store.servers.c.name == name).values(lease_until=0.0))


async def test_a_table_is_read_again_until_the_database_answers(world: Callable[..., Any], monkeypatch: Any) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        before = w.hall.find("t").course.digest()
        calls = answers_from(monkeypatch, 1)
        w.hall.failed(w.hall.find("t"), RuntimeError("a fault of ours"))
        assert (await client.wait_for("detached", 0))[0].reason == "unavailable"
        await until(lambda: w.hall.find("t") is not None)
        assert len(calls) == 2
        assert w.hall.find("t").course.digest() == before
