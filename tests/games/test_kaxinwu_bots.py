"""The bots of 血战卡心五: they cope with forced kongs and locked hands, and the greedy one plays to win (docs/rules/kaxinwu.md)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from games.bots import bot
from games.hand import Action, Do
from games.mahjong.melds import MeldKind
from games.mahjong.tiles import tile_of
from games.simulate import simulate
from tests.games.kaxinwu import FOUR, JUNK, LONG, MUST, READY, board, go

FORCED = "12p12333378s | pung 9s"
"""Holds 3333s and can add a 9s."""
CONCEALED = Action(0, Do.KONG, tile_of("3s"), kind=MeldKind.CONCEALED_KONG)
ADDED = Action(0, Do.KONG, tile_of("9s"), kind=MeldKind.ADDED_KONG)


def chosen(hand: Any, seat: int, name: str) -> set[Action]:
    random = Random(1)
    return {bot("kaxinwu", name, random).choose(hand, seat) for _ in range(60)}


@pytest.mark.parametrize(("name", "choices"), [("random", {CONCEALED, ADDED}), ("greedy", {CONCEALED})])
def test_a_bot_that_must_kong_makes_one_that_is_offered(name: str, choices: set[Action]) -> None:
    hand = board(FORCED, JUNK, JUNK, JUNK, wall="9s" + LONG, rules=MUST)
    assert chosen(hand, 0, name) == choices


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_a_bot_claims_a_kong_that_is_forced(name: str) -> None:
    hand = board(JUNK, "12479p12333578s", JUNK, JUNK, wall="3s" + LONG, rules=MUST)
    go(hand, "0 discard 3s")
    assert chosen(hand, 1, name) == {Action(1, Do.KONG, tile_of("3s"), kind=MeldKind.DIRECT_KONG)}


def test_the_greedy_bot_wins_whenever_it_may() -> None:
    hand = board(JUNK, READY, JUNK, JUNK, wall="9s" + LONG)
    go(hand, "0 discard 9s")
    assert chosen(hand, 1, "greedy") == {Action(1, Do.WIN)}
    assert chosen(board(READY, JUNK, JUNK, JUNK, wall="9s" + LONG), 0, "greedy") == {Action(0, Do.WIN)}


def test_the_greedy_bot_keeps_what_is_nearest_to_ready() -> None:
    hand = board("123456789p1159s", JUNK, JUNK, JUNK, wall="9s" + LONG, rules=FOUR)
    assert chosen(hand, 0, "greedy") == {Action(0, Do.DISCARD, tile_of("5s"))}


def test_greedy_bots_win_often_and_random_ones_seldom() -> None:
    def wins(bots: str) -> int:
        return sum(len(seat["wins"]) for record in simulate("kaxinwu", 30, "1", {}, 3, bots) for seat in record["result"]["seats"])

    assert wins("greedy") > 10 * wins("random") + 60
