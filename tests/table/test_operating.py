"""What operators do about a table: they see what it waits for, and end it where it stands; each act is on record."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from services.kit.roles import Role
from tests.table.play import Gate, seated, until
from tests.table.several import Servers, servers
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import Channels, ClientError, Tables

__all__ = ["servers"]
T = Any


async def ask(w: Any, work: Callable[[Tables, str], Awaitable[T]], role: Role = Role.OPERATOR) -> T:
    channels = Channels(0)
    try:
        return await work(Tables(channels, w.address), w.keys.part(role, Role.TABLE))
    finally:
        await channels.close()


async def call_off(w: Any, table_id: str = "t", why: str = "case 4711") -> None:
    await ask(w, lambda tables, token: tables.call_off(token, table_id, "olga", why))


async def look(w: Any, table_id: str = "t") -> pb.GetTableResponse:
    found: pb.GetTableResponse = await ask(w, lambda tables, token: tables.look(token, table_id))
    return found


async def acts(w: Any) -> list[tuple[str, str, str, str]]:
    found = await ask(w, lambda tables, token: tables.acts(token, 100), Role.AUDITOR)
    return [(act.action, act.about, act.who, act.why) for act in found]


async def test_a_table_is_ended_where_it_stands_and_players_are_told_who_did_it_and_not_why(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        await client.play(random.Random(1), lambda: len(client.of("discarded", 0)) > 5)
        await call_off(w)
        for seat in range(4):
            (over,) = await client.wait_for("hand_over", seat)
            assert (over.called_off, over.called_off_by) == ("operator", "olga (operator)")
            assert (await client.wait_for("table_closed", seat))[0].reason == "called_off_operator"
    await until(lambda: w.hall.find("t") is None)
    assert [body["kind"] for _, _, body in w.settlement.items][-1] == "close"
    assert await acts(w) == [("call-off", "t", "olga (operator)", "case 4711")]
    with pytest.raises(ClientError) as refused:
        await call_off(w)
    assert refused.value.reason == "unknown_table"


async def test_an_act_that_is_asked_again_is_recorded_once(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        told = await asyncio.gather(*(call_off(w) for _ in range(3)), return_exceptions=True)
        # One that comes when the table is over already finds none.
        assert {getattr(error, "reason", None) for error in told} <= {None, "unknown_table"}
        assert told[0] is None
        assert len(await client.wait_for("hand_over", 0)) == 1
    assert await acts(w) == [("call-off", "t", "olga (operator)", "case 4711")]


@pytest.mark.parametrize(("who", "why"), [("", "why"), ("olga", ""), ("olga", "x" * 501), ("o\nl", "why")])
async def test_an_act_without_who_or_why_is_refused_and_nothing_happens(world: Callable[..., Any], who: str, why: str) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        with pytest.raises(ClientError) as refused:
            await ask(w, lambda tables, token: tables.call_off(token, "t", who, why))
        assert refused.value.reason == "words"
        assert (w.hall.find("t") is None, await acts(w)) == (False, [])


async def test_a_table_says_what_it_waits_for(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        await until(lambda: not w.hall.relay.waiting)
        found = await look(w)
        assert (found.waits_for, sorted(found.asked_seats)) == ("players", [0, 1, 2, 3])
        assert (found.server, sorted(found.connected_seats)) == (w.hall.settings.server_name, [0, 1, 2, 3])
        assert found.lease_seconds > 0
        gate = Gate(w)
        await client.send(pb.Input(seat_ref=0, act=pb.Act(decision=1, action_id=5, do=pb.DO_VOID, suit=mj.SUIT_M)))
        await until(gate.waiting.is_set)
        assert w.service is not None
        table = w.hall.find("t")
        assert table.in_flight
        gate.let_go()
        await until(lambda: not table.in_flight)
        assert sorted((await look(w)).asked_seats) == [1, 2, 3]


async def test_the_server_that_has_a_table_calls_it_off_whichever_is_asked(servers: Servers) -> None:
    a, b = await servers(2)
    async with a.client() as client:
        await seated(a, client)
        await call_off(b)
        assert (await client.wait_for("hand_over", 0))[0].called_off_by == "olga (operator)"
    assert await acts(b) == [("call-off", "t", "olga (operator)", "case 4711")]
