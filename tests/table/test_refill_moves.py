"""A seat that is being taken while its table moves: the taker gets it at the new owner, once, and the next hand is dealt with them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from services.kit import rpc
from tests.table.client import Client
from tests.table.play import until
from tests.table.several import Servers, held, servers
from tests.table.test_duel import Duel, Duelist, items, records
from tests.table.test_refill import gone, played
from tests.table.world import World
from xuezhan.api.table.v1 import table_pb2 as pb

__all__ = ["servers"]

ROOM = "crazy_duel/beginner"
WISH = pb.TakeSeatRequest(table_id="t", room_id=ROOM, seat=1, player_id="cem", hold_id="h")


async def ask(w: World) -> pb.TakeSeatResponse:
    """Ask for the seat once, as matchmaking does."""
    async with w.stub() as stub:
        return await stub.TakeSeat(WISH, metadata=rpc.metadata(w.service_token()), timeout=10)


async def two_with_a_free_seat(servers: Servers) -> tuple[World, World]:
    a, b = await servers(2, Duel(hands=3, refill=60))
    a.settlement.stake = 10_000
    b.hall.reconnect_seconds = 0
    async with a.client() as client:
        await played(a, client)
        await gone(a, client)
    return a, b


async def dealt_with_the_new_player(a: World, b: World) -> None:
    """Play the second hand at `b`, and look who sat there and what was settled by `a`'s settlement."""
    answer = await ask(b)
    assert answer.state == pb.SEAT_STATE_SEATED, "the same wish has the same end"
    again = await b.open("ann", "bob", table_id="t", room=ROOM)
    async with b.client() as client:
        await client.attach(0, again.tokens[0].token)
        await client.attach(1, answer.token.token)
        await second_hand(b, client)
    assert [record["seats"] for record in await records(b)] == [["ann", "bob"], ["ann", "cem"]]
    assert [item["player"] for item in items(a, "join")] == ["cem"]


async def second_hand(w: World, client: Client) -> None:
    table = Duelist(w, client)
    await table.dealt(2)
    await table.play()
    await client.until(lambda: any(event.hand == 2 for event in client.of("stage_settled", 0)))


async def by_hand_over(a: World, _b: World) -> None:
    await a.service._hand_over.run(patient=False)


async def by_loss(a: World, _b: World) -> None:
    await a.crash()


@pytest.mark.parametrize("move", [by_hand_over, by_loss])
async def test_a_stake_that_is_being_bound_while_the_table_moves_seats_its_player_at_the_new_owner(
    servers: Servers, move: Callable[[World, World], Any]
) -> None:
    a, b = await two_with_a_free_seat(servers)
    a.settlement.lose = lambda _table, _seq: True
    assert (await ask(a)).state == pb.SEAT_STATE_JOINING
    await move(a, b)
    await until(lambda: b.hall.find("t") is not None, seconds=20)
    assert (await ask(b)).state == pb.SEAT_STATE_JOINING, "it is not offered to others, and not yet given"
    assert await b.free_seats() == []
    a.settlement.lose = lambda _table, _seq: False
    await until(lambda: b.hall.find("t").course.players == ("ann", "cem"), seconds=20)
    await dealt_with_the_new_player(a, b)


async def test_a_wish_that_comes_while_the_table_is_handed_over_is_sent_on_to_the_new_owner(servers: Servers) -> None:
    a, b = await two_with_a_free_seat(servers)
    go = asyncio.Event()
    hand_over: Any = a.service._hand_over
    hand_over._move = held(hand_over._move, go)
    draining = asyncio.ensure_future(hand_over.run(patient=False))
    await until(lambda: a.hall.draining and a.hall.find("t").shut)
    asked = asyncio.ensure_future(ask(a))
    await until(lambda: bool(a.hall.takers))
    go.set()
    # The call may have been put aside or answered by whoever asks again: it says nothing false.
    answers = await asyncio.gather(asked, draining, return_exceptions=True)
    assert "UNAVAILABLE" in str(answers[0])
    sent_on = await ask(a)
    assert (sent_on.state, sent_on.address) == (pb.SEAT_STATE_ELSEWHERE, b.address)
    await until(lambda: b.hall.find("t") is not None)
    assert (await b.take(1, "cem", "h", room=ROOM)).state == pb.SEAT_STATE_SEATED
    await dealt_with_the_new_player(a, b)
