"""The SQL of the saga that seats a match: functions of a connection, each one transaction, on SQLite and PostgreSQL.

Law: a match changes only by compare-and-set on the state it was in, so whoever does a step twice, or late, changes nothing; and its tickets
change in the same transaction. Functions that change tickets return them as they are afterwards; None means that somebody else was first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from services.matchmaking.schema import MATCHES, TICKETS
from services.matchmaking.store import BUSY_SECONDS, CLAIM_SECONDS, TICKET_COLUMNS, TakenError, changed, end_tickets
from services.matchmaking.tickets import LIVE, UNFINISHED, Limits, Match, MatchState, Ticket, TicketState, Why

_T, _M = TICKETS.c, MATCHES.c
_NO_MATCH = {"match_id": None, "seat": None}


def write_match(connection: sa.Connection, match: Match, tickets: Sequence[str], now: float) -> list[Ticket]:
    """Write a match and take its tickets, in the order of their seats. Raises TakenError when one of them is no longer waiting."""
    row = {
        "id": match.id,
        "room": match.room,
        "players": len(match.seats),
        "state": match.state,
        "reason": match.reason,
        "created_at": now,
        "since": now,
        "next_at": now + CLAIM_SECONDS,
        "attempts": match.attempts,
        "server": match.server,
        "joins": match.joins,
    }
    connection.execute(sa.insert(MATCHES).values(row))
    named = [seat for seat, player in enumerate(match.seats) if player is not None]
    seats = sa.case(dict(zip(tickets, named, strict=True)), value=_T.id)
    take = sa.update(TICKETS).where(_T.id.in_(tickets), _T.state == TicketState.WAITING)
    taken = changed(connection, take.values(state=TicketState.SEATING, match_id=match.id, seat=seats).returning(*TICKET_COLUMNS))
    if len(taken) != len(tickets):
        raise TakenError
    return taken


def claim_due(connection: sa.Connection, now: float, count: int) -> list[Match]:
    """Claim matches that somebody should work on."""
    due = sa.select(_M.id).where(_M.state.in_([sa.literal_column(f"'{state}'") for state in LIVE]), _M.next_at <= now)
    picked = due.order_by(_M.next_at).limit(count).with_for_update(skip_locked=True)
    claim = sa.update(MATCHES).where(_M.id.in_(picked)).values(next_at=now + CLAIM_SECONDS, attempts=_M.attempts + 1)
    return _with_seats(connection, connection.execute(claim.returning(*MATCHES.c)).all())


def take_over(connection: sa.Connection, now: float) -> None:
    """Make every unfinished saga due: whoever starts goes on with what another left. Every step may be done twice."""
    connection.execute(sa.update(MATCHES).where(_M.state.in_(UNFINISHED), _M.next_at > now).values(next_at=now))


def unfinished(connection: sa.Connection) -> int:
    """Return how many matches are neither seated nor given up for good."""
    states = _M.state.in_([sa.literal_column(f"'{state}'") for state in UNFINISHED])
    return int(connection.scalar(sa.select(sa.func.count()).select_from(MATCHES).where(states)) or 0)


def joining(connection: sa.Connection) -> set[tuple[str, int]]:
    """Return the free seats that unfinished matches are taking: (table, seat)."""
    states = _M.state.in_([sa.literal_column(f"'{state}'") for state in LIVE]) & _M.state.in_((MatchState.HOLDING, MatchState.OPENING))
    rows = connection.execute(sa.select(_M.joins, _T.seat).join_from(MATCHES, TICKETS, _T.match_id == _M.id).where(states, _M.joins != ""))
    return {(row.joins, row.seat) for row in rows}


def read_match(connection: sa.Connection, match_id: str) -> Match | None:
    """Return a match."""
    rows = connection.execute(sa.select(MATCHES).where(_M.id == match_id)).all()
    return next(iter(_with_seats(connection, rows)), None)


def loads(connection: sa.Connection) -> dict[str, int]:
    """Return how many of our tables each table server has."""
    rows = connection.execute(
        sa.select(_M.server, sa.func.count().label("tables")).where(_M.state == MatchState.SEATED, _M.joins == "").group_by(_M.server)
    )
    return {row.server: row.tables for row in rows}


def _with_seats(connection: sa.Connection, rows: Sequence[Any]) -> list[Match]:
    players: dict[str, dict[int, str]] = {row.id: {} for row in rows}
    if rows:
        seated = sa.select(_T.match_id, _T.seat, _T.player).where(_T.match_id.in_(players))
        for match_id, seat, player in connection.execute(seated):
            players[match_id][seat] = player
    return [
        Match(
            row.id,
            row.room,
            MatchState(row.state),
            row.reason,
            row.created_at,
            row.since,
            row.attempts,
            row.server,
            tuple(players[row.id].get(seat) for seat in range(row.players)),
            row.joins,
        )
        for row in rows
    ]


def _move(connection: sa.Connection, match_id: str, before: MatchState, after: MatchState, now: float, **values: Any) -> bool:
    moved = sa.update(MATCHES).where(_M.id == match_id, _M.state == before)
    values = {"state": after, "since": now, "attempts": 0, "next_at": now + CLAIM_SECONDS, **values}
    return connection.execute(moved.values(**values)).rowcount == 1


def later(connection: sa.Connection, match: Match, next_at: float) -> None:
    """Work on the match again at `next_at`, if it is still where it was."""
    connection.execute(sa.update(MATCHES).where(_M.id == match.id, _M.state == match.state).values(next_at=next_at))


def stakes_held(connection: sa.Connection, match_id: str, now: float) -> bool:
    """The stakes are held: on to the table. False: somebody else was first."""
    return _move(connection, match_id, MatchState.HOLDING, MatchState.OPENING, now)


def stakes_not_held(
    connection: sa.Connection,
    match_id: str,
    reason: Why,
    unfit: Mapping[Why, Collection[str]],
    busy: Collection[str],
    now: float,
    limits: Limits,
) -> list[Ticket] | None:
    """Nothing is held, and no table was opened: the unfit ones are out, the busy ones wait apart, the others keep their place.

    `unfit`, by what is wrong with them, and `busy` are players. None: somebody else was first.
    """
    if not _move(connection, match_id, MatchState.HOLDING, MatchState.RELEASING, now, reason=reason):
        return None
    of_match = sa.and_(_T.match_id == match_id, _T.state == TicketState.SEATING)
    ended: list[Ticket] = []
    for why, players in unfit.items():
        ended += end_tickets(connection, sa.and_(of_match, _T.player.in_(players)), TicketState.FAILED, why, now)
    tired = sa.and_(of_match, _T.player.in_(busy), _T.busy_since <= now - limits.busy)
    ended += end_tickets(connection, tired, TicketState.FAILED, Why.BUSY, now)
    since = sa.func.coalesce(_T.busy_since, now)
    waits = sa.update(TICKETS).where(of_match, _T.player.in_(busy))
    waits = waits.values(state=TicketState.WAITING, busy_since=since, ready_at=now + BUSY_SECONDS, **_NO_MATCH)
    apart = changed(connection, waits.returning(*TICKET_COLUMNS))
    back = sa.update(TICKETS).where(of_match).values(state=TicketState.WAITING, ready_at=now, **_NO_MATCH)
    return ended + apart + changed(connection, back.returning(*TICKET_COLUMNS))


def give_up(connection: sa.Connection, match: Match, reason: Why, now: float) -> list[Ticket] | None:
    """The match comes to nothing; its stakes are released next. None: somebody else was first.

    Where no table can have been opened its tickets wait again at once; else only after the release, which tells whether a table has bound
    the stakes.
    """
    if not _move(connection, match.id, match.state, MatchState.RELEASING, now, reason=reason):
        return None
    if match.state == MatchState.HOLDING:
        return _back(connection, match.id, now)
    shown = sa.update(TICKETS).where(_T.match_id == match.id, _T.state == TicketState.SEATED)
    return changed(connection, shown.values(state=TicketState.SEATING).returning(*TICKET_COLUMNS))


def released(connection: sa.Connection, match_id: str, now: float) -> list[Ticket] | None:
    """The stakes are given back; what tickets the match still has wait again, in their place. None: somebody else was first."""
    if not _move(connection, match_id, MatchState.RELEASING, MatchState.BROKEN, now, ended_at=now):
        return None
    return _back(connection, match_id, now)


def bound(connection: sa.Connection, match_id: str, now: float) -> bool:
    """A table has bound the stakes after all: find it."""
    return _move(connection, match_id, MatchState.RELEASING, MatchState.OPENING, now)


def opened(connection: sa.Connection, match_id: str, server: str, now: float, next_at: float) -> list[Ticket] | None:
    """The table is open. None: somebody else was first."""
    if not _move(connection, match_id, MatchState.OPENING, MatchState.SEATED, now, server=server, next_at=next_at):
        return None
    seated = sa.update(TICKETS).where(_T.match_id == match_id, _T.state == TicketState.SEATING)
    return changed(connection, seated.values(state=TicketState.SEATED).returning(*TICKET_COLUMNS))


def closed(connection: sa.Connection, match: Match, now: float) -> list[Ticket] | None:
    """The table is closed, so its tickets are over. None: somebody else was first."""
    if not _move(connection, match.id, match.state, MatchState.OVER, now, ended_at=now):
        return None
    there = sa.and_(_T.match_id == match.id, _T.state.in_((TicketState.SEATING, TicketState.SEATED)))
    return end_tickets(connection, there, TicketState.OVER, Why.NONE, now)


def _back(connection: sa.Connection, match_id: str, now: float) -> list[Ticket]:
    # Each time a little later, so that a room that cannot be seated costs little.
    back = sa.update(TICKETS).where(_T.match_id == match_id, _T.state == TicketState.SEATING)
    wait = now + 0.5 * (_T.returns + 1)
    back = back.values(state=TicketState.WAITING, returns=_T.returns + 1, ready_at=wait, **_NO_MATCH)
    return changed(connection, back.returning(*TICKET_COLUMNS))
