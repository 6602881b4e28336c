"""A rolling restart to a release with other rules: each table is played by its own rules to its end, by a server that has them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import sqlalchemy as sa

from services.kit.rooms import Room
from services.table import server, store
from tests.table.client import Client
from tests.table.play import PLAYERS, until
from tests.table.several import Servers, attach, plays_to_the_end, rows, run, servers
from tests.table.test_duel import records
from tests.table.world import Rules, World
from xuezhan.api.table.v1 import table_pb2 as pb

__all__ = ["servers"]

FIRST, SECOND = "happy_sichuan/1", "happy_sichuan/2"
HAPPY = """
[[room]]
game = "happy_sichuan"
id = "open"
name = "不封顶"
base = 1
claim_window_ms = 0
contribution_seconds = 0.2
"""


@dataclass
class Happy(Rules):
    """A room of 欢乐麻将, whose rules had a first version."""

    def text(self) -> str:
        return HAPPY

    @property
    def room_id(self) -> str:
        return "happy_sichuan/open"


@pytest.fixture
def release(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Starts a server of a release that has these versions of the rules, and from then on opens tables under the last of them."""
    rules = Room.rules

    async def start(*versions: str) -> World:
        monkeypatch.setattr(server, "versions", lambda: frozenset(versions))
        monkeypatch.setattr(Room, "rules", lambda room, version=None: rules(room, version or versions[-1]))
        w: World
        (w,) = await servers(1, Happy(), drain_seconds=1)
        await until(w.hall.lease.proven)
        return w

    return start


async def midway(w: World, client: Client) -> pb.OpenTableResponse:
    """Play a hand at table `t` for a while, until it stands still."""
    opened = await w.open(*PLAYERS, table_id="t")
    await client.attach_all(opened)
    await client.play(random.Random(3), lambda: len(client.of("discarded", 0)) >= 12)
    await until(lambda: not w.hall.find("t").in_flight and not w.hall.find("t").rows)
    return opened


def missing(w: World) -> float:
    return float(w.hall.metrics.rules_missing._value.get())


def alarms(w: World) -> float:
    return float(w.hall.metrics.alarms.labels("rules_missing")._value.get())


async def test_a_drain_waits_for_a_server_that_has_the_rules_and_raises_an_alarm(release: Callable[..., Any]) -> None:
    old = await release(FIRST)
    async with old.client() as client:
        opened = await midway(old, client)
        new = await release(SECOND)
        draining = asyncio.ensure_future(old.service._hand_over.run(patient=True))
        await until(lambda: missing(old) == 1)
        assert alarms(old) == 1
        before = len(client.of("discarded", 0))
        await client.play(random.Random(5), lambda: len(client.of("discarded", 0)) > before)
        assert old.hall.find("t") is not None, "its players notice nothing"
        both = await release(FIRST, SECOND)
        await asyncio.wait_for(draining, 20)
    await until(lambda: missing(old) == 0)
    assert alarms(old) == 1
    assert (await rows(both))["t"][:2] == (both.server_name, 2)
    assert new.hall.find("t") is None
    async with both.client() as client:
        await attach(client, opened, epoch=2)
        await plays_to_the_end(client)
    (record,) = await records(both)
    assert record["rules"] == FIRST


async def test_a_lost_servers_tables_wait_for_a_server_that_has_their_rules(release: Callable[..., Any]) -> None:
    old = await release(FIRST)
    async with old.client() as client:
        await midway(old, client)
    new = await release(SECOND)
    await old.crash()
    await until(lambda: missing(new) == 1)
    assert alarms(new) == 1
    assert new.hall.find("t") is None
    both = await release(FIRST, SECOND)
    await until(lambda: both.hall.find("t") is not None)
    await until(lambda: missing(new) == missing(both) == 0)
    await both.open(*PLAYERS, table_id="next")
    versions = dict(await run(both, lambda connection: connection.execute(sa.select(store.tables.c.id, store.tables.c.rules)).all()))
    assert versions == {"t": FIRST, "next": SECOND}, "new hands begin under the new rules"
    # The next release is drained to: it gets what it has the rules for.
    await new.service._ownership._look()
    draining = asyncio.ensure_future(both.service._hand_over.run(patient=True))
    await until(lambda: new.hall.find("next") is not None)
    await until(lambda: missing(both) == 1)
    assert both.hall.find("t") is not None
    draining.cancel()
