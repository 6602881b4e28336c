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
from services.table.store import LIVE

if TYPE_CHECKING:
    from services.table.hall import Hall
    from services.table.store_whereabouts import Whereabouts
    from services.table.streams import Stream

log = logs.get(__name__)

_WAIT_MS: Final = (250, 500)
_MOST_PARKED: Final = 50_000
"""Seats that may wait here for an answer; the next ones are told to wait elsewhere."""
_MOST_ASKED: Final = 1_000
"""Tables that are looked up by one query."""
_PARKED_SECONDS: Final = 2.0
"""How long a seat waits here for its table to go live; then its client is told to come again."""


class _Ask(NamedTuple):
    """An attach that waits; `since` on the loop's clock."""

    stream: Stream
    ref: int
    request: Any
    received: float
    since: float


class Lookups:
    """The seats that wait, by table. Those of all tables that are asked for in one turn are looked up by one query."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._asked: dict[str, list[_Ask]] = {}
        self._parked: dict[str, list[_Ask]] = {}
        self._count = 0
        self._running: asyncio.Task[None] | None = None
        self._wanted: dict[str, None] = {}

    def ask(self, table_id: str, stream: Stream, ref: int, request: Any, received: float) -> None:
        """Answer an attach with a good token at a table that is not live here, sooner or later."""
        if not self._hall.open or self._count >= _MOST_PARKED:
            hold_off(stream, ref, random.randint(*_WAIT_MS))
            return
        self._count += 1
        self._asked.setdefault(table_id, []).append(_Ask(stream, ref, request, received, self._hall.now()))
        if self._running is None:
            self._running = asyncio.ensure_future(self._look_up())
            self._running.add_done_callback(self._ended)

    def wanted(self) -> list[str]:
        """Return tables without an owner that somebody asked for since this was called last."""
        found, self._wanted = list(self._wanted), {}
        return found

    def gone_live(self, table_id: str) -> None:
        """Attach the seats that wait for a table: it is played here now."""
        for one in self._parked.pop(table_id, ()):
            self._count -= 1
            if one.stream in self._hall.streams:
                attach(self._hall, one.stream, one.ref, one.request, one.received)

    def tick(self) -> None:
        """Send seats away that have waited here for too long."""
        late = self._hall.now() - _PARKED_SECONDS
        for table_id in [table_id for table_id, waiting in self._parked.items() if waiting[0].since <= late]:
            self._answer(self._parked.pop(table_id), None)

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
            try:
                found = await self._hall.database.run(store_whereabouts.whereabouts, list(some))
            except ServiceError:
                for waiting in some.values():
                    self._answer(waiting, None)
                continue
            for table_id, waiting in some.items():
                self._tell(table_id, waiting, found.get(table_id))

    def _tell(self, table_id: str, waiting: list[_Ask], where: Whereabouts | None) -> None:
        hall = self._hall
        if where is None:
            self._answer(waiting, "unknown_table")
        elif where.row.state not in LIVE:
            self._answer(waiting, "closed")
        elif where.alive and (where.row.owner, where.row.generation) == hall.lease.owner:
            self._parked.setdefault(table_id, []).extend(waiting)
            table = hall.find(table_id)
            if table is not None and table.epoch == where.row.epoch:
                self.gone_live(table_id)
        elif where.alive:
            self._count -= len(waiting)
            for one in waiting:
                if one.stream in hall.streams:
                    send_on(one.stream, one.ref, where.address, where.row.epoch, hall.directory.addresses(where.address))
        else:
            if len(self._wanted) < _MOST_ASKED:
                self._wanted[table_id] = None
            self._answer(waiting, None)

    def _answer(self, waiting: list[_Ask], reason: str | None) -> None:
        """Refuse to attach, or (None) let the clients wait."""
        self._count -= len(waiting)
        for one in waiting:
            if one.stream not in self._hall.streams:
                continue
            if reason is None:
                hold_off(one.stream, one.ref, random.randint(*_WAIT_MS))
            else:
                turn_away(one.stream, one.ref, reason)
