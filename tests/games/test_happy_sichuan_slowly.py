"""The fans of 欢乐麻将 once more, slowly and without tables, compared on random hands (docs/rules/happy_sichuan.md)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

from games.happy_sichuan.fans import TABLES, TOP_FAN, ready_mask, value_win
from games.mahjong.concealed import Concealed
from games.mahjong.fans import Circumstances, How, Value
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.tiles import format_tiles, tiles_in
from tests.games import naive


def splits(tiles: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Every way to take sorted tiles apart into sets."""
    if not tiles:
        yield []
        return
    first = tiles[0]
    for one in ((first, first, first), (first, first + 1, first + 2)):
        rest = list(tiles)
        if (one[2] == first or first % 9 <= 6) and all(rest.count(tile) >= one.count(tile) for tile in one):
            for tile in one:
                rest.remove(tile)
            yield from ([one, *others] for others in splits(rest))


def slow_fan(tiles: Sequence[int], laid: Sequence[Meld], around: Circumstances, kong_draw: int) -> int:
    """The fan of a winning hand, as the page says it."""
    owned = Counter(tiles)
    for meld in laid:
        owned[meld.tile] += meld.size
    kongs = sum(meld.kind is not MeldKind.PUNG for meld in laid)
    roots = sum(count == 4 for count in owned.values()) - kongs
    pure = len({tile // 9 for tile in owned}) == 1
    after_kong = around.kongs > 0
    extras = kongs + roots
    extras += {How.SELF_DRAW: kong_draw * after_kong, How.DISCARD: int(after_kong), How.ROBBED_KONG: 1}[around.how] if around.how else 0
    totals = []
    if around.how is How.SELF_DRAW and around.first_draw and not laid and not after_kong:
        totals.append(6 + extras)
    if not laid and all(count % 2 == 0 for count in owned.values()):
        totals.append((5 if pure else 3) + extras)
        if roots:
            totals.append((6 if pure else 5) + extras - 1)
    ordered = sorted(tiles)
    for pair in {tile for tile in ordered if ordered.count(tile) >= 2}:
        rest = list(ordered)
        rest.remove(pair)
        rest.remove(pair)
        for sets in splits(rest):
            groups = [*sets, (pair, pair), *((meld.tile,) * 3 for meld in laid)]
            outside = all(any(tile % 9 in (0, 8) for tile in group) for group in groups)
            pungs = all(len(set(group)) == 1 for group in groups)
            totals.append((3 if pure else 1) + extras)
            if pungs:
                totals.append((4 if pure or all(group[0] % 9 in (1, 4, 7) for group in groups) else 2) + extras)
            if outside:
                totals.append((5 if pure else 3) + extras)
    return max(totals)


def random_around(rng: random.Random) -> Circumstances:
    return Circumstances(rng.choice([None, *How]), rng.choice([0, 0, 1, 2]), rng.random() < 0.2, rng.random() < 0.2, rng.random() < 0.3)


SPECIAL = (
    ((0, 8), ((0, 1, 2), (6, 7, 8), (0, 0, 0), (8, 8, 8))),
    ((1, 4, 7), ((1, 1, 1), (4, 4, 4), (7, 7, 7))),
)


def special_win(rng: random.Random) -> tuple[list[int], tuple[Meld, ...]]:
    """A hand of terminals and what runs with them, or of 2, 5 and 8: chance alone seldom makes one."""
    while True:
        pairs, sets = rng.choice(SPECIAL)
        suits = rng.sample(range(3), rng.randint(1, 2))
        tiles = [rng.choice(suits) * 9 + rng.choice(pairs)] * 2
        tiles += [suit * 9 + rank for suit in rng.choices(suits, k=4) for rank in rng.choice(sets)]
        if max(Counter(tiles).values()) <= 4:
            return sorted(tiles), ()


def test_the_table_agrees_with_the_page_read_slowly_on_random_wins() -> None:
    rng = random.Random(7)
    seen = set()
    for number in range(2500):
        tiles, laid = special_win(rng) if number % 10 == 0 else naive.random_win(rng, suits=2)
        around, kong_draw = random_around(rng), rng.choice((1, 2))
        value = value_win(Concealed(tiles), laid, tiles[0], None, around, None, TABLES[kong_draw])
        assert isinstance(value, Value)
        assert value.fan == slow_fan(tiles, laid, around, kong_draw), (format_tiles(tiles), laid, around)
        assert value.fan <= TOP_FAN
        seen.add(value.parts[0].name)
    assert len(seen) == len(TABLES[1].bases), seen


def test_waits_are_those_of_two_suits_on_random_hands() -> None:
    rng = random.Random(8)
    for _ in range(400):
        tiles, laid = naive.random_win(rng, suits=3)
        tiles.remove(rng.choice(tiles))
        suits = {tile // 9 for tile in (*tiles, *(meld.tile for meld in laid))}
        expected = naive.waits(tiles, laid) if len(suits) < 3 else []
        assert tiles_in(ready_mask(Concealed(tiles), laid)) == [tile for tile in expected if len(suits | {tile // 9}) < 3], (
            format_tiles(tiles),
            laid,
        )
