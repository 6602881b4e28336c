"""A process that dies between any two steps leaves nobody seated twice, and no stake held for nothing.

The process "dies" right before or right after one of its steps: from then on it does nothing. Another is started on the same database, and
everybody is seated by it.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from services.kit.callers import Caller
from services.kit.roles import Role
from services.kit.rooms import load_rooms
from services.kit.supervise import Supervisor
from services.matchmaking.desk import Desk
from services.matchmaking.lease import RoomLeases
from services.matchmaking.loop import Loop
from services.matchmaking.seating import Parts
from services.matchmaking.server import make_parts
from services.matchmaking.tickets import TicketState
from tests.matchmaking.conftest import FOUR, POSTGRES, ROOM, House, until


class Death:
    """Comes right before or after the step `at` is done for the first time."""

    def __init__(self, at: str, when: str) -> None:
        self.at, self.when = at, when
        self.came = asyncio.Event()

    async def step(self, name: str, doing: Callable[[], Any]) -> Any:
        if not self.came.is_set() and name != self.at:
            return await doing()
        if not self.came.is_set():
            if self.when == "after":
                await doing()
            self.came.set()
        return await asyncio.get_running_loop().create_future()


class Mortal:
    """A database or partner that is used by a mortal process."""

    def __init__(self, inner: Any, death: Death) -> None:
        self._inner = inner
        self._death = death

    async def run(self, work: Any, *args: Any) -> Any:
        return await self._death.step(work.__name__, lambda: self._inner.run(work, *args))

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name not in {"hold", "release", "open", "take", "balance"}:
            return found
        return lambda *args: self._death.step(f"call_{name}", lambda: found(*args))


@asynccontextmanager
async def process(house: House, death: Death | None = None, leases: str = "me") -> AsyncIterator[tuple[Parts, Desk]]:
    """The parts of one process, without a port."""
    settings = house.settings(seating_limit_seconds=0.05)
    parts = real = await make_parts(settings, CollectorRegistry(), house.keys.of(Role.MATCHMAKING), Supervisor())
    if death is not None:
        parts = replace(
            real,
            database=Mortal(real.database, death),  # type: ignore[arg-type]
            settlement=Mortal(real.settlement, death),  # type: ignore[arg-type]
            tables=Mortal(real.tables, death),  # type: ignore[arg-type]
        )
    rooms = load_rooms(settings.rooms_file)
    loop = Loop(parts, rooms, RoomLeases(leases), 1e6, Supervisor())
    try:
        loop.start()
        yield real, Desk(real, rooms, loop, 1000)
    finally:
        if death is not None:
            tasks = [task for task in asyncio.all_tasks() if task.get_name().startswith("match")]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        else:
            await loop.stop(2)
        await real.settlement.close()
        await real.tables.close()
        await asyncio.to_thread(real.database.close)


async def ticket_reaches(parts: Parts, desk: Desk, player: str, ticket: str, state: TicketState) -> None:
    watch = parts.board.follow(await desk.find(Caller(player), ticket))
    try:
        # Less than a claim lasts: whoever starts goes on at once.
        async with asyncio.timeout(9):
            while watch.ticket.state != state:
                watch.changed.clear()
                await watch.changed.wait()
    finally:
        parts.board.leave(watch)


def smooth(_house: House) -> None:
    """Everything goes well."""


def called_off(house: House) -> None:
    """The first table cannot bind its stakes."""
    house.table.call_off = {1}


def no_table(house: House) -> None:
    """No table server answers until the process has died."""
    house.table.down["OpenTable"] = 1000


def never_told(house: House) -> None:
    """The table is opened, but its answers are lost until the process has died."""
    house.table.lost["OpenTable"] = 1000


def short(house: House) -> None:
    """One of the first four has become short."""
    house.ledger.wallets["zoe"] = 0


SMOOTH = ("take_over", "write_match", "call_hold", "stakes_held", "call_open", "opened")
GIVEN_UP = ("give_up", "call_release", "released")
CASES = [
    *((smooth, step) for step in SMOOTH),
    *((called_off, step) for step in ("call_open", *GIVEN_UP)),
    *((no_table, step) for step in ("later", *GIVEN_UP)),
    *((never_told, step) for step in ("give_up", "call_release", "bound")),
    *((short, step) for step in ("stakes_not_held", "call_release", "released")),
]


# Right after a step is right before the next. On PostgreSQL the steps are the same; what its own SQL does shows in a few.
WHERE = [
    *(("sqlite", trouble, step, "after") for trouble, step in CASES),
    *(("sqlite", smooth, step, "before") for step in SMOOTH[:2]),
    *(("postgres", trouble, step, "after") for trouble, step in CASES if trouble is smooth or step == "give_up"),
]


@pytest.mark.parametrize(
    ("database_url", "trouble", "step", "when"),
    WHERE,
    indirect=["database_url"],
    ids=[f"{database}-{trouble.__name__}-{when}_{step}" for database, trouble, step, when in WHERE],
)
async def test_everybody_ends_seated_once_whatever_step_the_process_died_at(house: House, trouble: Any, step: str, when: str) -> None:
    await house.stand_ins()
    trouble(house)
    players = list(FOUR) if trouble is not short else ["anna", "bela", "zoe", "carl", "dora"]
    if trouble is short:
        house.ledger.wallets["zoe"] = 5000
    death = Death(step, when)
    tickets = {}
    async with process(house, death) as (_, desk):
        for player in players:
            tickets[player] = (await desk.create(Caller(player), ROOM, "")).id
            if player == "zoe":
                house.ledger.wallets["zoe"] = 0
        async with asyncio.timeout(20):
            await death.came.wait()
    house.table.down.clear()
    house.table.lost.clear()
    async with process(house) as (parts, desk):
        for player in FOUR:
            await ticket_reaches(parts, desk, player, tickets[player], TicketState.SEATED)
        if "zoe" in tickets:
            await ticket_reaches(parts, desk, "zoe", tickets["zoe"], TicketState.FAILED)
        await until(lambda: "held" not in house.ledger.holds.values())
    assert_seated_once(house)


def assert_seated_once(house: House) -> None:
    bound = [match for match, state in house.ledger.holds.items() if state == "bound"]
    assert [sorted(house.table.seats[match]) for match in bound] == [sorted(FOUR)]
    assert set(house.ledger.occupied) == set(FOUR)
    assert set(house.ledger.occupied.values()) == set(bound)
    assert all("held" not in history[1:] for history in house.ledger.history.values())


@POSTGRES
async def test_two_processes_that_match_the_same_room_use_no_ticket_twice(house: House) -> None:
    await house.stand_ins()
    # The same holder's name: both hold the lease, so that only the compare-and-set keeps them apart.
    async with process(house, leases="same") as (parts, one), process(house, leases="same") as (_, two):
        players = [f"p{number}" for number in range(60)]
        desks = itertools.cycle((one, two))
        made = await asyncio.gather(*(next(desks).create(Caller(player), ROOM, "") for player in players))
        for player, ticket in zip(players, made, strict=True):
            await ticket_reaches(parts, one, player, ticket.id, TicketState.SEATED)
    seated = [player for table in house.table.seats.values() for player in table]
    assert sorted(seated) == sorted(players)
    assert set(house.ledger.holds.values()) == {"bound"}
