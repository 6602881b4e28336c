"""Waits 听牌: the kinds that complete a hand of 13."""

from __future__ import annotations

import random

import pytest

from games.mahjong.concealed import Concealed
from games.mahjong.shapes import wait_mask
from games.mahjong.tiles import format_tiles, tiles_in
from tests.games import naive
from tests.games.naive import held, melds


def waits(concealed: str, laid: str = "") -> str:
    return format_tiles(tiles_in(wait_mask(held(concealed), melds(laid))))


@pytest.mark.parametrize(
    ("concealed", "laid", "expected"),
    [
        ("1113456666788s", "", "2578s"),  # four 6s are a triplet and part of a run
        ("22334455p11s111m", "", "1m25p1s"),  # seven pairs with four 1m, or runs and triplets
        ("1112345678999m", "", "123456789m"),
        ("123456789m1234p", "", "14p"),
        ("123456789m11p22s", "", "1p2s"),
        ("112233m445566p9s", "", "9s"),
        ("1111m22334455p6s", "", "6s"),
        ("5p", "pung 1m, direct 2m, added 3m, concealed 4m", "5p"),
        ("46p", "pung 1m, direct 2m, added 3m", ""),  # 11 with the melds
        ("46p11s", "pung 1m, direct 2m, added 3m", "5p"),
        ("123456789m123p", "", ""),  # 12 tiles
        ("123456789m11123p", "", ""),  # 14 tiles
        ("123456789m1112345p", "", ""),  # 16 tiles
        ("123456789m1234p", "pung 9p", ""),  # 16 with the melds
        ("", "", ""),
        ("1357m1357p13579s", "", ""),
    ],
)
def test_a_hand_waits_for_exactly_these(concealed: str, laid: str, expected: str) -> None:
    assert waits(concealed, laid) == expected


@pytest.mark.parametrize(
    ("concealed", "laid"),
    [
        ("1111m222333p555s", ""),  # only the fifth 1m would make the pair
        ("1m", "pung 1m, pung 2p, pung 3p, pung 4p"),  # a pung and the fourth: no fifth for the pair
        ("23m11p", "concealed 1m, concealed 4m, pung 9p"),  # both ends konged
    ],
)
def test_a_kind_of_which_the_player_owns_all_four_is_no_wait(concealed: str, laid: str) -> None:
    assert waits(concealed, laid) == ""


def test_owning_all_four_takes_away_only_that_wait() -> None:
    assert waits("23m11p", "concealed 1m, pung 5m, pung 9p") == "4m"


def test_a_pung_and_no_fourth_leaves_the_fourth_to_wait_for() -> None:
    assert waits("23m11p", "pung 1m, pung 4m, pung 9p") == "14m"


def test_the_masks_agree_with_trying_every_kind_on_random_hands() -> None:
    rng = random.Random(4)
    ready = 0
    for _ in range(1500):
        tiles, laid = naive.random_win(rng, suits=rng.randint(1, 3))
        tiles.remove(rng.choice(tiles))
        if rng.random() < 0.3:
            tiles.remove(rng.choice(tiles))
            tiles.append(rng.choice([tile for tile in range(27) if tiles.count(tile) < 4 and all(meld.tile != tile for meld in laid)]))
        expected = naive.waits(tiles, laid)
        assert tiles_in(wait_mask(Concealed(tiles), laid)) == expected, (format_tiles(tiles), laid)
        ready += bool(expected)
    assert 500 < ready < 1500
