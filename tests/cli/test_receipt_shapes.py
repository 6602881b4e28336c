"""`verify-record` with receipts of another shape than a client library writes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.hand_of_four import KEY, HandOfFour, Json, signed

HAND = HandOfFour()
SEEN: Json = {"type": "xuezhan/seen/1", "table": "t-1", "hand": 1, "seat": 0}
SIGNED: Json = {"key_id": KEY.key_id, "signature": "00", "statement": "{}"}


def seen(**what: Any) -> Json:
    return SEEN | what


ACTS: list[Any] = [
    None, [], "pass", {}, {"do": []}, {"do": "discard", "tiles": 5}, {"do": "discard", "tile": []}, {"do": "play", "cards": {"a": 1}},
    {"do": "pung", "of": []}, {"do": "pung", "on": {}}, {"do": "void", "suit": 1},
]  # fmt: skip
ODD: dict[tuple[str, ...], list[Any]] = {
    ("table",): [1, None, [], True],
    ("hand", "seat"): ["x", None, [], True, -1],
    ("tiles", "cards", "got", "gave"): [None, {}, 5, "1m", [[]], [1]],
    ("player", "seed", "called_off"): [None, 5, []],
    ("sent", "accepted", "refused"): ACTS,
    ("elsewhere",): [1, None],
}
BAD_LINES: list[tuple[Json, str]] = [
    *((seen(**{name: value}), name) for names, values in ODD.items() for name in names for value in values),
    ({name: value for name, value in SEEN.items() if name != "seat"}, "seat: "),
    (seen(draw="1m"), "draw and left belong together"),
    (seen(draw=[], left=3), "draw: "),
    (seen(draw="1m", left="3"), "left: "),
    (seen(got=["1m", "2m", "3m"]), "got and gave belong together"),
    *((SIGNED | {name: value}, f"{name}: ") for name in SIGNED for value in list[Any]([None, 5, [], {}])),
    (SIGNED | {"signature": "0"}, "signature: "),
    ({name: value for name, value in SIGNED.items() if name != "signature"}, "signature: "),
]


@pytest.mark.parametrize(("line", "where"), BAD_LINES)
@pytest.mark.parametrize("key", [True, False])
def test_a_receipt_of_another_shape_is_an_error_and_the_audit_goes_on(audit: Any, line: Json, where: str, key: bool) -> None:
    first, second = audit(HAND.line(), receipts=[[line, *HAND.receipts[0]], HAND.receipts[1]], key=key)
    assert first["ok"] is True
    assert list(second) == ["error"]
    assert second["error"].startswith("receipts: ")
    assert f"0.jsonl line 1: {where}" in second["error"]


@pytest.mark.parametrize(
    "change", [{"hashes": 5}, {"hashes": [1] * 4}, {"hashes": None}, {"table": 1}, {"hand": True}, {"hand": -1}, {"installation": []}]
)
def test_a_signed_statement_of_another_shape_is_an_error(audit: Any, change: Json) -> None:
    first, second = audit(HAND.line(), receipts=[[signed(HAND.commit_said | change)]])
    assert first["ok"] is True
    assert f"0.jsonl line 1: {next(iter(change))}" in second["error"]
