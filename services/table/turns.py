"""The turns of the seats of a gateway's stream: what one seat asks for too often, that seat alone waits for.

Law: a seat's inputs are looked at in the order in which they came, and no seat waits for what another asked. What waits is bounded.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

from services.kit.meters import Meters
from services.table.pace import LONGEST_SECONDS

MOST_WAITING: Final = 16
"""Inputs of one seat that may wait for its turn."""
_INPUT_SECONDS: Final = 0.005
"""So long a seat pays for each input: 200 a second."""
_AHEAD_SECONDS: Final = 0.25
"""What a seat may ask for at once."""
_SHARE: Final = 1.0

Do = Callable[[], None]


class Turns:
    """When the inputs of each seat are looked at. Seats are named as the client names them."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._meters = Meters()
        self._waiting: dict[bytes, deque[Do]] = {}
        self._timers: dict[bytes, asyncio.TimerHandle] = {}

    def slow(self, name: bytes, seconds: float) -> None:
        """Look at a seat's next inputs so much later: what it asked for is dear, and not needed."""
        self._use(name, seconds)

    def take(self, name: bytes, do: Do, too_many: Do) -> None:
        """Do what an input asks for, now or in the seat's turn; `too_many` when too many wait for that already."""
        waiting = self._waiting.get(name)
        if waiting is None:
            wait = self._use(name, _INPUT_SECONDS)
            if wait <= 0:
                do()
                return
            waiting = self._waiting[name] = deque()
            self._timers[name] = self._loop.call_later(wait, self._go_on, name)
        if len(waiting) < MOST_WAITING:
            waiting.append(do)
        else:
            too_many()

    def close(self) -> None:
        """Forget what waits: the client has gone."""
        for timer in self._timers.values():
            timer.cancel()
        self._waiting.clear()

    def _go_on(self, name: bytes) -> None:
        waiting = self._waiting[name]
        waiting.popleft()()
        if waiting:
            self._timers[name] = self._loop.call_later(self._use(name, _INPUT_SECONDS), self._go_on, name)
        else:
            del self._waiting[name], self._timers[name]

    def _use(self, name: bytes, seconds: float) -> float:
        return self._meters.of(name.hex()).use(self._loop.time(), seconds, _SHARE, _AHEAD_SECONDS, LONGEST_SECONDS)
