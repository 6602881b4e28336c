"""The SQL of ownership: which table servers there are, whose a table is, and how it gets another owner.

Law: one owner may append to a table. A table is orphaned when no row of `servers` has its (owner, generation); whoever takes it over
raises its epoch in the row that appends lock. Leases run on the database's clock.

The statements are for PostgreSQL at READ COMMITTED. On SQLite, which has one writer at a time, the same statements need no locks.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from services.table.config import LONGEST_LEASE_SECONDS
from services.table.store import LIVE, TABLES, TableRow, clock, now_of, servers, tables

SERVING: Final = "serving"
DRAINING: Final = "draining"
LOST: Final = "lost"
"""Said of a server without a lease; no row holds it."""
CLAIM_TABLES: Final = 32
"""Tables that are claimed, or handed over, at a time: no more than are replayed next, so that a server that dies then strands few."""
MOST_TRIES: Final = 3
"""A table that was claimed so often without going live is set aside: it must not end every server."""
_MOVE_LIMIT_MS: Final = 500
_GIVEN_BACK: Final = 0.0
"""When a lease ended that was given back: a clock that is set back does not make it last again."""


class Owner(NamedTuple):
    """One process of a table server: tables are owned by a name and a generation."""

    name: str
    generation: int


# Servers.


@dataclass(slots=True, frozen=True)
class ServerRow:
    """A table server. `lease_seconds`: how long its lease still lasts; negative: for how long it has been over; 0: it was given back."""

    name: str
    generation: int
    address: str
    state: str
    tables: int
    seats: int
    lease_seconds: float
    capacity: int
    rules: frozenset[str]

    @property
    def owner(self) -> Owner:
        """The name and generation under which it owns tables."""
        return Owner(self.name, self.generation)


@dataclass(slots=True, frozen=True)
class Profile:
    """What a server tells about itself when it registers."""

    name: str
    address: str
    capacity: int
    rules: Collection[str]
    """Versions of rules that it can play."""


def register(connection: sa.Connection, profile: Profile, lease_seconds: float, state: str = SERVING) -> int | float:
    """Start a new generation of a server and return its number; or return how many seconds the lease of the present one still has.

    The row is locked FOR UPDATE, which waits for openings of tables by the present generation. Of two processes that register a new name
    at once, one inserts the row and the other waits for that.
    """
    _shorten(connection)
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    blank = {"generation": 0, "address": "", "capacity": 0, "load": 0, "lease_until": 0.0}
    connection.execute(insert(servers).values(name=profile.name, **blank).on_conflict_do_nothing())
    row = connection.execute(
        sa.select(servers.c.generation, servers.c.lease_until).where(servers.c.name == profile.name).with_for_update()
    ).one()
    now = clock(connection)
    values = {
        "address": profile.address,
        "capacity": profile.capacity,
        "rules": json.dumps(sorted(profile.rules)),
        "load": 0,
        "seats": 0,
        "state": state,
        "lease_until": now + lease_seconds,
    }
    if row.lease_until > now:
        return float(row.lease_until - now)
    generation = int(row.generation) + 1
    connection.execute(servers.update().where(servers.c.name == profile.name).values(generation=generation, **values))
    return generation


def renew(connection: sa.Connection, owner: Owner, lease_seconds: float, load: int, seats: int) -> bool:
    """Renew an unexpired lease of this very generation; return False if it is gone."""
    now = now_of(connection)
    done = connection.execute(
        servers.update().where(_is(owner), servers.c.lease_until > now).values(lease_until=now + lease_seconds, load=load, seats=seats)
    )
    return done.rowcount == 1


def release(connection: sa.Connection, owner: Owner) -> None:
    """End the lease at once: the next process of this name need not wait, and others may take its tables."""
    connection.execute(servers.update().where(_is(owner)).values(lease_until=_GIVEN_BACK, load=0, seats=0))


def set_draining(connection: sa.Connection, owner: Owner) -> bool:
    """Say that a server hands its tables over and takes none; return False if its lease is gone."""
    done = connection.execute(servers.update().where(_is(owner), servers.c.lease_until > now_of(connection)).values(state=DRAINING))
    return done.rowcount == 1


def list_servers(connection: sa.Connection) -> list[ServerRow]:
    """Return servers by name: those with a lease, and those without that still have live tables."""
    now = clock(connection)
    row, has = servers.c, sa.func.count(tables.c.num)
    query = (
        sa.select(row.name, row.generation, row.address, row.state, has, row.seats, row.lease_until, row.capacity, row.rules)
        .outerjoin(tables, sa.and_(tables.c.owner == row.name, tables.c.state.in_(LIVE)))
        .group_by(row.name)
        .having(sa.or_(row.lease_until > now, has > 0))
        .order_by(row.name)
    )
    return [
        ServerRow(
            name,
            generation,
            address,
            state if until > now else LOST,
            count,
            seats,
            until and until - now,
            capacity,
            frozenset(json.loads(rules)),
        )
        for name, generation, address, state, count, seats, until, capacity, rules in connection.execute(query)
    ]


# Orphans.


@dataclass(slots=True, frozen=True)
class Sweep:
    """What a look at all live tables found.

    `expired`: servers whose lease has run out and that still own live tables. `orphaned`: owners that are no more, with live tables.
    `aside`: orphans that were tried too often. `waiting`: the other orphans by the version of their rules. `next_seconds`: when the next
    lease of another server may run out.
    """

    expired: list[Owner]
    orphaned: list[Owner]
    aside: int
    waiting: Mapping[str, int]
    next_seconds: float | None


def sweep(connection: sa.Connection, name: str) -> Sweep:
    """Look at all live tables for server `name`. Its own earlier generations come first among the orphaned."""
    _shorten(connection)
    now = clock(connection)
    tried = sa.func.sum(sa.case((tables.c.tries >= MOST_TRIES, 1), else_=0))
    of = tables.c
    query = (
        sa.select(of.owner, of.generation, of.rules, sa.func.count(), tried, servers.c.generation, servers.c.lease_until)
        .outerjoin(servers, servers.c.name == of.owner)
        .where(of.state.in_(LIVE))
        .group_by(of.owner, of.generation, of.rules, servers.c.generation, servers.c.lease_until)
        .order_by(of.owner != name, of.owner, of.generation)
    )
    expired: dict[Owner, None] = {}
    orphaned: dict[Owner, None] = {}
    aside, waiting = 0, Counter[str]()
    for owner, generation, rules, count, tries, present, until in connection.execute(query):
        if present != generation:
            aside += tries
            if count > tries:
                orphaned[Owner(owner, generation)] = None
                waiting[rules] += count - tries
        elif until <= now and owner != name:
            expired[Owner(owner, generation)] = None
    until = connection.execute(
        sa.select(sa.func.min(servers.c.lease_until)).where(servers.c.name != name, servers.c.lease_until > now)
    ).scalar_one()
    return Sweep(list(expired), list(orphaned), aside, waiting, None if until is None else until - now)


def kill(connection: sa.Connection, dead: Owner) -> bool:
    """End a generation whose lease has run out: its tables are orphaned from then on. False: it is gone, or has a lease after all.

    Locked FOR UPDATE before anything is changed. An opening holds the row FOR KEY SHARE, and a plain UPDATE would pass it: the table
    that it commits later would belong to the dead generation, unseen by whoever claims its tables now. From then on the row says that it
    drains, so that nothing is handed to it if the clock is set back to when it had a lease.
    """
    found = connection.execute(
        sa.select(servers.c.name).where(_is(dead), servers.c.lease_until <= now_of(connection)).with_for_update()
    ).one_or_none()
    if found is None:
        return False
    connection.execute(servers.update().where(_is(dead)).values(generation=dead.generation + 1, state=DRAINING))
    return True


def claim(
    connection: sa.Connection,
    owner: Owner,
    orphaned: Owner,
    rules: Collection[str] | None,
    asked: Collection[str] = (),
    most: int = CLAIM_TABLES,
) -> list[TableRow] | None:
    """Take over some tables of an owner that is no more; they are read only after this is committed. None: the own lease is gone.

    `rules`: versions that this server can play (None: whatever it is); `asked`: ids of tables that somebody waits for. No table at all
    proves nothing: rows may be locked by an append, or by another server that claims them. A table that was tried before is claimed alone
    and after the others, so that one that ends its servers takes none with it.
    """
    # Whoever ends our own generation waits for this, and then finds the tables among ours.
    if not _holds(connection, owner):
        return None
    alive = sa.select(1).where(servers.c.name == tables.c.owner, servers.c.generation == tables.c.generation).exists()
    query = (
        sa.select(tables.c.num, tables.c.tries)
        .where(
            tables.c.owner == orphaned.name,
            tables.c.generation == orphaned.generation,
            tables.c.state.in_(LIVE),
            tables.c.tries < MOST_TRIES,
            ~alive,
        )
        .order_by(tables.c.tries > 0, tables.c.id.not_in(list(asked)), tables.c.state == "settling", tables.c.num)
        .limit(most)
        .with_for_update(key_share=True, skip_locked=True, of=tables)
    )
    if rules is not None:
        # Tables of a release that did not name them can be played by any.
        query = query.where(tables.c.rules.in_([*rules, ""]))
    found = connection.execute(query).all()
    if not found:
        return []
    nums = [num for num, tries in found if tries == 0] or [found[0].num]
    connection.execute(
        tables.update()
        .where(tables.c.num.in_(nums))
        .values(owner=owner.name, generation=owner.generation, epoch=tables.c.epoch + 1, tries=tables.c.tries + 1)
    )
    return read_rows(connection, nums)


# Reconciliation.


class Mine(NamedTuple):
    """A live table in the rows of its owner."""

    num: int
    id: str
    epoch: int
    tries: int


def owned(connection: sa.Connection, owner: Owner) -> list[Mine]:
    """Return the live tables that the rows say are this server's, to compare with what it plays."""
    query = sa.select(tables.c.num, tables.c.id, tables.c.epoch, tables.c.tries).where(mine(owner))
    return [Mine(*row) for row in connection.execute(query)]


def still(connection: sa.Connection, owner: Owner, pairs: Iterable[tuple[int, int]]) -> set[int]:
    """Return which of these tables (num, epoch), live or over, are this server's under that epoch."""
    wanted = dict(pairs)
    query = sa.select(tables.c.num, tables.c.epoch).where(
        tables.c.owner == owner.name, tables.c.generation == owner.generation, tables.c.num.in_(list(wanted))
    )
    return {num for num, epoch in connection.execute(query) if wanted[num] == epoch}


# Hand-over.


def move(
    connection: sa.Connection, source: Owner, target: Owner, pairs: Sequence[tuple[int, int]], least_seconds: float = 2.0
) -> dict[int, int]:
    """Give tables (num, epoch) to another server and return the new epoch of those that are moved, by num.

    One statement decides. The target must serve, with at least so many seconds of its lease; whoever ends its generation waits for this.
    """
    if connection.dialect.name != "sqlite":
        connection.exec_driver_sql(f"SET LOCAL statement_timeout = {_MOVE_LIMIT_MS}")
    wanted = sa.values(sa.column("num", sa.BigInteger), sa.column("epoch", sa.BigInteger), name="wanted").data(list(pairs))
    serving = (
        sa.select(sa.literal(1).label("one"))
        .where(_is(target), servers.c.state == SERVING, servers.c.lease_until > now_of(connection) + least_seconds)
        .with_for_update(read=True, key_share=True)
        .cte("target")
    )
    locked = (
        sa.select(tables.c.num)
        .join(wanted, sa.and_(wanted.c.num == tables.c.num, wanted.c.epoch == tables.c.epoch))
        .join(serving, sa.true())
        .where(mine(source))
        .order_by(tables.c.num)
        .with_for_update(key_share=True, of=tables)
        .cte("locked")
    )
    statement = (
        tables.update()
        .where(tables.c.num == locked.c.num)
        .values(owner=target.name, generation=target.generation, epoch=tables.c.epoch + 1)
        .returning(tables.c.num, tables.c.epoch)
    )
    return {row.num: row.epoch for row in connection.execute(statement)}


def handed(connection: sa.Connection, owner: Owner, epochs: Mapping[str, int]) -> list[TableRow]:
    """Return those of these tables (epochs by id) that are this server's under that epoch."""
    query = TABLES.where(mine(owner), tables.c.id.in_(list(epochs))).order_by(tables.c.num)
    return [row for row in (TableRow(*values) for values in connection.execute(query)) if row.epoch == epochs[row.id]]


def owners(connection: sa.Connection, nums: Collection[int]) -> dict[int, tuple[Owner, int]]:
    """Return whose tables are, and their epochs: after a hand-over whose outcome is not known. Waits for one that is still under way."""
    of = tables.c
    query = (
        sa.select(of.num, of.owner, of.generation, of.epoch).where(of.num.in_(list(nums))).order_by(of.num).with_for_update(key_share=True)
    )
    return {num: (Owner(name, generation), epoch) for num, name, generation, epoch in connection.execute(query)}


def _shorten(connection: sa.Connection) -> None:
    """Let no lease last longer than the longest that there is: the clock was set back since it was renewed, and its server may be gone.

    A server that is there renews it. One that is not must not be believed for as long as the clock was set back.
    """
    latest = now_of(connection) + LONGEST_LEASE_SECONDS
    connection.execute(servers.update().where(servers.c.lease_until > latest).values(lease_until=latest))


def _is(owner: Owner) -> sa.ColumnElement[bool]:
    return sa.and_(servers.c.name == owner.name, servers.c.generation == owner.generation)


def mine(owner: Owner) -> sa.ColumnElement[bool]:
    """Live tables of an owner."""
    return sa.and_(tables.c.owner == owner.name, tables.c.generation == owner.generation, tables.c.state.in_(LIVE))


def _holds(connection: sa.Connection, owner: Owner) -> bool:
    query = sa.select(1).where(_is(owner), servers.c.lease_until > now_of(connection)).with_for_update(read=True, key_share=True)
    return connection.execute(query).one_or_none() is not None


def read_rows(connection: sa.Connection, nums: Sequence[int]) -> list[TableRow]:
    """Return rows of tables, in the order of their numbers."""
    return [TableRow(*row) for row in connection.execute(TABLES.where(tables.c.num.in_(nums)).order_by(tables.c.num))]
