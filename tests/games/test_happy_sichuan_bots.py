"""The greedy bot of 欢乐麻将: it plays towards two suits."""

from __future__ import annotations

from random import Random

import pytest

from games.happy_sichuan.greedy_bot import TwoSuitBot
from games.mahjong.concealed import Concealed
from games.mahjong.state import Seat
from games.mahjong.tiles import SUIT_MASKS, parse_tiles
from tests.games.board import act, play
from tests.games.happy import FAR, JUNK, LONG, READY, board
from tests.games.naive import melds

BOT = TwoSuitBot(Random(0))


@pytest.mark.parametrize(
    ("concealed", "laid", "suit"),
    [
        ("123456m789p1199s", "", "p"),  # 789p is one set of four, 1199s a pair and a start
        ("123456m1199p789s", "", "s"),
        ("13579m2468p1357s", "", "p"),  # equally far with either of two suits: the fewest tiles
        ("123456m79p99s | pung 1s", "", "p"),
        ("147m1199p | pung 5s, pung 6s", "", "m"),
        ("147m1p | pung 1p, pung 5s, pung 6s", "", "m"),
    ],
)
def test_it_gives_up_the_suit_without_which_it_is_nearest_and_keeps_melded_ones(concealed: str, laid: str, suit: str) -> None:
    tiles, _, laid = concealed.partition(" | ")
    seat = Seat(Concealed(parse_tiles(tiles)), list(melds(laid)))
    assert BOT.unwanted(seat) == SUIT_MASKS["mps".index(suit)]


def test_with_three_suits_melded_it_gives_up_none() -> None:
    assert BOT.unwanted(Seat(Concealed(parse_tiles("1m")), list(melds("pung 2m, pung 3p, pung 4s, pung 5s")))) == 0


def test_it_throws_the_suit_given_up_first() -> None:
    hand = board("123456m1199p78s1p", JUNK, JUNK, JUNK, wall="9m" + LONG)
    assert BOT.choose(hand, 0) == act("0 discard 7s")


def test_it_neither_pungs_nor_kongs_in_the_suit_given_up() -> None:
    hand = board(FAR, "123456m1199p999s", JUNK, JUNK, wall="9s" + LONG)
    play(hand, "0 discard 9s")
    assert BOT.choose(hand, 1) == act("1 pass")
    hand = board("12345m11199p999s", JUNK, JUNK, JUNK, wall="9s" + LONG)
    assert BOT.choose(hand, 0) == act("0 discard 9s")


def test_it_wins_and_kongs_where_it_may() -> None:
    assert BOT.choose(board(READY, JUNK, JUNK, JUNK, wall="9p" + LONG), 0) == act("0 win")
    assert BOT.choose(board("111m1346789p357m", JUNK, JUNK, JUNK, wall="1m" + LONG), 0) == act("0 kong 1m concealed")
    assert BOT.choose(board(READY, JUNK, JUNK, JUNK, wall="9p2s2s2s"), 0) == act("0 win"), "also where it is all that is offered"
