"""Tiles 牌: kinds as small whole numbers, and their notation (docs/rules/README.md).

A tile is its kind, 0..26: `1m`..`9m` 万, then `1p`..`9p` 筒, then `1s`..`9s` 条. The four copies of a kind are not told apart.
A suit is 0..2; a set of kinds is a mask with bit `tile` set.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from games.fields import shown

Tile: TypeAlias = int
Suit: TypeAlias = int

SUITS: Final = "mps"
RANKS: Final = 9
KINDS: Final = len(SUITS) * RANKS
COPIES: Final = 4

TILE_NAMES: Final = tuple(f"{rank}{suit}" for suit in SUITS for rank in range(1, RANKS + 1))
SUIT_OF: Final = tuple(tile // RANKS for tile in range(KINDS))
POW5: Final = tuple(5 ** (tile % RANKS) for tile in range(KINDS))
"""What one copy of a tile adds to its suit's packed counts: a digit 0..4 a rank, in base 5."""
ALL_KINDS: Final = (1 << KINDS) - 1
SUIT_MASKS: Final = tuple(((1 << RANKS) - 1) << RANKS * suit for suit in range(len(SUITS)))

_TILES: Final = {name: tile for tile, name in enumerate(TILE_NAMES)}


def tile_of(name: str) -> Tile:
    """Return the tile written `name`, such as `5p`. ValueError if there is none."""
    tile = _TILES.get(name)
    if tile is None:
        raise ValueError(f"unknown tile {shown(name)}")
    return tile


def suit_of(name: str) -> Suit:
    """Return the suit written `name`: m, p or s. ValueError if there is none."""
    if len(name) != 1 or name not in SUITS:
        raise ValueError(f"unknown suit {shown(name)}")
    return SUITS.index(name)


def ordered_tiles(suits: Sequence[Suit] = (0, 1, 2)) -> list[Tile]:
    """Return the tiles of the suits in play before the shuffle: 1m 1m 1m 1m 2m … 9s."""
    return [suit * RANKS + rank for suit in suits for rank in range(RANKS) for _ in range(COPIES)]


def parse_tiles(text: str) -> list[Tile]:
    """Read tiles where a run shares one letter, `123m55p`, in the order written. ValueError tells what cannot be read."""
    tiles: list[Tile] = []
    ranks = ""
    for place, letter in enumerate(text, 1):
        if letter in SUITS:
            if not ranks:
                raise ValueError(f"{letter!r} at character {place} has no number before it")
            tiles.extend(_TILES[rank + letter] for rank in ranks)
            ranks = ""
        elif letter in "123456789":
            ranks += letter
        else:
            raise ValueError(f"{letter!r} at character {place} is neither 1 to 9 nor a suit")
    if ranks:
        raise ValueError(f"there is no suit after the last {ranks[-1]}")
    return tiles


def format_tiles(tiles: Iterable[Tile]) -> str:
    """Write tiles sorted and in runs that share one letter: `123m55p`."""
    ordered = sorted(tiles)
    runs = ("".join(TILE_NAMES[tile][0] for tile in ordered if SUIT_OF[tile] == suit) for suit in range(len(SUITS)))
    return "".join(run + letter for run, letter in zip(runs, SUITS, strict=True) if run)


def tiles_in(mask: int) -> list[Tile]:
    """Return the kinds of a mask in order."""
    kinds = []
    while mask:
        low = mask & -mask
        kinds.append(low.bit_length() - 1)
        mask ^= low
    return kinds
