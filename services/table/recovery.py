"""Taking tables up from the database: at a start, after the lease was lost, and one by one when an append went wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from services.kit import logs
from services.kit.errors import UnavailableError
from services.table import store, store_records
from services.table.ending import Why
from services.table.mailbox import UNAVAILABLE
from services.table.replay import ReplayError, replay
from services.table.rows import Kind, Row
from services.table.salvage import salvage
from services.table.store import TableRow
from services.table.table import Table

if TYPE_CHECKING:
    from services.table.hall import Hall

log = logs.get(__name__)

_AT_A_TIME: Final = 100
"""Tables whose rows are read together."""
_RETRY_SECONDS: Final = 0.2


async def take_up(hall: Hall) -> None:
    """Own, under the present lease, the live tables of this server's earlier generations, and go on with them."""
    lease = hall.lease
    rows = await hall.database.run(store.take_over, lease.name, lease.name, lease.generation)
    generation = lease.generation
    for start in range(0, len(rows), _AT_A_TIME):
        await _take_up(hall, rows[start : start + _AT_A_TIME])
        if lease.generation != generation:
            return
    while not lease.valid():
        # It is being lost, or renewed at the last moment.
        await asyncio.sleep(_RETRY_SECONDS)
        if lease.generation != generation:
            return
    hall.open = True
    for table in list(hall.tables.values()):
        _go_live(table)
    if rows:
        log.info("tables_taken_up", tables=len(rows), generation=lease.generation)


def _go_live(table: Table) -> None:
    table.deadlines.reconnect = table.host.now() + table.host.reconnect_seconds
    table.catch_up()


async def _take_up(hall: Hall, rows: Sequence[TableRow]) -> None:
    generation = hall.lease.generation
    found, due, over, clock = await hall.database.run(_read, [row.id for row in rows])
    for row in rows:
        live = hall.tables.get(row.id)
        if hall.lease.generation != generation or (live is not None and live.epoch >= row.epoch):
            # Whoever owns it now reads it for himself.
            continue
        if live is not None:
            # Read by a take-up that did not come to its end: this one owns the tables anew.
            hall.timers.cancel(live)
            hall.relay.forget(live.id, live.course.item_seq)
            live.go(UNAVAILABLE)
        mine = [item for item in due if item.table_id == row.id]
        try:
            hall.tables[row.id] = _restore(hall, row, found[row.id], [item.body for item in mine], over.get(row.id, set()))
            hall.relay.resume(mine, clock)
        except Exception as error:
            # One unreadable table must not keep the others from being played; its rows stay for an operator.
            log.exception("table_left_out", table=row.id, error=type(error).__name__)
            hall.metrics.alarms.labels("table_left_out").inc()
        # One table is some milliseconds of replay; the loop has leases to renew.
        await asyncio.sleep(0)


def _read(connection: sa.Connection, ids: list[str]) -> tuple[dict[str, list[Row]], list[store.Due], dict[str, set[int]], float]:
    return (
        store.read_journal(connection, ids),
        store.unsettled(connection, ids),
        store_records.over(connection, ids),
        store.clock(connection),
    )


def _restore(hall: Hall, row: TableRow, rows: list[Row], owed: list[str], over: set[int]) -> Table:
    head = rows[-1].seq
    why: Why | None = None
    try:
        course = replay(row.id, rows, hall.deal_keys)
    except Exception as error:
        why = error.why if isinstance(error, ReplayError) else Why.REPLAY_FAILED
        log.exception("replay_failed", table=row.id, reason=error.reason if isinstance(error, ReplayError) else "unreadable")
        hall.metrics.alarms.labels("replay_failed").inc()
        course = salvage(row.id, rows, owed, hall.deal_keys, over)
    table = Table(hall, course, row, head)
    table.outlet.shown = list(course.asked)
    _remember(table, rows)
    for seat in table.seats:
        seat.expected = seat.expected and not course.silent >> seat.no & 1
    if why is not None:
        table.call_off(why)
    else:
        _restart_clocks(table)
    return table


def _remember(table: Table, rows: list[Row]) -> None:
    """Accepted ids are part of the journal: the same id still gets the same answer. Not another player's, who had the seat before."""
    for row in rows:
        if row.kind is Kind.TAKE:
            table.seats[row.seat].accepted = None
        if row.action_id:
            table.seats[row.seat].remember_accepted(store.unsigned(row.action_id))


def _restart_clocks(table: Table) -> None:
    """Everybody asked has his time again from now."""
    hand = table.course.hand
    if hand is None:
        return
    now = table.host.now()
    for seat, offer in enumerate(hand.offers):
        if offer is not None:
            table.deadlines.ask(seat, now, table.limit(seat))


async def rebuild(hall: Hall, table_id: str, epoch: int) -> None:
    """Read one table again after its rows could not be stored, or were stored unheard; its clients come back by themselves.

    Asks the database again until it answers, as long as this server owns its tables.
    """
    async with hall.rebuilding:
        generation = hall.lease.generation
        while hall.owns(generation):
            try:
                await _rebuild(hall, table_id, epoch)
            except UnavailableError:
                log.warning("table_not_read", table=table_id)
                await asyncio.sleep(_RETRY_SECONDS)
            else:
                return


async def _rebuild(hall: Hall, table_id: str, epoch: int) -> None:
    row = await hall.database.run(store.find_table, table_id)
    if row is None or row.epoch != epoch or row.state not in store.LIVE or not hall.open or table_id in hall.tables:
        return
    await _take_up(hall, [row])
    table = hall.tables.get(table_id)
    if table is not None and table.epoch == epoch:
        _go_live(table)
