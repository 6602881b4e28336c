"""Waiting between attempts: longer each time, with jitter, and never for ever."""

from __future__ import annotations

import asyncio
import random
from typing import Final

from xuezhan.client.errors import ClientError

FIRST_SECONDS: Final = 0.1
MOST_SECONDS: Final = 3.0


class Patience:
    """How long one thing is tried again: `seconds` from the first failure on. `reset` when it worked."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._failures = 0
        self._since = 0.0

    @property
    def waited(self) -> float:
        """Return seconds since the first failure in a row; 0 if there is none."""
        return asyncio.get_running_loop().time() - self._since if self._failures else 0.0

    def reset(self) -> None:
        """Note that it worked."""
        self._failures = 0

    async def wait(self, error: ClientError) -> None:
        """Wait before the next attempt, as long as the server asks for at least. Raises `error` when the time is up."""
        now = asyncio.get_running_loop().time()
        if self._failures == 0:
            self._since = now
        pause = min(FIRST_SECONDS * 2**self._failures, MOST_SECONDS) * random.uniform(0.5, 1)
        if error.retry_seconds:
            # Many are told the same: they had better not come back together.
            pause = error.retry_seconds + pause
        if now + pause - self._since > self._seconds:
            raise error
        self._failures = min(self._failures + 1, 16)
        await asyncio.sleep(pause)
