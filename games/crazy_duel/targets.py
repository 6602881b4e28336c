"""Which plays a hand can make: every play by its ranks and how many cards of each, and which of them some cards allow.

Law: a target is possible exactly when what is missing of its cards, jokers aside, is not more than the jokers held, and one card at least
is no joker.

All targets are judged at once. One whole number has a lane of seven bits for each target; the number added for each rank says how many
cards of it are missing in each lane. What a lane adds up to, less the jokers, carries into the lane's highest bit where the jokers do not
suffice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from games.crazy_duel.cards import ACE, BIG_JOKER, COPIES, JOKERS, RANKS, SMALL_JOKER, SUITS, Card, Rank
from games.crazy_duel.compare import beats
from games.crazy_duel.kinds import Play, PlayKind
from games.crazy_duel.plays import BOMB, BOMB_ROW, JOKERS_ALONE, OF_A_RANK, ROWS

Mask = int
"""A set of targets: bit `LANE * target + FULL` for each."""

LANE: Final = 7
FULL: Final = LANE - 1
_NEVER: Final = (1 << FULL) - 1
"""As many missing cards as no jokers replace."""
_OF_A_RANK_AT_MOST: Final = COPIES * len(SUITS)
_JOKERS_AT_MOST: Final = 2 * COPIES
_DEALT: Final = 25


class Target(NamedTuple):
    """A play to aim at. `width` cards of each rank from `bottom` to `play.top`; for jokers alone `width` of them, and no rank."""

    play: Play
    bottom: Rank
    width: int

    @property
    def alone(self) -> bool:
        """Whether it is made of jokers alone."""
        return self.bottom >= JOKERS

    def missing(self, rank: Rank, count: int) -> int:
        """Return how many cards of a rank are missing when `count` are held."""
        if not self.bottom <= rank <= self.play.top:
            return 0
        # Of one rank a card must be there: jokers alone are themselves.
        return max(0, self.width - count) if count or self.bottom != self.play.top else _NEVER

    def cards(self, held: Sequence[int]) -> tuple[Card, ...]:
        """Return the cards that make it out of `held` (how many of each card), jokers last. It must be possible."""
        if self.alone:
            return self._jokers(held)
        taken: list[Card] = []
        for rank in range(self.bottom, self.play.top + 1):
            of_rank = [card for card in range(4 * rank, 4 * rank + 4) for _ in range(held[card])]
            taken += of_rank[: self.width]
        jokers = [joker for joker in (SMALL_JOKER, BIG_JOKER) for _ in range(held[joker])]
        return (*taken, *jokers[: self.play.size - len(taken)])

    def _jokers(self, held: Sequence[int]) -> tuple[Card, ...]:
        small, big = held[SMALL_JOKER], held[BIG_JOKER]
        # Small ones first, except that a pair of W, and a single W, need a big one.
        least_big = 1 if self.play.top == JOKERS + 1 and not self.play.stars else 0
        big_used = max(least_big, self.width - small)
        assert big_used <= big, "not possible"
        return (SMALL_JOKER,) * (self.width - big_used) + (BIG_JOKER,) * big_used


def _of_a_rank() -> Iterator[Target]:
    for size in range(1, _OF_A_RANK_AT_MOST + _JOKERS_AT_MOST + 1):
        kind = OF_A_RANK.get(size, PlayKind.BOMB)
        for rank in range(len(RANKS)):
            yield Target(Play(kind, rank, size if size >= BOMB else 0, size), rank, size)


def _rows() -> Iterator[Target]:
    for row in ROWS:
        for length in range(row.least, row.most + 1):
            for top in range(length - 1, ACE + 1):
                yield Target(Play(row.kind, top, 0, row.width * length), top - length + 1, row.width)


def _bomb_rows() -> Iterator[Target]:
    for length in range(BOMB_ROW, ACE + 2):
        for width in range(BOMB, _DEALT // length + 1):
            for top in range(length - 1, ACE + 1):
                yield Target(Play(PlayKind.BOMB_ROW, top, width + length, width * length), top - length + 1, width)


def _jokers() -> Iterator[Target]:
    for count, (kind, stars) in JOKERS_ALONE.items():
        if not stars:
            yield Target(Play(kind, JOKERS, 0, count), JOKERS, count)
        yield Target(Play(kind, JOKERS + 1, stars, count), JOKERS, count)


TARGETS: Final = (*_of_a_rank(), *_rows(), *_bomb_rows(), *_jokers())


def _lanes(missing: Sequence[int]) -> int:
    return sum(lane << LANE * place for place, lane in enumerate(missing))


def _alone(target: Target, small: int, big: int) -> int:
    """Return what is missing of a target of jokers alone; of others nothing."""
    if not target.alone or target.play.stars:
        return 0 if not target.alone or small + big >= target.width else _NEVER
    if target.play.top == JOKERS:
        return 0 if small >= target.width else _NEVER
    return 0 if big and small + big >= target.width else _NEVER


_MISSING: Final = tuple(
    tuple(_lanes([target.missing(rank, count) for target in TARGETS]) for count in range(_OF_A_RANK_AT_MOST + 1))
    for rank in range(len(RANKS))
)
_ALONE: Final = tuple(
    tuple(_lanes([_alone(target, small, big) for target in TARGETS]) for big in range(COPIES + 1)) for small in range(COPIES + 1)
)
_ENOUGH: Final = tuple(_lanes([_NEVER - jokers] * len(TARGETS)) for jokers in range(_JOKERS_AT_MOST + 1))
ALL: Final[Mask] = _lanes([1 << FULL] * len(TARGETS))
OF_KIND: Final[dict[PlayKind, Mask]] = {kind: _lanes([(target.play.kind is kind) << FULL for target in TARGETS]) for kind in PlayKind}


def possible(held: Sequence[int], *, wild: bool = True) -> Mask:
    """Return the targets that can be made of `held` (how many of each card). `wild` false: with no joker standing for another card."""
    small, big = held[SMALL_JOKER], held[BIG_JOKER]
    total = _ALONE[small][big] + _ENOUGH[small + big if wild else 0]
    place = 0
    for missing in _MISSING:
        total += missing[held[place] + held[place + 1] + held[place + 2] + held[place + 3]]
        place += 4
    return ALL & ~total


@cache
def beating(table: Play) -> Mask:
    """Return the targets that beat a play. There are few plays, so the answers are kept."""
    return sum(1 << LANE * place + FULL for place, target in enumerate(TARGETS) if beats(target.play, table))


def prepare() -> None:
    """Work the answers out now. Nothing is different after it but that the first who asks does not wait."""
    for play in {target.play for target in TARGETS}:
        beating(play)


def members(mask: Mask) -> list[Target]:
    """Return the targets of a set, in order."""
    found = []
    while mask:
        low = mask & -mask
        found.append(TARGETS[low.bit_length() // LANE - 1])
        mask ^= low
    return found
