"""A player's part in the shuffle: his 16 bytes, and whether the server kept to what it committed itself to before the deal.

What this proves: the seed fits the commitment and the player's own bytes went in unchanged. Whether the deal followed from them is
proven by the hand's record (`xuezhan verify-record`).
"""

from __future__ import annotations

import hashlib
import secrets

from xuezhan.api.table.v1 import table_pb2 as pb


class DealProof:
    """The proof of one seat, hand by hand. What does not fit is added to `faults`.

    `contribution` is what the next shuffle is offered; bytes that were published are never used again.
    """

    def __init__(self, seat: int, contribution: bytes, faults: list[str]) -> None:
        self.contribution = contribution
        self._seat = seat
        self._faults = faults
        self._commitment = b""
        self._hand = 0
        self._promised = b""
        self._shown = False

    def committed(self, what: pb.HandCommitted) -> None:
        """Note what the server published before the deal."""
        if what.hand == self._hand:
            return
        self._hand, self._commitment = what.hand, what.commitment
        hashes = what.contribution_hashes
        taken = self._seat < len(hashes) and hashes[self._seat] == hashlib.sha256(self.contribution).digest()
        self._promised, self._shown = (self.contribution, False) if taken else (b"", True)
        if taken:
            self.contribution = secrets.token_bytes(len(self.contribution))

    def due(self) -> bytes:
        """Return the bytes that are to be revealed now; empty if there are none."""
        return b"" if self._shown else self._promised

    def revealed(self, what: pb.ContributionRevealed) -> None:
        """Note that bytes were published."""
        if what.seat != self._seat:
            return
        self._shown = True
        if what.contribution not in (b"", self._promised):
            self._faults.append(f"hand {self._hand}: other bytes than this seat's were published for it")

    def hand_over(self, what: pb.HandOver) -> None:
        """Check the seed, now that it is shown."""
        if what.hand != self._hand:
            return
        self._shown = True
        if hashlib.sha256(what.seed).digest() != self._commitment:
            self._faults.append(f"hand {what.hand}: the seed is not the one committed to")
        if self._seat < len(what.contributions) and what.contributions[self._seat] not in (b"", self._promised):
            self._faults.append(f"hand {what.hand}: other bytes than this seat's went into the deal")
