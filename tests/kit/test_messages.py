"""A message is believed for whom it says it is from and to, or not at all."""

from __future__ import annotations

import json

import pytest

from services.kit.items import Item, ItemKind, ItemOutcome, MoveRow, Result, ShortRow, TableOutcome
from services.kit.messages import MAX_MESSAGE_BYTES, MAX_TEXT_BYTES, BadMessageError, Reader
from services.kit.roles import Role
from tests.support.post import Post

POST = Post()
READER = Reader(POST.trust, "table-1")
TOLD = TableOutcome(table="t", through=3, items=[])


def reason(message: bytes, reader: Reader = READER) -> str:
    with pytest.raises(BadMessageError) as caught:
        reader.outcomes(message)
    return caught.value.reason.value


def test_items_come_as_they_were_sent_with_who_sent_them() -> None:
    sent = [Item(table="t", seq=1, body='{"a":"麻"}'), Item(table="u", seq=7, body="{}")]
    message = POST.items(*sent, server="table-9")
    text = READER.items(message)
    assert (text.items, text.sender, text.reply_to, text.installation) == (sent, "table-9", "table-9", POST.installation)
    envelope = json.loads(message)
    assert sorted(envelope) == ["key_id", "signature", "text"]
    assert list(json.loads(envelope["text"])) == ["from", "installation", "items", "reply_to", "type"]
    assert json.loads(envelope["text"])["type"] == "xuezhan/items/1"


def test_outcomes_come_as_they_were_sent_to_the_server_they_are_for() -> None:
    move = MoveRow(payer=0, payee=1, coins=5)
    row = ItemOutcome(
        seq=3, kind=ItemKind.STAGE, result=Result.APPLIED, moves=[move], money=[1, 2], short=[ShortRow(seat=0, owed=9, paid=5)]
    )
    tables = [TableOutcome(table="t", through=3, items=[row]), TableOutcome(table="u", through=1, items=[], stuck=True)]
    message = POST.outcomes("table-1", *tables)
    text = READER.outcomes(message)
    assert (text.tables, text.to, text.sender) == (tables, "table-1", "worker-1")
    assert json.loads(json.loads(message)["text"])["type"] == "xuezhan/outcomes/1"


def test_outcomes_for_another_server_or_of_another_installation_are_foreign() -> None:
    assert reason(POST.outcomes("table-2", TOLD)) == "foreign"
    assert reason(Post(POST.keys, "f" * 16).outcomes("table-1", TOLD)) == "foreign"


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.WORKER])
def test_outcomes_are_believed_of_workers_alone(role: Role) -> None:
    text = json.loads(POST.outcomes("table-1", TOLD))["text"]
    assert READER.outcomes(POST.signed(Role.WORKER, text)).tables == [TOLD]
    assert reason(POST.signed(role, text)) == "foreign"


def test_items_are_no_outcomes_whoever_signed_them() -> None:
    text = json.loads(POST.items(Item(table="t", seq=1, body="{}"), server="table-1"))["text"]
    assert reason(POST.signed(Role.WORKER, text)) == "malformed"


def test_every_change_of_a_message_makes_it_unsigned_or_unreadable() -> None:
    message = POST.outcomes("table-1", TOLD)
    for place in range(len(message)):
        changed = message[:place] + bytes([message[place] ^ 1]) + message[place + 1 :]
        assert reason(changed) in {"unsigned", "undecodable"}, changed


def test_size_is_looked_at_before_the_signature() -> None:
    assert reason(b" " * (MAX_MESSAGE_BYTES + 1)) == "oversized"
    assert reason(POST.signed(Role.WORKER, " " * (MAX_TEXT_BYTES + 1))) == "oversized"
    assert reason(POST.signed(Role.WORKER, " " * MAX_TEXT_BYTES)) == "malformed"


@pytest.mark.parametrize(
    "envelope",
    [
        b"", b"{x", b"null", b"5", b"[]", b'"text"', b"\xff", b'{"text": NaN}', b'{"text": "", "text": ""}', b"[" * 100_000,
        b'{"key_id": 1' + b"0" * 400 + b"}", b'{"text": "\\ud800"}',
    ],
)  # fmt: skip
def test_what_is_no_json_that_everybody_reads_alike_is_undecodable(envelope: bytes) -> None:
    assert reason(envelope) == "undecodable"


@pytest.mark.parametrize(
    "changes",
    [
        {"signature": ""}, {"signature": "0" * 128}, {"signature": "zz" * 64}, {"signature": "\u4e2d" * 128}, {"signature": None},
        {"key_id": ""}, {"key_id": "0" * 16}, {"key_id": 5}, {"text": {}}, {"more": 1},
    ],
)  # fmt: skip
def test_what_has_no_signature_that_holds_is_unsigned(changes: dict[str, object]) -> None:
    assert reason(json.dumps(json.loads(POST.outcomes("table-1", TOLD)) | changes).encode()) == "unsigned"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"through":3', '"through":"3"'), ('"through":3', '"through":3.0'), ('"through":3', '"through":3,"through":4'),
        ('"through":3', f'"through":{2**53}'), ('"through":3', '"through":true'), ('"items":[]', '"items":null'),
        ('"items":[]', '"items":[],"more":1'), ('"to":"table-1"', '"to":"table-1","more":1'), ('"from":"worker-1"', '"from":"a b"'),
        ('"from":"worker-1",', ""), ("xuezhan/outcomes/1", "xuezhan/outcomes/2"),
    ],
)  # fmt: skip
def test_a_signed_text_that_is_not_what_such_a_text_is_is_malformed(old: str, new: str) -> None:
    text = json.loads(POST.outcomes("table-1", TOLD))["text"]
    assert old in text
    assert reason(POST.signed(Role.WORKER, text.replace(old, new))) == "malformed"


def test_outcomes_that_are_too_many_for_one_message_come_in_several_and_none_is_lost() -> None:
    moves = [MoveRow(payer=0, payee=1, coins=2**53 - 1)] * 64
    rows = [ItemOutcome(seq=seq, kind=ItemKind.STAGE, result=Result.APPLIED, moves=moves, money=[1] * 8) for seq in range(1, 401)]
    tables = [TableOutcome(table=f"t{number}", through=400, items=rows) for number in range(3)]
    tables += [TableOutcome(table=f"u{number}", through=0, items=[], stuck=True) for number in range(500)]
    messages = list(POST.author(Role.WORKER, "worker-1").outcomes("table-1", tables))
    assert 3 < len(messages) < 20
    found: dict[str, list[ItemOutcome]] = {}
    for message in messages:
        for table in READER.outcomes(message).tables:
            found.setdefault(table.table, []).extend(table.items)
    assert found == {table.table: table.items for table in tables}
    assert list(POST.author(Role.WORKER, "worker-1").outcomes("table-1", [])) == []
