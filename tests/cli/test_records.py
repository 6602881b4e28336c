"""Simulated hands and their proof, as files and pipes see them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.command import json_lines, xuezhan


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    ran = xuezhan("simulate", "crazy_xuezhan", "--hands", 4, "--seed", "7", "--bots", "random")
    assert ran.status == 0
    return ran.lines


def test_the_same_arguments_give_the_same_bytes(records: list[dict[str, Any]]) -> None:
    again = xuezhan("simulate", "crazy_xuezhan", "--hands", 4, "--seed", "7", "--bots", "random")
    assert again.lines == records
    other = xuezhan("simulate", "crazy_xuezhan", "--hands", 1, "--seed", "8", "--bots", "random")
    assert other.lines[0]["wall"] != records[0]["wall"]


def test_a_record_has_what_others_rely_on(records: list[dict[str, Any]]) -> None:
    fields = "game options players table hand dealer dealer_from seed contributions commitment wall actions stages points coins result"
    assert set(fields.split()) <= set(records[0])
    assert [record["hand"] for record in records] == [1, 2, 3, 4]


def test_every_record_is_accepted(records: list[dict[str, Any]]) -> None:
    ran = xuezhan("verify-record", stdin=json_lines(records))
    assert (ran.status, ran.lines) == (0, [{"ok": True, "signed": "no", "entropy": 0, "withheld": []}] * 4)


def test_a_changed_record_is_an_answer_for_its_line_and_the_exit_status_says_so(records: list[dict[str, Any]]) -> None:
    changed = json.loads(json.dumps(records[1]))
    changed["wall"][60], changed["wall"][61] = "1m", "9s"
    ran = xuezhan("verify-record", stdin=json_lines([records[0], changed, records[2]]))
    assert ran.status == 1
    assert [line["ok"] for line in ran.lines] == [True, False, True]
    assert {"at", "why"} <= set(ran.lines[1])


def test_a_line_that_is_no_record_is_an_error(records: list[dict[str, Any]]) -> None:
    ran = xuezhan("verify-record", stdin=json_lines([records[0], {"game": "crazy_xuezhan"}, []]))
    assert ran.status == 1
    assert [sorted(line) for line in ran.lines] == [["entropy", "ok", "signed", "withheld"], ["error"], ["error"]]
