"""The deal a second time, from its definition (docs/rules/deal.md) and from nothing that the server runs.

Tiles and cards are the protocol's numbers (`Tile`, `Card`), whose order is that of the ordered set.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

CONTRIBUTION_BYTES: Final = 16
SEED_BYTES: Final = 32
CARDS: Final = "cards"
PUT_AWAY: Final = 10
"""Cards that nobody is dealt: the first of the wall."""
_SUITS: Final = "mps"
_BLOCK: Final = {CARDS: 25}
"""What a seat is dealt; 13 tiles."""


class Deal(NamedTuple):
    """What a hand was dealt from. `used`: how many words of its stream the shuffle took."""

    deck: str
    players: int
    wall: tuple[int, ...]
    key: bytes
    used: int

    def block(self, seat: int) -> list[int]:
        """Return what a seat was dealt, in order."""
        size = _BLOCK.get(self.deck, 13)
        start = (PUT_AWAY if self.deck == CARDS else 0) + size * seat
        return sorted(self.wall[start : start + size])

    def shown(self) -> int:
        """Return the index in the wall of the card that was shown."""
        return PUT_AWAY + _uniform(self.key, self.used, len(self.wall) - PUT_AWAY)[0]

    def leader(self) -> int:
        """Return the seat that was dealt the card shown."""
        return (self.shown() - PUT_AWAY) // _BLOCK[CARDS]

    def dealer(self) -> int:
        """Return the dealer, where the dealer was drawn."""
        return _uniform(self.key, self.used, self.players)[0]

    def shift(self, taking_part: int, *, dealer_drawn: bool) -> int:
        """Return how many places on each of so many seats gave to."""
        used = _uniform(self.key, self.used, self.players)[1] if dealer_drawn else self.used
        return 1 + _uniform(self.key, used, taking_part - 1)[0]


def deck_of(game: str, options: Mapping[str, Any]) -> str:
    """Return what a game shuffles; "" for a game that this program does not know."""
    known = {"crazy_xuezhan": _SUITS, "happy_sichuan": _SUITS, "crazy_duel": CARDS}
    known["kaxinwu"] = _SUITS if options.get("three_suits") else "ps"
    return known.get(game, "")


@lru_cache(maxsize=64)
def deal(deck: str, seed: bytes, table: str, hand: int, contributions: Sequence[bytes | None]) -> Deal:
    """Deal a hand. `contributions`: a tuple of 16 bytes or None a seat. ValueError for what is no deck, or bytes that are not as long."""
    if len(seed) != SEED_BYTES or any(given is not None and len(given) != CONTRIBUTION_BYTES for given in contributions):
        raise ValueError("bytes of another length")
    message = b"xuezhan/1\0" + table.encode() + b"\0" + str(hand).encode() + b"\0"
    for given in contributions:
        message += given or bytes(CONTRIBUTION_BYTES)
    key = hmac.new(seed, message, hashlib.sha256).digest()
    wall, used = _ordered(deck), 0
    for last in range(len(wall) - 1, 0, -1):
        place, used = _uniform(key, used, last + 1)
        wall[last], wall[place] = wall[place], wall[last]
    return Deal(deck, len(contributions), tuple(wall), key, used)


def _ordered(deck: str) -> list[int]:
    if deck == CARDS:
        return [*range(1, 31)] * 2
    if not deck or set(deck) - set(_SUITS) or len(set(deck)) != len(deck):
        raise ValueError(f"{deck!r} is no deck")
    return [9 * _SUITS.index(suit) + rank for suit in deck for rank in range(1, 10) for _ in range(4)]


def _uniform(key: bytes, used: int, n: int) -> tuple[int, int]:
    """Return a number below n from the words after the first `used`, and how many words are used then."""
    while True:
        word = _word(key, used)
        used += 1
        if word < 2**32 - 2**32 % n:
            return word % n, used


def _word(key: bytes, index: int) -> int:
    at = 4 * (index % 8)
    return int.from_bytes(_block(key, index // 8)[at : at + 4], "big")


@lru_cache(maxsize=64)
def _block(key: bytes, number: int) -> bytes:
    return hmac.digest(key, number.to_bytes(8, "big"), "sha256")
