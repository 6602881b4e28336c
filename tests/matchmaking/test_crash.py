"""A process that dies between any two steps leaves nobody seated twice, and no stake held for nothing.

The process "dies" right before or right after one of its steps: from then on it does nothing. Another is started on the same database, and
everybody is seated by it.
"""

import asyncio
import itertools
from typing import Any

import pytest

from services.kit.callers import Caller
from services.matchmaking.tickets import TicketState
from tests.matchmaking.conftest import FOUR, POSTGRES, ROOM, House, until
from tests.matchmaking.replica import Barrier


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


SMOOTH = ("end_claims", "write_match", "call_hold", "stakes_held", "call_open", "opened")
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
    *(("postgres", trouble, step, "after") for trouble, step in CASES if (trouble is smooth and step != "end_claims") or step == "give_up"),
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
    death = Barrier(step, when)
    tickets: dict[str, str] = {}
    async with house.replica(death) as one:
        for player in players:
            tickets |= await one.queue(ROOM, player)
            if player == "zoe":
                house.ledger.wallets["zoe"] = 0
        async with asyncio.timeout(20):
            await death.came.wait()
    house.table.down.clear()
    house.table.lost.clear()
    async with house.replica(name="two") as two:
        for player in FOUR:
            await two.reaches(player, tickets[player], TicketState.SEATED)
        if "zoe" in tickets:
            await two.reaches("zoe", tickets["zoe"], TicketState.FAILED)
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
    async with house.replica(name="same") as one, house.replica(name="same") as two:
        players = [f"p{number}" for number in range(60)]
        desks = itertools.cycle((one.desk, two.desk))
        made = await asyncio.gather(*(next(desks).create(Caller(player), ROOM, "") for player in players))
        for player, ticket in zip(players, made, strict=True):
            await one.reaches(player, ticket.id, TicketState.SEATED)
    seated = [player for table in house.table.seats.values() for player in table]
    assert sorted(seated) == sorted(players)
    assert set(house.ledger.holds.values()) == {"bound"}
