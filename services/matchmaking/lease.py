"""Which rooms this process matches.

Law: a lease is for economy, not safety: it spares replicas from reading and matching the same tickets. Two holders of one room do no harm,
since a match takes its tickets by compare-and-set. Leases run on the database's clock, so that none outlives its holder by more than its
length.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import sqlalchemy as sa

from services.matchmaking import store

LEASE_SECONDS: Final = 5.0
MODEST_SECONDS: Final = 1.0
"""How long a replica whose partners are away leaves a room without a holder, or a match that is due, to the others."""


class RoomLeases:
    """The leases of one process, taken when a room has tickets and renewed while it has, so that idle rooms cost no writes."""

    def __init__(self, holder: str, seconds: float = LEASE_SECONDS) -> None:
        self._holder = holder
        self._seconds = seconds
        self._until: dict[str, float] = {}

    def hold(self, connection: sa.Connection, rooms: Collection[str], now: float, *, modest: bool = False) -> list[str]:
        """Return those of `rooms` that this process may match now, within the caller's transaction.

        `modest`: renew nothing, and take only what no other replica wants.
        """
        ahead = 0.0 if modest else self._seconds / 2
        fresh = {room for room in rooms if self._until.get(room, 0.0) > now + ahead}
        wanted = [room for room in rooms if room not in fresh]
        if wanted:
            until = now + self._seconds
            free_since = now - MODEST_SECONDS if modest else now
            taken = store.take_leases(connection, wanted, self._holder, free_since, until, renew=not modest)
            for room in wanted:
                self._until[room] = until if room in taken else 0.0
            fresh |= taken
        return sorted(fresh)

    def drop(self, connection: sa.Connection, now: float) -> None:
        """Give all of them up."""
        self._until.clear()
        store.drop_leases(connection, self._holder, now)
