"""Taking tables up from the database: read their journals, replay them, go on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

import sqlalchemy as sa

from services.kit import logs
from services.kit.errors import UnavailableError
from services.table import store, store_records
from services.table.appends import Fate
from services.table.ending import CalledOff
from services.table.replay import ReplayError, replay
from services.table.rows import Kind, Row
from services.table.salvage import salvage
from services.table.store import TableRow
from services.table.table import Table

if TYPE_CHECKING:
    from services.table.deadlines import Remaining
    from services.table.hall import Hall
    from services.table.store_ownership import Owner

log = logs.get(__name__)

_RETRY_SECONDS: Final = 0.2


class Told(NamedTuple):
    """What the former owner of a table tells of it that its journal does not hold.

    `head`: the last row that it stored; what follows holds only if no other came. `hashes`: what the seats committed to for the next
    shuffle; `expected`: whose are waited for.
    """

    head: int
    remaining: Remaining
    hashes: Sequence[bytes]
    expected: Sequence[bool]


class TakenUp(NamedTuple):
    """Ids of tables: those that are played here now, and those that were not even replayed, since this server no longer owns them."""

    live: list[str]
    unread: list[str]


async def take_up(hall: Hall, owner: Owner, rows: Sequence[TableRow], told: Mapping[str, Told] = MappingProxyType({})) -> TakenUp:
    """Read tables that this server owns as `owner`, and go on with them.

    `rows` are from a transaction that is over: a row of the journal that a former owner stored before it is read here. Raises
    UnavailableError when the database does not answer, and nothing has happened.
    """
    async with hall.rebuilding:
        unread = [row.id for row in rows]
        found = await hall.database.run(_read, unread)
        live = []
        for row in rows:
            while not hall.lease.valid() and hall.owns(owner.generation):  # noqa: ASYNC110 - a clock says so
                # It is being lost, or renewed at the last moment.
                await asyncio.sleep(_RETRY_SECONDS)
            if not hall.owns(owner.generation) or (row.owner, row.generation) != owner:
                break
            unread.remove(row.id)
            if _take_up(hall, row, found, told.get(row.id)):
                live.append(row.id)
            # One table is some milliseconds of replay; the loop has leases to renew.
            await asyncio.sleep(0)
        hall.archive.look_again()
        return TakenUp(live, unread)


def _take_up(hall: Hall, row: TableRow, found: _Found, told: Told | None) -> bool:
    here = hall.tables.get(row.id)
    if here is not None and here.epoch >= row.epoch:
        return True
    if here is not None:
        # It was another server's meanwhile.
        here.lost(Fate.FENCED)
    due = [item for item in found.due if item.table_id == row.id]
    try:
        table = _restore(hall, row, found.rows[row.id], [item.body for item in due], found.over.get(row.id, set()), told)
        hall.relay.resume(due, found.clock)
        table.deadlines.let_players_come(hall.now() + hall.reconnect_seconds)
        hall.add(table)
    except Exception as error:
        # One unreadable table must not keep the others from being played; its rows stay for an operator.
        log.exception("table_left_out", match=row.id, error=type(error).__name__)
        hall.metrics.alarms.labels("table_left_out").inc()
        half = hall.tables.get(row.id)
        if half is not None:
            half.lost(Fate.FENCED)
        return False
    return True


class _Found(NamedTuple):
    """What was read of tables: rows of journals, items without an outcome, hands that are over; and when, by the database's clock."""

    rows: dict[str, list[Row]]
    due: list[store.Due]
    over: dict[str, set[int]]
    clock: float


def _read(connection: sa.Connection, ids: list[str]) -> _Found:
    return _Found(
        store.read_journal(connection, ids),
        store.unsettled(connection, ids),
        store_records.over(connection, ids),
        store.clock(connection),
    )


def _restore(hall: Hall, row: TableRow, rows: list[Row], owed: list[str], over: set[int], told: Told | None) -> Table:
    head = rows[-1].seq
    why: CalledOff | None = None
    try:
        course = replay(row.id, rows, hall.deal_keys)
    except Exception as error:
        why = error.why if isinstance(error, ReplayError) else CalledOff.REPLAY_FAILED
        log.exception("replay_failed", match=row.id, reason=error.reason if isinstance(error, ReplayError) else "unreadable")
        hall.metrics.alarms.labels("replay_failed").inc()
        course = salvage(row.id, rows, owed, hall.deal_keys, over)
    table = Table(hall, course, row, head)
    table.outlet.shown_decisions = list(course.asked)
    _remember(table, rows)
    for seat in table.seats:
        seat.expected = seat.expected and seat.no not in course.silent
    if why is not None:
        table.call_off(why)
    elif told is not None and told.head == head:
        _go_on_with(table, told)
    else:
        _restart_clocks(table)
    return table


def _go_on_with(table: Table, told: Told) -> None:
    """Take over what the former owner told: the times that were left, and what players committed to."""
    told_of = {len(told.hashes), len(told.expected), len(told.remaining.answers), len(told.remaining.asked)}
    if told_of != {len(table.seats)}:
        _restart_clocks(table)
        return
    table.deadlines.restore(told.remaining, table.host.now())
    for seat in table.seats:
        seat.hash, seat.expected = told.hashes[seat.no], told.expected[seat.no]


def _remember(table: Table, rows: list[Row]) -> None:
    """Accepted ids are part of the journal: the same id still gets the same answer. Not another player's, who had the seat before."""
    for row in rows:
        if row.kind is Kind.TAKE:
            table.seats[row.seat].accepted = None
        if row.action_id:
            table.seats[row.seat].remember_accepted(store.unsigned(row.action_id))


def _restart_clocks(table: Table) -> None:
    """Everybody asked has their time again from now."""
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
    owner = hall.lease.owner
    while hall.owns(owner.generation):
        try:
            row = await hall.database.run(store.find_table, table_id)
            if row is not None and row.epoch == epoch and row.state in store.LIVE and table_id not in hall.tables:
                await take_up(hall, owner, [row])
        except UnavailableError:
            log.warning("table_not_read", match=table_id)
            await asyncio.sleep(_RETRY_SECONDS)
        else:
            return
