"""Shares of something that is used up in time, such as the time of the event loop.

Law: whoever has used more than a share waits, and nobody else. What is remembered of peers is bounded.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

_MOST: Final = 10_000
"""Peers that are remembered; the one that used something longest ago is forgotten first."""


class Meter:
    """What one user has used of something, as the moment at which its share makes up for it."""

    __slots__ = ("_due",)

    def __init__(self) -> None:
        self._due = 0.0

    def use(self, now: float, amount: float, share: float, ahead: float, longest: float) -> float:
        """Use an amount and return for how many seconds the user has to wait now, at most `longest`.

        `share`: what may be used a second; so many seconds of it as `ahead` may be used in advance.
        """
        self._due = min(max(self._due, now) + amount / share, now + ahead + longest)
        return max(0.0, self._due - now - ahead)


class Meters:
    """The meters of peers."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._meters: OrderedDict[str, Meter] = OrderedDict()

    def of(self, peer: str) -> Meter:
        """Return the meter of a peer."""
        meter = self._meters.get(peer)
        if meter is None:
            if len(self._meters) >= self._most:
                self._meters.popitem(last=False)
            meter = self._meters[peer] = Meter()
        else:
            self._meters.move_to_end(peer)
        return meter
