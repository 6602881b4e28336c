"""What a seat knows of one hand, and what of it does not fit together."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client.deal import deal, deck_of
from xuezhan.client.faults import FaultName
from xuezhan.client.offers import Offers
from xuezhan.client.statements import hex_or_null
from xuezhan.client.witness import Witness

SENT_WITHIN_SECONDS: Final = 1.0
"""Own bytes that were sent so soon after the commitment came in time, if the server waited for as long after them."""


@dataclass(slots=True)
class HandProof:
    """What is known of one hand. `mine`: the own bytes, if their hash is in the commitment; times are the event loop's."""

    shown: pb.HandCommitted
    mine: bytes
    witness: Witness
    live_on: int
    """The connection on which the commitment came as it was made; 0: it was learnt later."""
    heard_at: float
    sent_on: int = 0
    sent_at: float = 0.0
    awake_at: float = 0.0
    asked: int = 0
    """The number of the last hash offered before the own bytes were sent."""
    settled: bool = False
    """Whether what became of the own bytes has been shown."""
    published: dict[int, bytes] = field(default_factory=dict)
    """Bytes that were shown, by seat."""
    open: bool = True
    sure: bool = True
    """Whether it certainly goes on until its end is shown."""
    commit: Mapping[str, Any] = field(default_factory=dict)
    digest: str = ""
    bytes: list[str | None] | None = None
    named: set[FaultName] = field(default_factory=set)

    @property
    def number(self) -> int:
        """Return the hand's number at its table."""
        return self.shown.hand

    def note_sent(self) -> None:
        """Note that the own bytes have just been written to the stream."""
        loop = asyncio.get_running_loop()
        self.sent_at = loop.time()
        loop.call_later(SENT_WITHIN_SECONDS / 2, self._woke)

    def _woke(self) -> None:
        self.awake_at = asyncio.get_running_loop().time()

    def dropped(self, offers: Offers) -> str:
        """Return how it is known that the server had the own bytes, of which it says that they were withheld; "" if it is not known."""
        if self.settled or not self.mine or not self.sent_on or self.sent_on != offers.connection:
            return ""
        if offers.known > self.asked:
            return "the server answered what was sent after the bytes, and dealt without them"
        if self.live_on == self.sent_on and self.sent_at and self.sent_at - self.heard_at <= SENT_WITHIN_SECONDS:
            waited = asyncio.get_running_loop().time() - self.sent_at
            # Awake after writing: a program that was stopped then has not sent.
            if waited >= SENT_WITHIN_SECONDS and 0 < self.awake_at - self.sent_at < SENT_WITHIN_SECONDS:
                return f"the bytes were sent {waited:.1f} s before the deal, and are not in it"
        return ""

    def differs(self, what: pb.HandOver, table: str, game: str) -> str:
        """Deal again from what was published at the end, and return what is not as it was shown before."""
        if hashlib.sha256(what.seed).digest() != self.shown.commitment:
            return "the seed is not the one committed to"
        given = tuple(one or None for one in what.contributions)
        if self.bytes and hex_or_null(what.contributions) != self.bytes:
            return "other bytes were published at the end than in the deal statement"
        if any(seat < len(given) and given[seat] != shown for seat, shown in self.published.items()):
            return "other bytes than were shown before went into the deal"
        seat = self.witness.seat
        if self.mine and seat < len(given) and given[seat] not in {None, self.mine}:
            return "other bytes than this seat's went into the deal"
        deck = self.commit.get("deck") or deck_of(game, json.loads(self.shown.options or "{}"))
        if not deck:
            return ""
        try:
            return self.witness.differs(deal(deck, what.seed, table, self.number, given))
        except ValueError as bad:
            return f"the deal cannot be done again: {bad}"
