"""The whole ledger is checked again and again: by one replica at a time, in a process of its own, and all of them tell what was found.

Law: a check holds up nobody. It reads one moment, and neither its statements nor what it computes take time of the service.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
import time
from collections.abc import Iterable
from typing import Final, NamedTuple

import sqlalchemy as sa
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily

from services.kit import logs
from services.kit.database import Database
from services.kit.errors import UnavailableError
from services.kit.supervise import Supervisor
from services.settlement import check, check_process, store

log = logs.get(__name__)

_c: Final = store.ledger_checks.c
_FIRST_SECONDS: Final = 30.0
"""A service that has just begun has better things to do."""
_LOOK_SECONDS: Final = 5.0
_MAKING_SECONDS: Final = 60
"""Whoever makes a check says so more often than this; after such a silence it is another's to make."""
_SAY_SECONDS: Final = 15.0
_WAIT_SECONDS: Final = 0.5


class Found(NamedTuple):
    """What a check found: coins too many, and how many findings by check."""

    imbalance: int
    findings: dict[str, int]


class LedgerChecks:
    """Makes the checks of a replica."""

    def __init__(self, url: str, database: Database, every_seconds: float, supervisor: Supervisor) -> None:
        self._url = url
        self._database = database
        self._every = every_seconds
        self._supervisor = supervisor
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin."""
        self._thread = self._supervisor.thread("ledger_checks", self._serve, self._stop)

    def stop(self) -> None:
        """End; a check at hand is given up."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _serve(self) -> None:
        self._stop.wait(min(_FIRST_SECONDS, self._every))
        while not self._stop.is_set():
            with contextlib.suppress(UnavailableError):
                if self._database.run_sync(claim, self._every):
                    self._make()
            self._stop.wait(min(_LOOK_SECONDS, self._every))

    def _make(self) -> None:
        found = self._ask()
        if found is None:
            return
        self._database.run_sync(finish, found)
        if found.imbalance or found.findings:
            log.error("ledger_off", imbalance=found.imbalance, findings=found.findings)
        else:
            log.info("ledger_checked")

    def _ask(self) -> Found | None:
        """Let a process of its own make the check, and return what it found; None: it could not, or is to stop."""
        told: str | None = check_process.question(self._url)
        said = time.monotonic()
        with subprocess.Popen(check_process.COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - it is ours
            try:
                while not self._stop.is_set():
                    try:
                        answer, _ = process.communicate(told, timeout=_WAIT_SECONDS)
                    except subprocess.TimeoutExpired:
                        told = None
                    else:
                        if process.returncode == 0:
                            return _found(answer)
                        log.error("ledger_check_failed", status=process.returncode)
                        return None
                    if time.monotonic() - said > _SAY_SECONDS:
                        said = time.monotonic()
                        self._database.run_sync(go_on)
            finally:
                process.kill()
        return None


def _found(answer: str) -> Found:
    checked = [check_process.read(line) for line in answer.splitlines()]
    return Found(checked[0].imbalance, {one.check: len(one.findings) for one in checked if one.findings})


def claim(connection: sa.Connection, every_seconds: float) -> bool:
    """Take it upon oneself to make a check, if one is due and nobody makes it."""
    now = _now(connection)
    quiet = min(every_seconds, _MAKING_SECONDS)
    due = sa.and_(_c.finished_at <= now - every_seconds, _c.making_at <= now - quiet)
    return connection.execute(sa.update(store.ledger_checks).where(due).values(making_at=now)).rowcount > 0


def go_on(connection: sa.Connection) -> None:
    """Say that the check is still being made."""
    connection.execute(sa.update(store.ledger_checks).values(making_at=_now(connection)))


def finish(connection: sa.Connection, found: Found) -> None:
    """Keep what was found."""
    now = _now(connection)
    connection.execute(sa.update(store.ledger_checks).values(finished_at=now, making_at=0, found=json.dumps(found)))


def _now(connection: sa.Connection) -> int:
    sqlite = connection.dialect.name == "sqlite"
    clock = "CAST(strftime('%s', 'now') AS INTEGER)" if sqlite else "extract(epoch from clock_timestamp())::bigint"
    return int(connection.execute(sa.select(sa.literal_column(clock))).scalar_one())


class LedgerChecked:
    """A reading: what the last check found, whichever replica made it."""

    def read(self, connection: sa.Connection) -> tuple[int, Found | None]:
        """Return when it was finished, and what it found."""
        at, found = connection.execute(sa.select(_c.finished_at, _c.found)).one()
        return at, Found(*json.loads(found)) if found else None

    def families(self, found: tuple[int, Found | None], _seconds: float) -> Iterable[Metric]:
        """Return the figures."""
        at, last = found
        text = "When the last check of the whole ledger was finished; 0: never."
        yield GaugeMetricFamily("xuezhan_settlement_ledger_checked_timestamp_seconds", text, value=at)
        if last is None:
            return
        text = "Coins that the ledger had too many at its last check."
        yield GaugeMetricFamily("xuezhan_settlement_ledger_imbalance_coins", text, value=last.imbalance)
        text = "What the last check of the ledger found, by check."
        family = GaugeMetricFamily("xuezhan_settlement_ledger_findings", text, labels=("check",))
        for one in check.CHECKS:
            family.add_metric([one.__name__], last.findings.get(one.__name__, 0))
        yield family
