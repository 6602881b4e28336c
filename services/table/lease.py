"""This server's lease: the right to own tables, for a few seconds at a time.

Law: the lease runs on the database's clock and is renewed only while it has not expired. This process stops speaking a margin earlier,
by its own monotonic clock counted from before it asked, so it is silent before anybody else can own its tables.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from math import inf
from typing import Final

from services.kit import logs
from services.kit.database import Database
from services.kit.errors import ServiceError
from services.table import store

log = logs.get(__name__)

_MARGIN: Final = 0.2
"""The part of the lease that is kept as a margin."""
_RENEWALS: Final = 5
"""Renewals in the time of one lease."""
_RETRY_SECONDS: Final = 0.2


class Lease:
    """The lease of one named server."""

    def __init__(self, database: Database, name: str, capacity: int, seconds: float) -> None:
        self.name = name
        self.generation = 0
        self._database = database
        self._capacity = capacity
        self._seconds = seconds
        self._silent_at = -inf

    def valid(self) -> bool:
        """Whether this server may speak and append now."""
        return time.monotonic() < self._silent_at

    async def claim(self, address: str) -> None:
        """Become the server of this name: wait until the previous process's lease has expired, then start a new generation."""
        told = False
        while True:
            asked = time.monotonic()
            try:
                answer = await self._database.run(store.claim_server, self.name, address, self._capacity, self._seconds)
            except ServiceError:
                log.warning("lease_not_claimed", server=self.name)
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            if isinstance(answer, int):
                self.generation = answer
                self._silent_at = asked + self._seconds * (1 - _MARGIN)
                return
            if not told:
                log.info("waiting_for_previous_lease", server=self.name, seconds=round(answer, 1))
                told = True
            await asyncio.sleep(min(answer + 0.01, _RETRY_SECONDS))

    async def keep(self, load: Callable[[], int], lost: Callable[[], Awaitable[None]]) -> None:
        """Renew for ever. `lost` is awaited when the lease ran out or was taken; it claims again."""
        while True:
            await asyncio.sleep(self._seconds / _RENEWALS)
            asked = time.monotonic()
            renewed = False
            with contextlib.suppress(ServiceError, TimeoutError):
                async with asyncio.timeout(max(self._silent_at - asked, 0.001)):
                    renewed = await self._database.run(store.renew_server, self.name, self.generation, load(), self._seconds)
                    taken = not renewed
                    if taken:
                        self._silent_at = -inf
            if renewed and asked < self._silent_at:
                self._silent_at = asked + self._seconds * (1 - _MARGIN)
            elif not self.valid():
                log.error("lease_lost", server=self.name, generation=self.generation)
                await lost()

    async def release(self) -> None:
        """Give the lease back at a clean stop."""
        self._silent_at = -inf
        with contextlib.suppress(ServiceError):
            await self._database.run(store.release_server, self.name, self.generation)
