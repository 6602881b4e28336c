"""One table server on one core: refereed, journalled durably, settled by a stand-in, against a bare server that only passes messages on.

Both servers run on the same core, both generators on another, in turns. An action of the table server is one that a client sent and the
server accepted; tables live their whole life meanwhile, mostly of one hand. An action of the bare server is a message that the four of its
table were sent.
"""

from __future__ import annotations

import statistics
import urllib.request
from collections.abc import Iterator
from typing import Any, Final

from bench import rig
from bench.options import Options
from bench.processes import ChildError
from bench.report import Row, failure, left_out, number
from bench.rounds import median_ratio
from bench.server import LONG_ROOM
from tests.support.servers import Postgres

GROUP: Final = "table"
TABLES: Final = 250
ACTS_A_HAND: Final = 75
"""As many as a hand of random play has on average: the tables are spread over as many, so that hands end at any time as often as in the
long run. Spread over more, those that are a hand further on would end together with others.
"""
_TARGET: Final = 3.0
_STRETCH: Final = 5.0
_P99_MS: Final = 25.0
_CHECKS: Final = 5.0
"""Percent of the CPU time."""
_METRICS: Final = 1.0
"""Percent of the CPU time."""
_SCRAPES: Final = 10
_SCRAPE_SECONDS: Final = 5
"""As deploy/prometheus scrapes."""
_PARTS: Final = ("decode", "rules", "views", "journal", "encode")

Figures = dict[str, Any]


def run(options: Options) -> tuple[list[Row], dict[str, Any]]:
    """Measure; answers rows and the figures of every round."""
    tables = 40 if options.quick else TABLES
    details: dict[str, Any] = {}
    rows: list[Row] = []
    for what, measure in (("on SQLite", _on_sqlite), ("on PostgreSQL, once", _on_postgres)):
        try:
            rows += measure(options, tables, details)
        except ChildError as error:
            rows.append(failure(GROUP, f"actions/s {what}", error))
    return rows, details


def _on_sqlite(options: Options, tables: int, details: dict[str, Any]) -> list[Row]:
    with rig.table_server() as server, rig.loaded(server, tables) as ours, rig.bare(tables) as theirs:
        rounds = _rounds(ours, theirs, options)
        checks = [_timed(ours, "checks", options) for _ in range(options.repeat)]
        metrics = [_metrics(ours, options) for _ in range(options.repeat)]
        counting = _counting(ours, options)
        profile = _profile(ours, options)
        ours.load.ask("hold")
        half = statistics.median(_rate(one) for one in rounds["sqlite"]) / 2
        paced = [ours.measured("paced", rate=half, warm=options.seconds(1), seconds=options.seconds(4)) for _ in range(options.repeat)]
    with rig.table_server() as server, rig.loaded(server, tables, room=LONG_ROOM) as ours, rig.bare(tables) as theirs:
        eight_hands = _rounds(ours, theirs, options)
    details |= {
        **rounds,
        "eight_hands": eight_hands,
        "half_load": paced,
        "checks": checks,
        "metrics": metrics,
        "counting": counting,
        "profile": profile,
    }
    rows = [*_throughput(rounds), _at_long_tables(eight_hands), *_cpu(rounds), *_latency(paced, half)]
    return [*rows, _checks_row(checks), *_metrics_rows(metrics, counting), *_profile_rows(profile)]


def _rounds(ours: rig.Rig, theirs: rig.Rig, options: Options) -> dict[str, list[Figures]]:
    """Let the table server on SQLite and the bare server take turns at full load."""
    rounds: dict[str, list[Figures]] = {"sqlite": [], "bare": []}
    ours.load.ask("spread", most=ACTS_A_HAND)
    for _ in range(options.repeat):
        for name, one in (("sqlite", ours), ("bare", theirs)):
            rounds[name].append(_top(one, options))
            one.load.ask("hold")
    return rounds


def _top(one: rig.Rig, options: Options) -> Figures:
    return one.measured("top", warm=options.seconds(1), seconds=options.seconds(4))


def _rate(figures: Figures) -> float:
    return float(figures["accepted"] / figures["seconds"])


# Rows.


def _throughput(rounds: dict[str, list[Figures]]) -> Iterator[Row]:
    rate, against, ratio = _against_bare(rounds)
    refused = sum(one["refused"] for one in rounds["sqlite"]) / sum(one["accepted"] for one in rounds["sqlite"])
    note = f"{refused:.1%} of what was sent came too late and was refused, as when two claim at once"
    yield Row(GROUP, "actions/s on SQLite", rate, "actions/s", against, ratio, _TARGET, note=note)
    yield Row(GROUP, "... the stretch", rate, "actions/s", against, ratio, _STRETCH)


def _at_long_tables(rounds: dict[str, list[Figures]]) -> Row:
    rate, against, ratio = _against_bare(rounds)
    note = "opened and closed every eight hands, not every hand"
    return Row(GROUP, "... at tables of eight hands", rate, "actions/s", against, ratio, note=note)


def _against_bare(rounds: dict[str, list[Figures]]) -> tuple[float, str, float]:
    """Return actions/s, what they are held against, and the ratio."""
    ours, bare = ([_rate(one) for one in rounds[name]] for name in ("sqlite", "bare"))
    return statistics.median(ours), f"bare server {number(statistics.median(bare))}/s", median_ratio(ours, bare)


def _cpu(rounds: dict[str, list[Figures]]) -> Iterator[Row]:
    """The same by CPU time, which other work on the machine disturbs less."""
    ours, bare = ([one["accepted"] / one["server_cpu"] for one in rounds[name]] for name in ("sqlite", "bare"))
    against = f"bare server {number(statistics.median(bare))}/s"
    yield Row(GROUP, "... a second of the server's CPU", statistics.median(ours), "actions", against, median_ratio(ours, bare))


def _latency(paced: list[Figures], half: float) -> Iterator[Row]:
    p99 = statistics.median(one["p99_ms"] for one in paced)
    p50 = statistics.median(one["p50_ms"] for one in paced)
    note = f"{number(half)} actions/s, median {number(p50)} ms"
    yield Row(GROUP, "action to event at half of the top load: p99", p99, "ms", target=_P99_MS, at_most=True, note=note)


# PostgreSQL.


def _on_postgres(options: Options, tables: int, details: dict[str, Any]) -> list[Row]:
    """Measure once on PostgreSQL, whose own processes share the generator's core; or say why not."""
    missing = Postgres.missing()
    if missing is not None:
        return [left_out(GROUP, "actions/s on PostgreSQL", f"not installed: {missing}")]
    with rig.on_core(rig.LOAD_CORE), Postgres(durable=True) as postgres:
        url = postgres.new_database("bench")
        with rig.table_server(url) as server, rig.loaded(server, tables) as ours, rig.bare(tables) as theirs:
            ours.load.ask("spread", most=ACTS_A_HAND)
            found = _top(ours, options)
            ours.load.ask("hold")
            bare = _top(theirs, options)
    details |= {"postgres": found, "postgres_bare": bare}
    ratio = _rate(found) / _rate(bare)
    against = f"bare server {number(_rate(bare))}/s"
    return [Row(GROUP, "actions/s on PostgreSQL, once", _rate(found), "actions/s", against, ratio, _TARGET)]


# Where the time goes.


def _timed(ours: rig.Rig, what: str, options: Options) -> Figures:
    """Time what the server spends on something under full load: `cpu`, and `spent` of it."""
    ours.server.ask(f"{what}_begin")
    counted = ours.load.ask("top", seconds=options.seconds(4))
    return ours.server.ask(f"{what}_end") | {"accepted": counted["accepted"]}


def _metrics(ours: rig.Rig, options: Options) -> Figures:
    """Time what the server spends on metrics under full load, and what on one scrape."""
    found = _timed(ours, "metrics", options)
    address = ours.server.ask("metrics_at")["address"]
    ours.server.ask("metrics_begin")
    for _ in range(_SCRAPES):
        with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as answer:
            answer.read()
    return found | {"scrape": ours.server.ask("metrics_end")["spent"] / _SCRAPES}


def _counting(ours: rig.Rig, options: Options) -> dict[str, list[Figures]]:
    """Let the server take turns at full load with and without counting anything."""
    rounds: dict[str, list[Figures]] = {"on": [], "off": []}
    for turn in range(4 * options.repeat):
        for name in ("on", "off") if turn % 2 else ("off", "on"):
            ours.server.ask(f"counts_{name}")
            rounds[name].append(ours.measured("top", warm=options.seconds(0.5), seconds=options.seconds(2)))
    ours.server.ask("counts_on")
    return rounds


def _checks_row(checks: list[Figures]) -> Row:
    share = statistics.median(100 * one["spent"] / one["cpu"] for one in checks)
    each = statistics.median(1e6 * one["spent"] / max(one["accepted"], 1) for one in checks)
    note = f"{number(each)} us an action: statements, records, messages, seat tokens, the shuffle's hashes"
    return Row(GROUP, "signing and checks, of the server's CPU", share, "%", target=_CHECKS, at_most=True, note=note)


def _metrics_rows(metrics: list[Figures], counting: dict[str, list[Figures]]) -> Iterator[Row]:
    share = statistics.median(100 * one["spent"] / one["cpu"] + 100 * one["scrape"] / _SCRAPE_SECONDS for one in metrics)
    each = statistics.median(1e6 * one["spent"] / max(one["accepted"], 1) for one in metrics)
    scrape = 1000 * statistics.median(one["scrape"] for one in metrics)
    note = f"{number(each)} us an action, and a scrape of {number(scrape)} ms every {_SCRAPE_SECONDS} s"
    yield Row(GROUP, "metrics, of the server's CPU", share, "%", target=_METRICS, at_most=True, note=note)
    on, off = ([one["server_cpu"] / one["accepted"] for one in counting[name]] for name in ("on", "off"))
    dearer = 100 * (median_ratio(on, off) - 1)
    yield Row(GROUP, "... counting on and off in turns: dearer by", dearer, "%", note=f"{len(on)} pairs; some tenths of it are noise")


def _profile(ours: rig.Rig, options: Options) -> Figures:
    """Sample a run under full load; figures in microseconds an action."""
    ours.load.ask("top", seconds=options.seconds(1))
    ours.server.ask("profile_begin")
    counted = ours.load.ask("top", seconds=options.seconds(5))
    found = ours.server.ask("profile_end")
    each = 1e6 / max(counted["accepted"], 1)
    return {
        "cpu": found["cpu"] * each,
        "parts": {part: seconds * each for part, seconds in sorted(found["parts"].items(), key=lambda pair: -pair[1])},
        "places": {place: seconds * each for place, seconds in found["places"].items()},
        "samples": found["samples"],
    }


def _profile_rows(profile: Figures) -> Iterator[Row]:
    parts = profile["parts"]
    others = ", ".join(f"{part} {number(us)}" for part, us in parts.items() if part not in _PARTS)
    yield Row(GROUP, "CPU an action, sampled", profile["cpu"], "us", note=f"beside the five below: {others}")
    for part in _PARTS:
        yield Row(GROUP, f"... {part}", parts.get(part, 0.0), "us")
