"""What verify-record compares between the lines of one table: hand numbers, and the dealer from the hand before."""

from __future__ import annotations

import json
from typing import Any

import pytest

from games.simulate import simulate
from games.verify import Verifier

Record = dict[str, Any]
GOOD = {"ok": True}


def hands(game: str, number: int, seed: str = "lines", **options: Any) -> list[Record]:
    return [json.loads(json.dumps(record)) for record in simulate(game, number, seed, **options)]


FIVE = hands("crazy_xuezhan", 5)


def answers(*records: Record) -> list[dict[str, Any]]:
    verifier = Verifier()
    return [verifier.check(record) for record in records]


def whys(*records: Record) -> list[str]:
    return [answer.get("why", "") for answer in answers(*records)]


def test_hands_one_after_the_other_verify_whatever_the_first_is() -> None:
    assert answers(*FIVE) == [GOOD] * 5
    assert answers(*FIVE[2:]) == [GOOD] * 3


def test_a_hand_number_that_was_seen_before_is_false_whatever_stands_between() -> None:
    assert whys(FIVE[0], FIVE[1], FIVE[0]) == ["", "", "hand: 1 was seen before"]
    assert whys(*FIVE, FIVE[2]) == [""] * 5 + ["hand: 3 was seen before"]


def test_another_record_under_the_number_of_one_before_is_false() -> None:
    other = {**hands("crazy_xuezhan", 1, "another")[0]}
    assert whys(FIVE[0], other)[1] == "hand: 1 was seen before"


def test_a_missing_hand_makes_the_next_one_false_and_the_one_after_it_not() -> None:
    assert whys(FIVE[0], FIVE[2], FIVE[3]) == ["", "hand: a gap before or after 3", ""]


def test_newest_first_is_no_gap_and_a_hand_may_fill_one_later() -> None:
    assert answers(*FIVE[::-1]) == [GOOD] * 5
    assert whys(FIVE[0], FIVE[2], FIVE[1]) == ["", "hand: a gap before or after 3", ""]
    assert whys(FIVE[0], FIVE[4], FIVE[2], FIVE[1], FIVE[3], FIVE[2])[3:] == ["", "", "hand: 3 was seen before"]


def test_tables_do_not_disturb_one_another() -> None:
    def at(table: str, hand: Record) -> Record:
        return {**hand, "table": table, "called_off": "operator"}

    bare = [{"table": name, "hand": hand} for hand in (1, 2) for name in ("a", "b")]
    keep = ("game", "seed", "commitment", "contributions")
    lines = [{**{name: FIVE[0][name] for name in keep}, **one, "called_off": "operator"} for one in bare]
    assert answers(*lines) == [GOOD] * 4
    assert whys(*lines, at("a", FIVE[0]))[-1] == "hand: 1 was seen before"


def test_two_games_simulated_in_a_row_are_two_tables() -> None:
    assert answers(*hands("crazy_duel", 2), *hands("kaxinwu", 2), *hands("kaxinwu", 2, players=3)) == [GOOD] * 6


def test_a_hand_that_is_missing_does_not_hide_what_follows() -> None:
    """The dealer of a hand follows from the hand before; where that is missing, the dealer is taken as given."""
    six = hands("kaxinwu", 6)
    assert [hand["dealer_from"] for hand in six[1:]] == ["before"] * 5
    assert whys(six[0], six[2], six[3], six[4]) == ["", "hand: a gap before or after 3", "", ""]
    wrong = {**six[4], "dealer": (six[4]["dealer"] + 1) % 4}
    assert whys(six[0], six[2], six[3], wrong)[3] == "dealer: the record has another"


def test_the_hand_before_is_not_any_hand() -> None:
    """Newest first, a dealer that is from before has nothing to follow from."""
    two = hands("kaxinwu", 2)
    assert whys(two[1], two[0])[0].startswith("dealer: no line before this")
    three = hands("kaxinwu", 3)
    assert whys(three[1], three[2])[0].startswith("dealer: no line before this")


def test_a_dealer_that_is_no_seat_is_an_error_after_a_gap_too() -> None:
    three = hands("kaxinwu", 3)
    assert answers(three[0], {**three[2], "dealer": 7})[1] == {"error": "dealer: 7 is above 3"}
    assert answers(three[0], {**three[2], "dealer": None})[1]["why"].startswith("dealer: no line before this")


def test_more_tables_than_are_remembered_are_an_error_and_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.verify.MOST_TABLES", 1)
    two = hands("crazy_duel", 2)
    found = answers(two[0], hands("kaxinwu", 1)[0], two[1])
    assert found == [GOOD, {"error": "table: more than 1 tables at a time"}, GOOD]
