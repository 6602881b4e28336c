"""The bots of the mahjong games, and the distance from ready that they look at."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from games.hand import Action, Do
from games.mahjong.concealed import Concealed
from games.mahjong.distance import distance
from games.mahjong.greedy_bot import GreedyBot
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.random_bot import RandomBot
from games.mahjong.tiles import tile_of
from tests.games import naive
from tests.games.board import before_play, board, play
from tests.games.naive import held

JUNK = "124578m124578p9m"


@pytest.mark.parametrize(
    ("concealed", "melds", "away"),
    [
        ("123456789m11p234p", 0, -1),
        ("123456789m11p23p", 0, 0),
        ("123456789m1p23p", 0, 0),
        ("123456789m1p25p", 0, 1),
        ("1122334455667p", 0, 0),
        ("11223344556p17s", 0, 1),
        ("1111222233334m", 0, 0),
        ("147m258p369s1238m", 0, 4),
        ("1m147p258s369m", 1, 5),
        ("1m", 4, 0),
        ("11m", 4, -1),
        ("12m45p78s1m", 2, 1),
        ("12m45p78s9m1p", 2, 2),
        ("12m12p12s55m55p5s", 0, 3),
        ("19m19p19s2468m248p", 0, 4),
    ],
)
def test_the_distance_from_ready(concealed: str, melds: int, away: int) -> None:
    assert distance(held(concealed).keys, melds) == away


def test_distance_is_what_the_shortest_way_needs() -> None:
    """Compared with trying: one away is what some tile makes ready, ready what some tile completes."""
    random = Random(1)
    for _ in range(60):
        suit = random.sample([tile for tile in range(random.choice((9, 18))) for _ in range(4)], 13)
        tiles = Concealed(suit)
        away = distance(tiles.keys, 0)
        nearest = min(distance(Concealed([*suit, tile]).keys, 0) for tile in range(27) if suit.count(tile) < 4)
        assert nearest == away - 1 or Counter(suit).most_common(1)[0][1] == 4
        if naive.waits(suit, ()):
            assert away == 0
        elif away == 0:
            assert 4 in Counter(suit).values(), "it waits only for what it holds itself"


def choose(hand: object, seat: int) -> Action:
    return GreedyBot(Random(0)).choose(hand, seat)


def test_the_greedy_bot_wins_when_it_may() -> None:
    hand = board("123456789m4611p", JUNK, JUNK, JUNK, wall="5p9m9m9m")
    assert choose(hand, 0) == Action(0, Do.WIN)
    hand = board(JUNK, "123456789m4556p", JUNK, JUNK, wall="5p9m9m9m")
    play(hand, "0 discard 5p")
    assert choose(hand, 1) == Action(1, Do.WIN)


def test_the_greedy_bot_kongs_when_it_may() -> None:
    hand = board("1111m24578m1245p", JUNK, JUNK, JUNK, wall="9p8p9m9m")
    assert choose(hand, 0) == Action(0, Do.KONG, 0, kind=MeldKind.CONCEALED_KONG)
    hand = board(JUNK, "124578m124555p9m", JUNK, JUNK, wall="5p9m9m9m")
    play(hand, "0 discard 5p")
    assert choose(hand, 1) == Action(1, Do.KONG, tile_of("5p"), kind=MeldKind.DIRECT_KONG)


@pytest.mark.parametrize(
    ("concealed", "do"),
    [("123456m55p77p14p9m", Do.PUNG), ("123456m55p789p12p", Do.PASS), ("11223344m55p668p", Do.PASS)],
)
def test_the_greedy_bot_pungs_if_that_brings_it_nearer(concealed: str, do: Do) -> None:
    hand = board(JUNK, concealed, JUNK, JUNK, wall="5p9m9m9m")
    play(hand, "0 discard 5p")
    assert choose(hand, 1) == Action(1, do)


@pytest.mark.parametrize(
    ("concealed", "drawn", "thrown", "why"),
    [
        ("123456789m11p46p", "9p", "9p", "all else is part of a ready hand"),
        ("123456m4678p999p", "1m", "4p", "147m are more tiles than 4p"),
        ("123456789m1145p", "7p", "7p", "36p are more tiles than 6p"),
        ("12457m1257p1139s", "3m", "1s", "the void suit goes first, lowest first"),
        ("123456789m1379p", "9p", "7p", "13 and a pair of 9 are ready, 379 with it are not"),
    ],
)
def test_the_greedy_bot_throws_what_leaves_it_nearest_to_ready_then_with_most_waits(
    concealed: str, drawn: str, thrown: str, why: str
) -> None:
    hand = board(concealed, JUNK, JUNK, JUNK, wall=f"{drawn}9m9m9m")
    assert choose(hand, 0) == Action(0, Do.DISCARD, tile_of(thrown)), why


def test_the_greedy_bot_does_not_count_on_tiles_that_lie_open() -> None:
    """1p and 9p can each wait for its pair: of equals the lowest is thrown, but not if another 9p lies open."""
    hand = board("123456789m1555p", JUNK, JUNK, JUNK, wall="9p9m9m9m")
    assert choose(hand, 0) == Action(0, Do.DISCARD, tile_of("1p"))
    hand.seats[1].river = [tile_of("9p")]
    assert choose(hand, 0) == Action(0, Do.DISCARD, tile_of("9p"))
    hand.seats[1].melds = [Meld(MeldKind.PUNG, tile_of("1p"))]
    assert choose(hand, 0) == Action(0, Do.DISCARD, tile_of("1p"))


def test_the_greedy_bot_names_and_gives_as_the_server_does_but_of_its_own_accord() -> None:
    hand = before_play("1122m1122p11223s", "1122m1122p11223s", "1122m1122p11223s", "1122m1122p11223s")
    assert choose(hand, 0) == hand.default(0)._replace(auto=False)


def chosen(hand: object, seat: int) -> set[Action]:
    random = Random(3)
    return {RandomBot(random).choose(hand, seat) for _ in range(300)}


def test_the_random_bot_takes_every_choice_of_a_turn() -> None:
    hand = board("1111m456789m | pung 5p", JUNK, JUNK, JUNK, wall="5p9m9m9m")
    kongs = {Action(0, Do.KONG, 0, kind=MeldKind.CONCEALED_KONG), Action(0, Do.KONG, tile_of("5p"), kind=MeldKind.ADDED_KONG)}
    assert chosen(hand, 0) == kongs | {Action(0, Do.DISCARD, tile) for tile in (0, 3, 4, 5, 6, 7, 8, 13)}
    hand = board("1m | pung 2m, pung 3m, pung 4m, pung 5m", JUNK, JUNK, JUNK, wall="1m9m9m9m")
    assert chosen(hand, 0) == {Action(0, Do.WIN), Action(0, Do.DISCARD, 0)}


def test_the_random_bot_takes_every_choice_of_a_claim() -> None:
    hand = board(JUNK, "123456789m5554p", JUNK, JUNK, wall="5p9m9m9m")
    hand.seats[1].waits |= 1 << tile_of("5p")
    play(hand, "0 discard 5p")
    kong = Action(1, Do.KONG, tile_of("5p"), kind=MeldKind.DIRECT_KONG)
    assert chosen(hand, 1) == {Action(1, Do.WIN), kong, Action(1, Do.PUNG), Action(1, Do.PASS)}


def test_the_random_bot_takes_every_choice_before_play() -> None:
    hand = before_play("1234m123p123456s", "1122m1122p11223s", "1122m1122p11223s", "1122m1122p11223s")
    assert chosen(hand, 0) == {Action(0, Do.VOID, suit) for suit in range(3)}
    play(hand, "0 void m", "1 void p", "2 void s", "3 void m")
    given = {tuple(sorted(action.tiles)) for action in chosen(hand, 0)}
    assert {tiles[0] // 9 for tiles in given} == {0, 1, 2}
    assert len(given) == 4 + 1 + 20, "3 of 4, 3 of 3, 3 of 6"
