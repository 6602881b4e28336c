"""The table servers of the installation, as their lease rows tell: which there are, and where to ask for a table."""

from __future__ import annotations

import asyncio
import random
import time
from math import inf
from typing import TYPE_CHECKING, Final

from services.table import store_ownership

if TYPE_CHECKING:
    from services.kit.database import Database
    from services.table.store_ownership import ServerRow

_FRESH_SECONDS: Final = 1.0
_MOST_ADDRESSES: Final = 3
"""Addresses that a client is given at a time."""


class Directory:
    """The list of servers, read from the database at most once a second."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._servers: list[ServerRow] = []
        self._read_at = -inf
        self._reading = asyncio.Lock()

    async def servers(self) -> list[ServerRow]:
        """Return the servers by name. UnavailableError when the database does not answer."""
        async with self._reading:
            if time.monotonic() - self._read_at >= _FRESH_SECONDS:
                asked = time.monotonic()
                self._servers = await self._database.run(store_ownership.list_servers)
                self._read_at = asked
        return self._servers

    def forget(self) -> None:
        """Read the list anew when it is needed next: it has changed."""
        self._read_at = -inf

    def addresses(self, first: str) -> list[str]:
        """Return up to three addresses to ask for a table: `first`, then servers that served when the list was last read.

        They are drawn by lot: when a server is lost its clients ask all others, not the same two.
        """
        others = [server.address for server in self._servers if server.state == store_ownership.SERVING and server.address != first]
        mine = [first] if first else []
        return mine + random.sample(others, min(len(others), _MOST_ADDRESSES - len(mine)))
