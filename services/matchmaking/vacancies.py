"""Free seats at tables that are being played: which there are, and which of them a ticket may be given.

Law: what is known here is a hint. The table alone says whose a seat is; a ticket that comes too late goes back to its place.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from math import inf
from typing import Final

from services.kit.rooms import Rooms
from services.matchmaking.table_servers import TableServers, Vacancy

ASK_SECONDS: Final = 1.0
"""How often the table servers are asked, while tickets wait in a room whose tables may have free seats."""
_KNOWN_SECONDS: Final = 3.0
"""How long an answer is relied on."""


class Vacancies:
    """What the table servers said last. `wake` is called when there is something new."""

    def __init__(self, tables: TableServers, rooms: Rooms, wake: Callable[[], None]) -> None:
        self._tables = tables
        self._rooms = frozenset(room.room_id for room in rooms if room.refill_seconds)
        self._wake = wake
        self._found: list[Vacancy] = []
        self._asked_at = self._found_at = -inf
        self._asking: asyncio.Task[None] | None = None

    def look(self, rooms: Collection[str]) -> None:
        """Ask the table servers, unless none of these rooms has tables that refill, or they were asked just now."""
        wanted = self._rooms.intersection(rooms)
        now = time.monotonic()
        if wanted and now - self._asked_at >= ASK_SECONDS and (self._asking is None or self._asking.done()):
            self._asked_at = now
            self._asking = asyncio.create_task(self._ask(sorted(wanted)), name="match-vacancies")

    def pick(self, room: str, being_taken: Collection[tuple[str, int]]) -> Vacancy | None:
        """Take a seat of the room off the list; None: no seat is known that nobody is taking already."""
        if time.monotonic() - self._found_at > _KNOWN_SECONDS:
            self._found = []
        for vacancy in self._found:
            if vacancy.room == room and (vacancy.table, vacancy.seat) not in being_taken:
                self._found.remove(vacancy)
                return vacancy
        return None

    def stop(self) -> None:
        """Ask no more."""
        if self._asking is not None:
            self._asking.cancel()

    async def _ask(self, rooms: list[str]) -> None:
        self._found = await self._tables.free_seats(rooms)
        self._found_at = time.monotonic()
        if self._found:
            self._wake()
