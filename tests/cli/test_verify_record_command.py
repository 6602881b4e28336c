"""`verify-record` as a command: files of keys and receipts, lines, exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from services.kit.signing import SigningKey
from tests.cli.command import json_lines, xuezhan
from tests.cli.hand_of_four import KEY, HandOfFour, key_file, write

HAND = HandOfFour()
STRANGER = SigningKey.generate()
FACTS = {"entropy": 4, "withheld": []}


def test_the_command_takes_keys_and_receipts_and_its_status_says_whether_all_is_true(tmp_path: Path) -> None:
    key, mine = key_file(tmp_path, STRANGER, KEY), write(tmp_path, "mine.jsonl", HAND.receipts[0])
    good = xuezhan("verify-record", "--key", key, "--receipts", mine, stdin=json_lines([HAND.line()]))
    assert (good.status, good.lines) == (0, [{"ok": True, "signed": "yes", **FACTS}])
    bad = xuezhan("verify-record", "--key", key, "--receipts", mine, stdin=json_lines([HandOfFour(seed=9).line()]))
    assert (bad.status, [line["ok"] for line in bad.lines]) == (1, [False])
    nothing = xuezhan("verify-record", "--receipts", mine, stdin="")
    assert (nothing.status, [line["why"] for line in nothing.lines]) == (1, ["unpublished"])


def test_no_record_at_all_is_no_proof() -> None:
    """As when what should have printed them failed."""
    ran = xuezhan("verify-record", stdin="")
    assert (ran.status, ran.out, ran.err) == (1, "", "xuezhan: no record came on standard input\n")


def test_simulated_hands_need_no_signature() -> None:
    made = xuezhan("simulate", "crazy_duel", "--hands", "2", "--seed", "1")
    with_key = xuezhan("verify-record", "--key", "tests/vectors/key.pem", stdin=made.out)
    assert with_key.status == 2
    assert with_key.err == "xuezhan: --key tests/vectors/key.pem: No such file or directory\n"


def test_simulated_hands_pass_with_a_key_given(tmp_path: Path) -> None:
    made = xuezhan("simulate", "crazy_duel", "--hands", "2", "--seed", "1")
    ran = xuezhan("verify-record", "--key", key_file(tmp_path), stdin=made.out)
    assert (ran.status, ran.lines) == (0, [{"ok": True, "signed": "no", "entropy": 0, "withheld": []}] * 2)


def test_a_record_with_a_name_twice_is_no_record() -> None:
    line = json.dumps(HAND.record)
    ran = xuezhan("verify-record", stdin=line.replace('"hand": 1,', '"hand": 1, "hand": 1,', 1) + "\n")
    assert (ran.status, ran.lines) == (1, [{"error": "line 1: a name stands twice"}])


@pytest.mark.parametrize(("option", "text"), [("--key", "no PEM"), ("--key", None), ("--receipts", None)])
def test_a_file_that_cannot_be_used_is_one_line_and_status_2(tmp_path: Path, option: str, text: str | None) -> None:
    path = tmp_path / "file"
    if text is not None:
        path.write_text(text)
    ran = xuezhan("verify-record", option, path, stdin="")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"xuezhan: {option} {path}: ")
    assert ran.err.count("\n") == 1


def test_a_bad_receipt_is_a_line_of_its_own_and_the_rest_is_judged(tmp_path: Path) -> None:
    bad = write(tmp_path, "bad.jsonl", [{"type": "xuezhan/seen/1", "table": "t-1", "hand": 1}])
    key, mine = key_file(tmp_path), write(tmp_path, "mine.jsonl", HandOfFour(number=2).receipts[0])
    ran = xuezhan("verify-record", "--key", key, "--receipts", bad, "--receipts", mine, stdin=json_lines([HAND.line()]))
    assert (ran.status, ran.err) == (1, "")
    good, unpublished, error = ran.lines
    assert (good["ok"], unpublished["why"]) == (True, "unpublished")
    assert error == {"error": f"receipts: {bad} line 1: seat: Field required"}
