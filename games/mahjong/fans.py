"""What a win is worth 番: patterns as rows of a table, and the one resolver that reads every game's table.

Law: of the base rows that apply one counts, of the extra rows all. Reading and base are chosen together for the highest total; between
equal totals the higher base counts, then the one earlier in the table. Precedence and exclusions are figures in the rows, never code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from games.mahjong.concealed import Concealed
from games.mahjong.melds import Meld, meld_mask
from games.mahjong.tiles import COPIES, SUIT_MASKS, Tile, tiles_in


class How(StrEnum):
    """How the winning tile came."""

    SELF_DRAW = "self_draw"
    DISCARD = "discard"
    ROBBED_KONG = "robbed_kong"


class Circumstances(NamedTuple):
    """What surrounded a win.

    `kongs`: kongs in a row right before (the winner's for a self-draw on a replacement, the discarder's for a discard). `last_tile`: it is
    the wall's last tile, or the discard after it. `first_draw`: the winner's first draw, nobody having melded. `dealer`: the winner is the
    dealer. `how` None: nothing is known, and no circumstance counts (查大叫).
    """

    how: How | None = None
    kongs: int = 0
    last_tile: bool = False
    first_draw: bool = False
    dealer: bool = False


NO_CIRCUMSTANCES = Circumstances()


class Facts(NamedTuple):
    """What the rows may ask about one reading of a winning hand, the winning tile and the melds in it.

    `melds` counts kongs too; `kongs` of them; `roots` the kinds held four times 根, konged or not. Only games that count them fill in what
    follows: `outside`: every set and the pair has a 1 or a 9; `two_five_eight`: there are no tiles but 2, 5 and 8; `middle_five`: the
    winning tile is a 5 between 4 and 6.
    """

    seven_pairs: bool
    all_pungs: bool
    one_suit: bool
    melds: int
    kongs: int
    roots: int
    around: Circumstances
    outside: bool = False
    two_five_eight: bool = False
    middle_five: bool = False


class Part(NamedTuple):
    """One part of a win's value. `fan` is the part's total: one part for all 根 together."""

    id: str
    name: str
    fan: int


class Value(NamedTuple):
    """What a win is worth: `fan` before the cap, `multiple` after it."""

    parts: tuple[Part, ...]
    fan: int
    multiple: int


class Row(NamedTuple):
    """One pattern. `times` tells how often it counts in a reading, 0 for not at all; `fan` is for each time.

    `uses`: how many of which extra row a base row takes with it, so that they are not counted again.
    """

    id: str
    name: str
    fan: int
    times: Callable[[Facts], int]
    uses: tuple[str, int] = ("", 0)


class _Total(NamedTuple):
    """A base with all its extras. Compared as a tuple: the total first, then the base, then the place in the table."""

    fan: int
    base: int
    place: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, eq=False, slots=True)
class FanTable:
    """A game's patterns. `multiple` turns fans, already capped, into the multiple 倍数."""

    bases: tuple[Row, ...]
    extras: tuple[Row, ...]
    multiple: Callable[[int], int]

    def value(self, readings: Iterable[Facts], cap: int | None) -> Value:
        """Return the value of a hand that can be read in these ways, at least one. `cap` is in fans; None for no limit."""
        best = max(_total(self, facts) for facts in readings)
        fan = best.fan
        return Value(best.parts, fan, self.multiple(fan if cap is None or fan < cap else cap))


@lru_cache(maxsize=1 << 14)
def _total(table: FanTable, facts: Facts) -> _Total:
    """Return the best base for one reading. Facts are a few small numbers and come again and again."""
    return max(_with_extras(table, facts, base, -place) for place, base in enumerate(table.bases) if base.times(facts))


def _with_extras(table: FanTable, facts: Facts, base: Row, place: int) -> _Total:
    parts = [Part(base.id, base.name, base.fan)]
    used_row, used = base.uses
    for row in table.extras:
        times = row.times(facts) - (used if row.id == used_row else 0)
        if times > 0:
            parts.append(Part(row.id, row.name, row.fan * times))
    return _Total(sum(part.fan for part in parts), base.fan, place, tuple(parts))


def facts_by_counts(concealed: Concealed, melds: Sequence[Meld], around: Circumstances, *, seven_pairs: bool) -> Facts:
    """Return what counts alone tell of a complete hand that is read as seven pairs or as the standard shape."""
    # Of 14 tiles in sets and a pair, a kind that is not held three times is the pair if it is the only such kind.
    counts = concealed.counts
    held = concealed.mask | meld_mask(melds)
    return Facts(
        seven_pairs=seven_pairs,
        all_pungs=counts.count(COPIES - 1) + 1 == concealed.mask.bit_count(),
        one_suit=any(held | suit == suit for suit in SUIT_MASKS),
        melds=len(melds),
        kongs=sum(1 for meld in melds if meld.is_kong),
        roots=counts.count(COPIES) + sum(1 for meld in melds if meld.is_kong or counts[meld.tile]),
        around=around,
    )


def each_wait(concealed: Concealed, kinds: int, value: Callable[[Concealed, Tile], Value | str]) -> Iterator[tuple[Tile, Value]]:
    """Yield each kind of a mask of waits, in order, and what these 13 tiles are `value`d with it."""
    for tile in tiles_in(kinds):
        whole = concealed.copy()
        whole.add(tile)
        worth = value(whole, tile)
        assert isinstance(worth, Value), "a wait that does not win"
        yield tile, worth


def highest(values: Iterable[tuple[Tile, Value]]) -> Value | None:
    """Return the value with the highest multiple, the first of equals, or None if there is none."""
    return max((value for _, value in values), key=lambda value: (value.multiple, value.fan), default=None)
