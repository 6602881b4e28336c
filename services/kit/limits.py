"""How often a player may call, and all players of one address together: moving windows.

Law: a caller that is refused is told after how long it may call again. Nothing is remembered of more than a bounded number of callers.
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from typing import Final

import limits
from limits.storage import MovingWindowSupport, Storage
from limits.strategies import MovingWindowRateLimiter

from services.kit.errors import ExhaustedError
from services.kit.limit_settings import LimitSettings

NAMES: Final[Mapping[str, str]] = {
    "CreateTicket": "tickets",
    "CancelTicket": "cancels",
    "WatchTicket": "watches",
    "Watch": "watches",
    "ListRooms": "lists",
    "ListTables": "lists",
    "ListServers": "lists",
    "GetRecord": "records",
    "GetBalance": "balances",
    "GetStatement": "balances",
}
"""The limit that calls of a method count for; those of all others count for `calls`."""
OTHERS: Final = "calls"
ADDRESS: Final = "address"
_MOST_CALLERS: Final = 10_000
"""Callers of one kind that are remembered; the one that called longest ago is forgotten first."""


class Limits:
    """The windows of one server."""

    def __init__(self, settings: LimitSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._items = {name: limits.parse(getattr(settings, f"limit_{name}")) for name in {*NAMES.values(), OTHERS, ADDRESS}}
        self._windows = {name: MovingWindowRateLimiter(_Memory(clock)) for name in self._items}

    def hit(self, method: str, player: str, peer: str) -> None:
        """Count a player's call. Raises ExhaustedError `too_often`, with the limit's name as `limit`."""
        self._hit(NAMES.get(method, OTHERS), player, "of a player")
        self._hit(ADDRESS, peer, "of all players at one address")

    def _hit(self, name: str, caller: str, whose: str) -> None:
        item, windows = self._items[name], self._windows[name]
        if not windows.hit(item, caller):
            wait = max(0.001, windows.get_window_stats(item, caller).reset_time - self._clock())
            text = f"{name}: at most {item.amount} calls {whose} in {item.get_expiry()} s"
            raise ExhaustedError("too_often", text, retry_seconds=wait, limit=name)


class _Memory(MovingWindowSupport, Storage):
    """When each caller called, as long as it matters.

    The library's own memory starts a thread at every other call, which goes through all callers; and it has no bound.
    """

    STORAGE_SCHEME = None

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self._clock = clock
        self._calls: OrderedDict[str, deque[float]] = OrderedDict()

    @property
    def base_exceptions(self) -> tuple[type[Exception], ...]:
        return ()

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        calls = self._calls.get(key)
        if calls is None:
            if len(self._calls) >= _MOST_CALLERS:
                self._calls.popitem(last=False)
            calls = self._calls[key] = deque()
        else:
            self._calls.move_to_end(key)
        now = self._clock()
        while calls and calls[0] <= now - expiry:
            calls.popleft()
        if len(calls) + amount > limit:
            return False
        calls.extend([now] * amount)
        return True

    def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:
        del limit, expiry
        calls = self._calls.get(key)
        return (calls[0], len(calls)) if calls else (self._clock(), 0)

    def clear(self, key: str) -> None:
        self._calls.pop(key, None)

    def reset(self) -> int | None:
        count = len(self._calls)
        self._calls.clear()
        return count

    def check(self) -> bool:
        return True

    def get(self, key: str) -> int:
        return len(self._calls.get(key, ()))

    def get_expiry(self, key: str) -> float:
        raise NotImplementedError(key)

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        raise NotImplementedError(key)
