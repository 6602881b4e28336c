"""The provable deal: the shuffle defined to the byte in docs/rules/README.md, so that anyone can recompute it from a hand record.

Law: everything drawn in a hand comes from one `Stream`, in the order in which it arises; nothing else is random.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

SEED_BYTES = 32
CONTRIBUTION_BYTES = 16
_WORDS = 1 << 32
_BLOCK = struct.Struct(">8I")
_INDEX = struct.Struct(">Q")


def commitment(seed: bytes) -> str:
    """Return what is shown before the deal: SHA-256 of the seed, in lower-case hex."""
    return hashlib.sha256(seed).hexdigest()


def deal_key(seed: bytes, table: str, hand: int, contributions: Sequence[bytes | None]) -> bytes:
    """Return the key of a hand's stream. A contribution of None stands for 16 zero bytes.

    ValueError for a seed that is not 32 bytes, a contribution that is not 16, a table id with a zero byte or a negative hand number: they
    would make the message ambiguous.
    """
    if len(seed) != SEED_BYTES:
        raise ValueError(f"seed: {SEED_BYTES} bytes, not {len(seed)}")
    if "\0" in table:
        raise ValueError("table: a zero byte")
    if hand < 0:
        raise ValueError(f"hand: {hand} is negative")
    message = b"xuezhan/1\0%s\0%d\0" % (table.encode(), hand)
    for seat, given in enumerate(contributions):
        if given is not None and len(given) != CONTRIBUTION_BYTES:
            raise ValueError(f"contributions: {CONTRIBUTION_BYTES} bytes, not {len(given)}, from seat {seat}")
        message += bytes(CONTRIBUTION_BYTES) if given is None else given
    return hmac.digest(seed, message, "sha256")


def simulated_seed(seed: str, hand: int) -> bytes:
    """Return the seed of hand `hand` (from 1) of `xuezhan simulate --seed`."""
    return hashlib.sha256(f"simulate {seed} {hand}".encode()).digest()


class Stream:
    """The randomness of one hand: HMAC-SHA-256(key, 0), (key, 1), … as big-endian 32-bit words."""

    __slots__ = ("_words",)

    def __init__(self, key: bytes) -> None:
        self._words = _words(key)

    def uniform(self, n: int) -> int:
        """Return a number from 0 to n - 1, each equally likely; 1 <= n <= 2^32. Words that would favour some are passed over."""
        limit = _WORDS - _WORDS % n
        for word in self._words:
            if word < limit:
                return word % n
        raise AssertionError("the stream has no end")  # pragma: no cover


def _words(key: bytes) -> Iterator[int]:
    keyed = hmac.new(key, digestmod="sha256")
    block = 0
    while True:
        # A copy is keyed already, and does not let go of the interpreter as `hmac.digest` does, which costs more than the hash.
        one = keyed.copy()
        one.update(_INDEX.pack(block))
        yield from _BLOCK.unpack(one.digest())
        block += 1


def shuffle(stream: Stream, ordered: Sequence[T]) -> list[T]:
    """Return the ordered set shuffled by Fisher-Yates, from the last index down to 1."""
    wall = list(ordered)
    uniform = stream.uniform
    for i in range(len(wall) - 1, 0, -1):
        j = uniform(i + 1)
        wall[i], wall[j] = wall[j], wall[i]
    return wall
