"""Two matchmaking replicas on PostgreSQL beside a real table server and a real ledger, which holds whatever becomes of one at each step of
seating.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from services.kit.roles import Role
from services.matchmaking.config import Settings
from services.matchmaking.tickets import TicketState
from tests.e2e.installation import FAST_ROOMS, Embedded
from tests.matchmaking.replica import LEASE_SECONDS, Barrier, Replica, replica
from tests.support.postgres import Postgres
from xuezhan.client import Client

pytestmark = pytest.mark.timeout(180)

ROOM = "crazy_xuezhan/mayou"
STEPS = [
    *(("before", step) for step in ("write_match", "call_hold", "call_open")),
    *(("after", step) for step in ("write_match", "call_hold", "stakes_held", "call_open", "opened")),
]
FATES = ("killed", pytest.param("stopped_and_continued", marks=pytest.mark.drill))
"""Together they take minutes: the second is drilled."""
_names = (f"player{number}" for number in itertools.count())


class Beside:
    """Replicas of matchmaking beside `up`, whose own matchmaking is not used."""

    def __init__(self, up: Embedded, url: str) -> None:
        self.up = up
        self.url = url

    def replica(self, barrier: Barrier | None, name: str, *, driven: bool = True) -> AbstractAsyncContextManager[Replica]:
        settings = Settings(
            database_url=self.url,
            secrets=self.up.keys,
            development=True,
            rooms_file=FAST_ROOMS,
            settlement_address=self.up.addresses["settlement"],
            table_addresses=self.up.addresses["table"],
        )
        return replica(settings, self.up.keyring, barrier, name, driven=driven)


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres) -> Iterator[Beside]:
    with Embedded(tmp_path_factory.mktemp("steps")) as up:
        yield Beside(up, postgres.new_database("steps"))


@pytest.fixture
async def client(beside: Beside) -> AsyncIterator[Client]:
    async with Client(table=beside.up.addresses["table"], settlement=beside.up.addresses["settlement"]) as client:
        yield client


async def fund(beside: Beside, client: Client, count: int) -> list[str]:
    """Give coins to new players."""
    players = list(itertools.islice(_names, count))
    token = beside.up.keyring.part(Role.CASHIER, Role.SETTLEMENT)
    await asyncio.gather(*(client.coins.deposit(token, player, 100_000, f"{player}-funds", "test") for player in players))
    return players


async def seat(at: Replica, tickets: dict[str, str]) -> None:
    await asyncio.gather(*(at.reaches(player, ticket, TicketState.SEATED) for player, ticket in tickets.items()))


async def tables_of(beside: Beside, client: Client, players: list[str]) -> dict[str, int]:
    """How many of the players each live table has."""
    token = beside.up.keyring.part(Role.VIEWER, Role.TABLE)
    found: dict[str, int] = {}
    async for table in client.tables().live(token):
        here = sum(seat.player_id in players for seat in table.seats)
        if here:
            found[table.table_id] = here
    return found


async def occupied(beside: Beside, client: Client, players: list[str]) -> set[Any]:
    """The matches that the ledger says the players are in."""
    token = beside.up.keyring.part(Role.CASHIER, Role.SETTLEMENT)
    return {(await client.coins.balance(token, player)).match_id for player in players}


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize(("when", "step"), STEPS, ids=[f"{when}_{step}" for when, step in STEPS])
async def test_four_players_have_one_table_whatever_step_of_seating_a_replica_ends_or_halts_at(
    beside: Beside, client: Client, when: str, step: str, fate: str
) -> None:
    barrier = Barrier(step, when)
    players = await fund(beside, client, 4)
    async with beside.replica(None, "two", driven=False) as two, beside.replica(barrier, "one") as one:
        tickets = {**await one.queue(ROOM, *players[:2]), **await two.queue(ROOM, *players[2:])}
        await asyncio.wait_for(barrier.came.wait(), 20)
        two.loop.start()
        await seat(two, tickets)
        if fate == "stopped_and_continued":
            await asyncio.sleep(LEASE_SECONDS)
            barrier.go.set()
            await one.quiet()
        ((table, count),) = (await tables_of(beside, client, players)).items()
        assert count == 4
        assert await occupied(beside, client, players) == {table}
        assert one.faults() == two.faults() == {}
    checked = await asyncio.to_thread(beside.up.ledger_check)
    assert checked.status == 0, checked.out + checked.err
