"""Where tables are, for whoever asks a server that does not play them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import sqlalchemy as sa

from services.table.store import TABLES, TableRow, clock, servers, tables


@dataclass(slots=True, frozen=True)
class Whereabouts:
    """A table wherever it is, its owner's address, and whether that owner has a lease."""

    row: TableRow
    address: str
    alive: bool


def whereabouts(connection: sa.Connection, table_ids: Collection[str]) -> dict[str, Whereabouts]:
    """Return where tables are, by id; those that do not exist are left out."""
    query = TABLES.add_columns(servers.c.address, servers.c.generation, servers.c.lease_until).outerjoin(
        servers, servers.c.name == tables.c.owner
    )
    now = clock(connection)
    found = {}
    for *values, address, generation, until in connection.execute(query.where(tables.c.id.in_(list(table_ids)))):
        row = TableRow(*values)
        found[row.id] = Whereabouts(row, address or "", generation == row.generation and until > now)
    return found


def locate(connection: sa.Connection, table_id: str) -> Whereabouts | None:
    """Return where a table is; None if there is no such table."""
    return whereabouts(connection, [table_id]).get(table_id)
