"""Which table servers there are, and which of them opens the next table.

Law: configured addresses are seeds only. One server that answers is enough to know all of them, and while none answers the last list stays.
A listed server is used once it has answered here: what it advertises is meant for players, and need not be reached from everywhere.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Collection, Sequence
from math import inf
from typing import Final, NamedTuple

from services.kit import logs
from services.kit.errors import ServiceError

log = logs.get(__name__)

LOOK_SECONDS: Final = 1.0
"""How often the list is asked for."""
_ASKED_AT_ONCE: Final = 3
"""Servers that are asked for the list, one after another, before it is left for the next time."""
_STALE_SECONDS: Final = 2.0
"""How old a server's figures may be in a list: it tells its load once a second, and lists are kept for a second."""
_TRIED_AT_ONCE: Final = 8
_TRY_SECONDS: Final = 10.0
"""How often a listed server is tried that has not answered here yet."""
_UNKNOWN_SECONDS: Final = 60.0
"""How long a server that does not know the call is not asked again."""
_MOST_SERVERS: Final = 1000
_MOST_OPENED: Final = 10_000
"""Openings that are counted while no list comes."""
MOST_ADDRESSES: Final = 3
"""Addresses that a player is given at a time."""


class TableServer(NamedTuple):
    """A table server that takes tables, as another told."""

    address: str
    tables: int
    capacity: int


class Directory:
    """The table servers. `ask` gets the list of those that serve from one of them."""

    def __init__(
        self,
        seeds: Sequence[str],
        ask: Callable[[str], Awaitable[list[TableServer]]],
        clock: Callable[[], float] = time.monotonic,
        chance: random.Random | None = None,
    ) -> None:
        self._seeds = tuple(seeds)
        self._ask = ask
        self._clock = clock
        self._chance = chance or random.Random()
        self._listed: dict[str, TableServer] = {}
        self._reached: set[str] = set()
        """Those of the list that have answered here."""
        self._try_at: dict[str, float] = {}
        self._told_by = ""
        self._is_told = False
        """Whether a server answered when last asked for the list."""
        self._unknown_until: dict[str, float] = {}
        self._failed_at: dict[str, float] = {}
        """When a server did not answer that was asked for the list."""
        self._opened: deque[tuple[float, str]] = deque()
        self._since: Counter[str] = Counter()
        """Tables opened here that the list does not count yet, by address."""

    def addresses(self) -> list[str]:
        """Return where the servers that take tables are: those of the last list that are reached, or else the seeds."""
        return [address for address in self._listed if address in self._reached] or list(self._seeds)

    def listed(self) -> list[str]:
        """Return where the servers of the last list are, reached from here or not; none before the first list."""
        return list(self._listed)

    def some(self, first: str) -> list[str]:
        """Return up to three addresses at which a player may ask: `first`, then others at random."""
        others = [address for address in self._listed if address != first]
        self._chance.shuffle(others)
        return [first, *others][:MOST_ADDRESSES]

    async def look(self) -> None:
        """Ask for the list. If no server answers, what was known stays.

        Those that failed are asked again after all others: when every listed server is lost, the seeds' turn comes within a few looks.
        """
        now = self._clock()
        order = [self._told_by, *self._shuffled(self._listed), *self._shuffled(self._seeds)]
        known = [address for address in dict.fromkeys(order) if address and self._unknown_until.get(address, now) <= now]
        self._failed_at = {address: at for address, at in self._failed_at.items() if address in known}
        known.sort(key=lambda address: self._failed_at.get(address, -inf))
        for address in known[:_ASKED_AT_ONCE]:
            begun = self._clock()
            try:
                found = await self._ask(address)
            except ServiceError as error:
                self._failed_at[address] = self._clock()
                if error.reason == "unimplemented":
                    # An earlier version's. It lets nobody in who asks for what it does not know all the time.
                    self._unknown_until[address] = self._clock() + _UNKNOWN_SECONDS
                continue
            self._is_told = True
            self._take(address, found, begun)
            await self._try_new()
            return
        self._is_told = False

    def _take(self, address: str, found: Sequence[TableServer], begun: float) -> None:
        self._told_by = address
        self._failed_at.pop(address, None)
        if not found:
            log.warning("no_table_server_serves", told_by=address)
            return
        if {server.address for server in found} != self._listed.keys():
            log.info("table_servers", count=len(found))
        self._listed = {server.address: server for server in found[:_MOST_SERVERS]}
        self._reached = (self._reached | {address}) & self._listed.keys()
        self._try_at = {address: at for address, at in self._try_at.items() if address in self._listed}
        while self._opened and self._opened[0][0] < begun - _STALE_SECONDS:
            self._forget_one()

    async def _try_new(self) -> None:
        now = self._clock()
        new = [address for address in self._listed if address not in self._reached and self._try_at.get(address, now) <= now]
        await asyncio.gather(*(self._try(address) for address in new[:_TRIED_AT_ONCE]))

    async def _try(self, address: str) -> None:
        try:
            await self._ask(address)
        except ServiceError as error:
            self._try_at[address] = self._clock() + _TRY_SECONDS
            log.info("table_server_not_reached", address=address, reason=error.reason)
        else:
            self._reached.add(address)

    def choose(self, avoid: Collection[str]) -> str:
        """Return where to open a table: of two servers at random the one with fewer tables, counting those opened here since the list.

        One that is full is chosen only where there is no other; one in `avoid` only where no seed is left either.
        """
        addresses = self.addresses()
        others = self._without(addresses, avoid) or self._without(self._seeds, avoid) or addresses
        pool = [address for address in others if self._has_room(address)] or others
        return min(self._chance.sample(pool, min(2, len(pool))), key=self._tables)

    def has_room(self, avoid: Collection[str]) -> bool:
        """Return whether the list is new and has a server with room that is reached and not in `avoid`."""
        reached = (address for address in self._listed if address in self._reached and address not in avoid)
        return self._is_told and any(self._has_room(address) for address in reached)

    @staticmethod
    def _without(addresses: Sequence[str], avoid: Collection[str]) -> list[str]:
        return [address for address in addresses if address not in avoid]

    def opens(self, address: str) -> None:
        """Count a table that is being opened there, so that tables opened together are spread."""
        self._opened.append((self._clock(), address))
        self._since[address] += 1
        if len(self._opened) > _MOST_OPENED:
            self._forget_one()

    def _forget_one(self) -> None:
        _, address = self._opened.popleft()
        self._since[address] -= 1

    def _tables(self, address: str) -> int:
        listed = self._listed.get(address)
        return self._since[address] + (listed.tables if listed is not None else 0)

    def _has_room(self, address: str) -> bool:
        listed = self._listed.get(address)
        return listed is None or self._tables(address) < listed.capacity

    def _shuffled(self, addresses: Collection[str]) -> list[str]:
        shuffled = list(addresses)
        self._chance.shuffle(shuffled)
        return shuffled
