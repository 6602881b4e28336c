"""How many tiles a hand is away from ready 向听: what bots look at. Not needed to referee anything.

Distance -1 is a complete hand, 0 a ready one. It is counted by suits: what each suit can give of sets, of starts of sets (two tiles that
one more completes) and of a pair is looked up, and the best sum over the suits is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from games.mahjong.shapes import SETS
from games.mahjong.tiles import POW5, RANKS

Shapes = tuple[tuple[int, int, int], ...]
"""Ways to take tiles apart: (sets, starts of sets, pair 0 or 1), of which none is at least as good as another in everything."""

_NOTHING: Shapes = ((0, 0, 0),)
_TAKEN = (
    # what is taken from the lowest rank on, and what it is: sets, starts, pair
    ((3, 0, 0), (1, 0, 0)),
    ((1, 1, 1), (1, 0, 0)),
    ((2, 0, 0), (0, 0, 1)),
    ((2, 0, 0), (0, 1, 0)),
    ((1, 1, 0), (0, 1, 0)),
    ((1, 0, 1), (0, 1, 0)),
    ((1, 0, 0), (0, 0, 0)),
)


def distance(keys: Sequence[int], melds: int) -> int:
    """Return how far a hand is from ready, by the counts of its suits packed in base 5. Runs and seven pairs are both tried."""
    standard = _standard(_joined(_joined(shapes(keys[0]), shapes(keys[1])), shapes(keys[2])), melds)
    return standard if melds else min(standard, _SEVEN - 1 - sum(map(_pairs, keys)))


_SEVEN = 7


@lru_cache(maxsize=1 << 17)
def shapes(key: int) -> Shapes:
    """Return the best ways to take one suit apart."""
    low = 0
    rest = key
    while rest and not rest % 5:
        rest //= 5
        low += 1
    if not rest:
        return _NOTHING
    counts = [rest // POW5[step] % 5 if low + step < RANKS else 0 for step in range(3)]
    found: set[tuple[int, int, int]] = set()
    for taken, (sets, starts, pair) in _TAKEN:
        if counts[0] >= taken[0] and counts[1] >= taken[1] and counts[2] >= taken[2]:
            after = key - sum(number * POW5[low + step] for step, number in enumerate(taken) if number)
            found.update((s + sets, t + starts, p | pair) for s, t, p in shapes(after) if not (p and pair))
    return _best(found)


@lru_cache(maxsize=1 << 15)
def _joined(one: Shapes, other: Shapes) -> Shapes:
    """Return the best ways of two suits together. Both may have a pair; the second then counts for nothing."""
    return _best({(a + x, b + y, c | z) for a, b, c in one for x, y, z in other})


def _best(found: set[tuple[int, int, int]]) -> Shapes:
    def beaten(one: tuple[int, int, int]) -> bool:
        return any(all(a <= b for a, b in zip(one, other, strict=True)) for other in found if other != one)

    return tuple(sorted(one for one in found if not beaten(one)))


@lru_cache(maxsize=1 << 15)
def _standard(ways: Shapes, melds: int) -> int:
    needed = SETS - melds
    return min(2 * needed - 2 * min(sets, needed) - min(starts, needed - min(sets, needed)) - pair for sets, starts, pair in ways)


@lru_cache(maxsize=1 << 17)
def _pairs(key: int) -> int:
    """Return the pairs in one suit; four alike are two."""
    return sum(key // power % 5 // 2 for power in POW5[:RANKS])
