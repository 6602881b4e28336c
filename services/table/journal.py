"""The journal's writer: rows of all tables of the process go to the database in batches, one batch at a time, on a database thread.

Law: a table learns that its rows are stored only when they are; a table whose rows cannot be stored does not stop the others. While the
outcome of an append is not known the same rows are appended again, for as long as this server owns its tables.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import sqlalchemy as sa

from services.kit import logs
from services.kit.database import Database
from services.kit.errors import UnavailableError
from services.table.appends import Append, Fate, Opening, PartlyRefusedError, fate, postgres_append, sqlite_append
from services.table.store import open_table

if TYPE_CHECKING:
    from services.table.metrics import TableMetrics
    from services.table.ports import JournaledTable
    from services.table.rows import Row
    from services.table.store import TableRow

log = logs.get(__name__)

_BATCH_TABLES: Final = 1000
_BATCH_OPENINGS: Final = 100
_BATCH_SECONDS: Final = 0.003
"""The least time between the beginnings of two batches: a batch costs as much as dozens of rows, so rows had better go together."""
_PAUSE_SECONDS: Final = 0.05
_LONGEST_PAUSE_SECONDS: Final = 1.0


class _Batch(NamedTuple):
    """What is being written, and who waits for it."""

    appends: list[tuple[JournaledTable, Append]]
    openings: list[tuple[Opening, asyncio.Future[None]]]


class Journal:
    """Collects rows in the event loop, writes them on a thread, and comes back with one call a batch."""

    def __init__(self, database: Database, metrics: TableMetrics, owns: Callable[[], bool], resend_seconds: float) -> None:
        """`owns`: whether this server may still append (its lease has not run out)."""
        self._database = database
        self._metrics = metrics
        self._owns = owns
        self._resend_seconds = resend_seconds
        self._marked: list[JournaledTable] = []
        self._openings: list[tuple[Opening, asyncio.Future[None]]] = []
        self._writing: _Batch | None = None
        self._begun = -_BATCH_SECONDS
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()
        """A batch is written for nobody's request: it holds rows of many."""
        self._scheduled = False
        self._idle = asyncio.Event()
        self._idle.set()
        self._connection: Any = None
        self._append = sqlite_append if database.is_sqlite else postgres_append
        self._mark = "?" if database.is_sqlite else "%s"

    def mark(self, table: JournaledTable) -> None:
        """The table has rows to store. They are taken when the writer is free, with all that came until then."""
        self._marked.append(table)
        if self._writing is None and not self._scheduled:
            self._schedule()

    async def open(self, row: TableRow, first: Row, items: list[tuple[int, str]]) -> TableRow:
        """Store a new table, or find the one of this id that is there. UnavailableError: it is there or not, or our lease is over.

        On SQLite it goes with the next batch: a transaction of its own would keep the file's only thread from it.
        """
        opening = Opening(row, first, items)
        if self._database.is_sqlite:
            stored = self._loop.create_future()
            self._openings.append((opening, stored))
            if self._writing is None and not self._scheduled:
                self._schedule()
            await stored
        else:
            await self._database.run(_open, opening, self._resend_seconds)
        if opening.found is None:
            raise UnavailableError("database", "the table could not be stored") from opening.error
        return opening.found

    def _schedule(self) -> None:
        """Begin the next batch soon, but not too soon after the last."""
        self._scheduled = True
        self._idle.clear()
        wait = self._begun + _BATCH_SECONDS - self._loop.time()
        if wait > 0:
            self._loop.call_later(wait, self._flush, context=self._context)
        else:
            self._loop.call_soon(self._flush, context=self._context)

    def writing_seconds(self) -> float:
        """Return for how long the batch at hand has been written; 0: there is none."""
        return 0.0 if self._writing is None else self._loop.time() - self._begun

    async def idle(self) -> None:
        """Wait until everything is stored or lost."""
        await self._idle.wait()

    def close(self) -> None:
        """Give the connection back, after the last batch."""
        if self._connection is not None and not self._database.is_sqlite:
            self._connection.close()
        self._connection = None

    def _flush(self) -> None:
        self._scheduled = False
        self._begun = self._loop.time()
        tables, self._marked = self._marked[:_BATCH_TABLES], self._marked[_BATCH_TABLES:]
        openings, self._openings = self._openings[:_BATCH_OPENINGS], self._openings[_BATCH_OPENINGS:]
        appends = [(table, append) for table in tables if (append := table.take()) is not None]
        if appends or openings:
            self._writing = _Batch(appends, openings)
            self._database.submit(self._work, [append for _, append in appends], [opening for opening, _ in openings])
        else:
            self._go_on()

    def _go_on(self) -> None:
        if self._marked or self._openings:
            self._schedule()
        else:
            self._idle.set()

    def _done(self, fates: list[Fate], seconds: float) -> None:
        written = self._writing
        assert written is not None
        self._writing = None
        self._metrics.commit_seconds.observe(seconds)
        self._metrics.batch_rows.observe(sum(len(append.rows) for _, append in written.appends) + len(written.openings))
        for _, stored in written.openings:
            if not stored.done():
                stored.set_result(None)
        for (table, append), end in zip(written.appends, fates, strict=True):
            try:
                if end is Fate.STORED:
                    table.stored(append)
                else:
                    table.lost(end)
            except Exception as error:
                # A programming error at one table must not keep the rest of the batch from being shown.
                log.exception("table_failed", match=table.id, error=type(error).__name__)
                table.lost(Fate.OVERTAKEN)
        if not self._scheduled:
            self._go_on()

    # On the database's thread.

    def _work(self, batch: list[Append], openings: list[Opening]) -> None:
        started = time.perf_counter()
        # Whatever happens here: a table that is not told would wait for ever, and the next batch with it. It is read again instead.
        fates = [Fate.OVERTAKEN] * len(batch)
        try:
            fates = self._store(batch, openings)
            for opening in openings:
                if opening.found is None:
                    self._open_one(opening)
        except Exception:
            log.exception("journal_failed", tables=len(batch))
            self._metrics.alarms.labels("journal_failed").inc()
        finally:
            try:
                self._loop.call_soon_threadsafe(self._done, fates, time.perf_counter() - started)
            except RuntimeError:
                log.warning("loop_closed_under_the_journal")

    def _store(self, batch: list[Append], openings: list[Opening]) -> list[Fate]:
        try:
            stored = self._append(self._connected(), batch, self._resend_seconds, openings)
        except PartlyRefusedError:
            stored = [False] * len(batch)
        except Exception as error:  # noqa: BLE001 - whatever it was, each table is tried alone
            self._forget_connection()
            log.warning("journal_batch_failed", error=type(error).__name__, why=_why(error), tables=len(batch))
            stored = [False] * len(batch)
        return [Fate.STORED if done else self._store_one(append) for done, append in zip(stored, batch, strict=True)]

    def _store_one(self, append: Append) -> Fate:
        """Store one table's rows, or find out what became of them; keep trying while this server owns its tables."""
        pause = _PAUSE_SECONDS
        refused = 0
        while self._owns():
            try:
                known = fate(self._connected(), append, self._mark)
                if known is not None:
                    return known
                if all(self._append(self._connected(), [append], self._resend_seconds)):
                    return Fate.STORED
                refused += 1
            except PartlyRefusedError:
                refused += 1
            except Exception as error:  # noqa: BLE001 - sorted out below
                self._forget_connection()
                log.warning("journal_append_failed", match=append.table_id, error=type(error).__name__, why=_why(error))
                if _is_about_the_rows(error):
                    return Fate.OVERTAKEN
            if refused > 1:
                return Fate.OVERTAKEN
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
        return Fate.FENCED

    def _open_one(self, opening: Opening) -> None:
        try:
            self._append(self._connected(), [], self._resend_seconds, [opening])
        except Exception as error:  # noqa: BLE001 - told to whoever opens it
            self._forget_connection()
            opening.error = error

    def _connected(self) -> Any:
        if self._connection is None:
            raw = self._database.engine.raw_connection()
            connection: Any = raw.driver_connection
            if self._database.is_sqlite:
                # The one connection of the file: it stays where it is, on this thread.
                raw.close()
            else:
                raw.detach()
                connection.autocommit = True
            self._connection = connection
        return self._connection

    def _forget_connection(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None and not self._database.is_sqlite:
            connection.close()


def _open(connection: sa.Connection, opening: Opening, resend_seconds: float) -> None:
    opening.found = open_table(connection.exec_driver_sql, "%s", opening.row, opening.first, opening.items, resend_seconds)


def _why(error: Exception) -> str:
    """Return what the driver says, if that cannot name what was to be stored."""
    return "" if _is_about_the_rows(error) else str(error).partition("\n")[0]


def _is_about_the_rows(error: Exception) -> bool:
    """Whether the same rows would fail again: the driver calls it a data, integrity or programming error."""
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"DataError", "IntegrityError", "ProgrammingError", "NotSupportedError"}) or isinstance(error, sa.exc.ArgumentError)
