"""This server's lease: the right to own tables, for a few seconds at a time.

Law: the lease runs on the database's clock and is renewed only while it has not expired. This process stops speaking a margin earlier,
by its own monotonic clock counted from before it asked, so it is silent before anybody else can own its tables.

The event loop drives the renewals: while it is blocked nothing is renewed. They go over a connection and thread of their own, so that no
other work of the database delays them.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Collection
from math import inf
from typing import Final

from services.kit import logs
from services.kit.database import Database
from services.kit.errors import ServiceError
from services.table import store_ownership
from services.table.store_ownership import DRAINING, SERVING, Owner, Profile

log = logs.get(__name__)

_MARGIN: Final = 0.2
"""The part of the lease that is kept as a margin."""
_RENEWALS: Final = 5
"""Renewals in the time of one lease."""
_RETRY_SECONDS: Final = 0.2
_TAKEN_LEASES: Final = 2.0
"""After so many leases of waiting it is another process that runs, not a previous one that was lost."""


class Lease:
    """The lease of one named server."""

    def __init__(self, database: Database, name: str, capacity: int, seconds: float, rules: Collection[str] = ()) -> None:
        """`database`: on PostgreSQL one that nothing else uses. `rules`: the versions of rules that this server can play."""
        self.name = name
        self.generation = 0
        self.rules = frozenset(rules)
        self.seconds = seconds
        self.draining = False
        """Whether the server hands its tables over; a lease that it claims anew says so from the start."""
        self._database = database
        self._capacity = capacity
        self._silent_at = -inf
        self._held_since = inf

    @property
    def owner(self) -> Owner:
        """The name and generation under which this server owns tables."""
        return Owner(self.name, self.generation)

    def valid(self) -> bool:
        """Whether this server may speak now, and try an append again: what stops a late one is the epoch of its table."""
        return time.monotonic() < self._silent_at

    def seconds_left(self) -> float:
        """Return for how long this server may speak unless it renews."""
        return max(0.0, self._silent_at - time.monotonic())

    def proven(self) -> bool:
        """Whether the lease has been held unbroken for its own length.

        Before that an expired lease of another server proves nothing: after an outage of the database every lease has run out, and the
        first server back would take all tables.
        """
        return self.valid() and time.monotonic() - self._held_since >= self.seconds

    async def claim(self, address: str) -> None:
        """Become the server of this name: wait until the previous process's lease has expired, then start a new generation.

        While another process renews the lease of this name, that is waited for, and said in the log.
        """
        told, taken, begun = False, False, time.monotonic()
        while True:
            asked = time.monotonic()
            profile = Profile(self.name, address, self._capacity, self.rules)
            try:
                state = DRAINING if self.draining else SERVING
                answer = await self._database.run(store_ownership.register, profile, self.seconds, state)
            except ServiceError:
                log.warning("lease_not_claimed", server=self.name)
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            if isinstance(answer, int):
                self.generation = answer
                self._silent_at = asked + self.seconds * (1 - _MARGIN)
                self._held_since = time.monotonic()
                return
            if not told:
                log.info("waiting_for_previous_lease", server=self.name, seconds=round(answer, 1))
                told = True
            elif not taken and asked - begun > _TAKEN_LEASES * self.seconds:
                hint = "give each table server a name of its own (XUEZHAN_SERVER_NAME), or stop the other process"
                log.warning("server_name_in_use", server=self.name, hint=hint)
                taken = True
            await asyncio.sleep(min(answer + 0.01, _RETRY_SECONDS))

    async def keep(self, load: Callable[[], tuple[int, int]], lost: Callable[[], Awaitable[None]]) -> None:
        """Renew for ever. `load` says how many tables are live and how many seats of players they have.

        `lost` is awaited when the lease ran out or was taken; it claims again.
        """
        while True:
            await asyncio.sleep(self.seconds / _RENEWALS)
            asked = time.monotonic()
            renewed = False
            with contextlib.suppress(ServiceError, TimeoutError):
                async with asyncio.timeout(max(self._silent_at - asked, 0.001)):
                    renewed = await self._database.run(store_ownership.renew, self.owner, self.seconds, *load())
                    taken = not renewed
                    if taken:
                        self._silent_at = -inf
            if renewed and asked < self._silent_at:
                self._silent_at = asked + self.seconds * (1 - _MARGIN)
            elif not self.valid():
                log.error("lease_lost", server=self.name, generation=self.generation)
                await lost()

    async def drain(self) -> bool:
        """Say in the row that this server hands its tables over; return False if the lease is gone. UnavailableError: ask again."""
        self.draining = True
        return await self._database.run(store_ownership.set_draining, self.owner)

    async def release(self) -> None:
        """Give the lease back at a clean stop."""
        self._silent_at = -inf
        with contextlib.suppress(ServiceError):
            await self._database.run(store_ownership.release, self.owner)

    def close(self) -> None:
        """Close the connection."""
        self._database.close()
