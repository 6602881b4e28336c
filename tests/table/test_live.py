"""What a table server says of this moment: its lease, its streams, who is connected, what stands still, what waits for its coins."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable
from typing import Any

from services.table import store_whereabouts
from services.table.mailbox import State
from tests.table.client import any_act
from tests.table.play import Gate, seated, until
from tests.table.several import Servers, attach, servers
from tests.table.test_metrics import ROOM, scrape, value
from tests.table.world import Rules, World
from xuezhan.api.table.v1 import table_pb2 as pb

__all__ = ["servers"]


async def figure(w: World, name: str, **labels: str) -> float:
    return value(await asyncio.to_thread(scrape, w), name, **labels)


async def until_figure(w: World, name: str, true: Callable[[float], bool], **labels: str) -> float:
    """Wait until a figure is so."""
    async with asyncio.timeout(15):
        while not true(found := await figure(w, name, **labels)):  # noqa: ASYNC110 - it is scraped
            await asyncio.sleep(0.05)
    return found


async def test_streams_and_the_seats_on_them_are_counted_while_they_last(world: Callable[..., Any]) -> None:
    w = await world()
    assert (await figure(w, "streams"), await figure(w, "seats_connected", **ROOM)) == (0, 0)
    async with w.client() as client:
        await seated(w, client)
        assert (await figure(w, "streams"), await figure(w, "seats_connected", **ROOM)) == (1, 4)
        assert await figure(w, "turn_seconds", **ROOM) == 30
    await until_figure(w, "streams", lambda found: found == 0)
    assert (await figure(w, "seats_connected", **ROOM), await figure(w, "tables", **ROOM)) == (0, 1)


async def test_a_blocked_loop_is_told_by_the_metrics_port_while_it_is_blocked(world: Callable[..., Any]) -> None:
    w = await world()
    seen: list[Any] = []
    looking = threading.Timer(1.0, lambda: seen.append(scrape(w)))
    looking.start()
    time.sleep(1.5)  # noqa: ASYNC251 - this is the fault
    looking.join()
    assert seen[0]["xuezhan_part_loop_lag_max_seconds", ()] > 0.5
    assert [value for (name, labels), value in seen[0].items() if name == "xuezhan_part_info" and ("role", "table") in labels] == [1]


async def test_a_lease_that_cannot_be_renewed_is_seen_to_run_out_and_to_come_back(world: Callable[..., Any]) -> None:
    w = await world(options={"lease_seconds": 1.5})
    assert await figure(w, "lease_valid") == 1
    assert 0 < await figure(w, "lease_seconds") <= 1.5
    database = w.hall.lease._database
    real, blocked = database.run, asyncio.Event()

    async def run(*args: Any) -> Any:
        await blocked.wait()
        return await real(*args)

    database.run = run
    await until_figure(w, "lease_valid", lambda found: found == 0)
    assert await figure(w, "lease_seconds") == 0
    blocked.set()
    await until_figure(w, "lease_valid", lambda found: found == 1)


async def test_a_table_whose_rows_are_not_taken_stands_still_until_they_are(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        await asyncio.sleep(0.1)
        assert await figure(w, "standing_still", **ROOM) == 0
        gate = Gate(w)
        act = any_act(client.offers[0], random.Random(1))
        act.action_id = 77
        acting = asyncio.ensure_future(client.act(0, act))
        assert await until_figure(w, "standing_still", bool, **ROOM) == 1
        gate.let_go()
        assert (await acting).refused == ""
        await until_figure(w, "standing_still", lambda found: not found, **ROOM)


async def test_inputs_and_rows_are_counted_while_they_wait_for_the_database(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        gate = Gate(w)
        act = any_act(client.offers[0], random.Random(1))
        act.action_id = 77
        acting = asyncio.ensure_future(client.act(0, act))
        await until_figure(w, "waiting", lambda found: found == 1, what="tables")
        await client.send(pb.Input(seat_ref=1, auto_pass=pb.AutoPass(on=True, action_id=5)))
        await until_figure(w, "waiting", lambda found: found == 1, what="inputs")
        gate.let_go()
        assert (await acting).refused == ""
        await until_figure(w, "waiting", lambda found: not found, what="tables")
        assert await figure(w, "waiting", what="inputs") == 0


async def test_seats_are_counted_that_are_asked_for_where_their_table_is_not_live(world: Callable[..., Any]) -> None:
    w = await world()
    run, go = w.hall.database.run, asyncio.Event()

    async def held(work: Callable[..., Any], *args: Any) -> Any:
        if work is store_whereabouts.whereabouts:
            await go.wait()
        return await run(work, *args)

    async with w.client() as client:
        opened = await w.open("ann", "bob", "cem", "dee", table_id="t")
        w.hall.database.run = held
        await attach(client, opened, epoch=9)
        await until_figure(w, "waiting", lambda found: found == 4, what="attaches")
        go.set()
        await until_figure(w, "waiting", lambda found: not found, what="attaches")


async def test_items_and_records_are_counted_until_the_coins_have_moved_and_the_records_are_stored(world: Callable[..., Any]) -> None:
    w = await world()
    w.settlement.silent = True
    await w.open("ann", "bob", "cem", "dee", table_id="t")
    await until_figure(w, "waiting", lambda found: found == 1, what="items")
    w.settlement.silent = False
    await until_figure(w, "waiting", lambda found: not found, what="items")
    store, go = w.hall.archive._steadily, asyncio.Event()

    async def later(*args: Any) -> Any:
        await go.wait()
        return await store(*args)

    w.hall.archive._steadily = later
    async with w.client() as client:
        await seated(w, client, table_id="u")
        await client.play(random.Random(1), lambda: bool(client.of("hand_over", 0)))
        await until_figure(w, "waiting", lambda found: found == 1, what="records")
        go.set()
        await until_figure(w, "waiting", lambda found: not found, what="records")


async def test_a_table_whose_timer_is_not_looked_at_stands_still(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(turn=0.3))
    fire, w.hall.timers._fire = w.hall.timers._fire, lambda: None
    await w.open("ann", "bob", "cem", "dee")
    await until_figure(w, "standing_still", bool, **ROOM)
    w.hall.timers._fire = fire
    w.hall.timers._arm(w.hall.now())
    await until_figure(w, "standing_still", lambda found: not found, **ROOM)


async def test_a_table_that_is_frozen_for_longer_than_a_hand_over_takes_stands_still(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        table = w.hall.find("t")
        table.freeze()
        assert table.state is State.FROZEN
        assert await figure(w, "standing_still", **ROOM) == 0
        assert await until_figure(w, "standing_still", bool, **ROOM) == 1
        table.thaw()
        assert await figure(w, "standing_still", **ROOM) == 0


async def test_what_waits_for_its_coins_is_seen_in_the_database_and_gone_when_it_is_settled(world: Callable[..., Any]) -> None:
    w = await world()
    w.settlement.silent = True
    await w.open("ann", "bob", "cem", "dee")
    first = await until_figure(w, "outbox_oldest_seconds", lambda age: age > 1)
    assert await until_figure(w, "outbox_oldest_seconds", lambda age: age > first) < 15
    w.settlement.silent = False
    await until_figure(w, "outbox_oldest_seconds", lambda age: age == 0)


async def test_tables_that_are_handed_over_are_counted_where_they_went_and_where_they_came(servers: Servers) -> None:
    a, b = await servers(2)
    opened = await a.open("ann", "bob", "cem", "dee", table_id="t")
    async with a.client() as client:
        await attach(client, opened)
        a.service._begin_to_drain()
        await until(lambda: b.hall.find("t") is not None)
    assert await figure(a, "handed_over_total") == 1
    assert (await figure(b, "taken_over_total"), await figure(b, "adopted_total")) == (1, 0)
