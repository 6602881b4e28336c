"""Seats that change hands, over restarts: what the journal says of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from services.kit import rpc
from services.table import store
from services.table.replay import replay
from services.table.rows import Kind, Row, body
from services.table.salvage import salvage
from tests.table.play import until
from tests.table.test_course import check, watch
from tests.table.test_duel import Duelist, records
from tests.table.test_refill import ROOM, gone, joined, played, refilling, vacant
from xuezhan.api.table.v1 import table_pb2 as pb


async def test_a_killed_server_waits_on_for_another_player(world: Callable[..., Any]) -> None:
    w = await refilling(world)
    async with w.client() as client:
        await played(w, client)
        await gone(w, client)
    await w.crash()
    await w.start()
    await until(lambda: vacant(w))
    assert await w.free_seats() == [("t", 1)]
    again = await w.open("ann", "bob", table_id="t", room=ROOM)
    async with w.client() as client:
        await client.attach(0, again.tokens[0].token)
        answer = await w.take(1, "cem", "h", room=ROOM)
        await client.attach(1, answer.token.token)
        table = Duelist(w, client)
        await table.dealt(2)
        await table.play()
        await client.until(lambda: any(event.hand == 2 for event in client.of("stage_settled", 0)))
    assert [record["seats"] for record in await records(w)] == [["ann", "bob"], ["ann", "cem"]]


async def test_a_server_killed_while_a_stake_is_bound_seats_its_player_after_it_was_started_again(world: Callable[..., Any]) -> None:
    w = await refilling(world, rest=60)
    async with w.client() as client:
        await played(w, client)
        await gone(w, client)
    w.settlement.lose = lambda _table, _seq: True
    async with w.stub() as stub:
        request = pb.TakeSeatRequest(table_id="t", room_id=ROOM, seat=1, player_id="cem", hold_id="h")
        assert (await stub.TakeSeat(request, metadata=rpc.metadata(w.service_token()), timeout=10)).state == pb.SEAT_STATE_JOINING
    await w.crash()
    await w.start()
    w.settlement.lose = lambda _table, _seq: False
    await until(lambda: w.hall.find("t") is not None)
    assert (await w.take(1, "cem", "h", room=ROOM)).state == pb.SEAT_STATE_SEATED
    assert w.hall.find("t").course.players == ("ann", "cem")


async def test_every_prefix_of_the_journal_of_a_table_with_a_new_player_replays_to_what_it_was(
    world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    w = await refilling(world)
    w.settlement.refuse_join.add("dee")
    pictures: dict[int, Any] = {}
    watch(monkeypatch, pictures)
    async with w.client() as client:
        table = await played(w, client)
        await gone(w, client)
        assert (await w.take(1, "dee", "h1", room=ROOM)).state == pb.SEAT_STATE_REFUSED
        await joined(w, client, "cem", "h2")
        await table.dealt(2)
        await table.lead()
        await client.send(pb.Input(seat_ref=0, leave=pb.Leave()))
        await client.until(lambda: client.of("detached", 0) != [])
        await client.send(pb.Input(seat_ref=1, leave=pb.Leave()))
        await until(lambda: w.hall.find("t") is None)
    rows = (await w.hall.database.run(store.read_journal, ["t"]))["t"]
    assert {row.kind for row in rows} >= {Kind.TAKE, Kind.SEAT, Kind.SETTLED}
    check(w, rows, pictures)


async def test_a_journal_that_ends_for_want_of_players_replays(world: Callable[..., Any]) -> None:
    w = await refilling(world, refill=0.1)
    async with w.client() as client:
        await played(w, client)
        await client.send(pb.Input(seat_ref=1, leave=pb.Leave()))
        w.settlement.silent = False
        await client.wait_for("table_closed", 0)
        await until(lambda: w.hall.find("t") is None)
    rows = (await w.hall.database.run(store.read_journal, ["t"]))["t"]
    assert Kind.UNFILLED in {row.kind for row in rows}
    assert replay("t", rows, w.hall.deal_keys).phase == "closed"


async def test_a_table_whose_journal_cannot_be_played_again_still_knows_who_sits_there(world: Callable[..., Any]) -> None:
    w = await refilling(world)
    async with w.client() as client:
        table = await played(w, client)
        await gone(w, client)
        await joined(w, client, "cem", "h")
        await table.dealt(2)
        rows = (await w.hall.database.run(store.read_journal, ["t"]))["t"]
    course = salvage("t", rows, [], w.hall.deal_keys, {1})
    assert course.players == ("ann", "cem")
    assert course.hand_no == 2
    called_off = course.checkpoint()
    again = replay("t", [*rows[:1], Row(2, Kind.CALLED_OFF, -1, 0, 0, body({"reason": "test", **called_off}))], w.hall.deal_keys)
    assert (again.players, again.visits, again.former) == (course.players, course.visits, course.former)
