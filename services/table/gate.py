"""A bound on something dear that callers ask for: some at a time, some waiting, the rest refused."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from services.kit.errors import ExhaustedError

T = TypeVar("T")


class Gate:
    """`at_once` get through at a time while at most `most` are inside or wait, and of one player at most `each`."""

    def __init__(self, what: str, at_once: int, most: int, each: int) -> None:
        self._what = what
        self._most = most
        self._each = each
        self._turns = asyncio.Semaphore(at_once)
        self._inside: Counter[str] = Counter()

    async def run(self, player: str, work: Callable[[], Awaitable[T]]) -> T:
        """Do `work` in its turn, to its end even if the caller is cancelled. `player` is empty for a service.

        ExhaustedError `too_many`: try again a little later.
        """
        if player and self._inside[player] >= self._each:
            raise ExhaustedError("too_many", f"a player makes at most {self._each} calls for {self._what} at a time")
        if self._inside.total() >= self._most:
            raise ExhaustedError("too_many", f"{self._most} calls for {self._what} wait already")
        self._inside[player] += 1
        task = asyncio.ensure_future(self._in_turn(work))
        task.add_done_callback(lambda done: self._left(player, done))
        return await asyncio.shield(task)

    async def _in_turn(self, work: Callable[[], Awaitable[T]]) -> T:
        async with self._turns:
            return await work()

    def _left(self, player: str, task: asyncio.Task[Any]) -> None:
        self._inside[player] -= 1
        if not self._inside[player]:
            del self._inside[player]
        if not task.cancelled():
            # Looked at, whether or not anybody still waits for it.
            task.exception()
