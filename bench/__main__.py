"""`python -m bench [group...]`: measures, prints a table of ratios and writes JSON."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from bench import machine, report
from bench.options import Options

GROUPS: Final = ("rules", "table", "moves", "gateway", "memory", "flood", "settlement", "peers")
_REPEAT: Final = 3


def main(arguments: list[str]) -> int:
    """Measure what the arguments ask for; 1 if something could not be measured that is there. A target that is missed is no failure."""
    given = _arguments(arguments)
    options = Options(1 if given.quick else given.repeat, given.quick, given.full)
    about = machine.ran_on()
    print(machine.text(about), flush=True)
    rows: list[report.Row] = []
    details: dict[str, Any] = {}
    path = given.json or report.RESULTS / f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S}.json"
    for group in given.groups or GROUPS:
        print(f"\nmeasuring {group} ...", file=sys.stderr, flush=True)
        measured, details[group] = import_module(f"bench.{group}").run(options)
        print(f"\n{report.table(measured)}", flush=True)
        rows += measured
        report.write_json(path, about, rows, details)
    missed = [row for row in rows if row.met is False]
    judged = [row for row in rows if row.met is not None]
    failed = [row for row in rows if row.failed]
    print(f"\n{len(judged) - len(missed)} of {len(judged)} targets met; all figures in {path}")
    if options.quick:
        print("this was a quick run: it shows that everything runs, its figures say little")
    return 1 if failed else 0


def _arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measures this project against others in the same run.")
    parser.add_argument("groups", nargs="*", metavar="group", help=f"what to measure: {', '.join(GROUPS)} (all)")
    parser.add_argument("--repeat", type=int, default=_REPEAT, metavar="N", help=f"rounds of what is compared ({_REPEAT})")
    parser.add_argument("--json", type=Path, metavar="PATH", help="where the figures go (a new file in bench/results)")
    parser.add_argument("--quick", action="store_true", help="one short round, to see that everything runs")
    parser.add_argument("--full", action="store_true", help="settlement on a ledger of a million entries, which takes minutes to fill")
    given = parser.parse_args(arguments)
    unknown = [group for group in given.groups if group not in GROUPS]
    if unknown:
        parser.error(f"{unknown[0]}: no such group; there are {', '.join(GROUPS)}")
    if given.repeat < 1:
        parser.error("--repeat: at least 1")
    return given


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
