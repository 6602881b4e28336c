"""The SQL of hand records. A hand that is over has its row from the append that ended it; its record follows and never changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import sqlalchemy as sa

from services.table.store import LIVE, metadata, tables

records = sa.Table(
    "records",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("hand", sa.BigInteger, primary_key=True, autoincrement=False),
    # Null: the record is due.
    sa.Column("record", sa.Text),
    sa.Index("records_due", "table_id", "hand", postgresql_where=sa.text("record IS NULL"), sqlite_where=sa.text("record IS NULL")),
)

Made = tuple[str, int, str]
"""A table, a hand, its record."""
_DUE: Final = records.c.record.is_(None)


def store(connection: sa.Connection, made: Sequence[Made]) -> None:
    """Store records that are due. One that is there stays: whoever built it first has built it for all."""
    if not made:
        return
    statement = records.update().where(records.c.table_id == sa.bindparam("of"), records.c.hand == sa.bindparam("at"), _DUE)
    connection.execute(statement.values(record=sa.bindparam("text")), [{"of": t, "at": hand, "text": text} for t, hand, text in made])


def store_old(connection: sa.Connection, table_id: str, made: Sequence[Made]) -> None:
    """Store the records of a table's hands that ended under a release which stored none, and note that it has them now."""
    for of, hand, text in made:
        row = sa.select(sa.literal(of), sa.literal(hand, sa.BigInteger), sa.literal(text))
        there = sa.select(1).where(records.c.table_id == of, records.c.hand == hand).exists()
        connection.execute(records.insert().from_select(["table_id", "hand", "record"], row.where(~there)))
    connection.execute(tables.update().where(tables.c.id == table_id).values(recorded=True))


def read(connection: sa.Connection, table_id: str, hand: int) -> list[tuple[int, str | None]]:
    """Return the hands of a table that are over, in order, or one (`hand`): number, and the record unless it is still due."""
    query = sa.select(records.c.hand, records.c.record).where(records.c.table_id == table_id).order_by(records.c.hand)
    return [(number, text) for number, text in connection.execute(query.where(records.c.hand == hand) if hand else query)]


def over(connection: sa.Connection, table_ids: Iterable[str]) -> dict[str, set[int]]:
    """Return which hands of tables are over."""
    found: dict[str, set[int]] = {}
    query = sa.select(records.c.table_id, records.c.hand).where(records.c.table_id.in_(list(table_ids)))
    for table_id, hand in connection.execute(query):
        found.setdefault(table_id, set()).add(hand)
    return found


def due(connection: sa.Connection, after: str, most: int, owner: str) -> list[str]:
    """Return tables, by id after `after`, with records that are due. Tables that another server plays are its own business."""
    query = (
        sa.select(tables.c.id)
        .distinct()
        .join(records, records.c.table_id == tables.c.id)
        .where(_DUE, tables.c.id > after, sa.or_(tables.c.owner == owner, tables.c.state.not_in(LIVE)))
        .order_by(tables.c.id)
        .limit(most)
    )
    return list(connection.execute(query).scalars())


def not_recorded(connection: sa.Connection, after: int, most: int, owner: str) -> list[tuple[int, str]]:
    """Return tables, by number after `after`, whose hands of an earlier release have no records yet: (number, id)."""
    query = (
        sa.select(tables.c.num, tables.c.id)
        .where(~tables.c.recorded, tables.c.num > after, sa.or_(tables.c.owner == owner, tables.c.state.not_in(LIVE)))
        .order_by(tables.c.num)
        .limit(most)
    )
    return [(num, table_id) for num, table_id in connection.execute(query)]
