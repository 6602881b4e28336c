"""How fast a client's stream is read: what its messages take of the event loop is counted against a share of the client's own.

Law: a client that asks too much is read later, and no other. Streams without a seat share one share a peer, so that more of them get no
more. Each seat adds to its stream's share: a gateway with thousands of seats is never slowed by what they play.
"""

from __future__ import annotations

from typing import Final

from services.kit.meters import Meter

LONGEST_SECONDS: Final = 5.0
"""A stream is read at least so often."""
_SHARE: Final = 0.05
_SEAT_SHARE: Final = 0.01
_MOST_SHARE: Final = 2.0
"""More than there is: no bound."""
_AHEAD_SECONDS: Final = 0.5
_SEATED_AHEAD_SECONDS: Final = 2.0
"""How much of its share a client may have at once, without a seat and with one."""
_STRIKES_AHEAD: Final = 30.0
_SEATS_A_STRIKE: Final = 10
"""Streams of many seats may send more that is refused: so many seats may make one message more of it."""


class Pace:
    """The pace of one stream."""

    __slots__ = ("_own", "_peer", "_strikes")

    def __init__(self, peer: Meter | None) -> None:
        """`peer`: what is counted for all streams of the stream's peer that have no seat; None: it is a part of ours and has no bound."""
        self._peer = peer
        self._own = Meter()
        self._strikes = Meter()

    @property
    def is_free(self) -> bool:
        """Whether it has no bound, as a part of ours."""
        return self._peer is None

    def wait(self, now: float, seconds: float, seats: int) -> float:
        """Return for how long a stream with so many seats is not read, whose last message took `seconds` of the event loop.

        Without a seat it is read on, and what came waits until it is `due`.
        """
        if self._peer is None:
            return 0.0
        if not seats:
            self._peer.use(now, seconds, _SHARE, _AHEAD_SECONDS, LONGEST_SECONDS)
            return 0.0
        return self._own.use(now, seconds, min(_SHARE + seats * _SEAT_SHARE, _MOST_SHARE), _SEATED_AHEAD_SECONDS, LONGEST_SECONDS)

    def due(self, now: float, seats: int) -> float:
        """Return in how many seconds a message of a stream without a seat is looked at, as far as is known now: other streams of its peer
        may come before it.
        """
        return 0.0 if seats or self._peer is None else self._peer.use(now, 0.0, _SHARE, _AHEAD_SECONDS, LONGEST_SECONDS)

    def strike(self, now: float, seats: int) -> bool:
        """Note a message with something in it that no client of ours sends; whether there were too many: one a second, and some more."""
        if self._peer is None:
            return False
        return self._strikes.use(now, 1.0, 1.0, _STRIKES_AHEAD + seats / _SEATS_A_STRIKE, LONGEST_SECONDS) > 0
