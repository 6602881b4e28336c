"""The deal against the vectors that programs in any language may use (tests/vectors/)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from games import deal
from games.hand import Setup
from games.registry import GAMES, ruleset

VECTORS = Path(__file__).parent.parent / "vectors"
DEALS = json.loads((VECTORS / "deal.json").read_text())


def test_the_vectors_are_what_their_script_makes_of_the_definitions() -> None:
    code = "import make, json; print(json.dumps({name: make.written(value) for name, value in make.files().items()}))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=VECTORS)
    assert json.loads(done.stdout) == {path.name: path.read_text() for path in VECTORS.glob("*.json")}


def test_every_game_has_a_vector() -> None:
    assert {case["game"] for case in DEALS["hands"]} == set(GAMES)


@pytest.mark.parametrize("case", DEALS["hands"], ids=lambda case: f"{case['game']} {case['players']} {case['hand']}")
def test_a_hand_is_dealt_as_the_vector_says(case: dict[str, Any]) -> None:
    rules = ruleset(case["game"], case["options"], case["players"])
    assert rules.deck == case["deck"]
    given = tuple(None if one is None else bytes.fromhex(one) for one in case["contributions"])
    seed, before = bytes.fromhex(case["seed"]), {"dealer": 1} if case["dealer_from"] == "before" else None
    hand, _ = rules.deal(Setup(case["table"], case["hand"], seed, given, before))
    dealt = {name: case.get(name) for name in ("wall", "dealer_from", "shift", "shown")}
    assert {name: hand.record().get(name) for name in dealt} == dealt
    if case["dealer_from"] == "draw":
        assert hand.record()["dealer"] == case["dealer"]
    assert deal.commitment(seed) == case["commitment"]
    assert deal.deal_key(seed, case["table"], case["hand"], given).hex() == case["key"]


@pytest.mark.parametrize("case", DEALS["uniform"], ids=str)
def test_words_that_would_favour_some_numbers_are_passed_over(case: dict[str, Any]) -> None:
    stream = deal.Stream(bytes(32))
    words: Iterator[int] = iter(case["words"])
    stream._words = words
    assert stream.uniform(case["n"]) == case["is"]
    assert list(words) == []
