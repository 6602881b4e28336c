"""Seats that were asked for at tables which are not live here: where to go, or how long to wait.

Law: a client is never sent to a server that has no lease. While nobody plays a table its clients are told to wait; what is about to go live
here waits here.
"""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from services.kit import logs
from services.kit.errors import ServiceError
from services.table import store_whereabouts
from services.table.attach import attach
from services.table.notices import hold_off, send_on, turn_away
from services.table.store_whereabouts import Elsewhere, Here, Over, Unowned

if TYPE_CHECKING:
    from services.kit.seat_tokens import SeatPass
    from services.table.hall import Hall
    from services.table.store_whereabouts import Whereabouts
    from services.table.streams import Stream

log = logs.get(__name__)

_WAIT_MS: Final = (250, 500)
_MOST_PARKED: Final = 50_000
"""Seats that may wait here for an answer; the next ones are told to wait elsewhere."""
_MOST_ASKED: Final = 1_000
"""Tables that are looked up by one query."""
_WANTED_SECONDS: Final = 5.0
_PARKED_SECONDS: Final = 2.0
"""How long a seat waits here for its table to go live; then its client is told to come again."""


class _Ask(NamedTuple):
    """An attach that waits; `since` on the loop's clock."""

    stream: Stream
    ref: int
    request: Any
    received: float
    since: float


_Waiting = dict[int, _Ask]
"""Who waits for a table, by seat: whoever asks for one anew takes the place of who asked before, as at a live table."""


class Lookups:
    """The seats that wait, by table. Those of all tables that are asked for in one turn are looked up by one query."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._asked: dict[str, _Waiting] = {}
        self._parked: dict[str, _Waiting] = {}
        self._count = 0
        self._running: asyncio.Task[None] | None = None
        self._wanted: dict[str, float] = {}
        """Tables without an owner, and when they were asked for last."""

    def waiting(self) -> int:
        """Return how many seats wait here."""
        return self._count

    def ask(self, held: SeatPass, stream: Stream, ref: int, request: Any, received: float) -> None:
        """Answer an attach with a good token at a table that is not live here, sooner or later."""
        waiting = self._asked.get(held.table, {})
        if not self._hall.open or (self._count >= _MOST_PARKED and held.seat not in waiting):
            hold_off(stream, [ref], random.randint(*_WAIT_MS))
            return
        self._count += 1
        self._put(self._asked, held.table, {held.seat: _Ask(stream, ref, request, received, self._hall.now())})
        if self._running is None:
            self._running = asyncio.ensure_future(self._look_up())
            self._running.add_done_callback(self._ended)

    def _put(self, among: dict[str, _Waiting], table_id: str, newer: _Waiting) -> None:
        waiting = among.setdefault(table_id, {})
        for seat, one in newer.items():
            before = waiting.pop(seat, None)
            if before is not None:
                self._count -= 1
                if (before.stream, before.ref) != (one.stream, one.ref) and before.stream in self._hall.streams:
                    turn_away(before.stream, before.ref, "attached_elsewhere")
        waiting |= newer

    def wanted(self) -> list[str]:
        """Return tables without an owner that somebody has asked for in the last seconds and that have not gone live here since."""
        late = self._hall.now() - _WANTED_SECONDS
        self._wanted = {table_id: at for table_id, at in self._wanted.items() if at > late}
        return list(self._wanted)

    def gone_live(self, table_id: str, *, confirmed: bool = False) -> None:
        """Attach the seats that wait for a table: it is played here now. `confirmed`: its row has just said so."""
        self._wanted.pop(table_id, None)
        waiting = self._parked.pop(table_id, {})
        self._count -= len(waiting)
        for one in waiting.values():
            if one.stream in self._hall.streams:
                attach(self._hall, one.stream, one.ref, one.request, one.received, confirmed=confirmed)

    def tick(self) -> None:
        """Send seats away that have waited here for too long."""
        late = self._hall.now() - _PARKED_SECONDS
        gone = [table_id for table_id, waiting in self._parked.items() if min(one.since for one in waiting.values()) <= late]
        self._hold_off([one for table_id in gone for one in self._parked.pop(table_id).values()])

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running = None
        if not task.cancelled() and task.exception() is not None:
            self._hall.metrics.alarms.labels("task_failed").inc()
            log.error("task_failed", exc_info=task.exception())

    async def _look_up(self) -> None:
        # What is asked in this turn of the loop goes with one query.
        await asyncio.sleep(0)
        while self._asked:
            some = {table_id: self._asked.pop(table_id) for table_id in list(self._asked)[:_MOST_ASKED]}
            late: list[_Ask] = []
            try:
                found = await self._hall.database.run(store_whereabouts.whereabouts, list(some), self._hall.lease.owner)
                for table_id in list(some):
                    late += self._tell(table_id, some.pop(table_id), found.get(table_id)).values()
            except ServiceError:
                # The database does not answer: whoever was asked for comes again.
                continue
            finally:
                late += [one for waiting in some.values() for one in waiting.values()]
                self._hold_off(late)

    def _tell(self, table_id: str, waiting: _Waiting, where: Whereabouts | None) -> _Waiting:
        """Answer who asked for a table. Returns who has to come again, since nobody plays it."""
        hall = self._hall
        match where:
            case None:
                self._answer(waiting, "unknown_table")
            case Over():
                self._answer(waiting, "closed")
            case Here(row):
                self._put(self._parked, table_id, waiting)
                for one in waiting.values():
                    one.stream.awaits(one.request.token)
                table = hall.find(table_id)
                if table is not None and table.epoch == row.epoch:
                    # Whatever a client has heard of a later owner: a database may have been restored to an earlier time.
                    self.gone_live(table_id, confirmed=True)
            case Elsewhere(row, address):
                self._count -= len(waiting)
                for one in waiting.values():
                    if one.stream in hall.streams:
                        send_on(one.stream, one.ref, address, row.epoch, hall.directory.addresses(address))
            case Unowned():
                if table_id in self._wanted or len(self._wanted) < _MOST_ASKED:
                    self._wanted[table_id] = hall.now()
                return waiting
        return {}

    def _answer(self, waiting: _Waiting, reason: str) -> None:
        """Refuse to attach."""
        self._count -= len(waiting)
        for one in waiting.values():
            if one.stream in self._hall.streams:
                turn_away(one.stream, one.ref, reason)

    def _hold_off(self, waiting: list[_Ask]) -> None:
        """Let clients wait: one word for all seats of a stream, which come back together."""
        self._count -= len(waiting)
        refs: dict[Stream, list[int]] = {}
        for one in waiting:
            if one.stream in self._hall.streams:
                one.stream.awaits(one.request.token)
                refs.setdefault(one.stream, []).append(one.ref)
        for stream, some in refs.items():
            hold_off(stream, some, random.randint(*_WAIT_MS))
