"""Whether the database answers, and what only it knows: asked for again and again, on a thread and connection of the watch's own.

Law: a scrape never waits for the database, and whatever the part itself waits for there does not keep the watch from looking.
"""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
from collections.abc import Iterable, Sequence
from math import inf
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import quote

import sqlalchemy as sa
from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy.engine import make_url

from services.kit import logs
from services.kit.supervise import Supervisor

log = logs.get(__name__)

_LOOK_SECONDS: Final = 1.0
_READ_SECONDS: Final = 2.0
"""Between two looks at what the database knows."""
_LIMIT_MS: Final = 2000
"""A question is given up at the server after so long."""
_AWAY_SECONDS: Final = 4.0
"""A database that has not answered for so long is away: also one that is frozen, which no limit of its own ends."""
_STALE_SECONDS: Final = 15.0
"""What was read so long ago is not shown any more."""
_JOIN_SECONDS: Final = 0.5


class Reading(Protocol):
    """Something that only the database knows."""

    def read(self, connection: sa.Connection) -> Any:
        """Read it. It must take next to no time."""
        ...

    def families(self, found: Any, seconds: float) -> Iterable[Metric]:
        """Return what was found so many seconds ago as metrics."""
        ...


class DatabaseWatch(Collector):
    """Watches a database from its making to `close`."""

    def __init__(
        self, url: str, schema: str, registry: CollectorRegistry, supervisor: Supervisor, readings: Sequence[Reading] = ()
    ) -> None:
        parts = make_url(url)
        self._file = parts.database if parts.get_backend_name() == "sqlite" else None
        self._schema = schema
        self._engine = _postgres(url, schema) if self._file is None else _sqlite(self._file)
        self._answered = self._read_at = -inf
        self._away = False
        self._readings = readings
        self._found: dict[int, tuple[float, Any]] = {}
        self._stop = threading.Event()
        registry.register(self)
        # Of a database in memory there is nothing that another connection could see.
        self._thread = None if self._file == ":memory:" else supervisor.thread("database_watch", self._serve, self._stop)

    def close(self) -> None:
        """End. What waits for a database that is frozen ends by itself."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(_JOIN_SECONDS)

    @property
    def reachable(self) -> bool:
        """Whether the database answered a moment ago."""
        return self._thread is None or time.monotonic() - self._answered < _AWAY_SECONDS

    def collect(self) -> Iterable[Metric]:
        """Return what is known now."""
        text = "Whether the database answers this part now."
        yield GaugeMetricFamily("xuezhan_part_database_reachable", text, value=self.reachable)
        if self._file and self._file != ":memory:":
            usage = shutil.disk_usage(Path(self._file).parent)
            family = GaugeMetricFamily(
                "xuezhan_part_disk_free_ratio", "The free part of the disk that the part writes to.", labels=("what",)
            )
            family.add_metric(["database"], usage.free / usage.total)
            yield family
        for place, reading in enumerate(self._readings):
            at, found = self._found.get(place, (-inf, None))
            seconds = time.monotonic() - at
            if seconds < _STALE_SECONDS:
                yield from reading.families(found, seconds)

    def _serve(self) -> None:
        while not self._stop.is_set():
            try:
                with self._engine.connect() as connection:
                    while not self._stop.is_set():
                        self._look(connection)
                        self._stop.wait(_LOOK_SECONDS)
            except sa.exc.SQLAlchemyError as error:
                self._lost(error)
                self._stop.wait(_LOOK_SECONDS)

    def _lost(self, error: sa.exc.SQLAlchemyError) -> None:
        if not self._away:
            log.error("database_away", database=self._schema, why=_why(error))
        self._away = True

    def _look(self, connection: sa.Connection) -> None:
        connection.execute(sa.text("SELECT 1"))
        now = self._answered = time.monotonic()
        if self._away:
            self._away = False
            log.warning("database_answers", database=self._schema)
        if now - self._read_at >= _READ_SECONDS:
            self._read_at = now
            self._read(connection)

    def _read(self, connection: sa.Connection) -> None:
        for place, reading in enumerate(self._readings):
            try:
                self._found[place] = time.monotonic(), reading.read(connection)
            except sa.exc.SQLAlchemyError as error:
                # Not in time, perhaps: whether the database answers at all is another question.
                log.warning("figures_unreadable", database=self._schema, why=_why(error))


def _why(error: sa.exc.SQLAlchemyError) -> str:
    return str(getattr(error, "orig", error)).partition("\n")[0]


def _postgres(url: str, schema: str) -> sa.Engine:
    options = f"-c search_path={schema} -c statement_timeout={_LIMIT_MS} -c lock_timeout={_LIMIT_MS}"
    return sa.create_engine(
        make_url(url).set(drivername="postgresql+psycopg"),
        poolclass=sa.NullPool,
        isolation_level="AUTOCOMMIT",
        connect_args={"options": options, "connect_timeout": 2, "tcp_user_timeout": _LIMIT_MS},
    )


def _sqlite(file: str) -> sa.Engine:
    address = f"file:{quote(file)}?mode=ro"

    def connect() -> sqlite3.Connection:
        # No transaction is left open: the log could not be moved into the file.
        return sqlite3.connect(address, uri=True, isolation_level=None, timeout=_LIMIT_MS / 1000)

    return sa.create_engine("sqlite://", creator=connect, poolclass=sa.NullPool)
