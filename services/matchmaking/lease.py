"""Which rooms this process matches.

Law: a lease is for economy, not safety: it spares replicas from reading and matching the same tickets. Two holders of one room do no harm,
since a match takes its tickets by compare-and-set; so the clocks of machines need not agree.
"""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from services.matchmaking import store

LEASE_SECONDS = 5.0


class RoomLeases:
    """The leases of one process, taken when a room has tickets and renewed while it has, so that idle rooms cost no writes."""

    def __init__(self, holder: str) -> None:
        self._holder = holder
        self._until: dict[str, float] = {}

    def hold(self, connection: sa.Connection, rooms: Collection[str], now: float) -> list[str]:
        """Return those of `rooms` that this process may match now, within the caller's transaction."""
        fresh = {room for room in rooms if self._until.get(room, 0.0) > now + LEASE_SECONDS / 2}
        wanted = [room for room in rooms if room not in fresh]
        if wanted:
            until = now + LEASE_SECONDS
            taken = store.take_leases(connection, wanted, self._holder, now, until)
            for room in wanted:
                self._until[room] = until if room in taken else 0.0
            fresh |= taken
        return sorted(fresh)

    def drop(self, connection: sa.Connection) -> None:
        """Give all of them up."""
        self._until.clear()
        store.drop_leases(connection, self._holder)
