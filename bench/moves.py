"""Tables that change servers: what it costs, and how long their seats notice it. Three servers on PostgreSQL, one after the other.

The first is drained while its tables are played at human pace, the second is killed while their clients look on, the third while they are
away; then all come back at once. All servers share one core, PostgreSQL and the clients the other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, Final, Self

from bench import replays, rig
from bench.crowd import SEATS
from bench.options import Options
from bench.processes import Child, ChildError
from bench.report import Row, failure, left_out, number
from bench.server import LONG_ROOM
from bench.table import ACTS_A_HAND
from services.kit import make_keys
from tests.support.servers import Postgres

GROUP: Final = "moves"
TABLES: Final = 1_000
HUMAN_SECONDS: Final = 2.0
"""A table has an action so often when people play it."""
_LEASE_SECONDS: Final = 5.0
_ADOPTION_MS: Final = 2.0
_STILL_P99: Final = 1.0
_STILL_MOST: Final = 2.0
_POLL_SECONDS: Final = 0.02
_ADOPTED_SECONDS: Final = 120.0


def run(options: Options) -> tuple[list[Row], dict[str, Any]]:
    """Measure; answers rows and the figures of every round."""
    rows: list[Row] = []
    details: dict[str, Any] = {}
    try:
        rows, details = replays.measure(GROUP, options)
    except ChildError as error:
        rows.append(failure(GROUP, "replaying a whole hand", error))
    missing = Postgres.missing()
    if missing is not None:
        return [*rows, left_out(GROUP, "tables that change servers", f"not installed: {missing}")], details
    try:
        with rig.on_core(rig.LOAD_CORE), Postgres(durable=True) as postgres, rig.folder() as secrets:
            make_keys.make(secrets / "secrets", development=True)
            with _Journey(postgres.new_database("bench"), str(secrets / "secrets"), options) as journey:
                rows += journey.handed_over(details)
                rows += journey.lost(details)
                rows += journey.lost_unwatched(details)
    except ChildError as error:
        rows.append(failure(GROUP, "tables that change servers", error))
    return rows, details


class _Journey:
    """The tables' way from server to server."""

    def __init__(self, url: str, secrets: str, options: Options) -> None:
        self._url = url
        self._secrets = secrets
        self._options = options
        self._lease = 1.0 if options.quick else _LEASE_SECONDS
        self._tables = 40 if options.quick else TABLES
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._at = self._server()
        self._load = self._stack.enter_context(rig.loaded(self._at, self._tables, "bench.travellers", room=LONG_ROOM)).load
        self._load.ask("spread", most=ACTS_A_HAND)
        return self

    def __exit__(self, *_of: object) -> None:
        self._stack.close()

    def _server(self) -> Child:
        return self._stack.enter_context(rig.table_server(self._url, self._secrets, self._lease))

    def _next(self) -> Child:
        """Start another server, and wait until it may take the tables of one that is lost."""
        server = self._server()
        time.sleep(self._lease * 1.2)
        return server

    def handed_over(self, details: dict[str, Any]) -> Iterator[Row]:
        """Drain the server while its tables are played."""
        target, rate = self._next(), self._tables / HUMAN_SECONDS
        self._load.ask("head_for", address=target.ready["address"], stay=False)
        self._load.ask("paced", rate=rate, seconds=self._options.seconds(4))
        with ThreadPoolExecutor(1) as pool:
            begun = time.monotonic()
            drained = pool.submit(self._at.ask, "drain")
            paced = self._load.ask("paced", rate=rate, seconds=self._options.seconds(8))
            frozen = drained.result()["frozen"]
        views = self._load.ask("viewed", since=begun)["views"]
        still = sorted(view - frozen[table] for table, some in views.items() for view in some)
        took = max(view for some in views.values() for view in some) - begun
        details["handed_over"] = {"still": still, "seconds": took, "paced": paced}
        note = (
            f"{self._tables:,} tables in {number(took)} s, played at {number(rate)} actions/s; the median seat {number(_part(still, 50))} s"
        )
        yield Row(GROUP, "hand-over: a seat stands still, p99", _part(still, 99), "s", target=_STILL_P99, at_most=True, note=note)
        yield Row(GROUP, "... at most", still[-1], "s", target=_STILL_MOST, at_most=True)
        self._at = target

    def lost(self, details: dict[str, Any]) -> Iterator[Row]:
        """Kill the server while its seats are attached."""
        adopter = self._next()
        self._load.ask("head_for", address=adopter.ready["address"], stay=False)
        killed, cpu = self._kill(adopter)
        views = self._load.ask("viewed", since=killed)["views"]
        spent = adopter.cpu_seconds() - cpu
        waited = sorted(view - killed for some in views.values() for view in some)
        details["lost"] = {"waited": waited, "cpu": spent}
        note = f"a lease of {self._lease:g} s, one adopter; first view {number(waited[0])} s, median {number(_part(waited, 50))} s"
        yield Row(GROUP, "from SIGKILL to the last seat's view", waited[-1], "s", note=note)
        self._at = adopter

    def lost_unwatched(self, details: dict[str, Any]) -> Iterator[Row]:
        """Kill the server with no client to be attended to; then let all come at once."""
        adopter = self._next()
        self._load.ask("head_for", address=adopter.ready["address"], stay=True)
        rows = self._at.ask("tables")["rows"] / self._tables
        killed, cpu = self._kill(adopter)
        while adopter.ask("tables")["tables"] < self._tables:
            if time.monotonic() - killed > _ADOPTED_SECONDS:
                raise ChildError("the tables are not adopted")
            time.sleep(_POLL_SECONDS)
        spent = adopter.cpu_seconds() - cpu
        note = f"{rows:.0f} rows a journal on average"
        each = spent * 1e3 / self._tables
        yield Row(GROUP, f"adoption of {self._tables:,} tables: CPU a table", each, "ms", target=_ADOPTION_MS, at_most=True, note=note)
        cpu, begun = adopter.cpu_seconds(), time.monotonic()
        self._load.ask("set_out")
        views = self._load.ask("viewed", since=begun)["views"]
        attached = adopter.cpu_seconds() - cpu
        took = max(view for some in views.values() for view in some) - begun
        seats = self._tables * SEATS
        details["lost_unwatched"] = {"cpu": spent, "attach_cpu": attached, "attach_seconds": took}
        yield Row(
            GROUP, f"{seats:,} seats attached on one stream: CPU a seat", attached * 1e6 / seats, "us", note=f"all in {number(took)} s"
        )

    def _kill(self, adopter: Child) -> tuple[float, float]:
        """Kill the server; returns when, and the CPU time of the one that will take its tables."""
        cpu = adopter.cpu_seconds()
        killed = time.monotonic()
        self._at.kill()
        return killed, cpu


def _part(ordered: list[float], part: int) -> float:
    return ordered[len(ordered) * part // 100]
