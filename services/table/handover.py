"""Handing all tables of this server over to the others: it is drained.

Law: a table is frozen before it moves and speaks no more under its old epoch. Its clients are sent on as soon as the row names the new
owner, and never before. Nothing has to be remembered: whatever is cut short, the rows say whose the tables are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final

from services.kit import logs
from services.kit.errors import ServiceError
from services.table import store_ownership, store_tries
from services.table.appends import Fate
from services.table.mailbox import Departure, State
from services.table.store_ownership import CLAIM_TABLES, SERVING
from xuezhan.api.table.v1 import table_pb2 as pb

if TYPE_CHECKING:
    from services.table.hall import Hall
    from services.table.store_ownership import Owner, ServerRow
    from services.table.table import Table

log = logs.get(__name__)

_QUIET_SECONDS: Final = 0.2
"""A table that does not come to rest so soon goes with a later batch."""
_LONG_QUIET_SECONDS: Final = 10.0
"""How long the last ones are waited for: a claim window is never cut."""
_RETRY_SECONDS: Final = 0.5
_LEASE_LEFT: Final = 0.4
"""The part of a lease that a server must still have to be handed tables."""

TakeTables = Callable[[str, pb.TakeTablesRequest], Awaitable[None]]
"""Tells the server at an address which tables are its own now. Raises ServiceError."""


class HandOver:
    """The draining of one server."""

    def __init__(self, hall: Hall, take_tables: TakeTables) -> None:
        self._hall = hall
        self._take_tables = take_tables
        self._patient = True
        self._announced: Owner | None = None
        """The generation whose row says that it drains."""
        self._late: set[str] = set()
        """Tables that did not come to rest when it was tried."""

    def hurry(self) -> None:
        """Wait no longer for servers that take tables, or for a lease. A batch that is under way is not broken off."""
        self._patient = False

    async def announce(self) -> None:
        """Say that this server drains, and let the openings under way end. Asks until the database answers and there is a lease."""
        hall = self._hall
        hall.lease.draining = True
        while self._announced != (owner := hall.lease.owner) or not hall.open:
            try:
                if hall.open and await hall.lease.drain():
                    self._announced = owner
                    log.info("drains", server=hall.lease.name)
                    continue
            except ServiceError as error:
                log.warning("drain_not_announced", why=error.message)
            if not hall.open and not self._patient:
                return
            await asyncio.sleep(_RETRY_SECONDS)
        while hall.openings:
            await asyncio.wait(list(hall.openings.values()))

    async def run(self, *, patient: bool) -> None:
        """Hand over every table. Ends when this server has none, or (unless `patient`) when nobody takes them or it has no lease."""
        hall, self._patient = self._hall, patient
        while True:
            await self.announce()
            if not hall.open:
                if self._patient:
                    continue
                log.warning("no_lease_to_hand_over_under", server=hall.lease.name)
                return
            # Where the last batch went to is counted among that server's tables.
            hall.directory.forget()
            moved = 0
            try:
                if not hall.tables and not await self._is_left():
                    break
                servers = await self._targets()
                if not servers and not self._patient:
                    log.warning("nobody_takes_tables", tables=len(hall.tables))
                    return
                moved = await self._some(servers)
            except ServiceError as error:
                log.warning("tables_not_handed_over", why=error.message)
            if not moved:
                await asyncio.sleep(_RETRY_SECONDS)
        log.info("drained")

    async def _is_left(self) -> bool:
        """Whether a table is this server's that is not played now: it is being read again, or of a lease that was lost."""
        lease = self._hall.lease
        return await self._hall.database.run(store_tries.may_be_played, lease.name, None if self._patient else lease.generation)

    async def _targets(self) -> list[ServerRow]:
        """Return the servers that take tables, the least loaded first."""
        servers = await self._hall.directory.servers()
        others = [one for one in servers if one.state == SERVING and one.name != self._hall.lease.name]
        return sorted(others, key=lambda one: (one.tables, one.name))

    async def _some(self, servers: Sequence[ServerRow]) -> int:
        """Hand over a batch; returns how many tables are another server's now, or did not come to rest."""
        tables = list(self._hall.tables.values())
        ready = [table for table in tables if table.id not in self._late]
        seconds = _QUIET_SECONDS
        if not ready:
            ready, seconds = tables, _LONG_QUIET_SECONDS
            self._late.clear()
        for target in servers:
            batch = [table for table in ready if table.course.rules.version in target.rules][:CLAIM_TABLES]
            if batch:
                moved = await self._hand_over(batch, target, seconds)
                noisy = {table.id for table in batch if table.state is State.LIVE}
                self._late |= noisy
                return len(moved) + (len(noisy) if seconds == _QUIET_SECONDS else 0)
        # Their rules nobody else has: they are waited for until they are over, behind the others.
        self._late |= {table.id for table in ready}
        return 0

    async def _hand_over(self, batch: Sequence[Table], target: ServerRow, seconds: float) -> list[Table]:
        quiet = await self._freeze(batch, seconds)
        if not quiet:
            return []
        messages = {table.num: _message(table) for table in quiet}
        epochs = await self._move(quiet, target)
        moved = []
        for table in quiet:
            if table.num in epochs:
                self._hall.hand_over(table, Departure("moved", target.address, epochs[table.num]))
                messages[table.num].epoch = epochs[table.num]
                moved.append(table)
            else:
                table.thaw()
        if not moved:
            return []
        self._hall.metrics.handed_over.inc(len(moved))
        log.info("tables_handed_over", server=target.name, tables=len(moved))
        try:
            await self._take_tables(target.address, pb.TakeTablesRequest(tables=[messages[table.num] for table in moved]))
        except ServiceError as error:
            # The target finds them by itself a moment later.
            log.warning("tables_not_announced", server=target.name, why=error.message)
        return moved

    async def _freeze(self, batch: Sequence[Table], seconds: float) -> list[Table]:
        """Freeze tables and return those that come to rest in time, or the first that does; the others go on."""
        resting = []
        for table in batch:
            table.freeze()
            at_rest = asyncio.Event()
            table.when_shown(at_rest.set, lambda _departure, at_rest=at_rest: at_rest.set())  # type: ignore[misc]
            resting.append(asyncio.ensure_future(at_rest.wait()))
        done, pending = await asyncio.wait(resting, timeout=_QUIET_SECONDS)
        if not done and seconds > _QUIET_SECONDS:
            # Those that rest do not wait for the others.
            done, pending = await asyncio.wait(resting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for waiting in pending:
            waiting.cancel()
        quiet = [table for table, rests in zip(batch, resting, strict=True) if rests in done and table.quiet]
        for table in batch:
            if table not in quiet:
                table.thaw()
        return quiet

    async def _move(self, quiet: Sequence[Table], target: ServerRow) -> dict[int, int]:
        """Let the rows name the new owner; returns the new epochs, by num. The tables stand still until it is known."""
        hall, owner = self._hall, self._hall.lease.owner
        pairs = [(table.num, table.epoch) for table in quiet]
        try:
            epochs = await hall.database.run(store_ownership.move, owner, target.owner, pairs, _LEASE_LEFT * hall.lease.seconds)
            if len(epochs) == len(pairs):
                return epochs
            # The others may have moved before, unheard.
        except ServiceError as error:
            log.warning("hand_over_unknown", server=target.name, why=error.message)
        while hall.owns(owner.generation):
            try:
                found = await hall.database.run(store_ownership.owners, [table.num for table in quiet])
            except ServiceError:
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            for table in quiet:
                of, epoch = found[table.num]
                if (of, epoch) != (owner, table.epoch) and of != target.owner:
                    table.lost(Fate.FENCED)
            return {num: epoch for num, (of, epoch) in found.items() if of == target.owner}
        return {}


def _message(table: Table) -> pb.HandedOver:
    """Return what the new owner is told of a table that is at rest, but its epoch."""
    left = table.deadlines.remaining(table.host.now())
    return pb.HandedOver(
        table_id=table.id,
        head=table.head,
        answers_ms=left.answers,
        asked_ms=left.asked,
        waits_for=left.waits_for,
        waited_ms=left.waited,
        phase_ms=left.phase,
        refill_ms=left.refill,
        contribution_hashes=[seat.hash for seat in table.seats],
        expected=[seat.expected for seat in table.seats],
    )
