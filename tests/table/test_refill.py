"""Rooms that refill: a player goes between two hands, another takes their seat, and the table goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from grpc import aio

from games.verify import Verifier
from services.kit import rpc, seat_tokens
from tests.table.client import Client
from tests.table.play import until
from tests.table.test_duel import Duel, Duelist, items, records
from tests.table.world import World
from xuezhan.api.table.v1 import table_pb2 as pb

ROOM = "crazy_duel/beginner"


async def refilling(world: Callable[..., Any], **more: Any) -> World:
    """A room of three hands that waits for others as long as a test lasts."""
    w: World = await world(rules=Duel(**{"hands": 3, "refill": 60, **more}))
    w.settlement.stake = 10_000
    return w


async def played(w: World, client: Client) -> Duelist:
    """Seat ann and bob and play their first hand to its end. It is not settled yet, so the next cannot begin."""
    table = Duelist(w, client)
    await table.sit("ann", "bob")
    w.settlement.silent = True
    await table.play()
    await client.wait_for("hand_over", 0)
    return table


async def gone(w: World, client: Client, seat: int = 1) -> None:
    """Let a player go between two hands, and settle what was played, until their seat is free for others."""
    await client.send(pb.Input(seat_ref=seat, leave=pb.Leave()))
    await until(lambda: (w.hall.find("t").course.leaving | w.hall.find("t").course.left) >> seat & 1)
    w.settlement.silent = False
    await client.until(lambda: client.of("detached", seat) != [])
    await until(lambda: vacant(w))


def vacant(w: World) -> bool:
    """Whether the table has a free seat, and nothing is under way."""
    table = w.hall.vacant.get("t")
    return table is not None and not (table.course.items or table.rows or table.in_flight)


async def joined(w: World, client: Client, player: str, hold: str, seat: int = 1) -> pb.TakeSeatResponse:
    """Let a player take the seat and attach it."""
    answer = await w.take(seat, player, hold, room=ROOM)
    assert answer.state == pb.SEAT_STATE_SEATED
    await client.attach(seat, answer.token.token)
    return answer


async def test_another_player_takes_the_seat_of_who_went_and_the_next_hand_is_dealt_with_them(world: Callable[..., Any]) -> None:
    w = await refilling(world)
    async with w.client() as client:
        table = await played(w, client)
        await gone(w, client)
        assert [(e.seat, e.left) for e in client.of("seat_changed", 0)] == [(1, True)]
        assert client.of("detached", 1)[0].reason == "left"
        answer = await joined(w, client, "cem", "h")
        assert answer.address == w.address
        (taken,) = await client.wait_for("seat_taken", 0)
        assert (taken.seat, taken.player_id, taken.money[1]) == (1, "cem", 10_000)
        await table.dealt(2)
        await table.play()
        await client.until(lambda: any(event.hand == 2 for event in client.of("stage_settled", 0)))
        attached = client.of("attached", 1)[-1]
        assert [seat.player_id for seat in attached.seats] == ["ann", "cem"]
        numbers = client.numbers(0)
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        decisions = [offer.decision for offer in client.of("offer", 1)]
        assert decisions == sorted(set(decisions)), "no late answer of the former player fits an offer to the new one"
        found = await records(w)
    assert [record["seats"] for record in found] == [["ann", "bob"], ["ann", "cem"]]
    verifier = Verifier()
    assert [verifier.check(record) for record in found] == [{"ok": True}] * 2
    joins = [item for item in items(w, "left", "join") if item["kind"] == "join" or item["seat"] == 1]
    assert [item["kind"] for item in joins] == ["left", "join"]
    assert joins[1] == {"kind": "join", "seat": 1, "player": "cem", "hold": "h"}


async def test_when_nobody_comes_in_time_the_table_closes(world: Callable[..., Any]) -> None:
    w = await refilling(world, refill=0.2)
    async with w.client() as client:
        await played(w, client)
        await client.send(pb.Input(seat_ref=1, leave=pb.Leave()))
        w.settlement.silent = False
        assert (await client.wait_for("table_closed", 0))[0].reason == "left"
        assert [item["kind"] for item in items(w, "left", "close")] == ["left", "close"]
        await until(lambda: w.hall.find("t") is None)
        assert await w.free_seats() == []


async def test_when_nobody_would_stay_the_table_closes_at_once(world: Callable[..., Any]) -> None:
    w = await refilling(world)
    async with w.client() as client:
        await played(w, client)
        await gone(w, client)
        await client.send(pb.Input(seat_ref=0, leave=pb.Leave()))
        assert (await client.wait_for("table_closed", 0))[0].reason == "left"


async def test_who_sits_with_bots_alone_ends_the_table_when_he_goes(world: Callable[..., Any]) -> None:
    w = await refilling(world, rest=60)
    async with w.client() as client:
        await client.attach_all(await w.open("ann", None, table_id="t", room=ROOM))
        await until(lambda: w.hall.find("t").course.hand is not None)
        await client.send(pb.Input(seat_ref=0, leave=pb.Leave()))
        assert (await client.wait_for("table_closed", 0))[0].reason == "left"


async def test_who_escapes_a_hand_makes_room_for_another_when_it_is_settled(world: Callable[..., Any]) -> None:
    w = await refilling(world)
    async with w.client() as client:
        table = Duelist(w, client)
        await table.sit("ann", "bob")
        assert (await client.act(1, pb.Act(do=pb.DO_LEAVE))).refused == ""
        await client.until(lambda: client.of("detached", 1) != [])
        await joined(w, client, "cem", "h")
        await table.dealt(2)
    assert [item["kind"] for item in items(w, "stage", "left", "top_up", "join")] == ["stage", "left", "join"]


async def test_who_was_not_there_at_the_hands_end_makes_room_for_another(world: Callable[..., Any]) -> None:
    w = await refilling(world, turn=1)
    async with w.client() as client:
        await client.attach_all(await w.open("ann", "bob", table_id="t", room=ROOM))
        held = list((await client.wait_for("cards_dealt", 0))[0].cards)
        answered = 0

        def news() -> bool:
            return client.of("detached", 1) != [] or (0 in client.offers and client.offers[0].decision > answered)

        while not client.of("detached", 1):
            await client.until(news)
            if 0 in client.offers and client.offers[0].decision > answered:
                answered = client.offers[0].decision
                passes = client.offers[0].cards.may_pass
                act = pb.Act(do=pb.DO_PASS) if passes else pb.Act(do=pb.DO_PLAY, cards=[held.pop(0)])
                act.decision = answered
                await client.act(0, act)
        assert client.of("detached", 1)[0].reason == "left"
        await joined(w, client, "cem", "h")
        assert [taken.player_id for taken in await client.wait_for("seat_taken", 0)] == ["cem"]
    assert [item["seat"] for item in items(w, "left")] == [1]


async def test_who_cannot_lock_again_makes_room_for_another(world: Callable[..., Any]) -> None:
    w = await refilling(world)
    w.settlement.poor = True
    async with w.client() as client:
        winner = (await played(w, client)).leader
        w.settlement.silent = False
        loser = 1 - winner
        await client.until(lambda: [event.seat for event in client.of("seat_changed", winner) if event.left] == [loser])
        await client.until(lambda: client.of("detached", loser) != [])
        await joined(w, client, "cem", "h", loser)
        await client.until(lambda: 2 in [event.hand for event in client.of("hand_committed", winner)])
        assert list(client.of("hand_committed", winner)[-1].money)[loser] == 10_000


async def test_a_seat_whose_taker_has_no_stake_is_free_again(world: Callable[..., Any]) -> None:
    w = await refilling(world)
    w.settlement.refuse_join.add("cem")
    async with w.client() as client:
        table = await played(w, client)
        await gone(w, client)
        assert (await w.take(1, "cem", "h1", room=ROOM)).state == pb.SEAT_STATE_REFUSED
        await until(lambda: vacant(w))
        assert await w.free_seats(ROOM) == [("t", 1)]
        await joined(w, client, "dee", "h2")
        assert [taken.player_id for taken in await client.wait_for("seat_taken", 0)] == ["dee"]
        assert (await w.take(1, "cem", "h1", room=ROOM)).state == pb.SEAT_STATE_REFUSED, "asked again it stays so"
        await table.dealt(2)


async def test_refused_takers_do_not_make_a_table_wait_longer_than_its_room_says(world: Callable[..., Any]) -> None:
    w = await refilling(world, refill=1)
    w.settlement.refuse_join.add("cem")
    async with w.client() as client:
        await played(w, client)
        await gone(w, client)
        tries = 0
        while w.hall.find("t") is not None and tries < 100:
            tries += 1
            if (await w.take(1, "cem", f"h{tries}", room=ROOM)).state == pb.SEAT_STATE_OVER:
                break
        assert 0 < tries < 100
        assert (await client.wait_for("table_closed", 0))[0].reason == "left"


async def test_the_same_wish_again_has_the_same_end_and_others_are_told_why_not(world: Callable[..., Any]) -> None:
    w = await refilling(world, rest=60)
    async with w.client() as client:
        await played(w, client)
        assert (await w.take(1, "cem", "h", room=ROOM)).state == pb.SEAT_STATE_NOT_FREE
        await gone(w, client)
        first = await w.take(1, "cem", "h", room=ROOM)
        again = await w.take(1, "cem", "h", room=ROOM)
        assert first.state == again.state == pb.SEAT_STATE_SEATED
        held = seat_tokens.read(w.keys.table.seats, again.token.token)
        assert (held.table, held.seat, held.player) == ("t", 1, "cem")
        assert len(items(w, "join")) == 1
        assert (await w.take(1, "dee", "h2", room=ROOM)).state == pb.SEAT_STATE_NOT_FREE
        wishes: list[dict[str, Any]] = [{"player": "dee"}, {"seat": 0}]
        for wish in wishes:
            with pytest.raises(aio.AioRpcError) as caught:
                await w.take(**{"seat": 1, "player": "cem", "hold": "h", "room": ROOM, **wish})
            assert rpc.from_rpc(caught.value).reason == "other_wish"
        await client.attach(1, first.token.token)
        await client.until(lambda: len(client.of("attached", 1)) == 2)
        await client.send(pb.Input(seat_ref=1, leave=pb.Leave()))
        await client.until(lambda: len(client.of("detached", 1)) == 2)
        assert (await w.take(1, "cem", "h", room=ROOM)).state == pb.SEAT_STATE_LEFT
        await client.send(pb.Input(seat_ref=0, leave=pb.Leave()))
        await until(lambda: w.hall.find("t") is None)
        assert (await w.take(1, "eve", "h3", room=ROOM)).state == pb.SEAT_STATE_OVER


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        ({"table_id": "nowhere"}, "unknown_table"),
        ({"table_id": "no way"}, "table_id"),
        ({"hold": "no way"}, "hold_id"),
        ({"player": ""}, "player_id"),
        ({"seat": 2}, "seat"),
        ({"room": "crazy_duel/expert"}, "seat"),
    ],
)
async def test_a_wish_that_cannot_be_is_refused_by_name(world: Callable[..., Any], wish: dict[str, Any], reason: str) -> None:
    w = await refilling(world)
    await w.open("ann", "bob", table_id="t", room=ROOM)
    with pytest.raises(aio.AioRpcError) as caught:
        await w.take(**{"seat": 1, "player": "cem", "hold": "h", "room": ROOM, **wish})
    assert rpc.from_rpc(caught.value).reason == reason


async def test_players_neither_see_nor_take_free_seats(world: Callable[..., Any]) -> None:
    w = await refilling(world)
    token = rpc.metadata(w.keys.player("ann"))
    async with w.stub() as stub:
        for call in (stub.ListFreeSeats(pb.ListFreeSeatsRequest(), metadata=token), stub.TakeSeat(pb.TakeSeatRequest(), metadata=token)):
            with pytest.raises(aio.AioRpcError) as caught:
                await call
            assert caught.value.code().name == "PERMISSION_DENIED"


async def test_free_seats_are_listed_by_room_and_not_while_somebody_takes_them(world: Callable[..., Any]) -> None:
    w = await refilling(world, rest=60)
    async with w.client() as client:
        await played(w, client)
        assert await w.free_seats() == []
        await gone(w, client)
        assert await w.free_seats() == await w.free_seats(ROOM) == [("t", 1)]
        assert await w.free_seats("crazy_duel/expert") == []
        w.settlement.silent = True
        async with w.stub() as stub:
            request = pb.TakeSeatRequest(table_id="t", room_id=ROOM, seat=1, player_id="cem", hold_id="h")
            answer = await stub.TakeSeat(request, metadata=rpc.metadata(w.service_token()), timeout=10)
        assert answer.state == pb.SEAT_STATE_JOINING
        assert await w.free_seats() == []
        w.settlement.silent = False
        assert (await w.take(1, "cem", "h", room=ROOM)).state == pb.SEAT_STATE_SEATED
        assert await w.free_seats() == []


async def test_the_new_player_sees_nothing_that_only_the_former_one_could(world: Callable[..., Any]) -> None:
    """Neither by the view they start with, nor by asking for events before their own."""
    w = await refilling(world, rest=60)
    async with w.client() as client, w.client() as newcomer:
        table = await played(w, client)
        # Who lost still holds cards: their view has them as their own.
        stays, goes = table.leader, 1 - table.leader
        await gone(w, client, goes)
        last = client.numbers(goes)[-1]
        answer = await w.take(goes, "cem", "h", room=ROOM)
        await newcomer.attach(7, answer.token.token, last_number=last - 6)
        await newcomer.until(lambda: newcomer.of("view", 7) != [])
        await newcomer.send(pb.Input(seat_ref=7, resync=pb.Resync(last_number=last - 3)))
        await newcomer.until(lambda: len(newcomer.of("view", 7)) == 2)
        async with w.stub() as stub:
            watch: Any = stub.Watch(pb.WatchRequest(table_id="t"), metadata=rpc.metadata(w.viewer_token()))
            public = (await watch.read()).events[0].view
            watch.cancel()
        for view in newcomer.of("view", 7):
            assert view.number > last, "their numbers go on where the former player's ended"
            assert [seat.player_id for seat in view.seats] == ["ann", "cem"] if goes else ["cem", "bob"]
            same = pb.View.FromString(view.SerializeToString())
            same.number = public.number
            assert same == public
        assert newcomer.numbers(7) == []
        await newcomer.send(pb.Input(seat_ref=7, resync=pb.Resync(last_number=newcomer.of("view", 7)[0].number)))
        await client.send(pb.Input(seat_ref=stays, leave=pb.Leave()))
        changed = (await newcomer.wait_for("seat_changed", 7))[0]
        assert (changed.seat, changed.left) == (stays, True)


async def test_the_former_players_token_opens_the_seat_no_more(world: Callable[..., Any]) -> None:
    w = await refilling(world, rest=60)
    async with w.client() as client:
        opened = await w.open("ann", "bob", table_id="t", room=ROOM)
        table = Duelist(w, client)
        await client.attach_all(opened)
        await table.dealt(1)
        await table.play()
        await gone(w, client)
        await client.attach(1, opened.tokens[1].token)
        await client.until(lambda: len(client.of("detached", 1)) == 2)
        await w.take(1, "cem", "h", room=ROOM)
        await client.attach(1, opened.tokens[1].token)
        await client.until(lambda: len(client.of("detached", 1)) == 3)
        assert [event.reason for event in client.of("detached", 1)] == ["left"] * 3
        foreign = w.keys.seat("t", 1, "dee", int(2e9))
        await client.attach(5, foreign)
        assert (await client.wait_for("detached", 5))[0].reason == "foreign_seat"


async def test_who_asks_twice_for_a_seat_hears_of_it_though_the_first_call_is_cancelled(world: Callable[..., Any]) -> None:
    w = await refilling(world, rest=60)
    async with w.client() as client, w.stub() as stub:
        await played(w, client)
        await gone(w, client)
        w.settlement.silent = True
        request = pb.TakeSeatRequest(table_id="t", room_id=ROOM, seat=1, player_id="cem", hold_id="h")
        calls = [stub.TakeSeat(request, metadata=rpc.metadata(w.service_token()), timeout=10) for _ in range(2)]
        await until(lambda: len(w.hall.takers.get("h", ())) == 2)
        calls[0].cancel()
        await until(lambda: len(w.hall.takers["h"]) == 1)
        w.settlement.silent = False
        assert (await calls[1]).state == pb.SEAT_STATE_SEATED
    assert not w.hall.takers
