"""A client like a gateway: thousands of seats on one stream, at the pace of people. On PostgreSQL, which shares the client's core."""

from __future__ import annotations

import statistics
from typing import Any, Final

from bench import rig
from bench.crowd import SEATS
from bench.moves import HUMAN_SECONDS, TABLES
from bench.options import Options
from bench.processes import ChildError
from bench.report import Row, failure, left_out, number
from bench.table import ACTS_A_HAND
from tests.support.servers import Postgres

GROUP: Final = "gateway"
_P99_MS: Final = 50.0
_BUSY: Final = 60.0


def run(options: Options) -> tuple[list[Row], dict[str, Any]]:
    """Measure; answers rows and the figures of every round."""
    missing = Postgres.missing()
    what = "action to event over one stream"
    if missing is not None:
        return [left_out(GROUP, what, f"not installed: {missing}")], {}
    try:
        return _measure(options)
    except ChildError as error:
        return [failure(GROUP, what, error)], {}


def _measure(options: Options) -> tuple[list[Row], dict[str, Any]]:
    tables = 40 if options.quick else TABLES
    seconds = options.seconds(10)
    with rig.on_core(rig.LOAD_CORE), Postgres(durable=True) as postgres:
        url = postgres.new_database("bench")
        with rig.table_server(url) as server, rig.loaded(server, tables) as ours:
            ours.load.ask("spread", most=ACTS_A_HAND)
            rate = tables / HUMAN_SECONDS
            rounds = [ours.measured("paced", warm=options.seconds(2), rate=rate, seconds=seconds) for _ in range(options.repeat)]
    p50, p99 = (statistics.median(one[part] for one in rounds) for part in ("p50_ms", "p99_ms"))
    busy = statistics.median(100 * one["server_cpu"] / one["seconds"] for one in rounds)
    note = f"an action a table every {HUMAN_SECONDS:g} s, {number(rate)} a second; median {number(p50)} ms"
    what = f"action to event, {tables * SEATS:,} seats on one stream: p99"
    rows = [
        Row(GROUP, what, p99, "ms", target=_P99_MS, at_most=True, note=note),
        Row(GROUP, "... the server's core is busy", busy, "%", target=_BUSY, at_most=True),
    ]
    return rows, {"rounds": rounds}
