"""Players with the client library while their table goes from one real server to another."""

from __future__ import annotations

import asyncio

import pytest

from tests.network.players import NAMES, Party, Player, assert_answered, assert_played_once, record
from tests.support.proxy import DOWN, UP, Proxy
from tests.table.play import until
from tests.table.world import World

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
