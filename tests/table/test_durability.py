"""Nothing is shown before it is durable, and nothing durable is lost."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import grpc
import pytest

from services.table.appends import Fate
from tests.table.client import any_act
from tests.table.play import PLAYERS, Gate, seated, until
from tests.table.world import World
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb


async def test_nobody_is_told_of_an_act_before_it_is_stored(world: Callable[..., Any]) -> None:
    """Not the answer, not the events, not a refusal or a view that depends on it."""
    w = await world()
    async with w.client() as client, w.client() as other:
        opened = await seated(w, client)
        gate = Gate(w)
        for seat in range(4):
            act = pb.Act(decision=1, action_id=10 + seat, do=pb.DO_VOID, suit=mj.SUIT_M)
            await client.send(pb.Input(seat_ref=seat, act=act))
        await asyncio.to_thread(gate.waiting.wait, 10)
        # Refused only because of the act that is not stored yet; a resync and an attach that would show it.
        await client.send(
            pb.Input(seat_ref=0, act=pb.Act(decision=1, action_id=99, do=pb.DO_VOID, suit=mj.SUIT_P)),
            pb.Input(seat_ref=1, resync=pb.Resync()),
        )
        # What two clients send may come in any order.
        await client.caught_up()
        await other.attach(7, opened.tokens[3].token)
        before = len(client.events)
        await asyncio.gather(client.listen(0.2), other.listen(0.2))
        assert not client.answers
        assert len(client.events) == before
        assert not other.events
        gate.let_go()
        await client.until(lambda: len(client.answers) == 5)
        assert [answer.refused for answer in client.answers] == ["", "", "", "", "stale"]
        view = (await other.wait_for("view"))[0]
        assert view.mahjong.phase != "void"
        assert (await client.wait_for("detached", 3))[0].reason == "attached_elsewhere"


async def test_one_append_of_a_table_is_in_flight_and_the_rest_goes_together(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        gate = Gate(w)
        batches: list[int] = []
        stored = w.hall.journal._done

        def done(fates: Any, seconds: float) -> None:
            batches.append(sum(len(a.rows) for _, a in w.hall.journal._writing.appends))
            stored(fates, seconds)

        w.hall.journal._done = done
        await client.send(pb.Input(seat_ref=0, act=pb.Act(decision=1, action_id=1, do=pb.DO_VOID, suit=mj.SUIT_M)))
        await asyncio.to_thread(gate.waiting.wait, 10)
        await client.send(
            *(pb.Input(seat_ref=seat, act=pb.Act(decision=1, action_id=1, do=pb.DO_VOID, suit=mj.SUIT_M)) for seat in (1, 2, 3))
        )
        await until(lambda: w.hall.find("t").mailbox is not None and len(w.hall.find("t").mailbox) == 3)
        gate.let_go()
        await client.until(lambda: len(client.answers) == 4)
        assert batches == [1, 3]


async def test_a_seat_may_have_only_so_many_inputs_waiting(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        gate = Gate(w)
        await client.send(pb.Input(seat_ref=0, act=pb.Act(decision=1, action_id=1, do=pb.DO_VOID, suit=mj.SUIT_M)))
        await asyncio.to_thread(gate.waiting.wait, 10)
        await client.send(*(pb.Input(seat_ref=1, act=pb.Act(decision=9, action_id=number, do=pb.DO_WIN)) for number in range(1, 31)))
        await until(lambda: len(w.hall.find("t").seats[1].pending) == 30)
        gate.let_go()
        await client.until(lambda: len(client.answers) == 31)
        assert [answer.action_id for answer in client.answers if answer.refused == "too_many"] == list(range(17, 31))


async def test_a_stream_that_goes_away_takes_no_act_with_it(world: Callable[..., Any]) -> None:
    """The append is the table's, not the call's: cancelling the call does not cancel it."""
    w = await world()
    async with w.client() as client:
        opened = await seated(w, client)
        gate = Gate(w)
        await client.send(pb.Input(seat_ref=0, act=pb.Act(decision=1, action_id=5, do=pb.DO_VOID, suit=mj.SUIT_M)))
        await asyncio.to_thread(gate.waiting.wait, 10)
    await until(lambda: not w.hall.streams)
    gate.let_go()
    async with w.client() as client:
        await client.attach(0, opened.tokens[0].token)
        await client.wait_for("view")
        answer = await client.act(0, pb.Act(decision=1, action_id=5, do=pb.DO_VOID, suit=mj.SUIT_M))
        assert answer.refused == ""


@pytest.mark.parametrize("stored", [True, False])
async def test_an_append_whose_outcome_is_unknown_is_made_again(world: Callable[..., Any], stored: bool) -> None:
    """Whether the lost statement had been carried out or not: the act is answered once, and stored once."""
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        journal = w.hall.journal
        append = journal._append

        def breaks(*args: Any) -> Any:
            journal._append = append
            if stored:
                append(*args)
            raise ConnectionError

        journal._append = breaks
        assert (await client.act(0, pb.Act(decision=1, action_id=5, do=pb.DO_VOID, suit=mj.SUIT_M))).refused == ""
        table = w.hall.find("t")
        rows = (await w.hall.database.run(_rows, "t"))["t"]
        assert [row.seq for row in rows] == list(range(1, table.head + 1))
        assert sum(row.action_id == 5 for row in rows) == 1


def _rows(connection: Any, table_id: str) -> Any:
    from services.table import store

    return store.read_journal(connection, [table_id])


async def test_a_table_whose_rows_cannot_be_stored_is_read_again_and_the_others_are_not_touched(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        opened = await seated(w, client, "bad")
        await seated(w, client, "good", 10)
        journal = w.hall.journal
        append = journal._append

        class DataError(Exception):
            """As the driver calls a value that the database does not take."""

        def picky(connection: Any, batch: Any, *more: Any) -> Any:
            if any(one.table_id == "bad" for one in batch):
                raise DataError
            return append(connection, batch, *more)

        journal._append = picky
        await client.send(
            pb.Input(seat_ref=0, act=pb.Act(decision=1, action_id=1, do=pb.DO_VOID, suit=mj.SUIT_M)),
            pb.Input(seat_ref=10, act=pb.Act(decision=1, action_id=2, do=pb.DO_VOID, suit=mj.SUIT_M)),
        )
        await client.until(lambda: any(answer.action_id == 2 for answer in client.answers))
        assert (await client.wait_for("detached", 0))[0].reason == "unavailable"
        assert not any(answer.action_id == 1 for answer in client.answers)
        journal._append = append
        await until(lambda: w.hall.find("bad") is not None)
        await client.attach(0, opened.tokens[0].token)
        await client.wait_for("view", 0, count=2)
        assert (await client.act(0, pb.Act(decision=1, action_id=1, do=pb.DO_VOID, suit=mj.SUIT_M))).refused == ""
        assert not client.of("detached", 10)


async def test_an_owner_that_was_replaced_can_neither_append_nor_answer(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        await w.hall.database.run(_raise_epoch, w.server_name)
        await client.send(pb.Input(seat_ref=0, act=pb.Act(decision=1, action_id=1, do=pb.DO_VOID, suit=mj.SUIT_M)))
        assert (await client.wait_for("detached", 0))[0].reason == "unavailable"
        assert not client.answers
        assert w.hall.find("t") is None
        assert w.hall.metrics.rebuilt.labels(Fate.FENCED.value)._value.get() == 1


def _raise_epoch(connection: Any, server_name: str) -> None:
    from services.table import store

    raised = {"owner": "another", "epoch": store.tables.c.epoch + 1}
    connection.execute(store.tables.update().where(store.tables.c.owner == server_name).values(raised))


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
async def test_after_a_crash_the_tables_go_on_where_everybody_left_them(world: Callable[..., Any], request: Any, database: str) -> None:
    """Views, decision numbers and event counts are the same as before; no answered act is missing; the hand ends."""
    url = "" if database == "sqlite" else request.getfixturevalue("postgres").new_database("table")
    w: World = await world(database_url=url)
    rng = random.Random(8)
    async with w.client() as client:
        opened = await seated(w, client)
        await client.play(rng, lambda: len(client.of("discarded", 0)) > 20)
        await until(lambda: not w.hall.find("t").in_flight and not w.hall.find("t").rows)
        before = w.hall.find("t")
        accepted = {(answer.seat_ref, answer.action_id) for answer in client.answers if not answer.refused}
        seen = {ref: client.numbers(ref)[-1] for ref in range(4)}
    await w.crash()
    await w.start()
    after = w.hall.find("t")
    assert after is not before
    assert after.course.digest() == before.course.digest()
    assert after.course.counts == before.course.counts
    assert after.outlet.shown_decisions == before.outlet.shown_decisions
    assert after.epoch == before.epoch + 1
    async with w.client() as client:
        await client.attach_all(await w.open(*PLAYERS, table_id="t"))
        for ref in range(4):
            view = (await client.wait_for("view", ref))[0]
            assert view.number >= seen[ref]
        await client.play(rng, lambda: bool(client.of("table_closed", 0)))
    rows = (await w.hall.database.run(_rows, "t"))["t"]
    from services.table.store import unsigned

    assert accepted <= {(row.seat, unsigned(row.action_id)) for row in rows if row.action_id}
    assert opened.epoch + 1 == after.epoch


async def test_the_same_action_id_gets_the_same_answer_after_a_crash(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        opened = await seated(w, client)
        act = pb.Act(decision=1, action_id=2**64 - 5, do=pb.DO_VOID, suit=mj.SUIT_M)
        assert (await client.act(0, act)).refused == ""
    await w.crash()
    await w.start()
    async with w.client() as client:
        await client.attach(0, opened.tokens[0].token)
        await client.wait_for("view")
        assert (await client.act(0, act)).refused == ""
        act.action_id = 6
        assert (await client.act(0, act)).refused == "stale"


async def test_any_offer_of_a_view_can_be_answered_after_a_crash(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        opened = await seated(w, client)
    await w.crash()
    await w.start()
    async with w.client() as client:
        await client.attach_all(opened)
        await client.until(lambda: len(client.offers) == 4)
        for ref in range(4):
            assert (await client.act(ref, any_act(client.offers[ref], random.Random(2)))).refused == ""


async def test_a_table_is_opened_even_if_who_asked_for_it_goes_away_meanwhile(world: Callable[..., Any]) -> None:
    w = await world()
    gate = Gate(w)
    asked = asyncio.ensure_future(w.open(*PLAYERS, table_id="t"))
    await asyncio.to_thread(gate.waiting.wait, 10)
    asked.cancel()
    await asyncio.wait((asked,))
    gate.let_go()
    await until(lambda: w.hall.find("t") is not None)


async def test_a_table_whose_opening_was_stored_unheard_is_played_when_it_is_opened_again(world: Callable[..., Any]) -> None:
    w = await world()
    journal = w.hall.journal
    append, outcomes = journal._append, iter([True, False])

    def unheard(connection: Any, batch: Any, seconds: float, openings: Any) -> Any:
        if next(outcomes):
            append(connection, batch, seconds, [replace(opening) for opening in openings])
        raise ConnectionError

    journal._append = unheard
    with pytest.raises(grpc.aio.AioRpcError, match="could not be stored"):
        await w.open(*PLAYERS, table_id="t")
    journal._append = append
    assert w.hall.find("t") is None
    opened = await w.open(*PLAYERS, table_id="t")
    assert w.hall.find("t") is not None
    async with w.client() as client:
        await client.attach(0, opened.tokens[0].token)
        await client.wait_for("view")


async def test_tables_are_opened_in_the_batch_that_stores_the_acts_of_others(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        gate = Gate(w)
        opening = [asyncio.ensure_future(w.open(*PLAYERS, table_id="first"))]
        await asyncio.to_thread(gate.waiting.wait, 10)
        opening += [asyncio.ensure_future(w.open(*PLAYERS, table_id=f"t{number}")) for number in range(3)]
        await client.send(pb.Input(seat_ref=0, act=pb.Act(decision=1, action_id=1, do=pb.DO_VOID, suit=mj.SUIT_M)))
        journal = w.hall.journal
        await until(lambda: len(journal._openings) == 3 and len(journal._marked) == 1)
        gate.let_go()
        await asyncio.gather(*opening)
        await client.until(lambda: len(client.answers) == 1)
        assert {"first", "t0", "t1", "t2"} <= set(w.hall.tables)
