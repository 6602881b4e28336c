"""The SQL of tickets, of the leases of rooms and of old rows; that of matches is in `store_matches`. Each function is one transaction.

Law: a ticket changes only by compare-and-set on the state it was in. Functions that change tickets return them as they are afterwards.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from services.matchmaking import store_rooms
from services.matchmaking.schema import LEASES, MATCHES, TICKETS
from services.matchmaking.tickets import ACTIVE, Limits, MatchState, Ticket, TicketState, Why

LONGEST_SECONDS = 300.0
"""Nothing waits for longer. A time further ahead was written before the database's clock was set back."""
GONE_SECONDS = 30.0
"""A room is no longer offered when no replica has matched it for so long: during an upgrade not all replicas know the same rooms."""
AHEAD_SECONDS = 5.0
"""Two replicas' readings of the database's clock may differ by as much as a reading may be late. What is further ahead is from before the
clock was set back."""
BUSY_SECONDS = 1.0
"""How often a busy player is looked at."""
WAITING_ROWS = 400
"""How many waiting tickets of a room the matcher is shown, oldest first."""
BATCH = 100

_T, _M = TICKETS.c, MATCHES.c
TICKET_COLUMNS = (_T.id, _T.player, _T.room, _T.state, _T.reason, _T.created_at, _T.match_id, _T.seat)


class TakenError(Exception):
    """A ticket of the match was no longer waiting; nothing was written."""


class RoomClosedError(Exception):
    """An operator closed the room of the ticket; nothing was written."""


class Draft(NamedTuple):
    """A ticket to be written. `stale`: the player's seated ticket that settlement says is over; empty: none."""

    id: str
    player: str
    room: str
    key: str
    now: float
    busy: bool
    stale: str


class Created(NamedTuple):
    """What became of a draft: the player's ticket, whether it is the new one or one of the same key, and the tickets that ended for it."""

    ticket: Ticket
    new: bool
    by_key: bool
    ended: list[Ticket]


def _insert(connection: sa.Connection, table: sa.Table) -> Any:
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)


def _ticket(row: Any) -> Ticket:
    seat = -1 if row.seat is None else row.seat
    return Ticket(row.id, row.player, row.room, TicketState(row.state), row.reason, row.created_at, row.match_id or "", seat)


def changed(connection: sa.Connection, statement: Any) -> list[Ticket]:
    """Run a statement that returns TICKET_COLUMNS."""
    return [_ticket(row) for row in connection.execute(statement)]


def has_come(column: Any, now: float) -> Any:
    """Return the condition that the time of a column has come."""
    return sa.or_(column <= now, column > now + LONGEST_SECONDS)


# Tickets


def find(connection: sa.Connection, player: str, key: str) -> tuple[Ticket | None, Ticket | None]:
    """Return the player's ticket made under `key` and their active ticket, where there are such."""
    # The text of the partial index, so that both databases use it.
    active = _T.state.in_([sa.literal_column(f"'{state}'") for state in ACTIVE])
    wanted = sa.or_(_T.request_key == key, active) if key else active
    mine = connection.execute(sa.select(*TICKET_COLUMNS, _T.request_key).where(_T.player == player, wanted)).all()
    keyed = next((_ticket(row) for row in mine if key and row.request_key == key), None)
    return keyed, next((ticket for row in mine if (ticket := _ticket(row)).active), None)


def create(connection: sa.Connection, draft: Draft) -> Created:
    """Write a ticket, unless the player has an active one or one under this key; the unique indexes arbitrate.

    A room that is closed at the same time ends it a moment later.
    """
    if draft.room in store_rooms.closed(connection):
        raise RoomClosedError
    ended = []
    if draft.stale:
        stale = sa.and_(_T.id == draft.stale, _T.state == TicketState.SEATED)
        # The match before its tickets, as everywhere: whoever finds its table closed at the same time does not wait for us in a circle.
        wake = sa.update(MATCHES).where(_M.id.in_(sa.select(_T.match_id).where(stale)), _M.state == MatchState.SEATED)
        connection.execute(wake.values(next_at=draft.now))
        ended = end_tickets(connection, stale, TicketState.OVER, Why.NONE, draft.now)
    row = {
        "id": draft.id,
        "player": draft.player,
        "room": draft.room,
        "request_key": draft.key or None,
        "state": TicketState.WAITING,
        "reason": "",
        "created_at": draft.now,
        "ready_at": draft.now,
        "busy_since": draft.now if draft.busy else None,
        "returns": 0,
    }
    written = connection.execute(_insert(connection, TICKETS).values(row).on_conflict_do_nothing().returning(*TICKET_COLUMNS)).first()
    if written is not None:
        return Created(_ticket(written), new=True, by_key=False, ended=ended)
    keyed, active = find(connection, draft.player, draft.key)
    there = keyed or active
    if there is None:
        raise TakenError
    return Created(there, new=False, by_key=keyed is not None, ended=ended)


def read(connection: sa.Connection, ids: Sequence[str]) -> list[Ticket]:
    """Return these tickets, as far as they exist."""
    return changed(connection, sa.select(*TICKET_COLUMNS).where(_T.id.in_(ids)))


def cancel(connection: sa.Connection, ticket_id: str, now: float) -> list[Ticket]:
    """Cancel a waiting ticket. Empty: it was not waiting."""
    waiting = sa.and_(_T.id == ticket_id, _T.state == TicketState.WAITING)
    return end_tickets(connection, waiting, TicketState.CANCELLED, Why.NONE, now)


def expire(connection: sa.Connection, now: float, limits: Limits) -> list[Ticket]:
    """End tickets that have waited too long. Those from before the database's clock was set back wait from now on, in their old order."""
    early = sa.and_(_T.state == TicketState.WAITING, _T.created_at > now + AHEAD_SECONDS)
    ahead = connection.scalar(sa.select(sa.func.max(_T.created_at)).where(early))
    if ahead is not None:
        connection.execute(sa.update(TICKETS).where(early).values(created_at=_T.created_at - (ahead - now), ready_at=now))
    old = sa.and_(_T.state == TicketState.WAITING, _T.created_at <= now - limits.waiting)
    return end_tickets(connection, old, TicketState.FAILED, Why.EXPIRED, now)


def end_waiting(connection: sa.Connection, rooms: Collection[str], now: float) -> list[Ticket]:
    """End the waiting tickets of rooms that are closed."""
    waiting = sa.and_(_T.state == TicketState.WAITING, _T.room.in_(rooms))
    return end_tickets(connection, waiting, TicketState.FAILED, Why.ROOM_CLOSED, now)


def drop_rooms(connection: sa.Connection, rooms: Collection[str], now: float) -> list[Ticket]:
    """End the waiting tickets of rooms that are no longer offered: this replica does not know them, and no other matched them lately."""
    before = now - GONE_SECONDS
    matched = sa.exists().where(LEASES.c.room == _T.room, LEASES.c.until > before)
    gone = sa.and_(_T.state == TicketState.WAITING, _T.room.in_(rooms), _T.created_at <= before, ~matched)
    return end_tickets(connection, gone, TicketState.FAILED, Why.ROOM_GONE, now)


def claim_busy(connection: sa.Connection, now: float, late: float = 0.0) -> list[Ticket]:
    """Take some tickets whose players were busy, to look at them again; those that were due `late` seconds ago."""
    due = sa.select(_T.id).where(_T.state == TicketState.WAITING, _T.busy_since.is_not(None), has_come(_T.ready_at, now - late))
    picked = due.order_by(_T.ready_at).limit(BATCH).with_for_update(skip_locked=True)
    return changed(connection, sa.update(TICKETS).where(_T.id.in_(picked)).values(ready_at=now + BUSY_SECONDS).returning(*TICKET_COLUMNS))


def settle_busy(connection: sa.Connection, free: Collection[str], busy: Collection[str], now: float, limits: Limits) -> list[Ticket]:
    """Let the tickets of players who came free be matched; end those whose players have been busy for too long."""
    waiting = _T.state == TicketState.WAITING
    connection.execute(sa.update(TICKETS).where(_T.id.in_(free), waiting).values(busy_since=None, ready_at=now))
    tired = sa.and_(_T.id.in_(busy), waiting, _T.busy_since <= now - limits.busy)
    return end_tickets(connection, tired, TicketState.FAILED, Why.BUSY, now)


def end_tickets(connection: sa.Connection, which: Any, state: TicketState, reason: Why, now: float) -> list[Ticket]:
    """End the tickets of a condition, which names the state they must be in."""
    ended = sa.update(TICKETS).where(which).values(state=state, reason=reason, ended_at=now)
    return changed(connection, ended.returning(*TICKET_COLUMNS))


# Matching


class WaitingTicket(NamedTuple):
    """What the matcher is shown."""

    id: str
    player: str
    room: str
    created_at: float


def queued(connection: sa.Connection) -> dict[str, int]:
    """Return how many tickets wait in each room."""
    rows = connection.execute(sa.select(_T.room, sa.func.count().label("tickets")).where(_T.state == TicketState.WAITING).group_by(_T.room))
    return {row.room: row.tickets for row in rows}


def waiting(connection: sa.Connection, rooms: Collection[str], now: float) -> list[WaitingTicket]:
    """Return the oldest tickets of each room that may be matched now."""
    if not rooms:
        return []
    place = sa.func.row_number().over(partition_by=_T.room, order_by=_T.created_at).label("place")
    ready = sa.select(_T.id, _T.player, _T.room, _T.created_at, place)
    ready = ready.where(_T.state == TicketState.WAITING, _T.busy_since.is_(None), has_come(_T.ready_at, now), _T.room.in_(rooms))
    rows = ready.subquery()
    found = connection.execute(sa.select(rows).where(rows.c.place <= WAITING_ROWS))
    return [WaitingTicket(row.id, row.player, row.room, row.created_at) for row in found]


def take_leases(
    connection: sa.Connection, rooms: Collection[str], holder: str, free_since: float, until: float, *, renew: bool = True
) -> set[str]:
    """Take the leases of rooms that ended before `free_since`, and `renew` the holder's own; returns those that are the holder's now."""
    rows = [{"room": room, "holder": holder, "until": until} for room in sorted(rooms)]
    upsert = _insert(connection, LEASES).values(rows)
    free = has_come(LEASES.c.until, free_since)
    mine = sa.or_(LEASES.c.holder == holder, free) if renew else free
    upsert = upsert.on_conflict_do_update(index_elements=[LEASES.c.room], set_={"holder": holder, "until": until}, where=mine)
    return set(connection.scalars(upsert.returning(LEASES.c.room)))


def drop_leases(connection: sa.Connection, holder: str, now: float) -> None:
    """Give all leases of a holder up."""
    connection.execute(sa.update(LEASES).where(LEASES.c.holder == holder, LEASES.c.until > now).values(until=now))


# Old rows


def prune(connection: sa.Connection, before: float) -> int:
    """Delete some tickets and matches that ended before; returns how many."""
    live = sa.exists().where(_M.id == _T.match_id, _M.ended_at.is_(None))
    old = sa.select(_T.id).where(_T.ended_at < before, ~live).limit(BATCH)
    gone = connection.execute(sa.delete(TICKETS).where(_T.id.in_(old))).rowcount
    done = sa.select(_M.id).where(_M.ended_at < before).limit(BATCH)
    return gone + connection.execute(sa.delete(MATCHES).where(_M.id.in_(done))).rowcount
