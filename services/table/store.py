"""All that a table server stores: servers, tables, journal, outbox. SQLAlchemy tables and functions of a connection, each one transaction.

The append of journal rows, the one statement that is on every action's way, is in services.table.appends.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import sqlalchemy as sa

from services.table.rows import Kind, Row

metadata = sa.MetaData()

servers = sa.Table(
    "servers",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("generation", sa.BigInteger, nullable=False),
    sa.Column("capacity", sa.BigInteger, nullable=False),
    # Live tables as the server last told, for whoever looks into the database; the service itself counts rows of `tables`.
    sa.Column("load", sa.BigInteger, nullable=False),
    sa.Column("lease_until", sa.Double, nullable=False),
    sa.Column("seats", sa.BigInteger, nullable=False, server_default="0"),
    # A JSON list of the versions of rules that it can play.
    sa.Column("rules", sa.Text, nullable=False, server_default="[]"),
    sa.Column("state", sa.Text, nullable=False, server_default="serving"),
)
_IS_LIVE: Final = "state IN ('open', 'settling')"
_NUMBER: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
tables = sa.Table(
    "tables",
    metadata,
    # The journal's short name for the table: rows of all tables go in side by side, so their index had better be small.
    sa.Column("num", _NUMBER, primary_key=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("room", sa.Text, nullable=False),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("generation", sa.BigInteger, nullable=False),
    sa.Column("epoch", sa.BigInteger, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("opened_at", sa.Double, nullable=False),
    sa.Column("request", sa.Text, nullable=False),
    # Whether hands that ended under a release which stored no records have them now.
    sa.Column("recorded", sa.Boolean, nullable=False, server_default=sa.false()),
    # The version of the rules that it was opened under; empty: of a table that was over before this was noted.
    sa.Column("rules", sa.Text, nullable=False, server_default=""),
    # How often a server claimed it since it was last played.
    sa.Column("tries", sa.SmallInteger, nullable=False, server_default="0"),
    sa.Index("tables_live", "owner", "generation", postgresql_where=sa.text(_IS_LIVE), sqlite_where=sa.text(_IS_LIVE)),
    sa.Index("tables_not_recorded", "num", postgresql_where=sa.text("NOT recorded"), sqlite_where=sa.text("NOT recorded")),
)
journal = sa.Table(
    "journal",
    metadata,
    sa.Column("table_num", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("epoch", sa.BigInteger, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("seat", sa.SmallInteger, nullable=False),
    sa.Column("action_id", sa.BigInteger, nullable=False),
    sa.Column("auto", sa.SmallInteger, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("digest", sa.Text),
    # Milliseconds since 1970 by the server's clock; null in rows of a release that did not note it.
    sa.Column("at", sa.BigInteger),
)
outbox = sa.Table(
    "outbox",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("seq", sa.BigInteger, primary_key=True),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("next_at", sa.Double, nullable=False),
    sa.Column("done", sa.Boolean, nullable=False),
    sa.Index("outbox_not_done", "table_id", "seq", postgresql_where=sa.text("NOT done"), sqlite_where=sa.text("NOT done")),
    sqlite_with_rowid=False,
)

LIVE: Final = ("open", "settling")
_HALF: Final = 1 << 63
_SQLITE_NOW: Final = "(julianday('now') - 2440587.5) * 86400.0"
_POSTGRES_NOW: Final = "extract(epoch from clock_timestamp())::float8"


def clock(connection: sa.Connection) -> float:
    """Return the database's clock, in seconds since 1970."""
    return float(connection.execute(sa.select(now_of(connection))).scalar_one())


def now_of(connection: sa.Connection) -> sa.ColumnElement[Any]:
    """Return the database's clock as part of a statement."""
    return sa.literal_column(_SQLITE_NOW if connection.dialect.name == "sqlite" else _POSTGRES_NOW)


def signed(action_id: int) -> int:
    """Return a 64-bit id as the databases keep it."""
    return action_id - 2 * _HALF if action_id >= _HALF else action_id


def unsigned(stored: int) -> int:
    """Return an id as clients know it."""
    return stored + 2 * _HALF if stored < 0 else stored


def oldest_item(connection: sa.Connection) -> float | None:
    """Return for how many seconds the oldest item of all tables has been without an outcome; None: all have theirs."""
    age = now_of(connection) - sa.func.min(outbox.c.created_at)
    found = connection.execute(sa.select(age).where(sa.not_(outbox.c.done))).scalar_one()
    return None if found is None else max(0.0, float(found))


# Tables.


@dataclass(slots=True, frozen=True)
class TableRow:
    """A row of `tables`."""

    id: str
    room: str
    owner: str
    generation: int
    epoch: int
    state: str
    opened_at: float
    request: str
    num: int = 0
    recorded: bool = True
    """Whether hands that ended under a release which stored no records have them now."""
    rules: str = ""
    """The version of the rules that it was opened under."""
    fresh: bool = False
    """It has just been opened."""


TABLES: Final = sa.select(
    tables.c.id, tables.c.room, tables.c.owner, tables.c.generation, tables.c.epoch, tables.c.state, tables.c.opened_at, tables.c.request,
    tables.c.num, tables.c.recorded, tables.c.rules,
)  # fmt: skip


def find_table(connection: sa.Connection, table_id: str) -> TableRow | None:
    """Return a table, whoever owns it."""
    row = connection.execute(TABLES.where(tables.c.id == table_id)).one_or_none()
    return None if row is None else TableRow(*row)


_OPEN: Final = (
    "INSERT INTO tables (id, room, owner, generation, epoch, state, opened_at, request, rules, recorded)"
    " VALUES ({0}, {0}, {0}, {0}, {0}, {0}, {1}, {0}, {0}, true) ON CONFLICT (id) DO NOTHING RETURNING num, opened_at"
)
_OWNER: Final = "SELECT 1 FROM servers WHERE name = {0} AND generation = {0} AND lease_until > {1}"
_FOUND: Final = "SELECT id, room, owner, generation, epoch, state, opened_at, request, num FROM tables WHERE id = {0}"
_FIRST: Final = (
    "INSERT INTO journal (table_num, seq, epoch, kind, seat, action_id, auto, body, digest, at)"
    " VALUES ({0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0})"
)
_OWED: Final = "INSERT INTO outbox (table_id, seq, body, created_at, attempts, next_at, done) VALUES ({0}, {0}, {0}, {0}, 1, {0}, false)"


def open_table(
    execute: Callable[[str, tuple[Any, ...]], Any],
    mark: str,
    row: TableRow,
    first: Row,
    items: Sequence[tuple[int, str]],
    resend_seconds: float,
) -> TableRow | None:
    """Store a new table with its first journal row and what it owes; or return the table of this id that is there already.

    None: its owner's lease is over, and nothing is stored.

    In the driver's own SQL: a hand is short, so opening its table is on the way of every few dozen actions. `mark`: ? or %s.
    """
    now = _SQLITE_NOW if mark == "?" else _POSTGRES_NOW
    # On PostgreSQL the next owner waits for us, and then finds the table; renewals do not.
    owner = _OWNER.format(mark, now) + ("" if mark == "?" else " FOR KEY SHARE")
    if execute(owner, (row.owner, row.generation)).fetchone() is None:
        return None
    values = (row.id, row.room, row.owner, row.generation, row.epoch, row.state, row.request, row.rules)
    made = execute(_OPEN.format(mark, now), values).fetchone()
    if made is None:
        return TableRow(*execute(_FOUND.format(mark), (row.id,)).fetchone())
    num, opened_at = made
    execute(_FIRST.format(mark), (num, first.seq, row.epoch, first.kind.value, *first[2:]))
    for seq, text in items:
        execute(_OWED.format(mark), (row.id, seq, text, opened_at, opened_at + resend_seconds))
    return replace(row, num=num, opened_at=opened_at, fresh=True)


# Journal and outbox.


def read_journal(connection: sa.Connection, table_ids: Iterable[str]) -> dict[str, list[Row]]:
    """Return the rows of tables, in order."""
    ids = list(table_ids)
    found: dict[str, list[Row]] = {table_id: [] for table_id in ids}
    rows = journal.c
    query = (
        sa.select(tables.c.id, rows.seq, rows.kind, rows.seat, rows.action_id, rows.auto, rows.body, rows.digest, rows.at)
        .join(journal, journal.c.table_num == tables.c.num)
        .where(tables.c.id.in_(ids))
        .order_by(journal.c.table_num, journal.c.seq)
    )
    for table_id, seq, kind, seat, action_id, auto, text, digest, at in connection.execute(query):
        found[table_id].append(Row(seq, Kind(kind), seat, action_id, auto, text, digest, at))
    return found


@dataclass(slots=True, frozen=True)
class Due:
    """An item that has no outcome yet."""

    table_id: str
    seq: int
    body: str
    attempts: int
    created_at: float


def unsettled(connection: sa.Connection, table_ids: Iterable[str]) -> list[Due]:
    """Return the items of tables that have no outcome yet, in order."""
    query = (
        sa.select(outbox.c.table_id, outbox.c.seq, outbox.c.body, outbox.c.attempts, outbox.c.created_at)
        .where(~outbox.c.done, outbox.c.table_id.in_(list(table_ids)))
        .order_by(outbox.c.table_id, outbox.c.seq)
    )
    return [Due(*row) for row in connection.execute(query)]


def note_resent(connection: sa.Connection, sent: Sequence[tuple[str, int, int, float]]) -> None:
    """Keep how often items were sent and in how many seconds they are sent next: (table, seq, attempts, seconds)."""
    now = clock(connection)
    statement = (
        outbox.update()
        .where(outbox.c.table_id == sa.bindparam("of"), outbox.c.seq == sa.bindparam("at"))
        .values(attempts=sa.bindparam("tried"), next_at=sa.bindparam("again"))
    )
    connection.execute(statement, [{"of": t, "at": seq, "tried": tried, "again": now + wait} for t, seq, tried, wait in sent])


def request_text(room_id: str, players: Sequence[str | None]) -> str:
    """Return what OpenTable was asked, to tell a repeated request from another one."""
    return json.dumps([room_id, list(players)], separators=(",", ":"))
