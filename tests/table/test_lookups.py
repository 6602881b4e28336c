"""Seats that are asked for at tables which are not live here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf
from typing import Any

import pytest

from services.table import archive, store, store_whereabouts
from tests.table.play import until
from tests.table.several import Servers, attach, midway, plays_to_the_end, servers
from tests.table.shuffling import committed, played, sit
from tests.table.test_duel import Duel
from tests.table.world import World
from xuezhan.api.table.v1 import table_pb2 as pb

__all__ = ["servers"]

PLAYERS = ("ann", "bob", "cem", "dee")


async def test_who_has_heard_of_a_later_owner_is_attached_when_the_row_knows_of_none(world: Callable[..., Any]) -> None:
    """As after a database was restored to an earlier time."""
    w = await world()
    run, asked = w.hall.database.run, []

    async def counted(work: Callable[..., Any], *args: Any) -> Any:
        asked.append(work)
        return await run(work, *args)

    w.hall.database.run = counted
    async with w.client() as client:
        await attach(client, await w.open(*PLAYERS, table_id="t"), epoch=9)
        await client.until(lambda: len(client.of("attached")) == 4)
        assert asked.count(store_whereabouts.whereabouts) == 1


async def test_a_seat_that_is_asked_for_again_and_again_waits_once(world: Callable[..., Any]) -> None:
    w = await world()
    run, go = w.hall.database.run, asyncio.Event()

    async def held(work: Callable[..., Any], *args: Any) -> Any:
        if work is store_whereabouts.whereabouts:
            await go.wait()
        return await run(work, *args)

    async with w.client() as client:
        opened = await w.open(*PLAYERS, table_id="t")
        w.hall.database.run = held
        token = opened.tokens[0].token
        for ref in range(50):
            await client.send(pb.Input(seat_ref=ref, attach=pb.Attach(token=token, epoch=9)))
        lookups = w.service._ownership._lookups
        await client.until(lambda: len(client.of("detached")) == 48)
        assert lookups._count == 2, "the one that is looked up, and the last"
        assert {event.reason for event in client.of("detached")} == {"attached_elsewhere"}
        go.set()
        await client.wait_for("attached", 49)
        await until(lambda: lookups._count == 0)


async def record(w: World) -> str | None:
    """Return the record of the first hand; one that is due is waited for a moment."""
    row = await w.hall.database.run(store.find_table, "t")
    assert row is not None
    found: list[tuple[int, str | None]] = await w.hall.archive.read(row, 1, inf)
    return found[0][1]


async def test_the_records_that_a_lost_server_left_are_built_by_who_takes_its_tables(servers: Servers) -> None:
    a, b = await servers(2, rules=Duel(hands=2))
    a.hall.archive.add = lambda _ends: None
    async with a.client() as client:
        await sit(a, client)
        await committed(client, 1)
        await played(a, client, 1)
        await committed(client, 2)
    assert await record(b) is None
    await a.crash()
    await until(lambda: b.hall.find("t") is not None)
    assert await record(b) is not None


async def test_the_records_of_a_table_that_is_over_are_built_by_any_server(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody takes it up: its server was lost right after its last hand."""
    monkeypatch.setattr(archive, "_LEFT_SECONDS", 0.1)
    a, b = await servers(2)
    a.hall.archive.add = lambda _ends: None
    monkeypatch.setattr(a.hall.archive, "_build_what_is_left", lambda: asyncio.sleep(0))
    async with a.client() as client:
        await midway(a, client)
        await plays_to_the_end(client)
    await until(lambda: a.hall.find("t") is None)
    await a.crash()
    assert await record(b) is not None
