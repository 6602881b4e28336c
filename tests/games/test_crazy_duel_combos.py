"""What `xuezhan combos crazy_duel` answers to a line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from games.crazy_duel.combos import combos_line


def ask(cards: str | list[Any], over: str | None = None, **fields: Any) -> dict[str, Any]:
    line: dict[str, Any] = {"cards": cards.split() if isinstance(cards, str) else cards, **fields}
    if over is not None:
        line["over"] = over.split()
    answer: dict[str, Any] = json.loads(json.dumps(combos_line(line)))
    return answer


def test_a_play_is_answered_with_kind_top_and_stars() -> None:
    assert ask("9S 9H") == {"legal": True, "kind": "pair", "top": "9", "stars": 0}
    assert ask("10S JS QS KS w") == {"legal": True, "kind": "straight", "top": "A", "stars": 0}
    assert ask("9S 9H 9C w") == {"legal": True, "kind": "bomb", "top": "9", "stars": 4}
    assert ask("w") == {"legal": True, "kind": "single", "top": "w", "stars": 0}


@pytest.mark.parametrize(("cards", "kind", "stars"), [("w w W", "three_jokers", 6), ("w W W w", "four_jokers", 7)])
def test_the_top_of_the_joker_bombs_is_the_big_joker(cards: str, kind: str, stars: int) -> None:
    assert ask(cards) == {"legal": True, "kind": kind, "top": "W", "stars": stars}


def test_a_named_kind_is_meant_strictly() -> None:
    assert ask("9S 10H JS w w W", kind="pair_row") == {"legal": True, "kind": "pair_row", "top": "J", "stars": 0}
    assert ask("9S 9H", kind="single") == {"legal": False, "why": "not_that_kind"}


def test_cards_that_are_none_are_no_play() -> None:
    assert ask("9S 10H") == {"legal": False, "why": "not_a_play"}
    assert ask("9S 10H", kind="pair") == {"legal": False, "why": "not_a_play"}


def test_over_a_play_legal_means_that_it_beats_it() -> None:
    assert ask("10S 10H", "9S 9H") == {"legal": True, "kind": "pair", "top": "10", "stars": 0}
    assert ask("9C 9D", "9S 9H") == {"legal": False, "why": "does_not_beat"}
    assert ask("10S", "9S 9H") == {"legal": False, "why": "does_not_beat"}
    assert ask("9S 10H", "9S 9H") == {"legal": False, "why": "not_a_play"}
    assert ask("10S 10H", "9S 9H", kind="triple") == {"legal": False, "why": "not_that_kind"}


def test_the_table_is_read_as_a_leaders_play_unless_its_kind_is_named() -> None:
    table = "9S 10S JS w w W"
    assert ask("10C 10D JC JD QC QD", table) == {"legal": False, "why": "does_not_beat"}
    assert ask("10C 10D JC JD QC QD", table, over_kind="pair_row") == {"legal": True, "kind": "pair_row", "top": "Q", "stars": 0}
    assert ask("9C 10C JC QC KC AC", table, over_kind="pair_row") == {"legal": False, "why": "does_not_beat"}


@pytest.mark.parametrize("nothing", [{"over": None}, {"over": []}, {"over": None, "over_kind": None}, {"kind": None}])
def test_null_or_an_empty_list_is_no_table_and_null_no_kind(nothing: dict[str, Any]) -> None:
    assert combos_line({"cards": ["9S"], **nothing}) == {"legal": True, "kind": "single", "top": "9", "stars": 0}


def test_unknown_fields_are_ignored() -> None:
    assert ask("9S", seat=7)["legal"] is True


TEN_EACH = [f"{rank}{suit}" for rank in ("9", "10", "J") for suit in "SHCD"] * 2


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ([], "line: not a JSON object"),
        ("9S", "line: not a JSON object"),
        (None, "line: not a JSON object"),
        ({}, "cards: missing"),
        ({"cards": None}, "cards: not a list"),
        ({"cards": "9S"}, "cards: not a list"),
        ({"cards": {"9S": 1}}, "cards: not a list"),
        ({"cards": []}, "cards: none"),
        ({"cards": ["9S", 9]}, "cards[1]: 9 is not text"),
        ({"cards": ["8S"]}, "cards[0]: '8S' is not a card"),
        ({"cards": ["9s"]}, "cards[0]: '9s' is not a card"),
        ({"cards": [None]}, "cards[0]: None is not text"),
        ({"cards": [*TEN_EACH, "w", "W"]}, "cards: 26 cards, and a player has 25"),
        ({"cards": ["9S"], "over": [*TEN_EACH, "w", "W"]}, "over: 26 cards, and a player has 25"),
        ({"cards": ["9S", "9S", "9S"]}, "cards: 3 of 9S, and there are 2"),
        ({"cards": ["W"] * 4}, "cards: 4 of W, and there are 2"),
        ({"cards": ["9H"], "over": ["9S", "9S", "9S"]}, "over: 3 of 9S, and there are 2"),
        ({"cards": ["9S", "9S"], "over": ["9S"]}, "cards and over: 3 of 9S, and there are 2"),
        ({"cards": ["9S"], "over": ["9H", "10H"]}, "over: no play: not_a_play"),
        ({"cards": ["9S"], "over": ["9H"], "over_kind": "pair"}, "over: no play: not_that_kind"),
        ({"cards": ["9S"], "over_kind": "pair"}, "over_kind: without over"),
        ({"cards": ["9S"], "over": [], "over_kind": "pair"}, "over_kind: without over"),
        ({"cards": ["9S"], "over": None, "over_kind": "pair"}, "over_kind: without over"),
        ({"cards": ["9S"], "over": "9H"}, "over: not a list"),
        ({"cards": ["9S"], "over": 0}, "over: not a list"),
        ({"cards": ["9S"], "over": False}, "over: not a list"),
        ({"cards": ["9S"], "kind": "Single"}, "kind: 'Single' is not one of "),
        ({"cards": ["9S"], "kind": ""}, "kind: '' is not one of "),
        ({"cards": ["9S"], "kind": 1}, "kind: 1 is not one of "),
        ({"cards": ["9S"], "over": ["9H"], "over_kind": "x"}, "over_kind: 'x' is not one of "),
    ],
)
def test_a_line_that_cannot_be_used_is_answered_with_what_and_where(line: Any, error: str) -> None:
    assert str(combos_line(line)["error"]).startswith(error)


def test_twenty_five_cards_can_be_asked_about() -> None:
    row = [f"{rank}{suit}" for rank in ("9", "10", "J", "Q", "K", "A") for suit in "SHCD"]
    assert ask([*row, "9S"]) == {"legal": True, "kind": "bomb_row", "top": "A", "stars": 10}


def test_an_error_shows_no_more_of_a_long_value_than_is_needed() -> None:
    assert len(combos_line({"cards": ["x" * 10_000]})["error"]) < 120
