"""How many tiles a hand is away from ready 向听: what bots look at. Not needed to referee anything.

Distance -1 is a complete hand, 0 a ready one. Each suit is looked up for what it can give at the same time of sets, of starts of sets
(two tiles that one more completes) and of a pair; the best sum over the suits counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from games.mahjong.shapes import SETS, WINNING_SIZE
from games.mahjong.tiles import POW5, RANKS

Ways: TypeAlias = int
"""A set of ways to take tiles apart, as a mask: the bit _SET * sets + _START * starts + _PAIR * pairs, pairs 0 or 1. A way to get less
is always in it."""

_PAIR: Final = 1
_START: Final = 2
_SET: Final = 16
_WITHOUT_PAIR: Final = sum(1 << bit for bit in range(0, _SET * (SETS + 1), _START))
_NOTHING: Final = 1
_SEVEN: Final = WINNING_SIZE // 2


def distance(keys: Sequence[int], melds: int) -> int:
    """Return how far a hand is from ready, by the counts of its suits packed in base 5. Sets and seven pairs are both tried."""
    m, p, s = keys
    sets = _to_sets(_both(_both(ways(m), ways(p)), ways(s)), melds)
    return sets if melds else min(sets, _SEVEN - 1 - _pairs(m) - _pairs(p) - _pairs(s))


@lru_cache(maxsize=1 << 17)
def ways(key: int) -> Ways:
    """Return the ways to take one suit apart, by what the lowest tile can be part of."""
    if not key:
        return _NOTHING
    low = 1
    while not key // low % 5:
        low *= 5
    here, after, last = key // low % 5, key // low // 5 % 5, key // low // 25 % 5
    found = ways(key - low)
    if here >= 2:
        pair = ways(key - 2 * low)
        found |= pair << _START | (pair & _WITHOUT_PAIR) << _PAIR
    if here >= 3:
        found |= ways(key - 3 * low) << _SET
    if after:
        found |= ways(key - 6 * low) << _START
    if last:
        found |= ways(key - 26 * low) << _START
    if after and last:
        found |= ways(key - 31 * low) << _SET
    return found


@lru_cache(maxsize=1 << 16)
def _both(one: Ways, other: Ways) -> Ways:
    """Return the ways of two suits together. One pair counts."""
    found = 0
    for way in _each(other):
        found |= (one & _WITHOUT_PAIR if way & _PAIR else one) << way
    return found


@lru_cache(maxsize=1 << 16)
def _to_sets(found: Ways, melds: int) -> int:
    """Return how far the best way is from four sets and a pair. A start beyond the sets still needed is of no use."""
    needed = SETS - melds
    return min(2 * needed - 2 * sets - min(rest // _START, needed - sets) - rest % _START for sets, rest in _most(found, needed))


def _most(found: Ways, needed: int) -> Iterator[tuple[int, int]]:
    for way in _each(found):
        sets, rest = divmod(way, _SET)
        yield min(sets, needed), rest


def _each(found: Ways) -> Iterator[int]:
    while found:
        bit = found & -found
        yield bit.bit_length() - 1
        found ^= bit


@lru_cache(maxsize=1 << 17)
def _pairs(key: int) -> int:
    """Return the pairs in one suit; four alike are two."""
    return sum(key // power % 5 // 2 for power in POW5[:RANKS])
