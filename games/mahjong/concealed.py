"""The concealed part of a hand 暗牌, kept in the forms that the rules look things up by.

Law: `counts`, `keys`, `mask`, `odd` and `size` always describe the same tiles; only `add` and `remove` change them.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import mul
from typing import Final

from games.mahjong.tiles import COPIES, KINDS, POW5, RANKS, SUITS, Tile

_ONE_OF: Final = [bytes([tile]) for tile in range(KINDS)]


class Concealed:
    """A multiset of tiles, at most four of a kind.

    `counts`: copies of each of the 27 kinds. `keys`: the counts of each suit packed in base 5. `mask`: the kinds held; `odd`: the kinds
    held an odd number of times; `size`: how many tiles.
    """

    __slots__ = ("counts", "keys", "mask", "odd", "size")

    def __init__(self, tiles: Iterable[Tile] = ()) -> None:
        self.counts = [0] * KINDS
        self.keys = [0] * len(SUITS)
        self.mask = 0
        self.odd = 0
        self.size = 0
        self.add_many(tiles)

    def add(self, tile: Tile) -> None:
        """Take in one tile."""
        count = self.counts[tile] + 1
        assert count <= COPIES, "a fifth copy"
        self.counts[tile] = count
        self.keys[tile // 9] += POW5[tile]
        bit = 1 << tile
        self.mask |= bit
        self.odd ^= bit
        self.size += 1

    def remove(self, tile: Tile) -> None:
        """Give away one tile, which must be held."""
        count = self.counts[tile] - 1
        assert count >= 0, "a tile that is not held"
        self.counts[tile] = count
        self.keys[tile // 9] -= POW5[tile]
        bit = 1 << tile
        if not count:
            self.mask ^= bit
        self.odd ^= bit
        self.size -= 1

    def add_many(self, tiles: Iterable[Tile]) -> None:
        """Take in tiles."""
        for tile in tiles:
            self.add(tile)

    def remove_many(self, tiles: Iterable[Tile]) -> None:
        """Give away tiles, which must all be held."""
        for tile in tiles:
            self.remove(tile)

    def tiles(self) -> list[Tile]:
        """Return the tiles, sorted."""
        return list(b"".join(map(mul, _ONE_OF, self.counts)))

    def suit_sizes(self) -> list[int]:
        """Return how many tiles of each suit there are."""
        return [sum(self.counts[first : first + RANKS]) for first in range(0, KINDS, RANKS)]

    def copy(self) -> Concealed:
        """Return an independent copy."""
        other = Concealed.__new__(Concealed)
        other.counts = self.counts.copy()
        other.keys = self.keys.copy()
        other.mask = self.mask
        other.odd = self.odd
        other.size = self.size
        return other
