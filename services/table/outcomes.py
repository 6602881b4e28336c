"""What a table does with outcomes: what became of the items that it owed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.kit import logs
from services.kit.items import ItemKind, ItemOutcome
from services.table import seat_change
from services.table.rows import Kind

if TYPE_CHECKING:
    from services.table.table import Table

log = logs.get(__name__)


def settle(table: Table, outcome: ItemOutcome) -> None:
    """Take in an outcome; one that comes before its turn is kept until then."""
    course = table.course
    if outcome.seq > course.item_seq or outcome.seq <= course.settled:
        return
    if table.early is None:
        table.early = {}
    table.early[outcome.seq] = outcome
    while (ready := table.early.pop(course.settled + 1, None)) is not None:
        hold = course.joining[0] if ready.kind is ItemKind.JOIN else ""
        told = course.settle(ready)
        if hold:
            seat_change.joined(table, hold)
        _compare(table)
        table.log(Kind.SETTLED, -1, ready.model_dump_json(), told)
        assert table.pending is not None
        table.pending.done.append(ready.seq)
        table.catch_up()
    if not table.early:
        table.early = None


def _compare(table: Table) -> None:
    """What the ledger did is what happened; that it differs from the rules is for an operator."""
    course = table.course
    if course.differs:
        log.error("coins_differ_from_rules", match=table.id, hand=course.hand_no, seq=course.differs)
        table.host.metrics.alarms.labels("coins_differ_from_rules").inc()
        course.differs = 0
