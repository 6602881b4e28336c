"""The SQL of rooms that operators close and open. Each function is one transaction.

Law: every act stays, with who and why; the last about a room says whether it is closed.
"""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from services.matchmaking.schema import ROOM_ACTS

_A = ROOM_ACTS.c


class RoomAct(NamedTuple):
    """What an operator did to a room. `at`: seconds since 1970."""

    room: str
    closed: bool
    at: float
    who: str
    why: str


def acts(connection: sa.Connection, limit: int) -> list[RoomAct]:
    """Return what operators did to rooms, the latest first."""
    found = connection.execute(sa.select(_A.room, _A.closed, _A.at, _A.who, _A.why).order_by(_A.id.desc()).limit(limit))
    return [RoomAct._make(row) for row in found]


def closed(connection: sa.Connection) -> dict[str, RoomAct]:
    """Return the rooms that are closed, and since when and why."""
    last = sa.select(sa.func.max(_A.id)).group_by(_A.room)
    wanted = sa.select(_A.room, _A.closed, _A.at, _A.who, _A.why).where(_A.id.in_(last), _A.closed)
    return {row.room: RoomAct._make(row) for row in connection.execute(wanted)}


def put(connection: sa.Connection, act: RoomAct) -> bool:
    """Close a room or open it. Returns whether that changed anything; if not, nothing is recorded."""
    if connection.dialect.name != "sqlite":
        # Two operators at once act one after the other. A lock of the table is beyond this part's rights: it may only read and add.
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(hashtext('room_acts'))"))
    if (act.room in closed(connection)) == act.closed:
        return False
    connection.execute(sa.insert(ROOM_ACTS).values(act._asdict()))
    return True
