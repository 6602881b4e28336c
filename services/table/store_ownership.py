"""The SQL of ownership: which table servers there are, and whose a table is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

from services.table.store import LIVE, clock, servers, tables

SERVING: Final = "serving"
DRAINING: Final = "draining"
LOST: Final = "lost"


@dataclass(slots=True, frozen=True)
class ServerRow:
    """A table server. `lease_seconds`: how long its lease still lasts; negative since when it is over."""

    name: str
    address: str
    state: str
    tables: int
    seats: int
    lease_seconds: float
    capacity: int


def list_servers(connection: sa.Connection) -> list[ServerRow]:
    """Return the servers by name: those with a lease, and those without that still have live tables."""
    now = clock(connection)
    row, has = servers.c, sa.func.count(tables.c.num)
    mine = sa.and_(tables.c.owner == row.name, tables.c.state.in_(LIVE))
    query = (
        sa.select(row.name, row.address, has, row.lease_until, row.capacity)
        .outerjoin(tables, mine)
        .group_by(row.name)
        .having(sa.or_(row.lease_until > now, has > 0))
        .order_by(row.name)
    )
    return [
        ServerRow(name, address, SERVING if until > now else LOST, count, 0, until - now, capacity)
        for name, address, count, until, capacity in connection.execute(query)
    ]
