"""What the flood of one address costs everybody else: the delay of others' actions, with the flood beside it and without, in turns.

The flood comes from another loopback address, as from another machine: its process has the lowest priority on the generator's core, so
that it takes nothing from the generator. The first moment of each flood, before the server has seen through it, is measured with the rest.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from typing import Any, Final

from bench import rig
from bench.options import Options
from bench.processes import Child, ChildError
from bench.report import Row, failure, number
from bench.rounds import median_ratio
from bench.table import ACTS_A_HAND

GROUP: Final = "flood"
TABLES: Final = 100
_RATE: Final = 500
"""Actions a second: a server that has something to do, and time to do it."""
_TARGET: Final = 2.0
_REST_SECONDS: Final = 2.0
"""What a flood may still do after its end."""
FLOODS: Final[dict[str, list[str]]] = {
    "64 KB messages of empty inputs, 30 streams": ["play", "--connections", "30"],
    "the same, 300 streams": ["play", "--connections", "30", "--width", "10"],
    "calls without a token, 100 at a time": ["calls", "--connections", "1", "--width", "100"],
    "1,100 connections that say nothing": ["silent", "--connections", "1100"],
    "1,100 connections that open HTTP/2 and call nothing": ["opened", "--connections", "1100"],
}

Figures = dict[str, Any]


def run(options: Options) -> tuple[list[Row], dict[str, Any]]:
    """Measure; answers rows and the figures of every round."""
    try:
        return _measure(options)
    except ChildError as error:
        return [failure(GROUP, "p99 under a flood", error)], {}


def _measure(options: Options) -> tuple[list[Row], dict[str, Any]]:
    details: dict[str, list[Figures]] = {}
    rows = []
    sources = (f"127.0.1.{place}" for place in range(1, 250))
    with rig.table_server() as server, rig.loaded(server, TABLES) as ours:
        ours.load.ask("spread", most=ACTS_A_HAND)
        ours.load.ask("hold")
        for what, flood in FLOODS.items():
            rounds = [_round(server, ours, [*flood, "--source", next(sources)], options) for _ in range(options.repeat)]
            details[what] = rounds
            rows.append(_row(what, rounds))
    return rows, details


def _round(server: Child, ours: rig.Rig, flood: list[str], options: Options) -> Figures:
    """Measure quiet, then under a flood."""
    seconds = options.seconds(5)
    quiet = ours.measured("paced", warm=options.seconds(_REST_SECONDS), rate=_RATE, seconds=seconds)
    command = [sys.executable, "-m", "tests.support.flood", server.ready["address"], *flood]
    with subprocess.Popen(
        [*command, "--seconds", str(seconds + 1), "--core", str(rig.LOAD_CORE)], stdout=subprocess.PIPE, text=True
    ) as process:
        loud = ours.measured("paced", warm=0, rate=_RATE, seconds=seconds)
        told = json.loads(process.communicate()[0])
    return {"quiet": quiet, "loud": loud, "flood": told}


def _row(what: str, rounds: list[Figures]) -> Row:
    quiet, loud = ([one[which]["p99_ms"] for one in rounds] for which in ("quiet", "loud"))
    sent = statistics.median(one["flood"].get("bytes", 0) for one in rounds)
    against = f"quiet {number(statistics.median(quiet))} ms"
    note = f"{_RATE} actions/s; the flood got rid of {number(sent / 1e6)} MB"
    return Row(
        GROUP, f"p99 beside {what}", statistics.median(loud), "ms", against, median_ratio(loud, quiet), _TARGET, at_most=True, note=note
    )
