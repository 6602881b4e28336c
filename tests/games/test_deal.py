"""The provable deal, computed a second time from its definition in docs/rules/deal.md."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

import pytest

from games.deal import Stream, commitment, deal_key, shuffle, simulated_seed
from games.mahjong.tiles import TILE_NAMES, ordered_tiles, parse_tiles


class Auditor:
    """The definition read word by word."""

    def __init__(self, seed: bytes, table: str, hand: int, contributions: list[bytes | None]) -> None:
        parts = [b"xuezhan/1", table.encode("utf-8"), str(hand).encode("utf-8")]
        message = b"".join(part + b"\x00" for part in parts) + b"".join(given or b"\x00" * 16 for given in contributions)
        self.key = hmac.new(seed, message, hashlib.sha256).digest()
        self.blocks = 0
        self.words: list[int] = []

    def word(self) -> int:
        if not self.words:
            block = hmac.new(self.key, self.blocks.to_bytes(8, "big"), hashlib.sha256).digest()
            self.words = [int.from_bytes(block[at : at + 4], "big") for at in range(0, 32, 4)]
            self.blocks += 1
        return self.words.pop(0)

    def uniform(self, n: int) -> int:
        while True:
            word = self.word()
            if word < 2**32 - (2**32 % n):
                return word % n

    def wall(self, ordered: list[str]) -> list[str]:
        wall = ordered[:]
        i = len(wall) - 1
        while i >= 1:
            j = self.uniform(i + 1)
            wall[i], wall[j] = wall[j], wall[i]
            i -= 1
        return wall


ORDERED = [f"{rank}{suit}" for suit in "mps" for rank in range(1, 10) for _ in range(4)]


@pytest.mark.parametrize(
    ("table", "hand", "contributions"),
    [
        ("simulate", 1, [None, None, None, None]),
        ("t-7", 12, [bytes(range(16)), None, b"\xff" * 16, b"0123456789abcdef"]),
        ("桌子", 0, [None, b"0123456789abcdef"]),
    ],
)
def test_the_wall_and_what_is_drawn_after_it_follow_from_the_record_to_the_byte(
    table: str, hand: int, contributions: list[bytes | None]
) -> None:
    seed = hashlib.sha256(b"any").digest()
    auditor, stream = Auditor(seed, table, hand, contributions), Stream(deal_key(seed, table, hand, contributions))
    assert [TILE_NAMES[tile] for tile in shuffle(stream, ordered_tiles())] == auditor.wall(ORDERED)
    for n in (4, 3, 1, 50, 2, 2**32, 2**32 - 1, 3 * 2**30, 7) * 20:
        assert stream.uniform(n) == auditor.uniform(n)


def test_the_first_simulated_hand_of_seed_1_never_changes() -> None:
    seed = simulated_seed("1", 1)
    assert seed == hashlib.sha256(b"simulate 1 1").digest()
    wall = shuffle(Stream(deal_key(seed, "simulate", 1, [None] * 4)), ordered_tiles())
    assert "".join(TILE_NAMES[tile] for tile in wall[:14]) == "3m3s9s5m8p4p9p1s5s8s3s1m4s9m"


def test_the_commitment_is_the_hash_of_the_seed_in_lower_case_hex() -> None:
    assert commitment(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_each_seat_table_hand_and_seed_changes_the_deal() -> None:
    zero = [None, None]
    keys = {
        deal_key(bytes(32), "a", 1, zero),
        deal_key(bytes(31) + b"1", "a", 1, zero),
        deal_key(bytes(32), "b", 1, zero),
        deal_key(bytes(32), "a", 2, zero),
        deal_key(bytes(32), "a", 1, [b"0123456789abcdef", None]),
        deal_key(bytes(32), "a", 1, [None, b"0123456789abcdef"]),
    }
    assert len(keys) == 6
    assert deal_key(bytes(32), "a", 1, [bytes(16), None]) == deal_key(bytes(32), "a", 1, zero), "null stands for 16 zero bytes"


@pytest.mark.parametrize(
    ("seed", "table", "hand", "contributions", "error"),
    [
        (bytes(31), "t", 1, [], "seed: 32 bytes, not 31"),
        (bytes(32), "t\0", 1, [], "table: a zero byte"),
        (bytes(32), "t", -1, [], "hand: -1 is negative"),
        (bytes(32), "t", 1, [None, bytes(15)], "contributions: 16 bytes, not 15, from seat 1"),
        (bytes(32), "t", 1, [b""], "contributions: 16 bytes, not 0, from seat 0"),
    ],
)
def test_what_would_make_the_key_ambiguous_is_refused(
    seed: bytes, table: str, hand: int, contributions: list[bytes | None], error: str
) -> None:
    with pytest.raises(ValueError, match=error):
        deal_key(seed, table, hand, contributions)


def test_words_that_would_favour_some_numbers_are_passed_over() -> None:
    # With n = 3 x 2^30 a quarter of the words is passed over, so the same words last for fewer draws.
    plain, passing = Stream(bytes(32)), Stream(bytes(32))
    words = [plain.uniform(2**32) for _ in range(400)]
    kept = [word for word in words if word < 3 * 2**30]
    assert len(kept) < 350
    assert [passing.uniform(3 * 2**30) for _ in kept] == kept


def test_the_ordered_tiles_are_four_of_each_kind_of_the_suits_in_play() -> None:
    assert [TILE_NAMES[tile] for tile in ordered_tiles()] == ORDERED
    assert ordered_tiles((1, 2)) == ordered_tiles()[36:]
    assert ordered_tiles()[:5] == parse_tiles("11112m")


def test_a_shuffle_keeps_every_tile_and_leaves_the_ordered_set_alone() -> None:
    ordered = ordered_tiles()
    wall = shuffle(Stream(bytes(32)), ordered)
    assert Counter(wall) == Counter(ordered)
    assert ordered == ordered_tiles()
    assert shuffle(Stream(bytes(32)), []) == []


def test_every_tile_comes_to_every_place_about_equally_often() -> None:
    # 6000 shuffles of 6: each of 36 cells expects 1000, with a standard deviation of 29; the seed is fixed.
    cells = Counter[tuple[int, int]]()
    stream = Stream(b"fixed")
    for _ in range(6000):
        cells.update(enumerate(shuffle(stream, range(6))))
    assert len(cells) == 36
    assert all(850 < count < 1150 for count in cells.values())
