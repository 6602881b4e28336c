"""One replica of matchmaking without a port, which a test can kill, or stop and continue, at any step."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from prometheus_client import CollectorRegistry

from services.kit.callers import Caller
from services.kit.roles import Role
from services.kit.rooms import load_rooms
from services.kit.supervise import Supervisor
from services.matchmaking.config import Settings
from services.matchmaking.desk import Desk
from services.matchmaking.lease import RoomLeases
from services.matchmaking.loop import Loop
from services.matchmaking.seating import Parts
from services.matchmaking.server import make_parts
from services.matchmaking.tickets import Ticket, TicketState
from tests.support.keyring import Keyring

CLAIM_SECONDS = LEASE_SECONDS = 0.5
_CALLS = frozenset({"hold", "release", "open", "take", "balance", "free_seats", "look"})


class Barrier:
    """Where a replica stops: right before or right after a step is done for the first time. From then on nothing of it happens until
    `go` is set, as when its process was sent SIGSTOP; if it never is, the replica was killed.
    """

    def __init__(self, at: str, when: str = "after") -> None:
        self.at, self.when = at, when
        self.came = asyncio.Event()
        self.go = asyncio.Event()

    async def step(self, name: str, doing: Callable[[], Awaitable[Any]]) -> Any:
        """Do a step, unless the replica has stopped."""
        first = name == self.at and not self.came.is_set()
        if first and self.when == "before":
            self.came.set()
        await self._wait()
        answer = await doing()
        if first and self.when == "after":
            self.came.set()
        await self._wait()
        return answer

    async def _wait(self) -> None:
        if self.came.is_set():
            await self.go.wait()


class Halting:
    """A database or partner of a replica that stops."""

    def __init__(self, inner: Any, barrier: Barrier) -> None:
        self._inner = inner
        self._barrier = barrier

    async def run(self, work: Any, *args: Any) -> Any:
        return await self._barrier.step(work.__name__, lambda: self._inner.run(work, *args))

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name not in _CALLS:
            return found
        return lambda *args: self._barrier.step(f"call_{name}", lambda: found(*args))


@dataclass
class Replica:
    """A running replica. `parts` never stop: tests look through them."""

    parts: Parts
    desk: Desk
    loop: Loop
    registry: CollectorRegistry

    async def reaches(self, player: str, ticket: str, *states: TicketState) -> Ticket:
        """Follow a ticket here until it is in one of the states."""
        watch = self.parts.board.follow(await self.desk.find(Caller(player), ticket))
        try:
            async with asyncio.timeout(15):
                while watch.ticket.state not in states:
                    watch.changed.clear()
                    await watch.changed.wait()
            return watch.ticket
        finally:
            self.parts.board.leave(watch)

    async def queue(self, room: str, *players: str) -> dict[str, str]:
        """Make a ticket for each player; returns their ids."""
        return {player: (await self.desk.create(Caller(player), room, "")).id for player in players}

    async def quiet(self) -> None:
        """Wait until it works on no match."""
        async with asyncio.timeout(15):
            while self.loop._working:  # noqa: ASYNC110 - its tasks end by themselves
                await asyncio.sleep(0.01)

    def faults(self) -> dict[str, float]:
        """What it has not foreseen, by where."""
        where = {step: {"step": step, "reason": "internal"} for step in ("loop", "work")}
        found = {
            step: self.registry.get_sample_value("xuezhan_matchmaking_seating_failures_total", labels) for step, labels in where.items()
        }
        return {step: count for step, count in found.items() if count}


@asynccontextmanager
async def replica(
    settings: Settings, keys: Keyring, barrier: Barrier | None = None, name: str = "one", *, driven: bool = True
) -> AsyncIterator[Replica]:
    """A replica with short leases and claims. Not `driven`: its loop is started by the test."""
    registry = CollectorRegistry()
    made = await make_parts(settings, registry, keys.of(Role.MATCHMAKING), Supervisor())
    parts = real = replace(made, replica=name, claim_seconds=CLAIM_SECONDS)
    if barrier is not None:
        parts = replace(
            real,
            database=Halting(real.database, barrier),  # type: ignore[arg-type]
            settlement=Halting(real.settlement, barrier),  # type: ignore[arg-type]
            tables=Halting(real.tables, barrier),  # type: ignore[arg-type]
        )
    rooms = load_rooms(settings.rooms_file)
    loop = Loop(parts, rooms, RoomLeases(name, LEASE_SECONDS), 1e6, Supervisor())
    try:
        if driven:
            loop.start()
        yield Replica(real, Desk(real, rooms, loop, 1000), loop, registry)
    finally:
        if barrier is not None and barrier.came.is_set() and not barrier.go.is_set():
            await _kill(loop)
        else:
            await loop.stop(2)
        await real.settlement.close()
        await real.tables.close()
        await asyncio.to_thread(real.database.close)


async def _kill(loop: Loop) -> None:
    """End everything of a loop where it stands."""
    tasks = [task for task in (loop._driving, *loop._beside, *loop._working.values()) if task is not None]
    loop._vacancies.stop()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
