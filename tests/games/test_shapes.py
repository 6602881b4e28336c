"""Winning shapes, read from tables, against the rules read tile by tile."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest

from games.mahjong.concealed import Concealed
from games.mahjong.shapes import Reading, complete, is_seven_pairs, is_standard, readings
from games.mahjong.tiles import format_tiles
from tests.games import naive
from tests.games.naive import held, melds


def one_suit_states(most: int) -> dict[int, int]:
    """How many ways there are to hold so many tiles of one suit: nine ranks, none to four of each."""
    ways = Counter({0: 1})
    for _ in range(9):
        ways = Counter({size: sum(ways[size - held] for held in range(5) if held <= size) for size in range(37)})
    return {size: ways[size] for size in range(most + 1)}


def test_one_suit_has_405350_states_of_up_to_14_tiles() -> None:
    # The coefficients of x^0 … x^14 in (1 + x + x^2 + x^3 + x^4)^9:
    # 1 + 9 + 45 + 165 + 495 + 1278 + 2922 + 6030 + 11385 + 19855 + 32211 + 48879 + 69675 + 93600 + 118800 = 405350
    ways = one_suit_states(14)
    assert list(ways.values()) == [1, 9, 45, 165, 495, 1278, 2922, 6030, 11385, 19855, 32211, 48879, 69675, 93600, 118800]
    assert sum(ways.values()) == 405_350


def test_of_the_118800_hands_of_14_tiles_of_one_suit_13259_are_standard_and_15349_complete_with_seven_pairs() -> None:
    # Seven pairs of nine ranks, where four alike are two pairs: 0, 2 or 4 of each rank, 14 in all: the coefficient of x^7 in
    # (1 + x + x^2)^9 = C(9,7) + 9 C(8,5) + C(9,2) C(7,3) + C(9,3) C(6,1) = 36 + 504 + 1260 + 504 = 2304.
    # Of these 214 can be read as sets too: 13259 + 2304 - 214 = 15349.
    standard = pairs = both = either = states = 0
    hand = Concealed()
    for counts in product(range(5), repeat=8):
        last = 14 - sum(counts)
        if not 0 <= last <= 4:
            continue
        states += 1
        hand.keys[0] = sum(count * 5**rank for rank, count in enumerate((*counts, last)))
        hand.odd = sum(count % 2 << rank for rank, count in enumerate((*counts, last)))
        hand.size = 14
        standard += is_standard(hand, ())
        pairs += is_seven_pairs(hand, ())
        both += is_standard(hand, ()) and is_seven_pairs(hand, ())
        either += complete(hand, ())
    assert states == 118_800
    assert (standard, pairs, both) == (13_259, 2_304, 214)
    assert either == 15_349 == standard + pairs - both


def test_the_tables_agree_with_the_rules_on_random_hands() -> None:
    rng = random.Random(2)
    seen = Counter[bool]()
    for _ in range(4000):
        tiles, laid = naive.random_win(rng)
        if rng.random() < 0.5:  # one tile off: mostly no win
            tiles.remove(rng.choice(tiles))
            tiles.append(rng.choice([tile for tile in range(27) if tiles.count(tile) < 4]))
        expected = naive.wins(tiles, laid)
        assert complete(Concealed(tiles), laid) is expected, (format_tiles(tiles), laid)
        seen[expected] += 1
    assert min(seen.values()) > 1000


@pytest.mark.parametrize(
    ("concealed", "laid"),
    [
        ("123456789m12344p", ""),
        ("11223344m556677p", ""),
        ("1111m22223344p55p", ""),
        ("11122233344455s", ""),
        ("11m", "pung 1p, direct 2p, added 3p, concealed 4p"),
        ("12399m", "pung 1p, pung 2p, pung 3p"),
        ("12344m123p", "concealed 4p, pung 5p"),
    ],
)
def test_four_sets_and_a_pair_or_seven_pairs_win(concealed: str, laid: str) -> None:
    assert complete(held(concealed), melds(laid))


@pytest.mark.parametrize(
    ("concealed", "laid"),
    [
        ("", ""),
        ("11m", ""),
        ("123m11p", ""),
        ("123456789m1234p", ""),  # 13 tiles
        ("123m", ""),  # 3 tiles
        ("123456789m11p", ""),  # 11
        ("123456789m12345611p", ""),  # 17
        ("112233m4455667p", ""),  # 13, six pairs and one
        ("11223344m55667788p", ""),  # eight pairs
        ("11m", "pung 1p, pung 2p, pung 3p"),  # 11 with the melds
        ("111m", "pung 1p, pung 2p, pung 3p, pung 4p"),  # 15
        ("", "pung 1p, pung 2p, pung 3p, pung 4p"),  # four melds and no pair
        ("12m", "pung 1p, pung 2p, pung 3p, pung 4p"),  # four melds and no pair
        ("123456789m123p12s", ""),  # four sets and no pair
        ("113355m88p", "pung 1p, pung 2p"),  # pairs beside melds
        ("1199m3377s", "pung 1p, pung 2p"),
        ("11335577m224466p", "pung 9p"),  # 17, seven pairs beside a meld
        ("89m1p123456789s22m", ""),  # a run across suits
        ("891m123456789s22p", ""),  # a run past the nine
    ],
)
def test_anything_else_does_not_win(concealed: str, laid: str) -> None:
    assert not complete(held(concealed), melds(laid))
    assert readings(held(concealed), melds(laid)) == []


def test_three_in_a_row_three_times_reads_as_runs_and_as_triplets() -> None:
    m1, m2, m3, p5 = 0, 1, 2, 13
    assert sorted(readings(held("111222333m55p"), melds("pung 9s"))) == [
        Reading(runs=(), triplets=(m1, m2, m3), pair=p5),
        Reading(runs=(m1, m1, m1), triplets=(), pair=p5),
    ]


def test_a_hand_may_read_as_seven_pairs_and_as_sets() -> None:
    found = readings(held("112233m445566p99s"), ())
    assert [reading.seven_pairs for reading in found] == [True, False]
    assert found[1] == Reading(runs=(0, 0, 12, 12), triplets=(), pair=26)


def test_the_pair_may_be_read_in_different_places() -> None:
    found = readings(held("11123444m"), melds("pung 9s, pung 8s"))
    assert {reading.pair for reading in found} == {0, 3}
    assert len(found) == 2


def every_way(tiles: tuple[int, ...]) -> set[tuple[tuple[int, ...], ...]]:
    """Every way to cut tiles into sets and one pair, by trying each set of every kind: sorted tuples of sorted groups."""
    groups = [(tile,) * 3 for tile in range(27)] + [(low, low + 1, low + 2) for low in range(27) if low % 9 < 7]
    found = set()

    def cut(left: Counter[int], start: int, taken: list[tuple[int, ...]]) -> None:
        if not left.total():
            found.add(tuple(sorted(taken)))
            return
        for at in range(start, len(groups)):
            need = Counter(groups[at])
            if need <= left:
                cut(left - need, at, [*taken, groups[at]])

    for tile, count in Counter(tiles).items():
        if count >= 2:
            cut(Counter(tiles) - Counter((tile, tile)), 0, [(tile, tile)])
    return found


def test_readings_are_every_way_to_cut_a_hand_and_no_way_twice() -> None:
    rng = random.Random(3)
    several = 0
    for _ in range(300):
        tiles, laid = naive.random_win(rng, suits=1)
        found = readings(Concealed(tiles), laid)
        cuts = [
            tuple(sorted([(tile,) * 3 for tile in one.triplets] + [(low, low + 1, low + 2) for low in one.runs] + [(one.pair,) * 2]))
            for one in found
            if not one.seven_pairs
        ]
        assert len(cuts) == len(set(cuts))
        assert set(cuts) == every_way(tuple(tiles))
        assert sum(one.seven_pairs for one in found) == (not laid and all(tiles.count(tile) % 2 == 0 for tile in tiles))
        several += len(found) > 1
    assert several > 20
