"""A load run's report for people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from rich.console import Console
from rich.table import Table

_SHOWN: Final = 20


def show_report(report: dict[str, Any]) -> None:
    """Write the report to standard output."""
    console = Console(highlight=False)
    for why in report["why"]:
        console.print(f"NOT OK: {why}", markup=False, soft_wrap=True)
    if len(report["games"]) > 1:
        console.print(_by_game(report["games"]))
    table = Table(show_header=False, box=None, pad_edge=False)
    coins = report["coins"]
    rows = [
        ("players", report["players"]),
        ("tables", report["tables"]),
        ("hands", report["hands"]),
        ("actions accepted", f"{report['actions_accepted']} ({report['actions_per_second']} a second)"),
        ("action to answer", f"p50 {report['latency_p50_ms']} ms, p99 {report['latency_p99_ms']} ms"),
        (
            "action unanswered",
            ", ".join(f"{name} {report[f'unanswered_{name}_ms']} ms" for name in ("p50", "p99", "max"))
            + f"; {report['never_answered']} never answered",
        ),
        ("refusals", ", ".join(f"{reason} {number}" for reason, number in report["refusals"].items()) or "none"),
        ("faults of the server", ", ".join(f"{name} {number}" for name, number in report["faults"].items()) or "none"),
        ("events", report["events"]),
        ("streams broken", f"{report['streams_broken']} ({report['reconnects']} reconnects)"),
        ("seats moved, waited", f"{report['moves']}, {report['waits']}"),
        ("statements unchecked", report["statements_unchecked"]),
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


def _by_game(games: dict[str, dict[str, Any]]) -> Table:
    """Return the main figures, a column a game."""
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for game in games:
        table.add_column(game, justify="right")
    rows: dict[str, Callable[[dict[str, Any]], object]] = {
        "room": lambda one: one["room"].partition("/")[2],
        "tables": lambda one: one["tables"],
        "hands": lambda one: one["hands"],
        "actions accepted": lambda one: one["actions_accepted"],
        "action to answer p50, p99": lambda one: f"{one['latency_p50_ms']}, {one['latency_p99_ms']} ms",
        "refusals": lambda one: sum(one["refusals"].values()),
        "faults of the server": lambda one: sum(one["faults"].values()),
        "records checked, wrong": lambda one: f"{one['records_checked']}, {one['records_wrong']}",
        "stages settled": lambda one: one["stages_settled"],
        "coins won, lost": lambda one: f"{one['coins']['won']}, {one['coins']['lost']}",
        "errors": lambda one: one["error_count"],
    }
    for name, of in rows.items():
        table.add_row(name, *(str(of(one)) for one in games.values()))
    table.add_row()
    return table
