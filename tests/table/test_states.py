"""A table is live, frozen or gone: frozen it only finishes what was begun, gone it neither does nor says anything more."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from math import inf
from typing import Any

import grpc
import pytest

from services.table import store
from services.table.mailbox import UNAVAILABLE, Departure, State
from services.table.rows import Kind
from tests.table.client import Client
from tests.table.play import PLAYERS, Gate, seated, until
from tests.table.world import Rules, World
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb


def void(seat: int, action_id: int = 1) -> pb.Input:
    """A seat's first answer."""
    return pb.Input(seat_ref=seat, act=pb.Act(decision=1, action_id=action_id, do=pb.DO_VOID, suit=mj.SUIT_M))


async def at_rest(table: Any) -> None:
    await until(lambda: not (table.rows or table.in_flight))


async def rows(w: World) -> list[Any]:
    found: list[Any] = (await w.hall.database.run(store.read_journal, ["t"]))["t"]
    return found


async def test_what_comes_to_a_frozen_table_waits_and_is_done_once_when_it_thaws(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        table = w.hall.find("t")
        await at_rest(table)
        table.freeze()
        assert table.quiet
        await client.send(void(0), void(0), void(1))
        await client.caught_up()
        await client.listen(0.1)
        assert not client.answers
        assert len(table.mailbox) == 2, "the second copy has no answer of its own"
        table.thaw()
        await client.until(lambda: len(client.answers) == 2)
        assert [answer.refused for answer in client.answers] == ["", ""]
        await at_rest(table)
    assert sum(row.kind is Kind.ACT and row.action_id == 1 for row in await rows(w)) == 2


async def test_an_outcome_waits_while_its_table_is_frozen(world: Callable[..., Any]) -> None:
    w = await world(settles=False)
    await w.open(*PLAYERS, table_id="t")
    table = w.hall.find("t")
    await at_rest(table)
    table.freeze()
    w.settlement.start()
    try:
        await until(lambda: bool(table.mailbox))
        assert table.course.settled == 0
        table.thaw()
        await until(lambda: table.course.settled == 1)
    finally:
        await asyncio.to_thread(w.settlement.stop)


async def test_nobodys_time_runs_out_while_a_table_is_frozen(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(turn=30))
    async with w.client() as client:
        await seated(w, client)
        table = w.hall.find("t")
        await at_rest(table)
        head, left = table.head, table.deadlines.answers[0] - w.hall.now()
        table.freeze()
        table.tick(w.hall.now() + 1000)
        assert table.quiet
        assert table.head == head
        await asyncio.sleep(0.1)
        table.thaw()
        assert table.head == head
        assert table.deadlines.answers[0] - w.hall.now() >= left - 0.05, "as long as was left"


async def test_a_frozen_table_still_stores_and_shows_what_was_begun(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        gate = Gate(w)
        await client.send(void(0))
        await asyncio.to_thread(gate.waiting.wait, 10)
        table, quiet = w.hall.find("t"), asyncio.Event()
        table.freeze()
        table.when_shown(quiet.set)
        assert not table.quiet
        gate.let_go()
        await client.until(lambda: bool(client.answers))
        await quiet.wait()
        assert table.quiet


async def test_the_claim_window_is_not_cut_by_freezing(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(window=10_000))
    async with w.client() as client:
        await seated(w, client)
        table = w.hall.find("t")
        await to_a_held_outcome(client, table)
        quiet = asyncio.Event()
        table.freeze()
        table.when_shown(quiet.set)
        assert not table.quiet
        assert table.deadlines.next() == table.deadlines.window
        assert not quiet.is_set()
        table.tick(table.deadlines.window)
        await quiet.wait()
        assert table.quiet
        assert table.deadlines.next() == inf


async def to_a_held_outcome(client: Client, table: Any) -> None:
    """Play until an outcome waits for the claim window, and nothing is on its way to the journal."""
    await client.play(random.Random(1), lambda: table.outlet.held is not None)
    await at_rest(table)


@pytest.mark.parametrize("departure", [UNAVAILABLE, Departure("moved", "there:7", 9)])
async def test_who_waits_to_be_attached_is_told_when_the_table_goes(world: Callable[..., Any], departure: Departure) -> None:
    w = await world()
    async with w.client() as client:
        opened = await w.open(*PLAYERS, table_id="t")
        table = w.hall.find("t")
        await at_rest(table)
        table.freeze()
        await client.attach_all(opened)
        await until(lambda: table.mailbox is not None and len(table.mailbox) == 4)
        table.go(departure)
        if departure.address:
            moved = await client.wait_for("moved", count=4)
            assert {(one.address, one.epoch) for one in moved} == {("there:7", 9)}
        else:
            assert {one.reason for one in await client.wait_for("detached", count=4)} == {"unavailable"}
        assert all(seat.waiting == 0 for seat in table.seats)


async def test_who_wants_a_seat_is_told_at_once_to_come_again_when_the_table_goes(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(hands=2))
    await w.open(*PLAYERS, table_id="t")
    table = w.hall.find("t")
    await at_rest(table)
    table.freeze()
    asking = asyncio.ensure_future(w.take(0, "eve", "h1"))
    await until(lambda: bool(table.mailbox))
    table.go(UNAVAILABLE)
    async with asyncio.timeout(1):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await asking
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_a_table_that_is_gone_shows_and_stores_nothing_more(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        table, gate = w.hall.find("t"), Gate(w)
        await client.send(void(0))
        await asyncio.to_thread(gate.waiting.wait, 10)
        await client.send(void(1))
        await until(lambda: bool(table.mailbox))
        table.go(UNAVAILABLE)
        gate.let_go()
        await client.listen(0.2)
        assert not client.answers
        head = table.head
        table.send(lambda: pytest.fail("nothing is done at a table that is gone"))
        table.when_shown(lambda: pytest.fail("nothing is shown there either"))
        table.tick(w.hall.now() + 1000)
        table.thaw()
        assert (table.head, table.rows, table.state) == (head, [], State.GONE)
