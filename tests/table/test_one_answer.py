"""One answer an id: whatever is sent again, over which stream, at which moment."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from services.table import store
from services.table.answers import MAX_PENDING, MAX_UNANSWERED
from services.table.rows import Kind
from tests.table.client import Client
from tests.table.play import Gate, seated, until
from tests.table.test_auto_discard import Room, opened
from tests.table.world import World
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb

VOID = pb.Act(decision=1, action_id=5, do=pb.DO_VOID, suit=mj.SUIT_M)


def act(seat: int, number: int = 5, **fields: Any) -> pb.Input:
    values: dict[str, Any] = {"decision": 1, "do": pb.DO_VOID, "suit": mj.SUIT_M}
    return pb.Input(seat_ref=seat, act=pb.Act(action_id=number, **(values | fields)))


@contextlib.asynccontextmanager
async def appending(w: World, client: Client) -> AsyncIterator[Gate]:
    """Hold up the append of an act of seat 3."""
    gate = Gate(w)
    await client.send(act(3, 999))
    await asyncio.to_thread(gate.waiting.wait, 10)
    try:
        yield gate
    finally:
        gate.let_go()


async def test_an_act_sent_50_times_while_its_append_is_in_flight_has_one_answer(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        gate = Gate(w)
        await client.send(act(0))
        await asyncio.to_thread(gate.waiting.wait, 10)
        await client.send(*(act(0) for _ in range(50)))
        await client.caught_up()
        gate.let_go()
        await client.until(lambda: bool(client.answers))
        await client.send(act(0))
        await client.until(lambda: len(client.answers) == 2)
        await client.caught_up()
        assert [(answer.action_id, answer.refused) for answer in client.answers] == [(5, "")] * 2


@pytest.mark.parametrize("decision", [1, 9])
async def test_an_act_sent_50_times_while_the_append_of_another_is_in_flight_has_one_answer(
    world: Callable[..., Any], decision: int
) -> None:
    """Accepted or refused, it is judged once."""
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        async with appending(w, client):
            await client.send(*(act(0, decision=decision) for _ in range(50)))
            await client.caught_up()
            assert len(w.hall.find("t").seats[0].pending) == 1
        await client.until(lambda: len(client.answers) == 2)
        await client.caught_up()
        assert [(answer.action_id, answer.refused) for answer in client.answers] == [(999, ""), (5, "" if decision == 1 else "stale")]


async def test_an_id_that_was_answered_is_answered_so_whatever_waits(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        await client.send(act(0), act(1, 6, do=pb.DO_WIN, suit=0))
        await client.until(lambda: len(client.answers) == 2)
        async with appending(w, client):
            await client.send(*(act(seat, number, decision=9) for number in range(100, 150) for seat in (0, 1)))
            await client.send(act(0), act(1, 6))
            await client.until(lambda: len(client.answers) == 4)
        assert [(answer.action_id, answer.refused) for answer in client.answers[:4]] == [(5, ""), (6, "not_offered")] * 2


async def test_an_id_that_was_too_many_stays_so(world: Callable[..., Any]) -> None:
    """Nothing came of it, so nothing comes of it when it is sent again."""
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        async with appending(w, client):
            await client.send(*(act(0, number, decision=9) for number in range(100, 100 + MAX_PENDING)), act(0), act(0))
            await until(lambda: len(w.hall.find("t").seats[0].pending) == MAX_PENDING + 1)
        await client.until(lambda: any(answer.action_id == 5 for answer in client.answers))
        await client.send(act(0))
        await client.until(lambda: sum(answer.action_id == 5 for answer in client.answers) == 2)
        assert {answer.refused for answer in client.answers if answer.action_id == 5} == {"too_many"}
        assert not any(row.action_id == 5 for row in await rows(w))


async def test_inputs_beyond_what_may_wait_at_all_are_not_answered_and_may_be_sent_again(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        async with appending(w, client):
            await client.send(*(act(0, number, decision=9) for number in range(100, 200)), act(0))
            await until(lambda: len(w.hall.find("t").seats[0].pending) == MAX_UNANSWERED)
        await client.until(lambda: len(client.answers) == MAX_UNANSWERED + 1)
        await client.caught_up()
        assert not any(answer.action_id == 5 for answer in client.answers)
        assert (await client.act(0, VOID)).refused == ""


async def test_the_ids_in_a_request_that_is_refused_as_a_whole_stay_free(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        assert (await client.act(0, VOID)).refused == ""
        await client.send(*(pb.Input(seat_ref=77) for _ in range(2047)), act(0), act(1, 6))
        await client.until(lambda: len(client.answers) == 2)
        assert [(one.action_id, one.refused) for one in client.answers] == [(5, ""), (0, "too_many")]
        assert (await client.act(1, pb.Act(decision=1, action_id=6, do=pb.DO_VOID, suit=mj.SUIT_M))).refused == ""


async def test_the_answer_in_flight_goes_to_the_stream_that_asked_last(world: Callable[..., Any]) -> None:
    """The player has come back on another connection, and sends again what was not answered."""
    w = await world()
    async with w.client() as client, w.client() as again:
        opened = await seated(w, client)
        gate = Gate(w)
        await client.send(act(0))
        await asyncio.to_thread(gate.waiting.wait, 10)
        await again.attach(7, opened.tokens[0].token)
        await again.send(act(7), act(7))
        await again.caught_up()
        gate.let_go()
        await again.wait_for("view", 7)
        await again.until(lambda: bool(again.answers))
        await again.caught_up()
        await client.caught_up()
        assert [(answer.seat_ref, answer.refused) for answer in again.answers] == [(7, "")]
        assert not client.answers


async def test_an_act_that_waits_is_judged_where_its_player_asked_last(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client, w.client() as again:
        opened = await seated(w, client)
        async with appending(w, client):
            await client.send(act(0))
            await client.caught_up()
            await again.attach(7, opened.tokens[0].token)
            await again.send(act(7), act(7))
            await again.caught_up()
        await again.until(lambda: bool(again.answers))
        await again.caught_up()
        await client.caught_up()
        assert [(answer.seat_ref, answer.refused) for answer in again.answers] == [(7, "")]
        assert [answer.seat_ref for answer in client.answers] == [3]


async def test_who_plays_a_seat_over_two_streams_at_once_has_one_answer_and_fills_no_mailbox(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client, w.client() as other:
        opened = await seated(w, client)
        async with appending(w, client):
            await other.attach(7, opened.tokens[0].token)
            for _ in range(50):
                await client.send(act(0))
                await client.caught_up()
                await other.send(act(7))
                await other.caught_up()
            assert len(w.hall.find("t").mailbox) < 40
        await other.wait_for("view", 7)
        assert (await other.act(7, VOID)).refused == ""
        await client.caught_up()
        await other.caught_up()
        final = [answer.refused for answer in (*client.answers, *other.answers) if answer.action_id == 5]
        assert set(final) - {"not_attached"} == {""}


async def test_a_switch_has_one_answer_too(world: Callable[..., Any]) -> None:
    """自动摸打."""
    w = await world(rules=Room(), options={"auto_pause_ms": 10_000})
    async with w.client() as client:
        _, dealer = await opened(w, client)
        gate = Gate(w)
        await client.send(*(pb.Input(seat_ref=dealer, auto_discard=pb.AutoDiscard(on=True, action_id=5)) for _ in range(50)))
        await asyncio.to_thread(gate.waiting.wait, 10)
        gate.let_go()
        await client.until(lambda: bool(client.answers))
        await client.caught_up()
        assert [answer.refused for answer in client.answers] == [""]
        assert sum(row.kind is Kind.AUTO_DISCARD for row in await rows(w)) == 1


async def rows(w: World) -> Any:
    return (await w.hall.database.run(store.read_journal, ["t"]))["t"]
