"""Verifying records: `xuezhan verify-record`."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from games.simulate import simulate
from games.verify import Verifier

Record = dict[str, Any]


def as_read(record: Record) -> Record:
    read: Record = json.loads(json.dumps(record))
    return read


HANDS = [as_read(record) for record in simulate("crazy_xuezhan", 12, "verify")]
RECORD = next(record for record in HANDS if len(record["stages"]) >= 3 and any(action["do"] == "kong" for action in record["actions"]))


def check(record: object) -> dict[str, Any]:
    return Verifier().check(record)


def changed(change: Callable[[Record], object]) -> dict[str, Any]:
    """Verify the record with one change."""
    record = copy.deepcopy(RECORD)
    change(record)
    return check(record)


def test_what_was_played_verifies() -> None:
    assert check(RECORD) == {"ok": True}


def test_a_record_that_names_its_players_names_one_a_seat() -> None:
    assert check({**RECORD, "seats": ["ann", None, "bob", None]}) == {"ok": True}
    for wrong in (["ann"], ["ann", "bob", "cem", 4], "ann"):
        assert check({**RECORD, "seats": wrong})["error"].startswith("seats: ")


def test_a_dealer_carried_over_between_other_players_is_found_where_the_rules_draw_again() -> None:
    hands = [as_read(hand) for hand in simulate("happy_sichuan", 2, "verify", {"mode": "single"})]
    assert hands[1]["dealer_from"] == "before"

    def second(*seats: list[str] | None) -> Record:
        verifier = Verifier()
        named = [hand if named is None else {**hand, "seats": named} for hand, named in zip(hands, seats, strict=True)]
        return [verifier.check(hand) for hand in named][1]

    ann, eve = ["ann", "bob", "cem", "dee"], ["eve", "bob", "cem", "dee"]
    assert second(None, None) == second(ann, ann) == second(ann, None) == second(None, ann) == {"ok": True}
    assert second(ann, eve)["ok"] is False


def other_tile(name: str) -> str:
    return f"{int(name[0]) % 9 + 1}{name[1]}"


def changes_of(action: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every kind of change to one action."""
    yield {**action, "seat": (action["seat"] + 1) % 4}
    if "tile" in action:
        yield {**action, "tile": other_tile(action["tile"])}
    if "suit" in action:
        yield {**action, "suit": {"m": "p", "p": "s", "s": "m"}[action["suit"]]}
    if "tiles" in action:
        yield {**action, "tiles": [other_tile(action["tiles"][0]), *action["tiles"][1:]]}
    yield {**action, "do": "win" if action["do"] == "pass" else "pass"}


def test_any_changed_action_is_found_at_or_after_the_place_of_the_change() -> None:
    for at, action in enumerate(RECORD["actions"]):
        for other in changes_of(action):
            record = {**RECORD, "actions": [*RECORD["actions"][:at], other, *RECORD["actions"][at + 1 :]]}
            answer = check(record)
            assert answer["ok"] is False, (at, action, other)
            assert answer["at"] >= at - 3, (at, other, answer)


def test_a_missing_or_doubled_action_is_found() -> None:
    for at in range(0, len(RECORD["actions"]), 3):
        rest = RECORD["actions"]
        assert check({**RECORD, "actions": rest[:at] + rest[at + 1 :]})["ok"] is False, at
        assert check({**RECORD, "actions": rest[: at + 1] + rest[at:]})["ok"] is False, at


def test_an_action_that_is_refused_is_named_by_its_number_and_the_reason() -> None:
    at = next(at for at, action in enumerate(RECORD["actions"]) if action["do"] == "discard")
    answer = changed(lambda record: record["actions"][at].update(do="win"))
    assert (answer["ok"], answer["at"]) == (False, at)
    assert answer["why"].startswith("refused: not_offered")


def test_something_that_is_no_action_is_named_by_its_number() -> None:
    assert changed(lambda record: record["actions"].insert(3, "win")) == {"ok": False, "at": 3, "why": "not a JSON object"}
    answer = changed(lambda record: record["actions"][5].update(seat=9))
    assert (answer["at"], answer["why"]) == (5, "seat: 9 is no seat")


def test_a_hand_cut_short_is_not_over() -> None:
    answer = changed(lambda record: record["actions"].pop())
    assert answer == {"ok": False, "at": len(RECORD["actions"]) - 1, "why": "the hand is not over"}


def test_actions_after_the_end_are_found() -> None:
    answer = changed(lambda record: record["actions"].append({"seat": 0, "do": "pass"}))
    assert answer == {"ok": False, "at": len(RECORD["actions"]), "why": "refused: hand_over"}


DEALER = {"dealer": (RECORD["dealer"] + 1) % 4}


@pytest.mark.parametrize(
    "changes",
    [{"commitment": "00" * 32}, DEALER, {"dealer_from": "option"}, {"shift": 0}, {"shift": None}, {"wall": []}, {"seed": "11" * 32}],
)
def test_a_changed_deal_is_found_before_any_action(changes: Record) -> None:
    answer = check({**RECORD, **changes})
    assert (answer["ok"], answer["at"]) == (False, None)


def replace(record: Record, part: str, place: int, value: object) -> None:
    """Put another value at one place of a list."""
    record[part][place] = value


def test_one_changed_tile_of_the_wall_is_found() -> None:
    for at in range(0, 108, 9):
        answer = changed(partial(replace, part="wall", place=at, value=other_tile(RECORD["wall"][at])))
        assert answer == {"ok": False, "at": None, "why": "wall: the record has another"}


def figures(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every whole number in a JSON value: what holds it, and under which key."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, dict | list):
            yield from figures(inner)
        elif isinstance(inner, int):
            yield value, key


@pytest.mark.parametrize("part", ["stages", "points", "coins"])
def test_any_changed_figure_is_found_at_the_end(part: str) -> None:
    count = len(list(figures(RECORD[part])))
    assert count >= 4
    for place in range(count):
        record = copy.deepcopy(RECORD)
        holder, key = list(figures(record[part]))[place]
        holder[key] += 1
        answer = check(record)
        assert (answer["ok"], answer["at"]) == (False, len(RECORD["actions"])), (place, holder)
        assert answer["why"].startswith(part) or part == "coins"


@pytest.mark.parametrize("part", ["stages", "coins"])
def test_a_missing_stage_or_payout_is_found(part: str) -> None:
    answer = changed(lambda record: record[part].pop())
    assert (answer["ok"], answer["at"]) == (False, len(RECORD["actions"]))
    answer = check({**RECORD, part: []})
    assert (answer["ok"], answer["at"]) == (False, len(RECORD["actions"]))


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record["stages"][0].update(cause="kong"),
        lambda record: record["coins"][0].update(short=[{"seat": 0, "owed": 2, "paid": 1}]),
        lambda record: record["coins"][0].update(policy="pooled"),
        lambda record: record.update(money=[1, 2, 3, 4]),
        lambda record: record.update(base=2),
        lambda record: record["result"].update(left=100),
        lambda record: record["result"]["seats"][0].update(concealed="1m"),
        lambda record: record.update(points=[0.0, 0, 0, 0]),
        lambda record: record.pop("result"),
    ],
)
def test_other_changes_to_what_follows_are_found_at_the_end(change: Callable[[Record], object]) -> None:
    answer = changed(change)
    assert (answer["ok"], answer["at"]) == (False, len(RECORD["actions"]))


def test_true_is_not_1_and_1_0_is_not_1() -> None:
    for place, figure in enumerate(RECORD["points"]):
        answer = changed(partial(replace, part="points", place=place, value=float(figure)))
        assert answer["ok"] is False


def test_claims_that_arise_together_may_stand_in_any_order_if_the_coins_do_too() -> None:
    record = copy.deepcopy(next(record for record in HANDS if any(len(stage["claims"]) > 1 for stage in record["stages"])))
    for stage, paid in zip(record["stages"], record["coins"], strict=True):
        stage["claims"].reverse()
        paid["claims"].reverse()
        paid["moves"].reverse()
    assert check(record) == {"ok": True}


def bare(record: Record) -> Record:
    """A record with the fields that every program writes, and one it may write besides."""
    ours = {"rules", "base", "money", "result"}
    return {name: value for name, value in record.items() if name not in ours} | {"note": "by another program", "result": {}}


def test_records_of_other_programs_verify_by_what_they_hold() -> None:
    assert [check(bare(record)) for record in HANDS] == [{"ok": True}] * len(HANDS)
    more = bare(RECORD)
    more["stages"][0]["note"] = more["coins"][0]["note"] = "more fields may be added"
    assert check(more) == {"ok": True}


def test_a_record_of_another_program_without_coins_is_one_of_a_room_without() -> None:
    assert check({**bare(RECORD), "coins": []}) == {"ok": True}


def test_choices_before_play_may_stand_in_any_order() -> None:
    record = copy.deepcopy(RECORD)
    record["actions"][:4] = record["actions"][3::-1]
    assert check(record) == {"ok": True}


def claims_of(record: Record) -> int:
    """The place of two answers to one discard."""
    does = [action["do"] for action in record["actions"]]
    return next((at for at in range(1, len(does)) if does[at - 1] in {"pass", "win", "pung"} and does[at] in {"pass", "pung"}), 0)


def test_answers_to_a_discard_out_of_seat_order_are_found() -> None:
    record = next(record for record in map(as_read, simulate("crazy_xuezhan", 200, "order")) if claims_of(record))
    at = claims_of(record)
    record["actions"][at - 1 : at + 1] = record["actions"][at - 1 : at + 1][::-1]
    assert check(record) == {"ok": False, "at": at - 1, "why": "the answers are not in seat order"}


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (None, "line: not a JSON object"),
        ([], "line: not a JSON object"),
        ("{}", "line: not a JSON object"),
        ({}, "table: missing"),
        ({**RECORD, "game": "mahjong"}, "game: 'mahjong' is not one of"),
        ({**RECORD, "game": 3}, "game"),
        ({**RECORD, "players": 3}, "players"),
        ({**RECORD, "players": True}, "players"),
        ({**RECORD, "options": []}, "options"),
        ({**RECORD, "options": {"room": "Lobby"}}, "room"),
        ({**RECORD, "options": {"cap": [4]}}, "cap"),
        ({**RECORD, "options": {}}, "options: not every option with its resolved value"),
        ({**RECORD, "options": {**RECORD["options"], "cap": "4"}}, "options"),
        ({**RECORD, "table": None}, "table"),
        ({**RECORD, "table": "a\0b"}, "table"),
        ({**RECORD, "table": "\ud800"}, "table"),
        ({**RECORD, "hand": -1}, "hand"),
        ({**RECORD, "hand": "1"}, "hand"),
        ({**RECORD, "seed": "xyz"}, "seed: not hexadecimal"),
        ({**RECORD, "seed": "00"}, "seed"),
        ({**RECORD, "seed": 5}, "seed"),
        ({**RECORD, "contributions": [None] * 3}, "contributions"),
        ({**RECORD, "contributions": None}, "contributions"),
        ({**RECORD, "contributions": [None, None, None, "00"]}, "contributions"),
        ({**RECORD, "contributions": [None, None, None, 5]}, "contributions[3]"),
        ({**RECORD, "actions": {}}, "actions: not a list"),
        ({**RECORD, "rules": "crazy_xuezhan/0"}, "rules"),
        ({**RECORD, "stages": 3}, "stages"),
        ({**RECORD, "coins": None}, "coins"),
    ],
)
def test_a_line_that_is_no_record_is_an_error_that_names_the_field(line: object, error: str) -> None:
    answer = check(line)
    assert set(answer) == {"error"}
    assert answer["error"].startswith(error), answer


@pytest.mark.parametrize("name", [name for name in RECORD if name not in {"rules", "base", "money", "result", "shift"}])
def test_a_record_without_one_of_its_fields_is_an_error(name: str) -> None:
    line = {key: value for key, value in RECORD.items() if key != name}
    assert check(line) == {"error": f"{name}: missing"}


ODD: list[Any] = [None, True, -1, 2**70, 1.5, "", "1m", [], [[]], [None], {}, {"seat": 0}, {"cause": "win", "claims": [[0, 1, None]]}, [{}]]


def test_nothing_in_a_record_makes_the_verifier_fail() -> None:
    for name in RECORD:
        for value in ODD:
            answer = check({**RECORD, name: value})
            assert answer.get("ok") is not True or value == RECORD[name], (name, value)
    for part in ("actions", "stages", "coins", "money", "points", "contributions", "wall"):
        for value in ODD:
            answer = changed(partial(replace, part=part, place=0, value=value))
            assert answer.get("ok") is not True or value == RECORD[part][0], (part, value)


def test_a_line_that_is_nested_too_deep_is_an_error() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert check({**RECORD, "points": deep}) == {"error": "line: nested too deep"}
