"""Where a seat is attached next, decided from what happened to it. Nothing here waits or sends.

Law: a seat follows its table to every new owner and to no former one, asks every server it knows of before it asks one twice, waits longer
from failure to failure, and gives up only when its patience is over.
"""

from __future__ import annotations

import enum
import random
from collections.abc import Callable, Iterable
from math import inf
from typing import Final, NamedTuple

from xuezhan.client.errors import ClientError

FIRST_SECONDS: Final = 0.1
MOST_SECONDS: Final = 2.0
SOON_SECONDS: Final = 0.5
"""The longest pause while any server answers: it says where the table is as soon as that is known."""
AGAIN_SECONDS: Final = 2.0
"""A server that could not be reached is not tried again for so long on the word of another: until its lease ends it counts as the owner."""
LOST_SECONDS: Final = 3.0
"""After so long without any server that can be reached the ticket is asked for the seat again, and so often."""
STRAY_SECONDS: Final = 60.0
"""How long an attach may be under way that was sent over a connection which is given up."""
_WAIT_SECONDS: Final = 0.25
_LONGEST_WAIT_SECONDS: Final = 5.0
_TRIES_IN_PLACE: Final = 2
"""How often a server that cannot attach the seat now is asked again before another is."""
_RELOCATED: Final = frozenset({"expired", "unknown_table"})
"""Refusals after which the ticket has a fresh token and place."""


class Do(enum.Enum):
    """What to do with a seat."""

    ATTACH = enum.auto()
    ASK = enum.auto()
    """Ask the ticket where the seat is."""
    END = enum.auto()


class Step(NamedTuple):
    """What to do, after how many seconds. `ask`: ask the ticket beside it. `error`: why the seat ends."""

    do: Do
    address: str = ""
    seconds: float = 0.0
    ask: bool = False
    error: ClientError | None = None


class Route:
    """The way of one seat. `at`: the server where it is, or is being, attached; `epoch`: the highest of its table that was heard of."""

    def __init__(
        self,
        address: str,
        patience_seconds: float,
        addresses: Iterable[str] = (),
        epoch: int = 0,
        *,
        may_ask: bool = True,
        uniform: Callable[[float, float], float] = random.uniform,
    ) -> None:
        """`addresses`: servers that know where the table is. `may_ask`: whether there is a ticket to ask."""
        self.at = address
        self.epoch = epoch
        self._addresses = tuple(addresses)
        self._patience_seconds = patience_seconds
        self._may_ask = may_ask
        self._uniform = uniform
        self._owner = address
        self._tried: set[str] = set()
        self._failures = 0
        self._since = inf
        self._asked_at = -inf
        self._strays: list[float] = []
        self._unreachable: dict[str, float] = {}
        self._answered_at = -inf

    # What the servers say.

    def attached(self, epoch: int, addresses: Iterable[str] = ()) -> bool:
        """A server attached the seat; False if it is a former owner, which does not know it yet."""
        if 0 < epoch < self.epoch:
            return False
        self.epoch = max(self.epoch, epoch)
        self._owner = self.at
        self._addresses = tuple(addresses) or self._addresses
        self._tried.clear()
        self._unreachable.clear()
        self._failures, self._since, self._asked_at = 0, inf, -inf
        return True

    def outdated(self, epoch: int) -> bool:
        """Whether a Moved with this epoch is what a former owner says."""
        return 0 < epoch < self.epoch

    def moved(self, now: float, address: str, epoch: int, addresses: Iterable[str] = (), known: Iterable[str] = ()) -> Step:
        """The table is another server's. What a former owner says sends the seat to yet another server."""
        self._answered_at = now
        error = ClientError("lost", "the table is sent around without being found")
        if self.outdated(epoch):
            self._tried.add(self.at)
            return self._elsewhere(now, error, known)
        self.epoch = max(self.epoch, epoch)
        self._addresses = tuple(addresses) or self._addresses
        if not address or now - self._unreachable.get(address, -inf) < AGAIN_SECONDS:
            return self.wait(now, 0.0)
        self._owner = address
        self._tried.discard(address)
        return self._go(now, address, error)

    def wait(self, now: float, seconds: float) -> Step:
        """The table has no owner at the moment: the same server is asked again. Many are told so: they do not come back together."""
        self._begin(now)
        self._answered_at = now
        least = min(max(seconds, _WAIT_SECONDS), _LONGEST_WAIT_SECONDS)
        pause = self._uniform(least, max(2 * _WAIT_SECONDS, least * 1.25))
        return self._in_time(now, pause, ClientError("lost", "nobody took the table up")) or Step(Do.ATTACH, self.at, pause)

    def refused(self, now: float, reason: str, code: str = "", known: Iterable[str] = ()) -> Step:
        """The server does not play this seat, or plays it no more."""
        self._answered_at = now
        error = ClientError("lost", f"the table is not found: {reason}")
        if reason == "attached_elsewhere" and self._own_stray(now):
            return self._go(now, self.at, error)
        if reason == "unavailable":
            # The table may be over, which the ticket knows, or be taken up in a moment.
            first, here = not self._failures, self._failures < _TRIES_IN_PLACE
            if not here:
                self._tried.add(self.at)
            step = self._go(now, self.at, error) if here else self._elsewhere(now, error, known)
            return step._replace(ask=step.ask or (first and self._may_ask))
        if reason not in _RELOCATED or not self._may_ask:
            return Step(Do.END, error=ClientError(reason or "detached", reason, code))
        pause = self._pause(now)
        self._asked_at = now
        return self._in_time(now, pause, error) or Step(Do.ASK, seconds=pause)

    # What happens to connections.

    def lost(self, now: float, error: ClientError, known: Iterable[str] = (), *, here: bool, worked: bool = True) -> Step:
        """The connection is of no use any more. `worked`: something had come over it. `here`: and it ended, so that the same server may be
        there still.
        """
        if not worked:
            self._unreachable[self.at] = now
        if not here:
            self._tried.add(self.at)
        return self._elsewhere(now, ClientError("unreachable", str(error), error.code), known)

    def stray(self, now: float) -> None:
        """An attach was sent over a connection that is given up; it may come to a server later than the next one."""
        self._strays = [*self._strays[-2:], now]

    def found(self, address: str, addresses: Iterable[str] = (), epoch: int = 0) -> None:
        """The ticket says where the seat is."""
        self.epoch = max(self.epoch, epoch)
        self._owner = address
        self._addresses = tuple(addresses) or self._addresses
        self._tried.clear()

    # Decisions.

    def _own_stray(self, now: float) -> bool:
        """Whether it may have been this program itself that attached the seat elsewhere; each attach explains one such word."""
        self._strays = [sent for sent in self._strays if now - sent < STRAY_SECONDS]
        own = bool(self._strays)
        del self._strays[:1]
        return own

    def _elsewhere(self, now: float, error: ClientError, known: Iterable[str]) -> Step:
        """Try the owner if it was not tried, then the others that are known, then begin anew."""
        everywhere = list(dict.fromkeys((self._owner, *self._addresses, *known)))
        left = [address for address in everywhere if address not in self._tried]
        ask = False
        if not left:
            self._tried.clear()
            left = [address for address in everywhere if address != self.at] or everywhere
            ask = self._may_ask and now - self._since >= LOST_SECONDS and now - self._asked_at >= LOST_SECONDS
            if ask:
                self._asked_at = now
        return self._go(now, left[0], error)._replace(ask=ask)

    def _go(self, now: float, address: str, error: ClientError) -> Step:
        pause = self._pause(now)
        return self._in_time(now, pause, error) or Step(Do.ATTACH, address, pause)

    def _pause(self, now: float) -> float:
        self._begin(now)
        most = SOON_SECONDS if now - self._answered_at < AGAIN_SECONDS else MOST_SECONDS
        pause = min(FIRST_SECONDS * 2.0**self._failures, most) * self._uniform(0.5, 1)
        self._failures = min(self._failures + 1, 16)
        return pause

    def _begin(self, now: float) -> None:
        self._since = min(self._since, now)

    def _in_time(self, now: float, pause: float, error: ClientError) -> Step | None:
        """Return the end of the seat if the time is up before the pause is over."""
        return Step(Do.END, error=error) if now + pause - self._since > self._patience_seconds else None
