"""The loop that drives a replica: it matches the tickets of its rooms and works on matches that are due, whoever made them.

It runs at once when it is told of something new and a few times a second otherwise: for bots' turns and retries, for tickets made at other
replicas, and for matches whose replica has died.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from math import inf
from typing import Final, NamedTuple

import sqlalchemy as sa

from services.kit import logs
from services.kit.errors import UnavailableError
from services.kit.rooms import Rooms
from services.kit.supervise import Supervisor
from services.matchmaking import store, store_matches, store_rooms
from services.matchmaking.busy import BusyPlayers
from services.matchmaking.directory import LOOK_SECONDS
from services.matchmaking.lease import MODEST_SECONDS, RoomLeases
from services.matchmaking.matcher import Waiting, plan
from services.matchmaking.metrics import tier
from services.matchmaking.seating import Parts, Seating
from services.matchmaking.tickets import ACTIVE, UNSEATED, Match, MatchState, Why, new_match_id
from services.matchmaking.vacancies import Vacancies

log = logs.get(__name__)

TICK_SECONDS: Final = 0.25
CHORE_SECONDS: Final = 1.0
REFRESH_SECONDS: Final = 0.5
"""How soon a watch here hears of what another replica did, at the latest."""
SEATED_EVERY: Final = 10
"""Seated tickets are many and change seldom: they are read again only every so many times."""
PRUNE_SECONDS: Final = 600.0
IN_FLIGHT: Final = 64
"""Matches worked on at a time."""
_MOVED_AT_ONCE: Final = 50
"""Tables of lost servers that are asked for with each list, while somebody follows their tickets."""


class Seen(NamedTuple):
    """What one look at the database shows."""

    queued: dict[str, int]
    unfinished: int
    waiting: list[store.WaitingTicket]
    due: list[Match]
    joining: set[tuple[str, int]]
    closed: dict[str, store_rooms.RoomAct]


class Loop:
    """Drives one process's share of the work."""

    def __init__(self, parts: Parts, rooms: Rooms, leases: RoomLeases, retention_seconds: float, supervisor: Supervisor) -> None:
        self._parts = parts
        self._run = parts.database.run
        self._rooms = rooms
        self._leases = leases
        self._retention = retention_seconds
        self._supervisor = supervisor
        self.seating = Seating(parts, self.wake)
        self._vacancies = Vacancies(parts.tables, rooms, self.wake)
        self._busy = BusyPlayers(parts, self.wake)
        self.queued: dict[str, int] = {}
        """Tickets waiting in each room, as last seen."""
        self._woken = asyncio.Event()
        self._driving: asyncio.Task[None] | None = None
        self._beside: list[asyncio.Task[None]] = []
        self._stopping = False
        self._working: dict[str, asyncio.Task[None]] = {}
        self._chores_at = self._prune_at = -inf

    def wake(self) -> None:
        """Tell the loop that there is something new."""
        self._woken.set()

    def start(self) -> None:
        """Begin to drive, and beside that to learn what other replicas did, which table servers there are and who is busy no longer."""
        self._driving = asyncio.create_task(self._supervisor.task("matchmaking", self._drive, lambda: self._stopping), name="matchmaking")
        self._beside = [
            asyncio.create_task(self._supervisor.task("watches", self._refresh), name="match-watches"),
            asyncio.create_task(self._supervisor.task("table_servers", self._look_for_servers), name="match-table-servers"),
            asyncio.create_task(self._supervisor.task("busy_players", self._look_at_busy), name="match-busy-players"),
        ]

    async def stop(self, grace_seconds: float) -> None:
        """Let the turn and the steps under way end, for a bounded time; what is left is due at once, for the other replicas."""
        if self._driving is None:
            return
        self._stopping = True
        self._vacancies.stop()
        self.wake()
        # Not cancelled in its turn: its transaction would go on, and could take leases after they are dropped here.
        await asyncio.wait((self._driving, *self._working.values()), timeout=grace_seconds)
        tasks = (self._driving, *self._beside, *self._working.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        try:
            await self._run(self._leave)
        except UnavailableError:
            log.warning("leases_kept")

    def _leave(self, connection: sa.Connection) -> None:
        self._parts.clock.read(connection)
        self._leases.drop(connection, self._parts.clock())
        store_matches.end_claims(connection, self._parts.clock(), self._parts.replica)

    async def _drive(self) -> None:
        if self._parts.database.is_sqlite:
            # A file is one process's: whoever had a claim before has died.
            await self._until_it_works(lambda: self._run(store_matches.end_claims, self._parts.clock()))
        while not self._stopping:
            await self._until_it_works(self._turn)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TICK_SECONDS):
                    await self._woken.wait()

    async def _refresh(self) -> None:
        for number in itertools.count(1):
            await asyncio.sleep(REFRESH_SECONDS)
            with contextlib.suppress(UnavailableError):
                await self._parts.board.refresh(self._parts.database, UNSEATED if number % SEATED_EVERY else ACTIVE)

    async def _look_for_servers(self) -> None:
        while True:
            await self._parts.tables.look()
            self._look_for_tables()
            await asyncio.sleep(LOOK_SECONDS)

    def _look_for_tables(self) -> None:
        """Let followers look again who play at a table whose server is not listed any more: it moves."""
        board = self._parts.board
        lost = [match_id for match_id in self.seating.book.lost() if board.follows(match_id)]
        for match_id in random.sample(lost, min(len(lost), _MOVED_AT_ONCE)):
            board.poke(match_id)

    async def _look_at_busy(self) -> None:
        while True:
            await asyncio.sleep(CHORE_SECONDS)
            with contextlib.suppress(UnavailableError):
                await self._busy.look(MODEST_SECONDS if self._is_modest else 0.0)

    async def _until_it_works(self, work: Callable[[], Awaitable[object]]) -> None:
        pause = TICK_SECONDS
        while not self._stopping:
            try:
                await work()
                return
            except UnavailableError as error:
                log.warning("matchmaking_waits", reason=error.reason, message=error.message)
            except Exception:
                # One bad row must not end all matchmaking.
                log.exception("matchmaking_failed")
                self._parts.metrics.failed("loop", "internal")
            await asyncio.sleep(pause)
            pause = min(pause * 2, 5.0)

    async def _turn(self) -> None:
        self._woken.clear()
        seen: Seen = await self._run(self._look, list(self._working))
        now = self._parts.clock()
        self._note(seen, now)
        for match in seen.due:
            self._start(match)
        await self._match(seen, now, self._may_write(seen))
        # By this machine's clock: the database's may be set.
        if time.monotonic() >= self._chores_at:
            self._chores_at = time.monotonic() + CHORE_SECONDS
            await self._chores(now, seen)

    def _look(self, connection: sa.Connection, working: list[str]) -> Seen:
        self._parts.clock.read(connection)
        claim = self._parts.claim()
        now = claim.now
        queued = store.queued(connection)
        known = [room for room in queued if self._rooms.get(room)]
        modest = self._is_modest
        mine = self._leases.hold(connection, known, now, modest=modest)
        due = store_matches.claim_due(connection, claim, IN_FLIGHT - len(working), working, MODEST_SECONDS if modest else 0.0)
        unfinished = store_matches.unfinished(connection)
        joining = store_matches.joining(connection) if unfinished else set()
        closed = store_rooms.closed(connection)
        waiting = store.waiting(connection, [room for room in mine if room not in closed], now)
        return Seen(queued, unfinished, waiting, due, joining, closed)

    def _note(self, seen: Seen, now: float) -> None:
        self.queued = seen.queued
        oldest: dict[str, float] = {}
        for ticket in seen.waiting:
            oldest[ticket.room] = min(ticket.created_at, oldest.get(ticket.room, now))
        for room in self._rooms:
            labels = tier(room.room_id)
            self._parts.metrics.waiting.labels(*labels).set(seen.queued.get(room.room_id, 0))
            self._parts.metrics.oldest.labels(*labels).set(now - oldest.get(room.room_id, now))

    @property
    def _is_modest(self) -> bool:
        """Whether rooms and matches are left to replicas that reach the partners, which this one does not."""
        return not (self._parts.settlement.is_reached and self._parts.tables.is_reached) and not self._parts.database.is_sqlite

    @property
    def _partners_answer(self) -> bool:
        return self._parts.settlement.answers and self._parts.tables.answers

    def _may_write(self, seen: Seen) -> int:
        """Return how many matches may be written now."""
        if self._partners_answer:
            return IN_FLIGHT - len(self._working)
        # While a partner is away one match finds out when it is back; more of them would only keep their tickets from leaving.
        return 0 if seen.unfinished else 1

    async def _match(self, seen: Seen, now: float, most: int) -> None:
        by_room: dict[str, list[Waiting]] = {}
        for ticket in seen.waiting:
            by_room.setdefault(ticket.room, []).append(Waiting(ticket.id, ticket.player, ticket.created_at))
        self._vacancies.look(by_room)
        for tickets in by_room.values():
            tickets.sort(key=lambda ticket: (ticket.since, ticket.ticket))
        # One match of each room in turn, where the oldest tickets wait first: under pressure no room takes the places of all.
        oldest_first = sorted(by_room, key=lambda room: by_room[room][0].since)
        rounds = deque(self._planned(room, by_room[room], seen.joining, now) for room in oldest_first)
        while rounds and most > 0:
            planned = rounds.popleft()
            if (pair := next(planned, None)) is not None:
                most -= 1
                await self._write(*pair, now)
                rounds.append(planned)

    def _planned(
        self, room_id: str, tickets: list[Waiting], joining: set[tuple[str, int]], now: float
    ) -> Iterator[tuple[Match, Sequence[Waiting]]]:
        """Yield a room's matches with the tickets of each. Whoever waits the longest gets a free seat, before new tables are made."""
        room = self._rooms.get(room_id)
        assert room is not None
        left = deque(tickets)
        while left and (vacancy := self._vacancies.pick(room_id, joining)) is not None:
            ticket = left.popleft()
            seats = tuple(ticket.player if seat == vacancy.seat else None for seat in range(room.players))
            yield _match(room_id, seats, now, vacancy.server, vacancy.table), [ticket]
        for table in plan(left, room.players, room.bots.wait_seconds, now):
            yield _match(room_id, (*(ticket.player for ticket in table.tickets), *(None,) * table.bots), now), table.tickets

    async def _write(self, match: Match, tickets: Sequence[Waiting], now: float) -> None:
        try:
            taken = await self._run(store_matches.write_match, match, [ticket.ticket for ticket in tickets], self._parts.claim())
        except store.TakenError:
            # Cancelled, or matched by another replica, since we looked.
            self.wake()
            return
        labels = tier(match.room)
        metrics = self._parts.metrics
        if match.joins:
            metrics.joins.labels(*labels).inc()
        else:
            metrics.matches.labels(*labels).inc()
            metrics.bots.labels(*labels).inc(match.seats.count(None))
        for ticket in taken:
            metrics.wait.labels(*labels).observe(max(now - ticket.created_at, 0.0))
            log.info("matched", player=ticket.player, ticket=ticket.id, room=match.room, match=match.table, hold=match.id)
        self._parts.board.post(taken)
        self._start(match)

    def _start(self, match: Match) -> None:
        if match.id in self._working:
            return
        task = asyncio.create_task(self._work(match), name=f"match-{match.id}")
        self._working[match.id] = task
        task.add_done_callback(lambda _task: self._done(match.id))

    def _done(self, match_id: str) -> None:
        full = len(self._working) >= IN_FLIGHT
        del self._working[match_id]
        if full:
            self.wake()

    async def _work(self, match: Match) -> None:
        logs.bind(request=logs.new_request(), match=match.table, room=match.room)
        try:
            await self.seating.work(match)
        except UnavailableError as error:
            log.warning("match_waits", hold=match.id, reason=error.reason, message=error.message)
        except Exception:
            log.exception("match_failed", hold=match.id)
            self._parts.metrics.failed("work", "internal")

    async def _chores(self, now: float, seen: Seen) -> None:
        board = self._parts.board
        board.post(await self._run(store.expire, now, self._parts.limits))
        if closed := [room for room in seen.queued if room in seen.closed]:
            board.post(await self._run(store.end_waiting, closed, now))
        gone = [room for room in seen.queued if self._rooms.get(room) is None]
        if gone:
            board.post(await self._run(store.drop_rooms, gone, now))
        if time.monotonic() >= self._prune_at:
            pruned = await self._run(store.prune, now - self._retention)
            self._prune_at = time.monotonic() + (CHORE_SECONDS if pruned else PRUNE_SECONDS)


def _match(room: str, seats: tuple[str | None, ...], now: float, server: str = "", joins: str = "") -> Match:
    return Match(new_match_id(now), room, MatchState.HOLDING, Why.NONE, now, now, 0, server, seats, joins)
