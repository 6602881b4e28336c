"""Which keys are in use: a server that lacks one would have to call hands off that others can still play."""

from __future__ import annotations

import json

import sqlalchemy as sa

from services.table.rows import Kind
from services.table.store import LIVE, journal, tables


def deal_keys(connection: sa.Connection) -> set[str]:
    """Return the ids of the keys with which hands of live tables were dealt, whoever owns them."""
    query = (
        sa.select(journal.c.body)
        .join(tables, journal.c.table_num == tables.c.num)
        .where(tables.c.state.in_(LIVE), journal.c.kind == Kind.COMMIT.value)
    )
    return {json.loads(text)["key"] for (text,) in connection.execute(query)}
