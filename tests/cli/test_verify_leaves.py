"""`verify-record` with receipts of a player who asked to leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.hand_of_four import HandOfFour, Json, write
from xuezhan.cli.audit.auditor import Auditor
from xuezhan.cli.audit.book import Book

LEFT: Json = {"type": "xuezhan/seen/1", "table": "t-1", "hand": 1, "seat": 1, "accepted": {"do": "leave"}}


@pytest.fixture(scope="module")
def hands() -> dict[str, HandOfFour]:
    """Hands of 欢乐麻将 by what was done last, passes left out."""
    made = [HandOfFour("happy_sichuan", seed=seed) for seed in range(1, 60)]
    return {[action["do"] for action in hand.record["actions"] if action["do"] != "pass"][-1]: hand for hand in made}


def verdict(folder: Path, hand: HandOfFour) -> Json:
    book = Book({})
    book.load(write(folder, "receipts.jsonl", [LEFT]))
    answer: Json = Auditor({}, book).check(hand.line())
    return answer


def test_a_leave_that_waited_for_answers_which_ended_the_hand_may_be_missing(hands: dict[str, HandOfFour], tmp_path: Path) -> None:
    assert verdict(tmp_path, hands["win"])["ok"] is True


def test_a_leave_that_nothing_kept_from_taking_effect_may_not_be_missing(hands: dict[str, HandOfFour], tmp_path: Path) -> None:
    answer = verdict(tmp_path, hands["discard"])
    assert (answer["ok"], answer["why"]) == (False, "seat 1 did leave, which the server accepted and the record lacks")
