"""One way to reach a database: functions of a connection, each run as one transaction, on SQLite or PostgreSQL.

Law: the database is the truth; one function is one transaction, committed at the edge.

SQLite: one file a service, WAL, synchronous=FULL, BEGIN IMMEDIATE, and one thread a file that does everything, so nothing ever waits for a
lock inside the process; another moves the log into the file, so that commits seldom wait for that. PostgreSQL: a pool of as many threads
and connections, READ COMMITTED, the service's own schema, and time limits on the server's side that are shorter than a lease, so that a
stuck connection cannot act late.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import sqlite3
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import quote

import sqlalchemy as sa
from alembic import command
from alembic.config import Config as AlembicConfig
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DatabaseError, DBAPIError, OperationalError

from services.kit import logs
from services.kit.config import ConfigError
from services.kit.errors import UnavailableError
from services.kit.private_files import make_private, open_private
from services.kit.supervise import Supervisor, Threads

log = logs.get(__name__)

T = TypeVar("T")

_RETRIED_SQLSTATES: Final = {"40001", "40P01"}
"""Serialization failure and deadlock: the whole transaction may be run again, its decisions included."""
_NO_RIGHT: Final = "42501"
"""Insufficient privilege."""
_ATTEMPTS: Final = 6
_STATEMENT_LIMIT_MS: Final = 4000
"""Below the 5 s lease: a statement of an owner that lost its lease ends before the next owner speaks."""
_MIGRATION_LOCK_MS: Final = 60_000
"""How long a migration waits for one of another process, or for a table."""
_TELL_SECONDS: Final = 1.0

_CHECKPOINT_SECONDS: Final = 0.5
_CHECKPOINT_PAGES: Final = 8000
"""A log of so many pages that could not begin again in time is moved by a commit after all."""


class _Checkpoints:
    """Moves a SQLite file's log into the file, on a thread and connection of its own, as far as can be done without making others wait."""

    def __init__(self, path: str, supervisor: Supervisor) -> None:
        self._path = path
        self._stop = threading.Event()
        self._thread = supervisor.thread("checkpoints", self._run, self._stop)

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(_CHECKPOINT_SECONDS):
            # Of a file that is not there yet: next time.
            with contextlib.suppress(sqlite3.Error), contextlib.closing(self._connect()) as connection:
                self._watch(connection)

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{quote(self._path)}?mode=rw", uri=True, isolation_level=None)

    def _watch(self, connection: sqlite3.Connection) -> None:
        seen = 0
        while not self._stop.wait(_CHECKPOINT_SECONDS):
            version = connection.execute("PRAGMA data_version").fetchone()[0]
            if version != seen:
                seen = version
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()


class Database:
    """A service's database. Make one a process and service; `close` it at the end.

    `schema` is the service's own schema on PostgreSQL and unused on SQLite. `pool` bounds PostgreSQL's connections.
    """

    def __init__(self, url: str, schema: str, pool: int = 4, supervisor: Supervisor | None = None, threads: str = "database") -> None:
        """`threads`: what its threads are called; two of one process have different names."""
        self.url = url
        self.schema = schema
        self.is_sqlite = make_url(url).get_backend_name() == "sqlite"
        self.engine = _sqlite_engine(url) if self.is_sqlite else _postgres_engine(url, schema, pool)
        supervisor = supervisor or Supervisor()
        self._threads = Threads(supervisor, threads, 1 if self.is_sqlite else pool)
        self._told_at = -_TELL_SECONDS
        self.file = make_url(url).database if self.is_sqlite else None
        """The file of SQLite."""
        self._checkpoints = _Checkpoints(self.file, supervisor) if self.file and self.file != ":memory:" else None

    async def run(self, work: Callable[..., T], *args: Any) -> T:
        """Run `work(connection, *args)` as one transaction and return its answer.

        The transaction is never cancelled half way: if the caller is cancelled it still commits or rolls back on its own.
        Raises UnavailableError when the database cannot be reached, in which case nothing or everything happened.
        """
        # What is logged there is about the caller's request.
        future = asyncio.wrap_future(self._threads.submit(copy_context().run, self._transaction, work, args))
        # Nobody looks at how it ended for a caller that has gone away.
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        return await asyncio.shield(future)

    def run_sync(self, work: Callable[..., T], *args: Any) -> T:
        """Run `work(connection, *args)` as one transaction from a thread without an event loop."""
        answer: T = self._threads.submit(self._transaction, work, args).result()
        return answer

    def submit(self, work: Callable[..., None], *args: Any) -> None:
        """Run `work(*args)` on a thread of this database, outside any transaction of ours. On SQLite that is the file's only thread.

        For a writer that uses the driver's own connection. `work` tells its outcome itself and must not raise.
        """
        self._threads.submit(work, *args)

    def close(self) -> None:
        """End all threads and connections after what is running."""
        self._threads.close()
        if self._checkpoints is not None:
            self._checkpoints.stop()
        self.engine.dispose()

    def _transaction(self, work: Callable[..., T], args: tuple[Any, ...]) -> T:
        for attempt in range(_ATTEMPTS):
            try:
                with self.engine.begin() as connection:
                    return work(connection, *args)
            except DBAPIError as error:
                if getattr(error.orig, "sqlstate", None) in _RETRIED_SQLSTATES and attempt + 1 < _ATTEMPTS:
                    time.sleep(random.uniform(0, 0.01 * 2**attempt))
                    continue
                if isinstance(error, OperationalError) or error.connection_invalidated:
                    self._tell(error)
                    raise UnavailableError("database", f"the {self.schema} database does not answer") from error
                raise
        raise AssertionError("unreachable")

    def _tell(self, error: DBAPIError) -> None:
        """Log why the database does not answer, now and then: callers are told only that it does not."""
        now = time.monotonic()
        if now - self._told_at >= _TELL_SECONDS:
            self._told_at = now
            log.warning("database_unavailable", database=self.schema, why=_why(error))


def migrate(database: Database, scripts: Path) -> None:
    """Bring the schema up to date with the Alembic scripts in `scripts`. Processes that start together wait for one another.

    A user who owns nothing is served if there is nothing to do. Raises UnavailableError when the database cannot be reached, ConfigError
    when what is there is not this service's, or must be brought up to date by its owner.
    """
    try:
        with database.engine.begin() as connection:
            config = _alembic(connection, scripts)
            if MigrationContext.configure(connection).get_current_heads() != (_head(config),):
                _upgrade(database, connection, config)
    except OperationalError as error:
        where = f" in {database.file}" if database.is_sqlite else ""
        raise UnavailableError("database", f"database_url: the {database.schema} database{where} does not answer: {_why(error)}") from error
    except DatabaseError as error:
        if getattr(error.orig, "sqlstate", None) == _NO_RIGHT:
            raise ConfigError(
                f"database_url: the {database.schema} database is not up to date, and this user may not change it ({_why(error)}):"
                " run `xuezhan migrate` with the URL of its owner"
            ) from error
        if not database.is_sqlite:
            raise
        raise ConfigError(f"database_url: {database.file} is not a SQLite database, or a damaged one ({_why(error)})") from error
    except CommandError as error:
        raise ConfigError(f"database_url: the {database.schema} database was made by another version of this service: {error}") from error


def _alembic(connection: sa.Connection, scripts: Path) -> AlembicConfig:
    config = AlembicConfig()
    config.set_main_option("script_location", str(scripts))
    config.attributes["connection"] = connection
    return config


def _head(config: AlembicConfig) -> str | None:
    return ScriptDirectory.from_config(config).get_current_head()


def _why(error: DBAPIError) -> str:
    return str(error.orig).partition("\n")[0]


def _upgrade(database: Database, connection: sa.Connection, config: AlembicConfig) -> None:
    if not database.is_sqlite:
        # The limits of a service's statements are no limits for a change to all of its rows.
        for limit in ("statement_timeout", "idle_in_transaction_session_timeout"):
            connection.execute(sa.text(f"SET LOCAL {limit} = 0"))
        connection.execute(sa.text(f"SET LOCAL lock_timeout = {_MIGRATION_LOCK_MS}"))
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(hashtext(:name))"), {"name": f"migrate-{database.schema}"})
        if connection.scalar(sa.text("SELECT to_regnamespace(:name)"), {"name": database.schema}) is None:
            connection.execute(sa.schema.CreateSchema(database.schema))
    command.upgrade(config, "head")


def _own(path: Path) -> None:
    """Make a database file its owner's alone; the files that SQLite puts beside it take its mode. A link to a file is
    followed, one that leads nowhere is not.
    """
    if not path.exists():
        os.close(open_private(path))
    for file in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal"))):
        try:
            changed = make_private(file)
        except PermissionError:
            log.warning("file_open_to_others", file=str(file), why="it belongs to somebody else")
        else:
            if changed:
                log.warning("file_made_private", file=str(file))


def _sqlite_engine(url: str) -> sa.Engine:
    path = make_url(url).database
    if path and path != ":memory:":
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            _own(Path(path))
        except OSError as error:
            raise ConfigError(f"database_url: {path} cannot be made: {error.strerror}") from error
    engine = sa.create_engine(url, poolclass=sa.StaticPool, hide_parameters=True, connect_args={"check_same_thread": False, "timeout": 10})

    @sa.event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: Any) -> None:
        # The driver's own implicit BEGIN is deferred; ours below is immediate.
        connection.isolation_level = None
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            "cache_size=-16000",
            f"wal_autocheckpoint={_CHECKPOINT_PAGES}",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _postgres_engine(url: str, schema: str, pool: int) -> sa.Engine:
    options = (
        f"-c search_path={schema} -c statement_timeout={_STATEMENT_LIMIT_MS}"
        f" -c idle_in_transaction_session_timeout={_STATEMENT_LIMIT_MS} -c lock_timeout={_STATEMENT_LIMIT_MS}"
    )
    return sa.create_engine(
        make_url(url).set(drivername="postgresql+psycopg"),
        pool_size=pool,
        max_overflow=0,
        pool_pre_ping=True,
        isolation_level="READ COMMITTED",
        # What is stored may be a hidden tile; errors are logged.
        hide_parameters=True,
        connect_args={"options": options, "connect_timeout": 5, "tcp_user_timeout": _STATEMENT_LIMIT_MS},
    )
