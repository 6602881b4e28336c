"""Where tables are, for whoever asks a server that does not play them."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa

from services.table.store import LIVE, TABLES, TableRow, clock, servers, tables


class Here(NamedTuple):
    """The server that asks owns the table: it plays it, or is about to."""

    row: TableRow


class Elsewhere(NamedTuple):
    """Another server owns the table and has a lease."""

    row: TableRow
    address: str


class Unowned(NamedTuple):
    """Nobody plays the table until a server takes it up: wait."""

    row: TableRow


class Over(NamedTuple):
    """The table is over. `address`: of the server that had it last."""

    row: TableRow
    address: str


Whereabouts = Here | Elsewhere | Unowned | Over


def whereabouts(connection: sa.Connection, table_ids: Collection[str], own: tuple[str, int]) -> dict[str, Whereabouts]:
    """Return where tables are, by id; those that do not exist are left out. `own`: name and generation of the server that asks."""
    query = TABLES.add_columns(servers.c.address, servers.c.generation, servers.c.lease_until).outerjoin(
        servers, servers.c.name == tables.c.owner
    )
    now = clock(connection)
    found = {}
    for *values, address, generation, until in connection.execute(query.where(tables.c.id.in_(list(table_ids)))):
        row = TableRow(*values)
        found[row.id] = _place(row, address or "", own, alive=generation == row.generation and until > now)
    return found


def locate(connection: sa.Connection, table_id: str, own: tuple[str, int]) -> Whereabouts | None:
    """Return where a table is; None if there is no such table."""
    return whereabouts(connection, [table_id], own).get(table_id)


def _place(row: TableRow, address: str, own: tuple[str, int], *, alive: bool) -> Whereabouts:
    """Return where a table is. `alive`: whether its owner has a lease under the generation that owns it."""
    if row.state not in LIVE:
        return Over(row, address)
    if not alive:
        return Unowned(row)
    if (row.owner, row.generation) == own:
        return Here(row)
    # Of this server's name and another generation: one of the two has just begun, and nobody is sent from here to here.
    return Elsewhere(row, address) if row.owner != own[0] else Unowned(row)
