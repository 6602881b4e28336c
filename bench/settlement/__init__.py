"""Settlement on PostgreSQL and RabbitMQ: the whole path beside the ledger alone and beside a no-op task an item; a ledger that grows.

All run in turns in the same run. An item of the whole path is one that was stored in a table server's outbox, settled by a worker and whose
outcome is stored in the journal again. The servers share the machine's cores with them.
"""

from __future__ import annotations

import contextlib
import statistics
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Final

from bench import machine, rig
from bench.options import Options
from bench.processes import Child, ChildError
from bench.report import Row, failure, left_out, number
from bench.rounds import median_ratio, take_turns
from bench.settlement import loop, rigs
from services.settlement.check import check_database
from tests.support.postgres import Postgres
from tests.support.rabbitmq import RabbitMQ

GROUP: Final = "settlement"
_OF_LOOP: Final = 0.35
_OF_NO_OP: Final = 5.0
_TWO_WORKERS: Final = 1.7
_CORES_FOR_TWO: Final = 4
"""For a table server, two workers, and PostgreSQL with RabbitMQ."""
_LAG_MS: Final = 250.0
_FLAT: Final = 1.3
_SMALL: Final = 1_000
_LARGE: Final = 100_000
_FULL: Final = 1_000_000
_CHECK_SECONDS: Final = 60.0
"""For `_FULL` entries; for fewer, as much less."""
_BLOCKED_MS: Final = 1_000.0
"""A batch that waits longer beside a check was kept from writing; the check takes longer by far."""

Figures = dict[str, Any]


class WrongLedgerError(Exception):
    """A ledger does not prove right after what was measured."""


def run(options: Options) -> tuple[list[Row], dict[str, Any]]:
    """Measure; answers rows and the figures of every round."""
    missing = Postgres.missing() or RabbitMQ.missing()
    if missing is not None:
        return [left_out(GROUP, "items/s of the whole path", f"left out: not installed: {missing}")], {}
    rows: list[Row] = []
    details: dict[str, Any] = {}
    with rig.folder() as folder, Postgres(durable=True) as postgres:
        for what, measure in (("items/s of the whole path", partial(_paths, folder)), ("a ledger that grows", partial(_sizes, folder))):
            try:
                rows += measure(options, postgres, details)
            except (ChildError, WrongLedgerError) as error:
                rows.append(failure(GROUP, what, error))
    return rows, details


# The whole path.


def _paths(folder: Path, options: Options, postgres: Postgres, details: dict[str, Any]) -> list[Row]:
    warm, seconds = options.seconds(1), max(1.0, options.seconds(4))
    tables = 20 if options.quick else rigs.TABLES
    with contextlib.ExitStack() as stack:
        rabbitmq = stack.enter_context(RabbitMQ())
        alone = stack.enter_context(_loop(rigs.ledger(postgres, "ledger_alone"), folder, "alone"))
        no_op = stack.enter_context(rigs.no_op(rabbitmq, folder))
        one, two = (stack.enter_context(rigs.whole(postgres, rabbitmq, folder, workers, tables)) for workers in (1, 2))
        rounds = take_turns(
            options.repeat,
            {
                "ledger": lambda: alone.ask("settle", items=200 if options.quick else 4_000),
                "no_op": lambda: no_op.top(warm, seconds),
                "one_worker": lambda: one.top(warm, seconds),
                "two_workers": lambda: two.top(warm, seconds),
            },
        )
        half = statistics.median(_rates(rounds["one_worker"])) / 2
        paced = [one.paced(half, warm, seconds) for _ in range(options.repeat)]
    details |= {**rounds, "half_load": paced}
    for whole in (one, two):
        _proven(whole.ledger_url)
    return [*_throughput(rounds), _two_workers(rounds), _lag(paced, half)]


def _loop(url: str, folder: Path, prefix: str) -> Child:
    return Child("bench.settlement.loop", rigs.core(1), folder / "log", database_url=url, prefix=prefix)


def _rates(rounds: list[Figures]) -> list[float]:
    return [one["items"] / one["seconds"] for one in rounds]


def _throughput(rounds: dict[str, list[Figures]]) -> Iterator[Row]:
    ours = _rates(rounds["one_worker"])
    starved = any(one["starved"] for name in ("one_worker", "two_workers") for one in rounds[name])
    note = "it ran out of tables: the figure is too low" if starved else "outbox, relay, RabbitMQ, Celery, ledger, outcome in the journal"
    for what, name, theirs, target in (
        ("items/s of the whole path, one worker", "the ledger alone", _rates(rounds["ledger"]), _OF_LOOP),
        ("... against a Celery task an item", "tasks that do nothing", _rates(rounds["no_op"]), _OF_NO_OP),
    ):
        against = f"{name} {number(statistics.median(theirs))}/s"
        yield Row(GROUP, what, statistics.median(ours), "items/s", against, median_ratio(ours, theirs), target, note=note)
        note = ""


def _two_workers(rounds: dict[str, list[Figures]]) -> Row:
    """Compare two workers with one: by their items/s where there are cores enough, else by what an item costs them."""
    if len(machine.cores()) >= _CORES_FOR_TWO:
        one, two = (_rates(rounds[name]) for name in ("one_worker", "two_workers"))
        against = f"one worker {number(statistics.median(one))}/s"
        return Row(GROUP, "... two workers", statistics.median(two), "items/s", against, median_ratio(two, one), _TWO_WORKERS)
    one, two = ([found["worker_cpu"] * 1e6 / max(found["items"], 1) for found in rounds[name]] for name in ("one_worker", "two_workers"))
    against = f"one worker {number(statistics.median(one))} us"
    ratio, most = median_ratio(two, one), 2 / _TWO_WORKERS
    note = f"two workers that cost so much an item are {_TWO_WORKERS} x as fast as one where there are {_CORES_FOR_TWO} cores"
    return Row(GROUP, "... CPU of two workers an item", statistics.median(two), "us", against, ratio, most, at_most=True, note=note)


def _lag(paced: list[Figures], half: float) -> Row:
    p50, p99 = (statistics.median(one[f"p{part}_ms"] for one in paced) for part in (50, 99))
    note = f"{number(half)} items/s, median {number(p50)} ms; from the commit of what is owed to the commit of its outcome"
    return Row(GROUP, "commit to outcome at half of the top load: p99", p99, "ms", target=_LAG_MS, at_most=True, note=note)


# A ledger that grows.


def _sizes(folder: Path, options: Options, postgres: Postgres, details: dict[str, Any]) -> list[Row]:
    entries = _FULL if options.full else 4_000 if options.quick else _LARGE
    items = 2 * loop.BATCH if options.quick else 10 * loop.BATCH
    large_url = rigs.ledger(postgres, "ledger_large")
    with _loop(rigs.ledger(postgres, "ledger_small"), folder, "small") as small, _loop(large_url, folder, "large") as large:
        small.ask("fill", entries=_SMALL)
        large.ask("fill", entries=entries)
        rounds = take_turns(
            options.repeat, {"small": lambda: small.ask("settle", items=items), "large": lambda: large.ask("settle", items=items)}
        )
        filled = large.ask("entries")["entries"]
        checked, beside = _check(large_url, large)
    details |= {"entries": filled, "sizes": rounds, "check_seconds": checked, "beside_check": beside}
    return [_flat(rounds, filled), *_checks(filled, checked, beside, rounds["large"])]


def _check(url: str, writer: Child) -> tuple[float, list[Figures]]:
    """Check a ledger that is written meanwhile; answers its seconds and what the writer did."""
    with ThreadPoolExecutor(1) as pool:
        begun = monotonic()
        ends: list[float] = []
        checking = pool.submit(_proven, url)
        checking.add_done_callback(lambda _: ends.append(monotonic()))
        beside = [writer.ask("settle", items=loop.BATCH)]
        while not checking.done():
            beside.append(writer.ask("settle", items=loop.BATCH))
        checking.result()
    return ends[0] - begun, beside


def _proven(url: str) -> None:
    found = check_database(url)
    if found:
        raise WrongLedgerError(f"{len(found)} findings, the first: {found[0]}")


def _flat(rounds: dict[str, list[Figures]], entries: int) -> Row:
    small, large = ([one["seconds"] * 1e6 / one["items"] for one in rounds[name]] for name in ("small", "large"))
    against = f"from {_SMALL:,} entries {number(statistics.median(small))} us"
    ratio = median_ratio(large, small)
    note = "" if entries >= _FULL else f"`--full` for {_FULL:,} entries"
    what = f"an item on a ledger of {entries:,} entries"
    return Row(GROUP, what, statistics.median(large), "us", against, ratio, _FLAT, at_most=True, note=note)


def _checks(entries: int, seconds: float, beside: list[Figures], quiet: list[Figures]) -> Iterator[Row]:
    target = _CHECK_SECONDS * min(entries, _FULL) / _FULL
    note = f"{number(_CHECK_SECONDS)} s for {_FULL:,} entries"
    yield Row(GROUP, f"ledger check of {entries:,} entries", seconds, "s", target=target, at_most=True, note=note)
    longest = max(one["longest"] for one in beside) * 1e3
    usual = statistics.median(one["seconds"] * 1e3 * loop.BATCH / one["items"] for one in quiet)
    note = f"{len(beside)} batches of {loop.BATCH} items meanwhile; {number(usual)} ms without a check"
    yield Row(GROUP, "... the slowest batch beside it", longest, "ms", target=_BLOCKED_MS, at_most=True, note=note)
