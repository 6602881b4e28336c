"""The commands that read JSON Lines: one answer a line, in order, whatever the line."""

from __future__ import annotations

import subprocess

import pytest

from tests.cli.command import XUEZHAN, json_lines, xuezhan

WIN = {"concealed": "1112345678999m", "tile": "5m", "how": "self_draw"}


def test_score_values_a_win_a_line() -> None:
    ran = xuezhan("score", "crazy_xuezhan", stdin=json_lines([WIN, {**WIN, "void": "m"}]))
    assert ran.status == 0
    assert ran.lines[0]["win"] is True
    assert {"id", "name", "fan"} == set(ran.lines[0]["parts"][0])
    assert (ran.lines[0]["fan"], ran.lines[0]["multiple"]) == (3, 1000)
    assert ran.lines[1] == {"win": False, "why": "void_suit"}


@pytest.mark.parametrize("game", ["crazy_xuezhan", "happy_sichuan", "kaxinwu"])
def test_a_win_of_which_nothing_is_known_is_worth_what_its_tiles_are_worth(game: str) -> None:
    """As the help says: without `how` no circumstance counts."""
    tiles = {"concealed": "1112345678999m", "tile": "5m"}
    around = {"kongs": 1, "last_tile": True, "first_draw": True, "dealer": True}
    plain, with_all, drawn = xuezhan(
        "score", game, stdin=json_lines([tiles, {**tiles, **around}, {**tiles, **around, "how": "self_draw"}])
    ).lines
    assert with_all == plain
    assert drawn["fan"] > plain["fan"]


def test_a_room_or_a_cap_limits_what_a_win_is_worth() -> None:
    plain = {"concealed": "1111222233334m", "tile": "4m"}
    found = [
        xuezhan("score", "crazy_xuezhan", *options, stdin=json_lines([plain])).lines[0]["multiple"]
        for options in ((), ("--option", "room=mayou"), ("--option", "cap=2"), ("--option", "cap=null"))
    ]
    assert found[1:] == [10**4, 10**2, found[0]]
    assert found[0] > 10**4


def test_waits_lists_what_completes_a_hand() -> None:
    ran = xuezhan("waits", "crazy_xuezhan", stdin=json_lines([{"concealed": "123456789m1122p"}, {"concealed": "147m258p369s1122m"}]))
    assert ran.status == 0
    assert [[wait["tile"] for wait in line["waits"]] for line in ran.lines] == [["1p", "2p"], []]
    assert [line["ready"] for line in ran.lines] == [True, False]


def test_payout_turns_claims_and_points_into_coins() -> None:
    short = {"policy": "stage", "base": 10, "money": [0, 0, 1003, 0], "claims": [[2, 0, 100], [2, 3, 1000]]}
    pooled = {"policy": "pooled", "rate": 2, "money": [9, 9], "points": [3, -3]}
    ran = xuezhan("payout", stdin=json_lines([short, pooled]))
    assert ran.lines[0]["moves"] == [[2, 0, 91], [2, 3, 912]]
    assert ran.lines[0]["short"] == [{"seat": 2, "owed": 11000, "paid": 1003}]
    assert (ran.lines[1]["change"], ran.lines[1]["money"]) == ([6, -6], [15, 3])


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"\n", "blank"),
        (b"   \n", "blank"),
        (b"{\n", "not JSON"),
        (b"NaN\n", "not JSON: NaN"),
        (b'"\xff"\n', "not UTF-8 at byte 1"),
        (b"[]\n", "not a JSON object"),
        (b"[" * 100_000 + b"\n", "nested too deeply"),
        (b"9" * 5000 + b"\n", "not JSON"),
        (b"{}\n", "missing"),
        (b'{"concealed": "1112345678999m", "tile": "0m"}\n', "tile"),
        (b'{"concealed": "1112345678999m", "tile": "5m", "cap": 0}\n', "cap"),
        (b'{"concealed": "1112345678999m", "tile": "5m", "how": "luck"}\n', "how"),
        (b'{"concealed": "1112345678999m", "tile": "1m", "melds": 3}\n', "melds"),
        (b'{"concealed": "\\ud800", "tile": "1m"}\n', "concealed"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_line_that_cannot_be_used_is_named_and_the_rest_goes_on(line: bytes, what: str) -> None:
    good = json_lines([WIN]).encode()
    ran = xuezhan("score", "crazy_xuezhan", stdin=good + line + good)
    assert ran.status == 1
    assert [set(answer) for answer in ran.lines] == [{"win", "parts", "fan", "multiple"}, {"error"}, {"win", "parts", "fan", "multiple"}]
    assert ran.lines[1]["error"].startswith("line 2: ")
    assert what in ran.lines[1]["error"]
    assert ran.err == ""


def test_a_line_longer_than_any_record_is_refused_without_being_kept() -> None:
    ran = xuezhan("payout", stdin=b" " * (9 * 1024 * 1024) + b"\n" + b"{}\n")
    assert [answer["error"] for answer in ran.lines] == ["line 1: longer than 8388608 bytes", "line 2: policy: missing"]


def test_a_last_line_needs_no_newline_and_no_input_gives_no_output() -> None:
    assert len(xuezhan("score", "crazy_xuezhan", stdin=json_lines([WIN]).rstrip("\n")).lines) == 1
    empty = xuezhan("score", "crazy_xuezhan")
    assert (empty.status, empty.out) == (0, "")


def test_answers_come_line_by_line_so_that_a_program_can_work_in_step() -> None:
    with subprocess.Popen([XUEZHAN, "score", "crazy_xuezhan"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for _ in range(2):
            child.stdin.write(json_lines([WIN]).encode())
            child.stdin.flush()
            assert b'"win": true' in child.stdout.readline()
        child.stdin.close()
        assert child.wait(10) == 0


def test_a_reader_that_goes_away_is_no_complaint() -> None:
    with subprocess.Popen([XUEZHAN, "payout"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        child.stdin.write(b"{}\n" * 10)
        child.stdin.close()
        assert child.wait(20) == 141
        assert child.stderr.read() == b""
