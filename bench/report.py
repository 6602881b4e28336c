"""What was measured, as rows of a table and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

RESULTS: Final = Path(__file__).parent / "results"
_HEAD: Final = ("group", "what", "measured", "against", "ratio", "target", "met")


@dataclass(frozen=True)
class Row:
    """One line of the report.

    `value` in `unit` is ours. Where something else was measured beside it in the same run, `against` says what and how much, and `ratio` is
    ours over theirs, the median over the rounds. `target` is a bound on the ratio, or on the value where there is no ratio: at least, or
    with `at_most` at most. A row without a target informs.
    """

    group: str
    what: str
    value: float | None
    unit: str
    against: str = ""
    ratio: float | None = None
    target: float | None = None
    at_most: bool = False
    note: str = ""
    failed: bool = False
    """It should have been measured, and `note` says what went wrong."""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none, or nothing to judge it by."""
        judged = self.ratio if self.against else self.value
        if self.target is None or judged is None:
            return None
        return judged <= self.target if self.at_most else judged >= self.target


def left_out(group: str, what: str, why: str) -> Row:
    """Return the row of something that could not be measured here."""
    return Row(group, what, None, "", note=why)


def failure(group: str, what: str, error: Exception) -> Row:
    """Return the row of something that went wrong."""
    return Row(group, what, None, "FAILED", note=str(error), failed=True)


def number(value: float | None) -> str:
    """Return a figure with three digits that count."""
    if value is None:
        return "-"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def table(rows: Iterable[Row]) -> str:
    """Return rows as a table of text, with what is to be said about one below it."""
    cells = [_HEAD, *(_cells(row) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(_HEAD))]
    lines = []
    for row, source in zip(cells, [None, *rows], strict=True):
        lines.append("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        if source is not None and source.note:
            lines.append(f"{'':{widths[0]}}  ({source.note})")
    return "\n".join(lines)


def _cells(row: Row) -> tuple[str, ...]:
    bound = "" if row.target is None else f"{'<=' if row.at_most else '>='} {number(row.target)}{' x' if row.against else ''}"
    met = {None: "", True: "yes", False: "NO"}[row.met]
    measured = f"{number(row.value)} {row.unit}".strip()
    return row.group, row.what, measured, row.against, "" if row.ratio is None else f"{row.ratio:.2f} x", bound, met


def write_json(path: Path, ran_on: dict[str, Any], rows: Iterable[Row], details: dict[str, Any]) -> None:
    """Write everything that was measured; `details` has the figures of every round by group."""
    path.parent.mkdir(parents=True, exist_ok=True)
    listed = [asdict(row) | {"met": row.met} for row in rows]
    path.write_text(json.dumps({"ran_on": ran_on, "rows": listed, "details": details}, indent=1, ensure_ascii=False) + "\n", "utf-8")
