"""Which players may read the records of a table."""

from __future__ import annotations

import json

import sqlalchemy as sa

from services.table.rows import Kind
from services.table.store import journal, tables

_KINDS = (Kind.OPEN, Kind.TAKE, Kind.DEAL)


def may_read(connection: sa.Connection, table_id: str, player: str) -> bool:
    """Whether a player was dealt a hand at a table, or its room showed its records to anybody when the table was opened."""
    query = (
        sa.select(journal.c.kind, journal.c.seat, journal.c.body)
        .join(tables, journal.c.table_num == tables.c.num)
        .where(tables.c.id == table_id, journal.c.kind.in_([kind.value for kind in _KINDS]))
        .order_by(journal.c.seq)
    )
    seated: dict[int, str | None] = {}
    for kind, seat, text in connection.execute(query):
        if kind == Kind.OPEN:
            opened = json.loads(text)
            if opened["room"].get("public_records", False):
                return True
            seated = dict(enumerate(opened["players"]))
        elif kind == Kind.TAKE:
            seated[seat] = json.loads(text)["player"]
        elif player in seated.values():
            return True
    return False
