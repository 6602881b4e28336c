"""Connections to PostgreSQL end while something is under way: what became of it is found out, and nothing is lost or done twice."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import psycopg
import pytest

from services.table import store
from tests.support.proxy import DOWN, UP, Proxy
from tests.table.play import seated, until
from tests.table.several import LEASE_SECONDS, Servers, attach, plays_to_the_end, rows, servers
from tests.table.world import World
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb

__all__ = ["servers"]

VOID = pb.Act(decision=1, action_id=5, do=pb.DO_VOID, suit=mj.SUIT_M)
APPENDS = "wait_event_type = 'Lock' AND query LIKE '%INSERT INTO journal%'"
"""The session of an append that waits for the row of its table."""


@pytest.fixture
async def proxy(postgres: Any) -> AsyncIterator[Proxy]:
    """Between servers and PostgreSQL; it ends after them."""
    async with Proxy(postgres.port) as made:
        yield made


def through(proxy: Proxy, url: str) -> str:
    """The URL of a database by way of a proxy."""
    return url.replace(f"127.0.0.1:{proxy.target}", proxy.address)


async def ask(url: str, query: str) -> list[Any]:
    """Ask PostgreSQL over a connection of one's own."""
    async with await psycopg.AsyncConnection.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        return await (await connection.execute(query.encode())).fetchall()


async def end_connections(url: str, which: str = "true") -> int:
    """Let PostgreSQL end connections of a database; returns how many."""
    query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    return len(await ask(url, f"{query} AND {which}"))


async def stored(url: str, action_id: int) -> int:
    (count,) = (await ask(url, f'SELECT count(*) FROM "table".journal WHERE action_id = {action_id}'))[0]
    return int(count)


async def comes(count: Callable[[], Awaitable[int]]) -> None:
    """Ask the database until it counts something."""
    async with asyncio.timeout(5):
        while not await count():  # noqa: ASYNC110 - the database sends no word
            await asyncio.sleep(0.01)


async def assert_stored_once(w: World, table_id: str = "t") -> None:
    """The journal has no gap, and each act of a client once."""
    found = (await w.hall.database.run(store.read_journal, [table_id]))[table_id]
    assert [row.seq for row in found] == list(range(1, len(found) + 1))
    acts = Counter((row.seat, row.action_id) for row in found if row.action_id)
    assert set(acts.values()) <= {1}


@pytest.mark.parametrize("way", [UP, DOWN])
async def test_an_append_whose_connection_breaks_before_its_answer_is_found_out(
    proxy: Proxy, world: Callable[..., Any], postgres: Any, way: str
) -> None:
    """It never came to the database (up), or was committed and the answer never came back (down)."""
    url = postgres.new_database("lost")
    w = await world(database_url=through(proxy, url))
    async with w.client() as client:
        await seated(w, client)
        table = w.hall.find("t")
        await until(lambda: not table.in_flight and not table.rows)
        proxy.hold(way)
        await client.send(pb.Input(seat_ref=0, act=VOID))
        await until(lambda: proxy.waiting(way) and table.in_flight)
        if way == DOWN:
            await comes(lambda: stored(url, VOID.action_id))
        assert not client.answers
        proxy.break_all()
        proxy.mend()
        await client.until(lambda: client.answers)
        assert client.answers[0].refused == ""
        assert await stored(url, VOID.action_id) == 1
        assert w.hall.find("t") is table, "it was not read again"
        await plays_to_the_end(client)
        await assert_stored_once(w)


async def test_an_append_that_the_database_ends_while_it_waits_is_made_again(world: Callable[..., Any], postgres: Any) -> None:
    url = postgres.new_database("ended")
    w = await world(database_url=url)
    async with w.client() as client:
        await seated(w, client)
        async with await psycopg.AsyncConnection.connect(url.replace("+psycopg", "")) as other:
            await other.execute('SELECT * FROM "table".tables FOR UPDATE')
            await client.send(pb.Input(seat_ref=0, act=VOID))
            await comes(lambda: end_connections(url, APPENDS))
            assert not client.answers
            assert await stored(url, VOID.action_id) == 0
        await client.until(lambda: client.answers)
        assert client.answers[0].refused == ""
        assert await stored(url, VOID.action_id) == 1


async def test_hands_are_played_to_their_end_while_all_connections_are_ended_again_and_again(
    world: Callable[..., Any], postgres: Any
) -> None:
    url = postgres.new_database("ended")
    w = await world(database_url=url)

    async def end_for_ever() -> None:
        while True:
            ended.append(await end_connections(url))
            await asyncio.sleep(random.Random(len(ended)).uniform(0, 0.05))

    ended: list[int] = []
    async with w.client() as client:
        await seated(w, client)
        ending = asyncio.ensure_future(end_for_ever())
        await plays_to_the_end(client)
        ending.cancel()
        assert sum(ended) >= 5
        assert not client.ended
        assert [answer.refused for answer in client.answers if answer.refused not in {"", "stale"}] == []
        await assert_stored_once(w)


@pytest.mark.parametrize("outage", ["cut", "hold"])
async def test_after_an_outage_longer_than_leases_every_server_goes_on_with_its_own_tables(
    proxy: Proxy, servers: Servers, postgres: Any, outage: str
) -> None:
    """All leases have run out then. Whoever is back first leaves the others theirs."""
    worlds: list[World] = await servers(3, database_url=through(proxy, postgres.new_database("outage")))
    opened: dict[str, tuple[World, Any]] = {}
    for w in worlds:
        for number in range(2):
            table = f"{w.server_name}-{number}"
            opened[table] = w, await w.open("ann", "bob", "cem", "dee", table_id=table)
    getattr(proxy, outage)()
    await until(lambda: not any(w.hall.tables for w in worlds), LEASE_SECONDS + 1)
    await asyncio.sleep(LEASE_SECONDS)
    proxy.mend()
    await until(lambda: all(w.hall.find(table) is not None for table, (w, _) in opened.items()), 30)
    assert {table: owner for table, (owner, _, _) in (await rows(worlds[0])).items()} == {
        table: w.server_name for table, (w, _) in opened.items()
    }
    assert [len(w.hall.tables) for w in worlds] == [2, 2, 2]
    for w, table in opened.values():
        async with w.client() as client:
            await attach(client, table)
            await plays_to_the_end(client)
