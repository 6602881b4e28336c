"""Tables in documents that tests make from what they saw."""

from __future__ import annotations

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
