"""What a live table costs: memory at 5,000 tables in the middle of their hands, and CPU an action with 50 and with 5,000.

Two table servers share a core and are loaded in turns, at the same rate of actions, so that each action has the same company in its
batches. The tables of both stand spread over their hands, so openings and ends come as often.
"""

from __future__ import annotations

import statistics
import time
from typing import Any, Final

from bench import rig
from bench.options import Options
from bench.processes import ChildError
from bench.report import Row, failure
from bench.table import ACTS_A_HAND

GROUP: Final = "memory"
FEW: Final = 50
MANY: Final = 5_000
_KILOBYTES: Final = 40.0
_FLAT: Final = 1.3
_ROUNDS: Final = 5
_RATE: Final = 1_000
"""Actions a second, well below what a server can do at its best."""
_QUIET_SECONDS: Final = 3.0

Figures = dict[str, Any]


def run(options: Options) -> tuple[list[Row], dict[str, Any]]:
    """Measure; answers rows and the figures of every round."""
    try:
        return _measure(options)
    except ChildError as error:
        return [failure(GROUP, "a live table", error)], {}


def _measure(options: Options) -> tuple[list[Row], dict[str, Any]]:
    many = 200 if options.quick else MANY
    with rig.table_server() as server, rig.table_server() as other:
        time.sleep(options.seconds(_QUIET_SECONDS))
        empty = server.resident_bytes()
        with rig.loaded(server, many) as large, rig.loaded(other, FEW) as small:
            for one in (large, small):
                one.load.ask("spread", most=ACTS_A_HAND)
            time.sleep(options.seconds(_QUIET_SECONDS))
            full = server.resident_bytes()
            rounds: dict[str, list[Figures]] = {"few": [], "many": []}
            for _ in range(1 if options.quick else max(_ROUNDS, options.repeat)):
                for name, one in (("few", small), ("many", large)):
                    rounds[name].append(one.measured("paced", rate=_RATE, warm=options.seconds(1), seconds=options.seconds(3)))
    each = (full - empty) / many / 1024
    note = f"{many:,} tables, {full / 2**20:,.0f} MB in all, {empty / 2**20:,.0f} MB when empty"
    rows = [Row(GROUP, "a live table beyond an empty process", each, "KB", target=_KILOBYTES, at_most=True, note=note), _flat(rounds, many)]
    return rows, {**rounds, "empty_bytes": empty, "full_bytes": full, "tables": many}


def _flat(rounds: dict[str, list[Figures]], many: int) -> Row:
    few, lots = ([one["server_cpu"] * 1e6 / max(one["accepted"], 1) for one in rounds[name]] for name in ("few", "many"))
    ratio = statistics.median(lots) / statistics.median(few)
    against = f"{FEW} tables {statistics.median(few):.0f} us"
    note = f"both at {_RATE:,} actions/s"
    return Row(GROUP, f"CPU an action with {many:,} tables", statistics.median(lots), "us", against, ratio, _FLAT, at_most=True, note=note)
