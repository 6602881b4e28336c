"""A bound on something dear that callers ask for: some at a time, some waiting, the rest refused."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from services.kit.errors import ExhaustedError


class Gate:
    """`at_once` get through at a time while at most `most` are inside or wait, and of one player at most `each`."""

    def __init__(self, what: str, at_once: int, most: int, each: int) -> None:
        self._what = what
        self._most = most
        self._each = each
        self._turns = asyncio.Semaphore(at_once)
        self._inside: Counter[str] = Counter()

    @asynccontextmanager
    async def turn(self, player: str) -> AsyncIterator[None]:
        """Wait for one's turn and have it. `player` is empty for a service. ExhaustedError `too_many`: try again a little later."""
        if player and self._inside[player] >= self._each:
            raise ExhaustedError("too_many", f"a player makes at most {self._each} calls for {self._what} at a time")
        if self._inside.total() >= self._most:
            raise ExhaustedError("too_many", f"{self._most} calls for {self._what} wait already")
        self._inside[player] += 1
        try:
            async with self._turns:
                yield
        finally:
            self._inside[player] -= 1
            if not self._inside[player]:
                del self._inside[player]
