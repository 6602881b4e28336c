"""Tiles, melds and the concealed part of a hand."""

from __future__ import annotations

import random

import pytest

from games.mahjong.concealed import Concealed
from games.mahjong.melds import Meld, MeldKind, meld_mask
from games.mahjong.tiles import SUIT_MASKS, TILE_NAMES, format_tiles, parse_tiles, suit_of, tile_of, tiles_in


def test_there_are_27_kinds_in_the_order_m_p_s() -> None:
    assert len(TILE_NAMES) == 27
    assert TILE_NAMES[:2] + TILE_NAMES[8:10] + TILE_NAMES[17:19] + TILE_NAMES[26:] == ("1m", "2m", "9m", "1p", "9p", "1s", "9s")
    assert [tile_of(name) for name in TILE_NAMES] == list(range(27))


def test_a_run_of_tiles_shares_one_letter() -> None:
    assert parse_tiles("123m55p") == [0, 1, 2, 13, 13]
    assert format_tiles([13, 2, 0, 13, 1]) == "123m55p"
    assert parse_tiles("9s1m") == [26, 0], "tiles stay in the order in which they were written"
    assert parse_tiles("") == []
    assert format_tiles([]) == ""


@pytest.mark.parametrize("text", ["m", "12", "1m2", "0m", "1x", "1 m", "1M", "m1", "1mm", "１m", "²m"])
def test_what_is_not_in_the_notation_of_tiles_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no number before it|no suit after|is neither"):
        parse_tiles(text)


@pytest.mark.parametrize("name", ["", "m", "5", "0m", "10m", "5z", "m5", "5m5m"])
def test_an_unknown_tile_is_refused_by_name(name: str) -> None:
    with pytest.raises(ValueError, match="unknown tile"):
        tile_of(name)


def test_suits_are_m_p_and_s() -> None:
    assert [suit_of(letter) for letter in "mps"] == [0, 1, 2]
    for name in ("", "x", "mp", "M"):
        with pytest.raises(ValueError, match="unknown suit"):
            suit_of(name)


def test_a_mask_has_one_bit_for_each_kind() -> None:
    assert tiles_in(SUIT_MASKS[1]) == list(range(9, 18))
    assert tiles_in(0) == []


def test_every_meld_but_a_pung_is_a_kong_of_four_tiles() -> None:
    melds = [Meld(kind, tile) for tile, kind in enumerate(MeldKind)]
    assert [(meld.is_kong, meld.size) for meld in melds] == [(False, 3), (True, 4), (True, 4), (True, 4)]
    assert meld_mask(melds) == 0b1111


def test_what_a_concealed_hand_knows_of_its_tiles_agrees_after_any_adding_and_removing() -> None:
    rng = random.Random(1)
    hand = Concealed()
    tiles: list[int] = []
    for _ in range(2000):
        fits = [tile for tile in range(27) if tiles.count(tile) < 4]
        if tiles and (len(tiles) == 14 or rng.random() < 0.45):
            hand.remove(tiles.pop(rng.randrange(len(tiles))))
        else:
            tiles.append(rng.choice(fits))
            hand.add(tiles[-1])
        counts = [tiles.count(tile) for tile in range(27)]
        assert hand.counts == counts
        assert hand.size == len(tiles)
        assert hand.suit_sizes() == [sum(tile // 9 == suit for tile in tiles) for suit in range(3)]
        assert hand.tiles() == sorted(tiles)
        assert hand.keys == [sum(counts[suit * 9 + rank] * 5**rank for rank in range(9)) for suit in range(3)]
        assert tiles_in(hand.mask) == [tile for tile in range(27) if counts[tile]]
        assert tiles_in(hand.odd) == [tile for tile in range(27) if counts[tile] % 2]


def test_a_copy_of_a_hand_is_independent() -> None:
    hand = Concealed(parse_tiles("123m"))
    copy = hand.copy()
    copy.remove_many(parse_tiles("12m"))
    copy.add_many(parse_tiles("99s"))
    assert hand.tiles() == parse_tiles("123m")
    assert copy.tiles() == parse_tiles("3m99s")
    assert (hand.keys, hand.mask, hand.odd, hand.size) == ([31, 0, 0], 0b111, 0b111, 3)


def test_a_fifth_copy_or_a_tile_that_is_not_held_is_a_programming_error() -> None:
    hand = Concealed(parse_tiles("1111m"))
    with pytest.raises(AssertionError):
        hand.add(0)
    with pytest.raises(AssertionError):
        hand.remove(1)
    assert hand.tiles() == parse_tiles("1111m")
