"""Who comes to a table that is just going is told, and nobody else is touched."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import grpc
import pytest

from services.kit import rpc
from services.table import attach, gate, store
from services.table.appends import Fate
from tests.table.play import Gate, until
from tests.table.test_duel import Duel, Duelist
from xuezhan.api.table.v1 import table_pb2 as pb

ROOM = "crazy_duel/beginner"


def asked_for(stream: Any, ref: int) -> Any:
    """The seat for which a stream's name stands."""
    return stream.attachments[ref].seat if ref in stream.attachments else None


async def closing(w: Any, client: Any) -> tuple[pb.OpenTableResponse, threading.Event]:
    """Play the one hand of table `t`, and hold its last row up on the database's thread; returns what lets it go."""
    opened = await w.open("ann", "bob", table_id="t", room=ROOM)
    table = Duelist(w, client)
    await client.attach_all(opened)
    await table.dealt(1)
    held, go = threading.Event(), threading.Event()
    journal = w.hall.journal
    store = journal._store

    def slow(batch: Any, openings: Any) -> Any:
        if not held.is_set() and any(append.state == "closed" for append in batch):
            held.set()
            assert go.wait(20)
        return store(batch, openings)

    journal._store = slow
    await table.play()
    assert await asyncio.to_thread(held.wait, 10)
    return opened, go


@pytest.mark.parametrize("lost", [False, True])
async def test_a_seat_that_is_opened_while_its_table_goes_is_told_and_its_stream_lives_on(world: Callable[..., Any], lost: bool) -> None:
    w = await world(rules=Duel())
    async with w.client() as client, w.client() as late:
        other = await w.open("cem", "dee", table_id="u", room=ROOM)
        await late.attach(9, other.tokens[0].token)
        await late.wait_for("attached", 9)
        opened, go = await closing(w, client)
        table = w.hall.find("t")
        await late.attach(1, opened.tokens[1].token)
        await until(lambda: bool(table.mailbox))
        if lost:
            done = w.hall.journal._done
            w.hall.journal._done = lambda fates, seconds: done([Fate.OVERTAKEN] * len(fates), seconds)
        go.set()
        gone = (await late.wait_for("detached", 1))[0]
        assert gone.reason == ("unavailable" if lost else "closed")
        assert not late.of("view", 1)
        await late.send(pb.Input(seat_ref=1, act=pb.Act(decision=1, action_id=5, do=pb.DO_PASS)))
        await late.until(lambda: len(late.answers) == 1)
        assert late.answers[0].refused == "not_attached"
        assert w.hall.find("u").seats[0].stream is not None
    await until(lambda: not w.hall.streams)
    assert w.hall.find("u").seats[0].stream is None


async def test_a_fault_at_one_table_that_is_attached_ends_no_stream(world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    w = await world(rules=Duel())
    async with w.client() as client:
        good = await w.open("ann", "bob", table_id="good", room=ROOM)
        bad = await w.open("cem", "dee", table_id="bad", room=ROOM)
        await client.attach(1, good.tokens[0].token)
        await client.wait_for("view", 1)
        await until(lambda: not w.hall.find("bad").in_flight)

        def view_of(table: Any, no: int) -> Any:
            raise RuntimeError(f"a fault of ours at {table.id}, seat {no}")

        monkeypatch.setattr(attach, "view_of", view_of)
        await client.attach(2, bad.tokens[0].token)
        assert (await client.wait_for("detached", 2))[0].reason == "unavailable"
        assert (await client.act(1, pb.Act(decision=9, do=pb.DO_PASS))).refused


async def test_a_seat_that_waits_to_be_opened_is_still_played_where_it_was(world: Callable[..., Any]) -> None:
    """Another seat is opened under the same name before its turn came: the first stays with its stream."""
    w = await world(rules=Duel())
    async with w.client() as client, w.client() as other:
        opened = await w.open("ann", "bob", table_id="t", room=ROOM)
        further = await w.open("cem", "dee", table_id="u", room=ROOM)
        await client.attach_all(opened)
        await client.until(lambda: bool(client.offers))
        # So that the table stays after the hand.
        w.settlement.silent = True
        gate = Gate(w)
        await client.send(pb.Input(seat_ref=1, leave=pb.Leave()))
        await asyncio.to_thread(gate.waiting.wait, 10)
        seat = w.hall.find("t").seats[0]
        await other.send(*(pb.Input(seat_ref=1, attach=pb.Attach(token=one.tokens[0].token)) for one in (opened, further)))
        await until(lambda: any(asked_for(stream, 1) in w.hall.find("u").seats for stream in w.hall.streams))
        gate.let_go()
        await client.wait_for("hand_over", 0)
        assert seat.stream is not None
        assert not client.of("detached", 0)


async def test_a_watcher_who_comes_while_the_table_goes_does_not_wait_for_ever(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel())
    async with w.client() as client, w.stub() as stub:
        _, go = await closing(w, client)
        watch = stub.Watch(pb.WatchRequest(table_id="t"), metadata=rpc.metadata(w.viewer_token()))
        await until(lambda: bool(w.hall.watchers))
        go.set()
        async with asyncio.timeout(10):
            while await watch.read() is not grpc.aio.EOF:
                pass
        await until(lambda: not w.hall.watchers)


async def test_a_server_whose_lease_is_over_stores_no_new_table(world: Callable[..., Any]) -> None:
    """It was frozen, another process took its name, and it does not know yet."""
    w = await world(rules=Duel())
    taken = "UPDATE servers SET generation = generation + 1, lease_until = lease_until + 600"
    await w.hall.database.run(lambda connection: connection.exec_driver_sql(taken))
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await w.open("ann", "bob", table_id="late", room=ROOM)
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    row = await w.hall.database.run(store.find_table, "late")
    assert row is None


async def test_calls_for_records_that_are_cancelled_keep_their_turn(world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    inside: list[int] = []
    most: list[int] = []
    w = await world(rules=Duel())
    read = w.hall.archive.read

    async def slow(*args: Any) -> Any:
        inside.append(1)
        most.append(len(inside))
        await asyncio.sleep(0.2)
        inside.pop()
        return await read(*args)

    monkeypatch.setattr(w.hall.archive, "read", slow)
    monkeypatch.setattr(w.service._servicer, "_records", gate.Gate("records", 1, 32, 4))
    async with w.client() as client, w.stub() as stub:
        table = Duelist(w, client)
        await table.sit("ann", "bob")
        await table.play()
        await client.wait_for("hand_over", 0)
        token = rpc.metadata(w.keys.player("ann"))
        for _ in range(10):
            call = stub.GetRecord(pb.GetRecordRequest(table_id="t"), metadata=token)
            await asyncio.sleep(0.03)
            call.cancel()
        await until(lambda: len(most) >= 3)
    assert max(most) == 1
