"""Players with the client library while their table goes from one real server to another."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.network.players import NAMES, Party, Player, assert_answered, assert_played_once, record
from tests.support.proxy import DOWN, UP, Proxy
from tests.table.play import until
from tests.table.several import held
from tests.table.world import World
from xuezhan.client.tickets import Place

Pair = list[tuple[World, Proxy]]
TABLES = 4


async def sit(party: Party, world: World) -> list[list[Player]]:
    """Play some tables, and wait until each is in the middle of its hand."""
    tables = [party.sit(await world.open(*NAMES), 0, 1, 2, 3, seed=number, think=0.02) for number in range(TABLES)]
    for players in tables:
        await players[0].until(lambda players=players: players[0].offers > 4)
    return tables


async def assert_whole(tables: list[list[Player]], world: World, open_at: float) -> None:
    """Every hand ends, and nothing was lost on the way."""
    for players in tables:
        for player in players:
            await player.until(player.done)
        assert_answered(players, open_at)
        assert_played_once(await record(world, players[0].seat.table_id), players)


def longest(tables: list[list[Player]]) -> float:
    """How long the act that waited longest had no answer."""
    return max(act.answered_at - act.sent_at for players in tables for player in players for act in player.acts)


async def test_a_drain_is_followed_by_all_seats_without_a_lost_connection(pair: Pair) -> None:
    (a, proxy), (b, other) = pair
    async with Party(a, proxy.address) as party:
        tables = await sit(party, a)
        await a.service._hand_over.run(patient=False)
        await assert_whole(tables, b, 0.0)
        assert longest(tables) < 2
        assert party.streams.moves == 4 * TABLES
        assert party.streams.broken == 0
        assert {player.seat.place.address for players in tables for player in players} == {other.address}


async def test_a_seat_whose_token_expires_while_its_table_moves_goes_on_with_a_fresh_one(pair: Pair) -> None:
    (a, proxy), (b, other) = pair
    seconds = a.hall.settings.seat_token_seconds
    a.hall.settings = a.hall.settings.model_copy(update={"seat_token_seconds": 2})
    table = ""
    asked: list[int] = []

    def finder(seat: int) -> Any:
        async def relocate() -> Place:
            asked.append(seat)
            again = await b.open(*NAMES, table_id=table)
            return Place(other.address, again.tokens[seat].token, table, seat, epoch=again.epoch)

        return relocate

    async with AsyncExitStack() as stack:
        opened = await a.open(*NAMES)
        table, expires_at = opened.table_id, max(token.expires_at for token in opened.tokens)
        a.hall.settings = a.hall.settings.model_copy(update={"seat_token_seconds": seconds})
        parties = [await stack.enter_async_context(Party(a, proxy.address, finder(seat))) for seat in range(4)]
        players = [party.sit(opened, seat, think=0.02)[0] for seat, party in enumerate(parties)]
        go = asyncio.Event()
        hand_over: Any = a.service._hand_over
        hand_over._move = held(hand_over._move, go)
        draining = asyncio.ensure_future(hand_over.run(patient=False))
        await until(lambda: time.time() > expires_at)
        go.set()
        await draining
        await assert_whole([players], b, 0.0)
        assert sorted(asked) == [0, 1, 2, 3], "each asks once"
        assert [party.streams.broken for party in parties] == [0] * 4


async def test_a_server_that_is_killed_costs_its_players_a_pause(pair: Pair) -> None:
    (a, proxy), (b, other) = pair
    async with Party(a, proxy.address) as party:
        tables = await sit(party, a)
        await a.crash()
        # Also its address refuses nothing any more.
        proxy.hold()
        await assert_whole(tables, b, asyncio.get_running_loop().time())
        assert party.streams.broken >= 1
        assert {player.seat.place.address for players in tables for player in players} == {other.address}


@pytest.mark.parametrize("ways", [(UP, DOWN), (UP,), (DOWN,)])
async def test_a_server_that_clients_cannot_reach_keeps_its_tables_and_is_found_when_they_can(
    pair: Pair, hurry: None, ways: tuple[str, ...]
) -> None:
    """The other server sends them back to it again and again; nothing is played meanwhile, and nothing is lost."""
    (a, proxy), _ = pair
    async with Party(a, proxy.address) as party:
        tables = await sit(party, a)
        proxy.hold(*ways)
        await until(lambda: party.streams.moves > 4, 20)
        proxy.mend()
        await assert_whole(tables, a, asyncio.get_running_loop().time())
        assert {player.seat.place.address for players in tables for player in players} == {proxy.address}
