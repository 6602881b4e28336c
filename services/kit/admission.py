"""What callers that are no parts of ours may take of a server: calls at a time, calls in a while, and time of the event loop.

Law: whoever is refused pays for it. Calls without a token and calls that are refused take at most a twentieth of the event loop for one
address: beyond that they are answered late, and a connection that goes on with them is ended. Nobody else waits for that.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from services.kit.errors import ExhaustedError
from services.kit.limit_settings import LimitSettings
from services.kit.limits import Limits
from services.kit.meters import Meters
from services.kit.peers import Peers, networks
from services.kit.shares import Shares
from services.kit.traffic import Traffic

CALL_SECONDS: Final = 0.0005
"""What it takes of the event loop to take a call and refuse it, about."""
_SHARE: Final = 0.05
_AHEAD_SECONDS: Final = 0.5
"""How much of its share an address may have at once: the beginning of a flood is felt by all."""
_LONGEST_SECONDS: Final = 5.0
_LATE_A_SECOND: Final = 4.0
"""Late answers that a connection may have a second, and ahead of that as many as in four seconds."""
_LATE_AHEAD_SECONDS: Final = 4.0


class Admission:
    """Lets players and strangers in."""

    def __init__(self, settings: LimitSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._peers = Peers(networks(settings.trusted_proxies))
        self._limits = Limits(settings, clock)
        self._calls = Shares("calls", settings.max_calls, settings.peer_share)
        self._used = Meters()
        self._late = Meters()
        self.traffic = Traffic()
        self.hang_up: Callable[[str], None] = lambda _peer: None
        """Ends the connection with this name in gRPC."""

    @contextlib.contextmanager
    def place(self, context: Any) -> Iterator[str]:
        """Take a place for a call, as long as it lasts; gives its peer. Raises ExhaustedError `too_many_calls`."""
        peer = self._peers.of(context)
        try:
            self._calls.enter(peer)
        except ExhaustedError:
            self._strike(context)
            raise
        try:
            yield peer
        finally:
            self._calls.leave(peer)

    def count(self, method: str, player: str, peer: str) -> None:
        """Count a player's call. Raises ExhaustedError `too_often`."""
        self._limits.hit(method, player, peer)

    async def pay(self, context: Any) -> None:
        """Wait as long as the peer of a call has to that had no token, or is refused."""
        wait = self._charge(context)
        if wait:
            self._strike(context)
            await asyncio.sleep(wait)

    def pay_or_go(self, context: Any) -> None:
        """Let the peer of a call pay that no client of ours makes: it need not wait, but its connection is ended if it would have to."""
        if self._charge(context):
            self.hang_up(context.peer())

    def _charge(self, context: Any) -> float:
        used = self._used.of(self._peers.of(context))
        return used.use(self._clock(), CALL_SECONDS, _SHARE, _AHEAD_SECONDS, _LONGEST_SECONDS)

    def _strike(self, context: Any) -> None:
        connection = context.peer()
        if self._late.of(connection).use(self._clock(), 1.0, _LATE_A_SECOND, _LATE_AHEAD_SECONDS, _LONGEST_SECONDS):
            self.hang_up(connection)
