"""What a seat makes of the server's statements, and what it keeps of a hand."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from tests.client.stub import StubTable
from xuezhan.api.table.v1 import table_pb2 as pb


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("table", "another"), ("hand", 2), ("game", "kaxinwu"), ("options", {}), ("money", [1, 2, 3, 4]), ("seats", ["me"] * 4),
        ("hashes", [None] * 4), ("commitment", "00" * 32), ("type", "xuezhan/deal/1"), ("deck", "ps"), ("base", -1), ("base", True),
        ("at", None), ("rules", 3),
    ],
)  # fmt: skip
async def test_a_commit_statement_that_says_something_else_than_was_shown_is_a_fault(name: str, value: Any) -> None:
    table = StubTable()
    table.serve()
    table.says = lambda said: said.update({name: value})
    table.commit()
    assert table.names_of_faults == ["bad_statement"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("table", "another"),
        ("hand", 2),
        ("installation", "11" * 8),
        ("commit", "00" * 32),
        ("type", "x"),
        ("withheld", [0, 1]),
        ("bytes", []),
    ],
)
async def test_a_deal_statement_that_does_not_fit_its_commitment_is_a_fault(name: str, value: Any) -> None:
    table = StubTable()
    table.says_of_deal = lambda said: said.update({name: value})
    table.whole_hand()
    assert table.names_of_faults == ["bad_statement"]


async def test_a_deal_that_is_not_signed_although_its_commitment_was_is_a_fault() -> None:
    table = StubTable()
    table.show = lambda event: None if event.HasField("deal_signed") else event
    table.whole_hand()
    assert table.names_of_faults == ["bad_statement"]


@pytest.mark.parametrize("text", ["", "[]", '{"at":1,"at":1}', '{"at":1.0}', "{"])
async def test_a_statement_that_two_programs_could_read_differently_is_a_fault(text: str) -> None:
    table = StubTable()
    table.serve()

    def show(event: pb.Event) -> pb.Event:
        if event.HasField("hand_committed"):
            event.hand_committed.signed.statement = text
        return event

    table.show = show
    table.commit()
    assert table.names_of_faults == ["bad_statement"]


async def test_a_fault_says_its_name_its_hand_and_what_happened() -> None:
    table = StubTable()
    table.whole_hand()
    table.drop = True
    table.whole_hand()
    (fault,) = table.seat.faults
    assert (fault.name, fault.hand) == ("bytes_dropped", 2)
    assert str(fault).startswith("bytes_dropped in hand 2: the server answered")


async def test_the_statements_and_what_was_seen_are_kept_as_receipts() -> None:
    table = StubTable()
    table.whole_hand()
    receipts = [json.loads(line) for line in table.receipts.lines()]
    statements = [json.loads(line["statement"]) for line in receipts if "statement" in line]
    assert [said["type"] for said in statements] == ["xuezhan/commit/1", "xuezhan/deal/1"]
    assert statements[0]["hashes"][table.me] == hashlib.sha256(table.revealed[0]).hexdigest()
    seen = [line for line in receipts if line.get("type") == "xuezhan/seen/1"]
    assert {(line["table"], line["hand"], line["seat"]) for line in seen} == {(table.id, 1, table.me)}
    assert [len(line["tiles"]) for line in seen if "tiles" in line] == [13]
    assert any("draw" in line for line in seen)
    assert seen[-1]["seed"] == table.seed.hex()
