"""The rules once more, slowly and without tables, to compare with; and hands written as a player reads them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from games.mahjong.concealed import Concealed
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.tiles import parse_tiles

KINDS = {"pung": MeldKind.PUNG, "direct": MeldKind.DIRECT_KONG, "added": MeldKind.ADDED_KONG, "concealed": MeldKind.CONCEALED_KONG}


def held(text: str) -> Concealed:
    """`123m55p` as the concealed part of a hand."""
    return Concealed(parse_tiles(text))


def melds(text: str) -> tuple[Meld, ...]:
    """`pung 1m, concealed 5p` as melds."""
    words = [one.split() for one in text.split(",")] if text else []
    return tuple(Meld(KINDS[kind], parse_tiles(tile)[0]) for kind, tile in words)


def is_sets(tiles: Sequence[int]) -> bool:
    """Whether sorted tiles fall into sets."""
    if not tiles:
        return True
    first = tiles[0]
    if tiles[:3].count(first) == 3 and is_sets(tiles[3:]):
        return True
    run = [first, first + 1, first + 2]
    if first % 9 > 6 or not all(tile in tiles for tile in run):
        return False
    rest = list(tiles)
    for tile in run:
        rest.remove(tile)
    return is_sets(rest)


def is_four_sets_and_pair(tiles: Sequence[int]) -> bool:
    """Whether tiles are any number of sets and one pair."""
    ordered = sorted(tiles)
    for tile in set(ordered):
        if ordered.count(tile) >= 2:
            rest = list(ordered)
            rest.remove(tile)
            rest.remove(tile)
            if is_sets(rest):
                return True
    return False


def wins(tiles: Sequence[int], melded: Sequence[Meld]) -> bool:
    """Whether 14 tiles, melds counted, have a winning shape."""
    if len(tiles) + 3 * len(melded) != 14:
        return False
    pairs = not melded and all(count % 2 == 0 for count in Counter(tiles).values())
    return pairs or is_four_sets_and_pair(tiles)


def waits(tiles: Sequence[int], melded: Sequence[Meld]) -> list[int]:
    """The kinds that complete 13 tiles and of which a fourth copy or less would be owned."""
    owned = Counter(tiles)
    for meld in melded:
        owned[meld.tile] += 3 if meld.kind is MeldKind.PUNG else 4
    return [tile for tile in range(27) if owned[tile] < 4 and wins([*tiles, tile], melded)]


def sum_of_fans(tiles: Sequence[int], melded: Sequence[Meld]) -> int:
    """Shape + flush + 根 of a winning hand of 疯狂血战, highest reading, as the page adds them up."""
    owned = Counter(tiles)
    for meld in melded:
        owned[meld.tile] += 3 if meld.kind is MeldKind.PUNG else 4
    shapes = []
    if is_four_sets_and_pair(tiles):
        kinds = Counter(tiles)
        pungs = sorted(kinds.values()) == [2] + [3] * (4 - len(melded))
        shapes.append((2 if len(melded) == 4 else 1) if pungs else 0)
    if not melded and all(count % 2 == 0 for count in Counter(tiles).values()):
        shapes.append(2)
    flush = 2 if len({tile // 9 for tile in owned}) == 1 else 0
    return max(shapes) + flush + sum(1 for count in owned.values() if count == 4)


def random_win(rng: random.Random, suits: int = 3) -> tuple[list[int], tuple[Meld, ...]]:
    """A winning hand of 14: some sets melded, now and then seven pairs or few kinds, so that every shape comes up."""
    while True:
        kinds = [tile for suit in rng.sample(range(3), rng.randint(1, suits)) for tile in range(suit * 9, suit * 9 + 9)]
        if rng.random() < 0.2:
            tiles = [tile for tile in rng.choices(kinds, k=7) for _ in range(2)]
            laid: list[Meld] = []
        else:
            runs, laid = rng.random(), []
            tiles = [rng.choice(kinds)] * 2
            for _ in range(4):
                tile = rng.choice(kinds)
                if rng.random() < runs and tile % 9 < 7:
                    tiles += [tile, tile + 1, tile + 2]
                elif rng.random() < 0.5:
                    laid.append(Meld(rng.choice(list(MeldKind)), tile))
                else:
                    tiles += [tile] * 3
        owned = Counter(tiles)
        for meld in laid:
            owned[meld.tile] += meld.size
        if max(owned.values()) <= 4:
            return sorted(tiles), tuple(laid)
