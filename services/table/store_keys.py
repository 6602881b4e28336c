"""The SQL about keys: which are in use. Without one a server would call off hands that others can still play, or show records that nobody
can check.
"""

from __future__ import annotations

import json

import sqlalchemy as sa

from services.kit.keys import TableKeys
from services.table.rows import Kind
from services.table.store import LIVE, journal, metadata, tables

record_keys = sa.Table("record_keys", metadata, sa.Column("key_id", sa.Text, primary_key=True))
"""Every key that ever signed here, by its id."""


def check(connection: sa.Connection, keys: TableKeys) -> None:
    """Check that the keys which are in use are all here, and note the one that signs from now on. Raises SecretsError."""
    signed = set(connection.execute(sa.select(record_keys.c.key_id)).scalars())
    keys.records.require(signed)
    keys.require_deal(_deal_keys(connection))
    signs = keys.records.signing().key_id
    if signs not in signed:
        # Another server of the installation may do the same now.
        connection.execute(sa.text("INSERT INTO record_keys (key_id) VALUES (:signs) ON CONFLICT DO NOTHING"), {"signs": signs})


def _deal_keys(connection: sa.Connection) -> set[str]:
    """Return the ids of the keys with which hands of live tables were dealt, whoever owns them."""
    query = (
        sa.select(journal.c.body)
        .join(tables, journal.c.table_num == tables.c.num)
        .where(tables.c.state.in_(LIVE), journal.c.kind == Kind.COMMIT.value)
    )
    return {json.loads(text)["key"] for (text,) in connection.execute(query)}
