"""Winning shapes 和牌型 and waits 听牌, read from per-suit lookup tables.

Standard: four sets and a pair, runs only in the concealed part. Seven pairs 七对: no meld, and four alike stand for two pairs.
Law: only a hand of 14 tiles (a kong counting as three) is complete, and only one of 13 waits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

from games.mahjong.concealed import Concealed
from games.mahjong.melds import Meld
from games.mahjong.tiles import COPIES, POW5, RANKS, Tile

SETS = 4
WINNING_SIZE = 14
WAITING_SIZE = WINNING_SIZE - 1

_Counts = tuple[int, ...]
"""How many of each rank of one suit."""
_NEAR_NOTHING = (0, 0, 0)


class _Tables(NamedTuple):
    """What one suit's packed counts can be.

    `done`: 1 for sets only (none included), 2 for sets and one pair; absent otherwise. The three suits of a standard hand multiply to 2.
    `near`: the same value (0 for neither), then the masks of the ranks whose addition makes sets only, and sets and one pair.
    """

    done: dict[int, int]
    near: dict[int, tuple[int, int, int]]


@cache
def _tables() -> _Tables:
    """Build the tables, at first use: 0.2 s and a few MB."""
    done: dict[int, int] = {}
    for sets in _all_sets():
        done[_pack(sets)] = 1
        for rank in range(RANKS):
            if sets[rank] + 2 <= COPIES:
                done[_pack(sets) + 2 * POW5[rank]] = 2
    near = {key: (value, 0, 0) for key, value in done.items()}
    for key, value in done.items():
        for rank in range(RANKS):
            if key // POW5[rank] % 5:
                before = key - POW5[rank]
                own, to_sets, to_pair = near.get(before, _NEAR_NOTHING)
                near[before] = (own, to_sets | 1 << rank, to_pair) if value == 1 else (own, to_sets, to_pair | 1 << rank)
    return _Tables(done, near)


def prepare() -> None:
    """Build the tables now. Nothing is different after it but that the first who looks something up does not wait."""
    _tables()


def _all_sets() -> set[_Counts]:
    """Return the counts of every zero to four sets of one suit."""
    single = [tuple(3 * (rank == low) for rank in range(RANKS)) for low in range(RANKS)]
    single += [tuple(int(low <= rank < low + 3) for rank in range(RANKS)) for low in range(RANKS - 2)]
    found: set[_Counts] = {(0,) * RANKS}
    for _ in range(SETS):
        found |= {counts for held, more in product(found, single) if max(counts := tuple(map(sum, zip(held, more, strict=True)))) <= COPIES}
    return found


def _pack(counts: Sequence[int]) -> int:
    return sum(count * power for count, power in zip(counts, POW5[:RANKS], strict=True))


def is_seven_pairs(concealed: Concealed, melds: Sequence[Meld]) -> bool:
    """Whether 14 tiles without a meld are seven pairs."""
    return concealed.size == WINNING_SIZE and not melds and not concealed.odd


def is_standard(concealed: Concealed, melds: Sequence[Meld]) -> bool:
    """Whether 14 tiles, melds counted, are four sets and a pair."""
    if concealed.size + 3 * len(melds) != WINNING_SIZE:
        return False
    done = _tables().done
    m, p, s = concealed.keys
    return done.get(m, 0) * done.get(p, 0) * done.get(s, 0) == 2


def complete(concealed: Concealed, melds: Sequence[Meld]) -> bool:
    """Whether the hand, the winning tile in it, has a winning shape. A hand of another number of tiles than 14 has none."""
    return is_standard(concealed, melds) or is_seven_pairs(concealed, melds)


def wait_mask(concealed: Concealed, melds: Sequence[Meld]) -> int:
    """Return the mask of the kinds that complete a hand of 13; 0 for another number of tiles.

    A kind of which the player owns all four, concealed and melds together, is no wait.
    """
    if concealed.size + 3 * len(melds) != WAITING_SIZE:
        return 0
    # A suit completes the hand as sets if the others have the pair (their product is 2), as sets and a pair if they do not (1).
    near = _tables().near
    m, p, s = concealed.keys
    m_value, m_sets, m_pair = near.get(m, _NEAR_NOTHING)
    p_value, p_sets, p_pair = near.get(p, _NEAR_NOTHING)
    s_value, s_sets, s_pair = near.get(s, _NEAR_NOTHING)
    others = p_value * s_value
    mask = m_pair if others == 1 else m_sets if others == 2 else 0
    others = m_value * s_value
    if 0 < others < 4:
        mask |= (p_pair if others == 1 else p_sets) << RANKS
    others = m_value * p_value
    if 0 < others < 4:
        mask |= (s_pair if others == 1 else s_sets) << 2 * RANKS
    if not melds:
        odd = concealed.odd
        if not odd & odd - 1:
            mask |= odd
    elif mask:
        counts = concealed.counts
        for meld in melds:
            if meld.is_kong or counts[meld.tile]:
                mask &= ~(1 << meld.tile)
    return mask


class Reading(NamedTuple):
    """One way to read the concealed part of a winning hand; the melds are sets besides.

    `runs`: the lowest tile of each run; `triplets`: the tile of each three alike; `pair`: the tile of the pair, -1 for seven pairs, which
    have neither runs nor triplets.
    """

    runs: tuple[Tile, ...]
    triplets: tuple[Tile, ...]
    pair: Tile

    @property
    def seven_pairs(self) -> bool:
        """Whether the hand is read as seven pairs."""
        return self.pair < 0


SEVEN_PAIRS = Reading((), (), -1)


def readings(concealed: Concealed, melds: Sequence[Meld]) -> list[Reading]:
    """Return every way to read the hand, the winning tile in it; none if it is not complete. For patterns that counts cannot tell."""
    found = [SEVEN_PAIRS] if is_seven_pairs(concealed, melds) else []
    if is_standard(concealed, melds):
        by_suit = [[_move(reading, suit) for reading in _suit_readings(key)] for suit, key in enumerate(concealed.keys)]
        found += [_join(parts) for parts in product(*by_suit)]
    return found


def _move(reading: Reading, suit: int) -> Reading:
    shift = suit * RANKS
    runs, triplets, pair = reading
    return Reading(tuple(low + shift for low in runs), tuple(tile + shift for tile in triplets), pair if pair < 0 else pair + shift)


def _join(parts: Sequence[Reading]) -> Reading:
    m, p, s = parts
    return Reading(m.runs + p.runs + s.runs, m.triplets + p.triplets + s.triplets, max(m.pair, p.pair, s.pair))


@cache
def _suit_readings(key: int) -> tuple[Reading, ...]:
    """Return the readings of one suit's packed counts, in ranks; `pair` is -1 where it has none.

    Only asked for suits of a complete hand, of which there are some 20,000: the cache is bounded by that.
    """
    counts = [key // power % 5 for power in POW5[:RANKS]]
    return tuple(sorted(set(_split(counts, needs_pair=sum(counts) % 3 == 2))))


def _split(counts: list[int], *, needs_pair: bool) -> Iterator[Reading]:
    """Take the lowest rank out as a pair, three alike or a run, and read the rest. `counts` is as before when done."""
    low = next((rank for rank in range(RANKS) if counts[rank]), None)
    if low is None:
        yield Reading((), (), -1)
        return
    if needs_pair and counts[low] >= 2:
        for rest in _without(counts, (low, low), needs_pair=False):
            yield rest._replace(pair=low)
    if counts[low] >= 3:
        for rest in _without(counts, (low, low, low), needs_pair=needs_pair):
            yield rest._replace(triplets=tuple(sorted((low, *rest.triplets))))
    if low < RANKS - 2 and counts[low + 1] and counts[low + 2]:
        for rest in _without(counts, (low, low + 1, low + 2), needs_pair=needs_pair):
            yield rest._replace(runs=tuple(sorted((low, *rest.runs))))


def _without(counts: list[int], taken: Sequence[int], *, needs_pair: bool) -> Iterator[Reading]:
    for rank in taken:
        counts[rank] -= 1
    yield from _split(counts, needs_pair=needs_pair)
    for rank in taken:
        counts[rank] += 1
