"""The hashes that a seat offers for coming shuffles, and which of them the server has said that it has.

Every offer is of fresh bytes, so that an answer tells to which offer it is, and with it what else the server had read by then.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from typing import Final

from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client.deal import CONTRIBUTION_BYTES

_KEPT: Final = 16
"""Offers whose bytes are kept: the server may have taken any since the last that it answered."""


class Offers:
    """One seat's offers. `connection` counts the streams that it was open on, 0 while it is on none.

    `made` counts the offers, `known` is the number of the newest that the server has answered on this connection. `live`: what is heard
    now happens now, and is not what was missed.
    """

    def __init__(self, say: Callable[[pb.Input], None]) -> None:
        self.connection = 0
        self.made = 0
        self.known = 0
        self.live = False
        self._say = say
        self._bytes: dict[bytes, tuple[int, bytes]] = {}
        self._opened = 0
        self._live_from = 0
        self._has = b""

    def fresh(self) -> bytes:
        """Make new bytes and return their hash, which is to be sent next."""
        contribution = secrets.token_bytes(CONTRIBUTION_BYTES)
        hashed = hashlib.sha256(contribution).digest()
        self.made += 1
        self._bytes[hashed] = self.made, contribution
        while len(self._bytes) > _KEPT:
            del self._bytes[next(iter(self._bytes))]
        return hashed

    def offer(self) -> None:
        """Offer fresh bytes for the next shuffle."""
        self._say(pb.Input(contribute=pb.Contribute(contribution_hash=self.fresh())))

    def attached(self, hashed: bytes, *, resumed: bool) -> None:
        """The seat is open on a stream, and the server says which hash it has.

        `resumed`: what was missed follows, up to the answer to the next offer.
        """
        self._opened += 1
        self.connection, self.known, self.live, self._has = self._opened, 0, False, b""
        self._live_from = self.made + 1
        if not resumed:
            self._hold(hashed)

    def lost_track(self) -> None:
        """What was missed follows: only an answer to a new offer tells where it ends."""
        if self.connection:
            self.live, self._live_from = False, self.made + 1
            self.offer()

    def detached(self) -> None:
        """The stream is gone."""
        self.connection, self.known, self.live, self._has = 0, 0, False, b""

    def acknowledged(self, hashed: bytes) -> None:
        """The server answers an offer."""
        self._hold(hashed)
        if self.known >= self._live_from:
            self.live = True

    def left_out(self, hashed: bytes) -> str:
        """Return what is wrong with a commitment, made now, that has this hash for the seat; "" if it may be so."""
        if self.live and self._has and hashed not in self._bytes:
            return "the server had said that it has the seat's hash, and left it out"
        return ""

    def take(self, hashed: bytes) -> bytes:
        """Return the bytes behind a hash that is in a commitment; empty if they are not this program's. They are not offered again."""
        self._has = b""
        number, contribution = self._bytes.get(hashed, (0, b""))
        self._forget_before(number + 1)
        return contribution

    def _hold(self, hashed: bytes) -> None:
        if hashed in self._bytes:
            self._has, self.known = hashed, self._bytes[hashed][0]
            self._forget_before(self.known)

    def _forget_before(self, number: int) -> None:
        for hashed in [hashed for hashed, (made, _) in self._bytes.items() if made < number]:
            del self._bytes[hashed]
