"""Tables get another owner after their server is lost."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa

from services.kit.errors import UnavailableError
from services.kit.roles import Role
from services.table import ownership, recovery, store, store_ownership
from tests.table.play import PLAYERS, seated, until
from tests.table.several import Servers, attach, held, midway, plays_to_the_end, rows, run, servers
from tests.table.test_lease import expire
from tests.table.world import World
from xuezhan.client.channels import Channels
from xuezhan.client.tables import Tables

__all__ = ["servers"]


async def test_a_lost_servers_tables_go_on_at_another_without_it(servers: Servers) -> None:
    a, b = await servers(2)
    async with a.client() as client:
        opened = await midway(a, client)
        before = a.hall.find("t")
        digest, head, counts = before.course.digest(), before.head, list(before.course.counts)
        answered = {answer.action_id for answer in client.answers if not answer.refused}
        assert answered
        await a.crash()
    await until(lambda: b.hall.find("t") is not None)
    after = b.hall.find("t")
    assert (after.epoch, after.course.digest(), after.head, list(after.course.counts)) == (2, digest, head, counts)
    assert all(any(seat.said(action) == () for seat in after.seats) for action in answered)
    async with b.client() as client:
        await attach(client, opened, epoch=1)
        welcome = (await client.wait_for("attached", 0))[0]
        assert (welcome.epoch, welcome.addresses[0]) == (2, b.address)
        await plays_to_the_end(client)
    await until(lambda: b.hall.find("t") is None)
    assert (await rows(b))["t"] == (b.server_name, 2, "closed")


async def test_while_nobody_plays_a_table_its_clients_wait_and_then_any_server_says_where_it_is(servers: Servers) -> None:
    a, b, c = await servers(3)
    async with a.client() as client:
        opened = await midway(a, client)
    holds: list[asyncio.Event] = []
    for w in (b, c):
        # Keeps both from adopting until the test has asked.
        hold = asyncio.Event()
        holds.append(hold)
        w.service._ownership._adopt = held(w.service._ownership._adopt, hold)
    await a.crash()
    async with c.client() as client:
        await attach(client, opened, epoch=1)
        wait = (await client.wait_for("wait", 0))[0]
        assert 250 <= wait.retry_after_ms <= 500
        assert len(await client.wait_for("wait", 3)) == 1
        assert len({id(event) for _, _, event in client.events if event.HasField("wait")}) == 1, "one word for all seats of a stream"
        assert not client.of("attached")
        holds[0].set()
        await until(lambda: b.hall.find("t") is not None)
        await attach(client, opened, epoch=1)
        moved = (await client.wait_for("moved", 0))[0]
        assert (moved.address, moved.epoch) == (b.address, 2)
        holds[1].set()
    with pytest.raises(Exception, match="another room or other players"):
        await c.open("x", *PLAYERS[1:], table_id="t")


async def test_a_stream_whose_seats_wait_for_their_table_is_not_ended_as_one_without_a_seat(servers: Servers) -> None:
    """They wait for longer than a stream may be idle."""
    a, b = await servers(2, stream_idle_seconds=0.6)
    async with a.client() as client:
        opened = await midway(a, client)
    go = asyncio.Event()
    b.service._ownership._adopt = held(b.service._ownership._adopt, go)
    await a.crash()
    async with b.client() as client, b.client() as stranger:

        async def asks() -> None:
            while not client.of("attached", 3):
                await attach(client, opened)
                await asyncio.sleep(0.2)

        asking = asyncio.create_task(asks())
        await client.wait_for("wait", 3)
        await stranger.until(lambda: stranger.ended)
        await client.wait_for("wait", 3, count=6)
        assert {one.seats for one in b.hall.streams} == {4}, "a token counts once"
        go.set()
        await client.wait_for("attached", 3)
        await asking


async def test_a_seat_is_told_to_come_again_while_its_adoption_takes_long(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = await servers(2)
    async with a.client() as client:
        opened = await midway(a, client)
    take_up, claimed, go = recovery.take_up, asyncio.Event(), asyncio.Event()

    async def taking_up(*args: Any) -> Any:
        claimed.set()
        await go.wait()
        return await take_up(*args)

    monkeypatch.setattr(recovery, "take_up", taking_up)
    await a.crash()
    await claimed.wait()
    async with b.client() as client:
        await attach(client, opened)
        await client.wait_for("wait", 0)
        go.set()
        await until(lambda: b.hall.find("t") is not None)
        await attach(client, opened)
        await client.wait_for("attached", 0)


async def test_opening_a_table_again_is_unavailable_until_somebody_plays_it(servers: Servers) -> None:
    a, b = await servers(2)
    async with a.client() as client:
        await midway(a, client)
    hold = asyncio.Event()
    b.service._ownership._adopt = held(b.service._ownership._adopt, hold)
    await a.crash()
    with pytest.raises(Exception, match="is being taken up"):
        await b.open(*PLAYERS, table_id="t")
    hold.set()
    await until(lambda: b.hall.find("t") is not None)
    again = await b.open(*PLAYERS, table_id="t")
    assert (again.address, again.epoch) == (b.address, 2)


async def test_a_server_that_has_just_got_its_lease_ends_no_other(servers: Servers) -> None:
    """After an outage of the database every lease has run out: the first one back must not take everything."""
    a, b = await servers(2)
    async with a.client() as client:
        await seated(a, client)
    b.hall.lease._held_since = float("inf")
    await a.crash()
    looked = b.service._ownership._reconcile
    looks: list[int] = []

    async def counted() -> None:
        looks.append(1)
        await looked()

    b.service._ownership._reconcile = counted
    await until(lambda: len(looks) >= 2)
    assert (await rows(b))["t"][:2] == (a.server_name, 1)
    b.hall.lease._held_since = 0.0
    await until(lambda: b.hall.find("t") is not None)


async def test_who_comes_back_under_its_name_takes_its_tables_at_once(servers: Servers) -> None:
    (a,) = await servers(1, lease_seconds=30)
    async with a.client() as client:
        await midway(a, client)
    await a.crash()
    await a.start()
    assert a.hall.find("t").epoch == 2
    assert not a.hall.lease.proven()


async def test_a_table_that_cannot_be_taken_up_is_set_aside_after_three_tries_and_others_go_on(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = await servers(2)
    for table in ("poison", "good"):
        await a.open(*PLAYERS, table_id=table)
    restore = recovery._restore
    tried: list[str] = []

    def restoring(hall: Any, row: Any, *rest: Any) -> Any:
        tried.append(row.id)
        if row.id == "poison":
            raise RuntimeError("it ends everybody who reads it")
        return restore(hall, row, *rest)

    monkeypatch.setattr(recovery, "_restore", restoring)
    await a.crash()
    await until(lambda: b.hall.metrics.alarms.labels("tables_set_aside")._value.get() == 1, seconds=20)
    assert b.hall.find("good") is not None
    assert tried.count("poison") == 3
    assert tried.count("good") == 1
    await until(lambda: b.hall.metrics.set_aside._value.get() == 1)
    assert await aside(b) == (["poison"], [])
    assert await aside(b, "poison", "good") == ([], ["poison"]), "what is not set aside is passed over"
    await until(lambda: tried.count("poison") == 4)
    await until(lambda: b.hall.metrics.alarms.labels("tables_set_aside")._value.get() == 2, seconds=20)
    monkeypatch.setattr(recovery, "_restore", restore)
    assert await aside(b, "poison") == ([], ["poison"])
    await until(lambda: b.hall.find("poison") is not None)
    assert await aside(b) == ([], [])
    await until(lambda: b.hall.metrics.set_aside._value.get() == 0)


async def aside(w: World, *retried: str) -> tuple[list[str], list[str]]:
    """The tables that are set aside, after an operator has let some be tried again; and which those are."""
    channels = Channels()
    try:
        answer = await Tables(channels, w.address).set_aside(w.keys.part(Role.OPERATOR, Role.TABLE), retried)
    finally:
        await channels.close()
    return [table.table_id for table in answer.tables], list(answer.retried_ids)


async def test_when_all_servers_are_lost_one_of_another_name_goes_on_with_their_tables(servers: Servers) -> None:
    a, b = await servers(2)
    async with a.client() as client:
        opened = await midway(a, client)
    await b.open(*PLAYERS, table_id="other")
    digest = a.hall.find("t").course.digest()
    await a.crash()
    await b.crash()
    (c,) = await servers(1)
    await until(lambda: {"t", "other"} <= c.hall.tables.keys())
    assert c.hall.find("t").course.digest() == digest
    async with c.client() as client:
        await attach(client, opened)
        await plays_to_the_end(client)


async def test_a_table_that_ends_every_server_that_reads_it_is_set_aside_and_those_claimed_with_it_go_on(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, *others = await servers(5)
    for table in ("good", "poison", "fine"):
        await a.open(*PLAYERS, table_id=table)
    restore = recovery._restore
    ended: list[Any] = []

    def restoring(hall: Any, row: Any, *rest: Any) -> Any:
        if row.id == "poison":
            ended.append(hall)
            raise asyncio.CancelledError
        return restore(hall, row, *rest)

    monkeypatch.setattr(recovery, "_restore", restoring)
    await a.crash()
    for count in (1, 2, 3):
        await until(lambda count=count: len(ended) == count, seconds=20)  # type: ignore[misc]
        (dying,) = (w for w in others if w.hall is ended[-1])
        await dying.crash()
    (last,) = (w for w in others if w.hall not in ended)
    await until(lambda: last.hall.metrics.alarms.labels("tables_set_aside")._value.get() == 1, seconds=20)
    await until(lambda: {"good", "fine"} <= last.hall.tables.keys(), seconds=20)
    assert len(ended) == 3


async def test_a_table_is_not_set_aside_because_the_database_did_not_answer_while_it_was_read(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = await servers(2)
    await a.open(*PLAYERS, table_id="t")
    read = recovery._read
    failed: list[int] = []

    def reading(*args: Any) -> Any:
        if len(failed) < 4:
            failed.append(1)
            raise UnavailableError("database", "it does not answer")
        return read(*args)

    monkeypatch.setattr(recovery, "_read", reading)
    await a.crash()
    await until(lambda: b.hall.find("t") is not None, seconds=20)
    assert len(failed) == 4


async def test_tables_claimed_under_a_lease_that_is_lost_are_not_played_under_the_next_and_were_not_tried(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = await servers(2)
    await a.open(*PLAYERS, table_id="t")
    claim, tries = store_ownership.claim, []

    def claiming(connection: sa.Connection, *args: Any) -> Any:
        tries.append(connection.execute(sa.select(store.tables.c.tries)).scalar_one())
        return claim(connection, *args)

    monkeypatch.setattr(store_ownership, "claim", claiming)
    take_up, claimed = recovery.take_up, asyncio.Event()

    async def taking_up(*args: Any) -> Any:
        claimed.set()
        return await take_up(*args)

    monkeypatch.setattr(recovery, "take_up", taking_up)
    async with b.hall.rebuilding:
        await a.crash()
        await claimed.wait()
        await run(b, expire, b.server_name)
        await until(lambda: b.hall.owns(2))
    await until(lambda: b.hall.find("t") is not None and b.hall.find("t").epoch == 3, seconds=20)
    assert b.hall.metrics.rebuilt.labels("fenced")._value.get() == 0
    assert set(tries) == {0}


async def test_tables_that_are_set_aside_do_not_keep_others_of_their_owner_from_being_taken_up(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = await servers(2)
    monkeypatch.setattr(ownership, "CLAIM_TABLES", 2)
    for table in ("poison", "venom", "good"):
        await a.open(*PLAYERS, table_id=table)
    nums = [a.hall.find(table).num for table in ("poison", "venom", "good")]
    aside = store.tables.update().where(store.tables.c.id != "good").values(tries=store_ownership.MOST_TRIES)
    await run(a, lambda connection: connection.execute(aside))
    await run(a, store_ownership.move, a.hall.lease.owner, b.hall.lease.owner, [(num, 1) for num in nums], 0.1)
    await until(lambda: b.hall.find("good") is not None)
    assert b.hall.find("poison") is None


async def test_rows_decide_what_is_played_where(servers: Servers) -> None:
    """A hand-over whose end neither side heard of: the old owner lets go, and the new one goes on under the epoch of the row."""
    a, b = await servers(2)
    async with a.client() as client:
        await midway(a, client)
        num = a.hall.find("t").num
        await run(a, store_ownership.move, a.hall.lease.owner, b.hall.lease.owner, [(num, 1)], 0.1)
        assert (await client.wait_for("detached", 0))[0].reason == "unavailable"
    await until(lambda: a.hall.find("t") is None)
    await until(lambda: b.hall.find("t") is not None)
    assert b.hall.find("t").epoch == 2
