"""What a server did that it must not do, as far as one seat can see it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class FaultName(StrEnum):
    """Stable names. A lost connection, a restarted server or a slow client causes none of them."""

    HASH_LEFT_OUT = "hash_left_out"
    """The commitment lacks the seat's hash, although the server had said on the same unbroken stream that it has it."""
    BYTES_DROPPED = "bytes_dropped"
    """The seat's bytes are not in the shuffle, although the server had them in time on an unbroken stream."""
    BYTES_SWAPPED = "bytes_swapped"
    """Bytes went into the shuffle that are not those behind the hash."""
    OTHER_DEAL = "other_deal"
    """The deal that follows from the published seed is not the one that was shown."""
    RECOMMITTED = "recommitted"
    """Two different commitments were shown for one hand."""
    CALLED_OFF = "called_off"
    """The hand was called off, and not by an operator."""
    NO_END = "no_end"
    """The table went on, or closed, without an end of a hand that it had committed to."""
    BAD_SIGNATURE = "bad_signature"
    """A statement is not signed by a record key of the installation."""
    BAD_STATEMENT = "bad_statement"
    """A statement says something else than what was shown, or cannot be read."""


class Fault(NamedTuple):
    """One fault: its name, the number of the hand, and what exactly happened, for people."""

    name: FaultName
    hand: int
    text: str

    def __str__(self) -> str:
        return f"{self.name} in hand {self.hand}: {self.text}"
