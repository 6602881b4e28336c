"""A load run's report for people."""

from __future__ import annotations

from typing import Any, Final

from rich.console import Console
from rich.table import Table

_SHOWN: Final = 20


def show_report(report: dict[str, Any]) -> None:
    """Write the report to standard output."""
    console = Console(highlight=False)
    table = Table(show_header=False, box=None, pad_edge=False)
    coins = report["coins"]
    rows = [
        ("players", report["players"]),
        ("tables", report["tables"]),
        ("hands", report["hands"]),
        ("actions accepted", f"{report['actions_accepted']} ({report['actions_per_second']} a second)"),
        ("action to answer", f"p50 {report['latency_p50_ms']} ms, p99 {report['latency_p99_ms']} ms"),
        ("refusals", ", ".join(f"{reason} {number}" for reason, number in report["refusals"].items()) or "none"),
        ("events", report["events"]),
        ("streams broken", report["streams_broken"]),
        ("records", f"{report['records_checked']} checked, {report['records_wrong']} wrong"),
        ("acknowledged, not recorded", report["acknowledged_missing"]),
        ("stages settled", report["stages_settled"]),
        ("coins before", coins["before"]),
        ("coins after", f"{coins['after']} ({coins['after'] - coins['before']:+d}; statements say {coins['stated_change']:+d})"),
        ("coins won, lost", f"{coins['won']}, {coins['lost']} ({coins['wallets_changed']} wallets changed)"),
        ("statement mismatches", coins["mismatches"]),
        ("errors", report["error_count"]),
    ]
    for name, value in rows:
        table.add_row(name, str(value))
    console.print(table)
    for error in report["errors"][:_SHOWN]:
        console.print(f"error: {error}", markup=False, soft_wrap=True)
    if report["error_count"] > _SHOWN:
        console.print(f"... {report['error_count'] - _SHOWN} more errors (--json has the first {len(report['errors'])})")
    console.print("ok" if report["ok"] else "NOT OK")
