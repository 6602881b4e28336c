"""The judgement of records, for tests of `verify-record`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.hand_of_four import KEY, Json, write
from xuezhan.cli.audit.auditor import Auditor
from xuezhan.cli.audit.book import Book
from xuezhan.client.signed import keys_in


@pytest.fixture
def audit(tmp_path: Path) -> Any:
    """Judge records; the answers to the lines and what follows them."""

    def judge(*records: Json, receipts: list[list[Json]] | None = None, key: bool = True) -> list[Json]:
        known = {one.key_id: one for one in keys_in(KEY.public.pem())} if key else {}
        book = Book(known)
        for number, lines in enumerate(receipts or []):
            book.load(write(tmp_path, f"{number}.jsonl", lines))
        auditor = Auditor(known, book)
        answers = [auditor.check(json.loads(json.dumps(record))) for record in records]
        rest = list(auditor.rest())
        assert auditor.bad == any(answer.get("ok") is False for answer in [*answers, *rest]) or "error" in json.dumps(rest)
        return [*answers, *rest]

    return judge
