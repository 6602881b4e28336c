"""The tables of the settlement schema, and sets of rows as statements.

Law: `transfers`, `entries`, `requests`, `rating_changes` and `operator_actions` are only ever added to, and a settled item never changes;
triggers hold it. All SQL of the service is in `store*.py` and `check.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

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
_partial("accounts_with_coins", sa.and_(accounts.c.player.is_not(None), accounts.c.balance > 0), accounts.c.player)

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

entries = sa.Table(
    "entries",
    metadata,
    # Twice the transfer's id for the side that pays, one more for the side that is paid.
    sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("account", sa.Text, nullable=False),
    sa.Column("coins", sa.BigInteger, nullable=False),
    sa.Column("balance_after", sa.BigInteger),
    # Whose statement shows it, and what it did to his wallet and stakes together.
    sa.Column("player", sa.Text),
    sa.Column("player_coins", sa.BigInteger, nullable=False),
)
_partial("entries_of_player", entries.c.player.is_not(None), entries.c.player, entries.c.id)

requests = sa.Table(
    "requests",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("hash", sa.Text, nullable=False),
    # done, or why it was refused: a key keeps its first answer.
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


def rowset(connection: sa.Connection, columns: Sequence[sa.Column[Any]], rows: Sequence[Row]) -> Any:
    """Return rows given by value as something to select from, with one column a name.

    The rows travel as one JSON parameter, so a statement has the same text, and costs one round trip, however many there are.
    """
    if connection.dialect.name == "sqlite":
        each = sa.func.json_each(sa.bindparam("rows", list(rows), type_=sa.JSON, unique=True)).table_valued("value", name="each")
        picked = [sa.func.json_extract(each.c.value, f"$.{column.name}", type_=column.type).label(column.name) for column in columns]
        return sa.select(*picked).subquery("given")
    given = sa.cast(sa.bindparam("rows", list(rows), type_=sa.JSON, unique=True), sa.JSON)
    shape = [sa.column(column.name, column.type) for column in columns]
    return sa.func.json_to_recordset(given).table_valued(*shape, name="given").render_derived(with_types=True)


def insert(connection: sa.Connection, table: sa.Table, rows: Sequence[Row], *, skip_existing: bool = False) -> int:
    """Insert all rows with one statement; the first row's keys are the columns. `skip_existing` leaves rows that are there as they are.

    Returns how many were inserted.
    """
    if not rows:
        return 0
    columns = [table.c[name] for name in rows[0]]
    given = rowset(connection, columns, rows)
    chosen = sa.select(*(given.c[column.name] for column in columns))
    if not skip_existing:
        return connection.execute(sa.insert(table).from_select([column.name for column in columns], chosen)).rowcount
    module: Any = sqlite if connection.dialect.name == "sqlite" else postgresql
    # SQLite cannot tell ON CONFLICT from a join's ON without a WHERE.
    chosen = chosen.where(sa.true())
    return connection.execute(
        module.insert(table).from_select([column.name for column in columns], chosen).on_conflict_do_nothing()
    ).rowcount


def update(connection: sa.Connection, table: sa.Table, keys: Sequence[str], rows: Sequence[Row]) -> None:
    """Set the columns of all rows with one statement; `keys` are the columns that find a row, the others are set."""
    if not rows:
        return
    given = rowset(connection, [table.c[name] for name in rows[0]], rows)
    values = {name: given.c[name] for name in rows[0] if name not in keys}
    done = connection.execute(sa.update(table).values(values).where(*(table.c[name] == given.c[name] for name in keys)))
    assert done.rowcount == len(rows), (table.name, done.rowcount, len(rows))
