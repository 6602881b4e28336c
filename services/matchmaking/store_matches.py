"""The SQL of the saga that seats a match: functions of a connection, each one transaction, on SQLite and PostgreSQL.

Law: a match changes only by compare-and-set on the state it was in, so whoever does a step twice, or late, changes nothing; and its tickets
change in the same transaction. Functions that change tickets return them as they are afterwards; None means that somebody else was first.

Who works on a match has claimed it for a while: `claimed_by` is the replica, and the claim ends at `next_at`. A claim is for economy, not
safety: a replica that was stopped for longer than its claim does no harm when it continues.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from services.matchmaking.schema import MATCHES, TICKETS
from services.matchmaking.store import BUSY_SECONDS, TICKET_COLUMNS, TakenError, changed, end_tickets, has_come
from services.matchmaking.tickets import LIVE, UNFINISHED, Limits, Match, MatchState, Ticket, TicketState, Why

_T, _M = TICKETS.c, MATCHES.c
_NO_MATCH = {"match_id": None, "seat": None}
_NOBODY = {"claimed_by": ""}

_MOST_RETURNS: Final = 60
"""A ticket's pause before it is matched again grows no more after so many."""
CLAIM_SECONDS: Final = 5.0
"""How long a claim lasts. A step that takes longer may be done by two."""


class Claim(NamedTuple):
    """A replica's right to work on matches, from now on and for a while."""

    replica: str
    now: float
    seconds: float = CLAIM_SECONDS

    @property
    def until(self) -> float:
        """Return when it ends."""
        return self.now + self.seconds


def write_match(connection: sa.Connection, match: Match, tickets: Sequence[str], claim: Claim) -> list[Ticket]:
    """Write a match and take its tickets, in the order of their seats. Raises TakenError when one of them is no longer waiting."""
    row = {
        "id": match.id,
        "room": match.room,
        "players": len(match.seats),
        "state": match.state,
        "reason": match.reason,
        "created_at": claim.now,
        "since": claim.now,
        "next_at": claim.until,
        "claimed_by": claim.replica,
        "attempts": match.attempts,
        "server": match.server,
        "joins": match.joins,
    }
    connection.execute(sa.insert(MATCHES).values(row))
    named = [seat for seat, player in enumerate(match.seats) if player is not None]
    seats = sa.case(dict(zip(tickets, named, strict=True)), value=_T.id)
    # What another transaction is changing now is passed over: no two wait for each other's tickets.
    waiting = sa.select(_T.id).where(_T.id.in_(tickets), _T.state == TicketState.WAITING).with_for_update(skip_locked=True)
    take = sa.update(TICKETS).where(_T.id.in_(waiting), _T.state == TicketState.WAITING)
    taken = changed(connection, take.values(state=TicketState.SEATING, match_id=match.id, seat=seats).returning(*TICKET_COLUMNS))
    if len(taken) != len(tickets):
        raise TakenError
    return taken


def claim_due(connection: sa.Connection, claim: Claim, count: int, working: Collection[str] = (), late: float = 0.0) -> list[Match]:
    """Claim matches that somebody should have worked on `late` seconds ago. Not those that this replica is `working` on, in a step that
    takes longer than its claim.
    """
    if count <= 0:
        return []
    due = sa.select(_M.id).where(_M.state.in_([sa.literal_column(f"'{state}'") for state in LIVE]), has_come(_M.next_at, claim.now - late))
    picked = due.where(_M.id.not_in(working)).order_by(_M.next_at).limit(count).with_for_update(skip_locked=True)
    values = {"next_at": claim.until, "claimed_by": claim.replica, "attempts": _M.attempts + 1}
    claimed = sa.update(MATCHES).where(_M.id.in_(picked)).values(**values)
    return _with_seats(connection, connection.execute(claimed.returning(*MATCHES.c)).all())


def end_claims(connection: sa.Connection, now: float, replica: str | None = None) -> None:
    """End the claims of a replica that stops, or of all replicas: their matches are due at once."""
    whose = _M.claimed_by == replica if replica is not None else sa.true()
    connection.execute(sa.update(MATCHES).where(_M.state.in_(UNFINISHED), _M.next_at > now, whose).values(next_at=now, **_NOBODY))


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


def _move(connection: sa.Connection, match_id: str, before: MatchState, after: MatchState, claim: Claim, **values: Any) -> bool:
    moved = sa.update(MATCHES).where(_M.id == match_id, _M.state == before)
    values = {"state": after, "since": claim.now, "attempts": 0, "next_at": claim.until, "claimed_by": claim.replica, **values}
    return connection.execute(moved.values(**values)).rowcount == 1


def later(connection: sa.Connection, match: Match, next_at: float, server: str = "") -> None:
    """Work on the match again at `next_at`, if it is still where it was and nobody has claimed it since. `server`: where its table is."""
    same = sa.and_(_M.id == match.id, _M.state == match.state, _M.attempts == match.attempts)
    connection.execute(sa.update(MATCHES).where(same).values(next_at=next_at, server=server or match.server, **_NOBODY))


def stakes_held(connection: sa.Connection, match_id: str, claim: Claim) -> bool:
    """The stakes are held: on to the table. False: somebody else was first."""
    return _move(connection, match_id, MatchState.HOLDING, MatchState.OPENING, claim)


def stakes_not_held(
    connection: sa.Connection,
    match_id: str,
    reason: Why,
    unfit: Mapping[Why, Collection[str]],
    busy: Collection[str],
    claim: Claim,
    limits: Limits,
) -> list[Ticket] | None:
    """Nothing is held, and no table was opened: the unfit ones are out, the busy ones wait apart, the others keep their place.

    `unfit`, by what is wrong with them, and `busy` are players. None: somebody else was first.
    """
    if not _move(connection, match_id, MatchState.HOLDING, MatchState.RELEASING, claim, reason=reason):
        return None
    now = claim.now
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


def give_up(connection: sa.Connection, match: Match, reason: Why, claim: Claim) -> list[Ticket] | None:
    """The match comes to nothing; its stakes are released next. None: somebody else was first.

    Where no table can have been opened its tickets wait again at once; else only after the release, which tells whether a table has bound
    the stakes.
    """
    if not _move(connection, match.id, match.state, MatchState.RELEASING, claim, reason=reason):
        return None
    if match.state == MatchState.HOLDING:
        return _back(connection, match.id, claim.now)
    shown = sa.update(TICKETS).where(_T.match_id == match.id, _T.state == TicketState.SEATED)
    return changed(connection, shown.values(state=TicketState.SEATING).returning(*TICKET_COLUMNS))


def released(connection: sa.Connection, match_id: str, claim: Claim) -> list[Ticket] | None:
    """The stakes are given back; what tickets the match still has wait again, in their place. None: somebody else was first."""
    if not _move(connection, match_id, MatchState.RELEASING, MatchState.BROKEN, claim, ended_at=claim.now, **_NOBODY):
        return None
    return _back(connection, match_id, claim.now)


def bound(connection: sa.Connection, match_id: str, claim: Claim) -> bool:
    """A table has bound the stakes after all: find it."""
    return _move(connection, match_id, MatchState.RELEASING, MatchState.OPENING, claim)


def opened(connection: sa.Connection, match_id: str, server: str, claim: Claim, next_at: float) -> list[Ticket] | None:
    """The table is open. None: somebody else was first."""
    if not _move(connection, match_id, MatchState.OPENING, MatchState.SEATED, claim, server=server, next_at=next_at, **_NOBODY):
        return None
    seated = sa.update(TICKETS).where(_T.match_id == match_id, _T.state == TicketState.SEATING)
    return changed(connection, seated.values(state=TicketState.SEATED).returning(*TICKET_COLUMNS))


def closed(connection: sa.Connection, match: Match, claim: Claim) -> list[Ticket] | None:
    """The table is closed, so its tickets are over. None: somebody else was first."""
    if not _move(connection, match.id, match.state, MatchState.OVER, claim, ended_at=claim.now, **_NOBODY):
        return None
    there = sa.and_(_T.match_id == match.id, _T.state.in_((TicketState.SEATING, TicketState.SEATED)))
    return end_tickets(connection, there, TicketState.OVER, Why.NONE, claim.now)


def _back(connection: sa.Connection, match_id: str, now: float) -> list[Ticket]:
    # Each time a little later, so that a room that cannot be seated costs little.
    back = sa.update(TICKETS).where(_T.match_id == match_id, _T.state == TicketState.SEATING)
    wait = now + 0.5 * sa.case((_T.returns < _MOST_RETURNS, _T.returns + 1), else_=_MOST_RETURNS)
    back = back.values(state=TicketState.WAITING, returns=_T.returns + 1, ready_at=wait, **_NO_MATCH)
    return changed(connection, back.returning(*TICKET_COLUMNS))
