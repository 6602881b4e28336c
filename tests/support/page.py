"""Tables in documents that tests make from what they saw."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from tests.support.source import ROOT


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def section(page: str, name: str) -> str:
    """What a document has between `<!-- name: ... -->` and `<!-- end -->`."""
    text = (ROOT / page).read_text("utf-8")
    _, begin, rest = text.partition(f"<!-- {name}: ")
    assert begin, f"{page} has no section {name!r}"
    return rest.partition("-->\n")[2].partition("<!-- end -->")[0]


def agrees(page: str, name: str, made: str) -> None:
    """Compare a section of a document with what a test made; `make tables` writes it instead."""
    before = section(page, name)
    if before != made and os.environ.get("XUEZHAN_WRITE_TABLES"):
        path = ROOT / page
        head, begin, rest = path.read_text("utf-8").partition(f"<!-- {name}: ")
        mark, close, after = rest.partition("-->\n")
        path.write_text(f"{head}{begin}{mark}{close}{made}<!-- end -->{after.partition('<!-- end -->')[2]}", "utf-8")
    else:
        assert before == made, f"{page}: {name}: `make tables` writes what the test saw"
