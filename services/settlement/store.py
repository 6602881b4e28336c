"""The tables of the settlement schema, and sets of rows as statements.

Law: `transfers`, `entries`, `requests`, `rating_changes` and `operator_actions` are only ever added to, and a settled item never changes;
triggers hold it. All SQL of the service is in `store*.py` and `check.py`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from services.kit.items import MAX_COINS

Row = Mapping[str, Any]

metadata = sa.MetaData()


def _partial(name: str, where: sa.ColumnElement[bool], *columns: Any, unique: bool = False) -> None:
    sa.Index(name, *columns, unique=unique, sqlite_where=where, postgresql_where=where)


accounts = sa.Table(
    "accounts",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("player", sa.Text),
    sa.Column("balance", sa.BigInteger),
    sa.CheckConstraint(f"balance >= 0 AND balance <= {MAX_COINS}", name="balance_exact"),
    sa.CheckConstraint("(balance IS NULL) = (kind IN ('house', 'outside'))", name="balance_kept"),
)

transfers = sa.Table(
    "transfers",
    metadata,
    sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("payer", sa.Text, nullable=False),
    sa.Column("payee", sa.Text, nullable=False),
    sa.Column("coins", sa.BigInteger, nullable=False),
    sa.Column("cause", sa.Text, nullable=False),
    sa.Column("table_id", sa.Text, nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("hand", sa.Integer, nullable=False),
    sa.Column("multiple", sa.BigInteger, nullable=False),
    sa.Column("owed", sa.BigInteger, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.CheckConstraint("coins >= 0", name="coins_not_negative"),
    sa.CheckConstraint("payer <> payee", name="two_accounts"),
)
sa.Index("transfers_at", transfers.c.at, postgresql_using="brin")

entries = sa.Table(
    "entries",
    metadata,
    # Twice the transfer's id for the side that pays, one more for the side that is paid.
    sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("account", sa.Text, nullable=False),
    sa.Column("coins", sa.BigInteger, nullable=False),
    sa.Column("balance_after", sa.BigInteger),
    # Whose statement shows it, and what it did to their wallet and stakes together.
    sa.Column("player", sa.Text),
    sa.Column("player_coins", sa.BigInteger, nullable=False),
)
_partial("entries_of_player", entries.c.player.is_not(None), entries.c.player, entries.c.id)

requests = sa.Table(
    "requests",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("hash", sa.Text, nullable=False),
    # done; or why it was refused, in rows of when refusals were kept.
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("wallet", sa.BigInteger, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
)

tables = sa.Table(
    "tables",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("head", sa.Integer, nullable=False),
    sa.Column("stuck", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("room_id", sa.Text),
    sa.Column("game", sa.Text),
    sa.Column("policy", sa.Text),
    sa.Column("base", sa.BigInteger),
    sa.Column("entry", sa.BigInteger),
    sa.Column("needed", sa.BigInteger),
    sa.Column("lock", sa.BigInteger),
    sa.Column("rated", sa.Boolean),
    sa.CheckConstraint("state IN ('new', 'held', 'open', 'closed', 'void', 'joined')", name="state_known"),
)
_partial("tables_stuck", tables.c.stuck != "", tables.c.id)

holds = sa.Table(
    "holds",
    metadata,
    sa.Column("match_id", sa.Text, primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("table_id", sa.Text, nullable=False),
    sa.Column("player", sa.Text),
    sa.Column("account", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("stake", sa.BigInteger, nullable=False),
    sa.Column("returned", sa.BigInteger, nullable=False),
    sa.Column("pooled", sa.BigInteger, nullable=False),
    # Holders of one seat follow one another.
    sa.Column("since", sa.Integer, nullable=False),
    sa.CheckConstraint("state IN ('held', 'bound', 'left', 'closed', 'void')", name="state_known"),
)
_partial("one_occupancy", sa.and_(holds.c.player.is_not(None), holds.c.state.in_(["held", "bound"])), holds.c.player, unique=True)
sa.Index("holds_of_table", holds.c.table_id)
_partial("holds_of_player", sa.and_(holds.c.player.is_not(None), holds.c.state.in_(["held", "bound", "left"])), holds.c.player)

items = sa.Table(
    "items",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
    # stored, applied, refused, or void by an operator
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text),
    sa.Column("stored_at", sa.BigInteger, nullable=False),
    sa.Column("settled_at", sa.BigInteger),
    sa.CheckConstraint("state IN ('stored', 'applied', 'refused', 'void')", name="state_known"),
)
_partial("items_unsettled", items.c.state == "stored", items.c.stored_at)

attempts = sa.Table(
    "attempts",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("count", sa.Integer, nullable=False),
)

dead_letters = sa.Table(
    "dead_letters",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("reason", sa.Text, primary_key=True),
    sa.Column("detail", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("times", sa.Integer, nullable=False),
    sa.Column("first_at", sa.BigInteger, nullable=False),
    sa.Column("last_at", sa.BigInteger, nullable=False),
    # What an operator did about it; empty: nothing yet.
    sa.Column("resolution", sa.Text, nullable=False),
)

operator_actions = sa.Table(
    "operator_actions",
    metadata,
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("table_id", sa.Text, nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("why", sa.Text, nullable=False),
    # Whom it was about; empty: a table.
    sa.Column("player", sa.Text, nullable=False, server_default=""),
)

# They get no seat and withdraw nothing.
frozen_players = sa.Table(
    "frozen_players",
    metadata,
    sa.Column("player", sa.Text, primary_key=True),
    sa.Column("at", sa.BigInteger, nullable=False),
)

# One row: the last check of the whole ledger. Seconds since 1970 by the database's clock; 0: never.
ledger_checks = sa.Table(
    "ledger_checks",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    # When whoever makes a check last said so.
    sa.Column("making_at", sa.BigInteger, nullable=False),
    sa.Column("finished_at", sa.BigInteger, nullable=False),
    # JSON: what was found (services.settlement.ledger_checks.Found); empty: never checked.
    sa.Column("found", sa.Text, nullable=False),
)

ratings = sa.Table(
    "ratings",
    metadata,
    sa.Column("player", sa.Text, primary_key=True),
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("points", sa.BigInteger, nullable=False),
)

rating_changes = sa.Table(
    "rating_changes",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("player", sa.Text, primary_key=True),
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("change", sa.BigInteger, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
)

rating_created = sa.Table(
    "rating_created",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("winner", sa.Text, primary_key=True),
    sa.Column("loser", sa.Text, primary_key=True),
    sa.Column("game", sa.Text, nullable=False),
    # Days since 1970, UTC. Those before yesterday are dropped.
    sa.Column("day", sa.Integer, nullable=False),
    sa.Column("points", sa.BigInteger, nullable=False),
    sa.CheckConstraint("points > 0", name="points_created"),
)
sa.Index("rating_created_of_winner", rating_created.c.winner, rating_created.c.game, rating_created.c.day)
sa.Index("rating_created_by_day", rating_created.c.day)


def rowset(connection: sa.Connection, columns: Sequence[sa.Column[Any]]) -> str:
    """Return the FROM clause `(...) AS given` for rows given by value in one JSON parameter, with one column a name.

    A statement has the same text, and costs one round trip, however many rows there are.
    """
    if connection.dialect.name == "sqlite":
        picked = ", ".join(f"json_extract(value, '$.{column.name}') AS {column.name}" for column in columns)
        return f"(SELECT {picked} FROM json_each(?)) AS given"  # noqa: S608 - names of this module's columns
    shape = ", ".join(f"{column.name} {column.type.compile(connection.dialect)}" for column in columns)
    return f"json_to_recordset(%s) AS given ({shape})"


def insert(connection: sa.Connection, table: sa.Table, rows: Sequence[Row], *, skip_existing: bool = False) -> int:
    """Insert all rows with one statement; the first row's keys are the columns. `skip_existing` leaves rows that are there as they are.

    Returns how many were inserted.
    """
    if not rows:
        return 0
    return _execute(connection, _insert_text(connection, table, tuple(rows[0]), skip_existing), rows)


def update(connection: sa.Connection, table: sa.Table, keys: tuple[str, ...], rows: Sequence[Row]) -> None:
    """Set the columns of all rows with one statement; `keys` are the columns that find a row, the others are set."""
    if not rows:
        return
    done = _execute(connection, _update_text(connection, table, keys, tuple(rows[0])), rows)
    assert done == len(rows), (table.name, done, len(rows))


def select_text(
    connection: sa.Connection, wanted: str, columns: Sequence[sa.Column[Any]], rows: Sequence[Row], *, lock: sa.Table | None = None
) -> sa.CursorResult[Any]:
    """Run a SELECT whose text has `{given}` where the rows are to be read from, and `{lock}` at its end to lock the rows of a table."""
    # SQLite has one writer: there is nothing to lock.
    locking = "" if lock is None or connection.dialect.name == "sqlite" else f" FOR NO KEY UPDATE OF {lock.name}"
    return connection.exec_driver_sql(wanted.format(given=rowset(connection, columns), lock=locking), (_dump(rows),))


def _execute(connection: sa.Connection, text: str, rows: Sequence[Row]) -> int:
    return connection.exec_driver_sql(text, (_dump(rows),)).rowcount


def _dump(rows: Sequence[Row]) -> str:
    return json.dumps(rows, separators=(",", ":"))


# The texts depend on nothing but names: making them anew for every batch would cost more than running them.
_texts: dict[tuple[object, ...], str] = {}


def _insert_text(connection: sa.Connection, table: sa.Table, names: tuple[str, ...], skip_existing: bool) -> str:
    key = (connection.dialect.name, table.name, names, skip_existing)
    if key not in _texts:
        columns = ", ".join(names)
        given = rowset(connection, [table.c[name] for name in names])
        # SQLite cannot tell ON CONFLICT from a join's ON without a WHERE.
        otherwise = " WHERE true ON CONFLICT DO NOTHING" if skip_existing else ""
        _texts[key] = f"INSERT INTO {table.name} ({columns}) SELECT {columns} FROM {given}{otherwise}"  # noqa: S608 - names of this module
    return _texts[key]


def _update_text(connection: sa.Connection, table: sa.Table, keys: tuple[str, ...], names: tuple[str, ...]) -> str:
    key = (connection.dialect.name, table.name, keys, names)
    if key not in _texts:
        given = rowset(connection, [table.c[name] for name in names])
        values = ", ".join(f"{name} = given.{name}" for name in names if name not in keys)
        same = " AND ".join(f"{table.name}.{name} = given.{name}" for name in keys)
        _texts[key] = f"UPDATE {table.name} SET {values} FROM {given} WHERE {same}"  # noqa: S608 - names of this module
    return _texts[key]
