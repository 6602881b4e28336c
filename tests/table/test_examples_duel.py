"""The worked examples of the card game, from the deal to the statement (docs/rules/crazy_duel.md)."""

from __future__ import annotations

from typing import Any

import pytest

from games.hand import Action, Do
from tests.table.examples import ANN, BOB, Example, Room
from tests.table.ledger import Line
from tests.table.minds import Bombing
from tests.table.staged import Script, asked, find, stages

ROOMS = {"beginner": 100, "intermediate": 500, "advanced": 2000, "expert": 10_000, "xuezhan": 50_000}
"""Coefficients; what is locked is a hundred times as much."""


def duel(room: str) -> Room:
    base = ROOMS[room]
    return Room(game="crazy_duel", room=room, players=2, base=base, lock=str(100 * base))


def escape(hand: Any) -> Action:
    """The one who does not lead goes before a card is laid."""
    return Action(1 - asked(hand), Do.LEAVE)


def an_escape(room: Room) -> Script:
    """bob escapes."""
    return find(room.rules(), lambda _number: escape, lambda hand: hand.leader == 0, first=0)


async def test_eight_stars_while_the_loser_holds_24_are_4_times_6_times_100_coins(example: Example) -> None:
    """ann leads one card, bob lays an eight of a kind, jokers among them, and then all they have."""
    room = duel("beginner")
    script = find(room.rules(), lambda _number: Bombing(8), lambda hand: stages(hand) == [("showdown", [(0, 1, 24)])], first=0)
    told = await example.play(room, script, {ANN: 12_000, BOB: 10_000}, printed=ANN)
    assert told.lines == {ANN: [Line("showdown", BOB, 24, -2400, 0, 9600)], BOB: [Line("showdown", ANN, 24, 2400, 0, 12_400)]}
    paid = {"cause": "showdown", "table": "t", "hand": 1, "counterpart": BOB, "multiple": 24, "coins": -2400, "owed": None, "balance": 9600}
    assert [line for line in told.printed[ANN] if line["hand"]] == [paid]
    assert told.visits[ANN].stake == 10_000, "the other 2,000 were never at the table"


@pytest.mark.parametrize("name", ROOMS)
async def test_an_escape_costs_all_that_is_locked_and_nothing_beyond_it(example: Example, name: str) -> None:
    room = duel(name)
    locked = 100 * room.base
    told = await example.play(room, an_escape(room), {ANN: locked, BOB: locked + 7})
    assert told.lines == {ANN: [Line("escape", BOB, 100, locked, 0, 2 * locked)], BOB: [Line("escape", ANN, 100, -locked, 0, 7)]}


async def test_an_escape_from_a_rated_room_gives_the_winner_no_more_than_the_escaper_had(example: Example) -> None:
    room = Room(game="crazy_duel", room="rating", players=2, base=0, lock="0", rated="true")
    told = await example.play(room, an_escape(room), {ANN: 5, BOB: 5})
    assert told.lines == {ANN: [], BOB: []}
    assert told.record["points"] in ([80, -80], [-80, 80])
    assert told.ratings == {ANN: [(0, "小星")], BOB: [(0, "小星")]}
