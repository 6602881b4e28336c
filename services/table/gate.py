"""A bound on something dear that callers ask for: some at a time, some waiting, the rest refused."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from services.kit.errors import ExhaustedError

T = TypeVar("T")

_RETRY_SECONDS: Final = 0.5


class Gate:
    """`at_once` get through at a time while at most `most` are inside or wait.

    Of one player at most `each` are, and of one address twice as many.
    """

    def __init__(self, what: str, at_once: int, most: int, each: int) -> None:
        self._what = what
        self._most = most
        self._each = each
        self._turns = asyncio.Semaphore(at_once)
        self._all = 0
        self._players: Counter[str] = Counter()
        self._peers: Counter[str] = Counter()

    async def run(self, player: str, peer: str, work: Callable[[], Awaitable[T]]) -> T:
        """Do `work` in its turn, to its end even if the caller is cancelled. `player` and `peer` are empty for a part of ours.

        ExhaustedError `too_many`: try again a little later.
        """
        if player and self._players[player] >= self._each:
            raise _too_many(f"a player makes at most {self._each} calls for {self._what} at a time")
        if peer and self._peers[peer] >= 2 * self._each:
            raise _too_many(f"one address makes at most {2 * self._each} calls for {self._what} at a time")
        if self._all >= self._most:
            raise _too_many(f"{self._most} calls for {self._what} wait already")
        self._all += 1
        self._players[player] += 1
        self._peers[peer] += 1
        task = asyncio.ensure_future(self._in_turn(work))
        task.add_done_callback(lambda done: self._left(player, peer, done))
        return await asyncio.shield(task)

    async def _in_turn(self, work: Callable[[], Awaitable[T]]) -> T:
        async with self._turns:
            return await work()

    def _left(self, player: str, peer: str, task: asyncio.Task[Any]) -> None:
        self._all -= 1
        for counter, name in ((self._players, player), (self._peers, peer)):
            counter[name] -= 1
            if not counter[name]:
                del counter[name]
        if not task.cancelled():
            # Looked at, whether or not anybody still waits for it.
            task.exception()


def _too_many(text: str) -> ExhaustedError:
    return ExhaustedError("too_many", text, retry_seconds=_RETRY_SECONDS)
