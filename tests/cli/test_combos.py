"""`xuezhan combos`: lines of cards in, what they are as plays out."""

from __future__ import annotations

import pytest

from tests.cli.command import json_lines, xuezhan


def test_combos_judges_each_line_and_goes_on_after_one_that_cannot_be_used() -> None:
    lines = [
        {"cards": ["10S", "JS", "QS", "KS", "w"]},
        {"cards": ["9S", "10S"]},
        {"cards": ["9X"]},
        {"cards": ["9S", "9H"], "kind": None, "over": ["9C", "9D"], "over_kind": None},
        {"cards": ["w", "W", "w"], "over": ["2S"]},
    ]
    ran = xuezhan("combos", "crazy_duel", stdin=json_lines(lines))
    assert ran.status == 1
    assert ran.lines == [
        {"legal": True, "kind": "straight", "top": "A", "stars": 0},
        {"legal": False, "why": "not_a_play"},
        {"error": "line 3: cards[0]: '9X' is not a card"},
        {"legal": False, "why": "does_not_beat"},
        {"legal": True, "kind": "three_jokers", "top": "W", "stars": 6},
    ]
    assert xuezhan("combos", "crazy_duel", stdin=json_lines(lines[:1])).status == 0


@pytest.mark.parametrize("arguments", [["combos"], ["combos", "crazy_xuezhan"], ["combos", "crazy_duel", "more"]])
def test_combos_of_another_game_is_one_line_and_status_2(arguments: list[str]) -> None:
    ran = xuezhan(*arguments)
    assert (ran.status, ran.out, len(ran.err.splitlines())) == (2, "", 1)
