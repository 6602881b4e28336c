"""The settlement job: check a message, settle it, tell the tables. The same function for every kind of worker.

Law: outcomes are sent only after the commit. A failure of one table never stops the others: a batch that fails is redone one transaction a
table, and what cannot be settled marks its table stuck and waits for an operator. Losing this process at any point loses nothing: whoever
sent the items sends them again until it knows their outcome.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from celery import Celery, Task

from services.kit import logs
from services.kit.database import Database
from services.kit.errors import UnavailableError
from services.kit.items import Item, Result, TableOutcome
from services.kit.messages import Author
from services.kit.publisher import Publisher
from services.settlement import batch, door, store_items
from services.settlement.batch import Good, Report, Step
from services.settlement.jobs import APPLY_ITEMS
from services.settlement.metrics import WorkerMetrics
from services.settlement.store_items import Key

log = logs.get(__name__)

SPLIT_AFTER: Final = 2
"""A message delivered again this often may hold an item that kills workers: its items are tried one by one."""
MAX_ATTEMPTS: Final = 2
"""An item tried alone this often without an end is not tried again."""

Publish = Callable[[str, Sequence[TableOutcome]], None]


def published(publisher: Publisher, author: Author) -> Publish:
    """Return what signs outcomes and sends them to a table server."""

    def publish(server: str, tables: Sequence[TableOutcome]) -> None:
        for message in author.outcomes(server, tables):
            publisher.outcomes(server, message)

    return publish


@dataclass(slots=True, kw_only=True)
class Settler:
    """Settles messages of items. `publish` sends outcomes to a table server and raises UnavailableError where it cannot."""

    database: Database
    publish: Publish
    metrics: WorkerMetrics
    batch_seconds: float = 60
    clock: Callable[[], float] = time.time
    step: Step = lambda _: None

    def apply_items(self, items: Sequence[Item], reply_to: str, redelivered: int = 0) -> None:
        """Settle one message that was delivered `redelivered` times before. UnavailableError: the database does not answer."""
        begun = time.monotonic()
        good, bad = door.check(items, reply_to)
        for one in bad:
            self._refused(one.reason, one.table, one.seq)
        good.sort(key=lambda item: item.key)
        report = self._one_by_one(good) if redelivered >= SPLIT_AFTER else self._together(good)
        self.step("committed")
        self._tell(good, report)
        self.step("published")
        self.metrics.batch_seconds.observe(time.monotonic() - begun)

    def _together(self, items: Sequence[Good]) -> Report:
        if not items:
            return Report()
        try:
            return self._settle(items)
        except UnavailableError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the other tables go on
            log.warning("batch_split", items=len(items), error=type(error).__name__)
            return self._table_by_table(items)

    def _table_by_table(self, items: Sequence[Good]) -> Report:
        whole = Report()
        deadline = time.monotonic() + self.batch_seconds
        for _, of_table in groupby(items, key=lambda item: item.key.table):
            if time.monotonic() > deadline:
                log.warning("batch_given_up", seconds=self.batch_seconds)
                break
            items_of_table = list(of_table)
            try:
                _add(whole, self._settle(items_of_table))
            except UnavailableError:
                raise
            except Exception:  # noqa: BLE001 - likewise
                _add(whole, self._up_to_the_bad_one(items_of_table))
        return whole

    def _up_to_the_bad_one(self, items: Sequence[Good]) -> Report:
        """Settle one table's items one transaction an item until one cannot be; there the table is stuck."""
        whole = Report()
        try:
            for _ in range(store_items.MAX_RUN):
                part = self._settle(items, limit=1)
                _add(whole, part)
                if not part.settled:
                    break
        except UnavailableError:
            raise
        except Exception as error:  # noqa: BLE001 - likewise
            _add(whole, self._stick(items, type(error).__name__, error))
        return whole

    def _one_by_one(self, items: Sequence[Good]) -> Report:
        whole = Report()
        deadline = time.monotonic() + self.batch_seconds
        for item in items:
            if time.monotonic() > deadline:
                log.warning("batch_given_up", seconds=self.batch_seconds)
                break
            if self.database.run_sync(store_items.count_attempt, item.key) > MAX_ATTEMPTS:
                _add(whole, self._stick([item], "kills_workers", None))
            else:
                _add(whole, self._together([item]))
                self.database.run_sync(store_items.forget_attempts, item.key.table)
        return whole

    def _settle(self, items: Sequence[Good], limit: int = store_items.MAX_RUN) -> Report:
        report = self.database.run_sync(batch.settle, items, int(self.clock()), self.step, limit)
        self._count(report)
        return report

    def _stick(self, items: Sequence[Good], reason: str, error: Exception | None) -> Report:
        """Keep the items of one table, settle none, and call an operator."""
        table = items[0].key.table
        log.error("table_stuck", match=table, seq=items[0].key.seq, reason=reason, exc_info=error)
        outcome = self.database.run_sync(_stick, items, reason, "" if error is None else _printable(error), int(self.clock()))
        self.metrics.stuck.labels("kills_workers" if error is None else "failed").inc()
        return Report(outcomes={table: outcome})

    def _refused(self, reason: str, table: str, seq: int) -> None:
        log.error("item_refused", reason=reason, match=table, seq=seq)
        self.metrics.refused.labels(reason).inc()

    def _count(self, report: Report) -> None:
        for refused in report.refused:
            self._refused(refused.reason, refused.key.table, refused.key.seq)
        self.metrics.count(report.settled)
        self.metrics.repeated.inc(report.repeated)
        for one in report.settled:
            outcome = one.outcome
            for player, coins in one.went:
                log.info("settled", player=player, match=one.table, coins=coins)
            if outcome.result is Result.REFUSED:
                log.warning("item_settled_as_refused", match=one.table, seq=outcome.seq, kind=outcome.kind, reason=outcome.reason)

    def _tell(self, items: Sequence[Good], report: Report) -> None:
        to: dict[str, dict[str, TableOutcome]] = {}
        for item in items:
            if item.key.table in report.outcomes:
                to.setdefault(item.reply_to, {})[item.key.table] = report.outcomes[item.key.table]
        for server, outcomes in to.items():
            try:
                self.publish(server, list(outcomes.values()))
            except UnavailableError:
                # The server has the items still and will ask again.
                self.metrics.unpublished.inc()
                log.warning("outcomes_unpublished", server=server, tables=len(outcomes))


def _printable(error: Exception) -> str:
    return "".join(letter for letter in str(error)[:2000] if letter.isprintable() or letter == "\n")


def _stick(connection: Any, items: Sequence[Good], reason: str, detail: str, now: int) -> TableOutcome:
    table = items[0].key.table
    told = batch.settle(connection, items, now, limit=0).outcomes[table]
    stopped_at = Key(table, told.through + 1)
    found = store_items.read(connection, [stopped_at]).get(stopped_at)
    store_items.dead_letter(connection, stopped_at, reason, detail, found.body if found else "", now)
    store_items.stick(connection, table, reason)
    return told.model_copy(update={"stuck": True})


def _add(whole: Report, part: Report) -> None:
    for table, outcome in part.outcomes.items():
        before = whole.outcomes.get(table)
        rows = [*(before.items if before else []), *outcome.items]
        whole.outcomes[table] = TableOutcome(table=table, through=outcome.through, items=rows, stuck=outcome.stuck)
    whole.settled += part.settled
    whole.refused += part.refused
    whole.repeated += part.repeated


def register(app: Celery, settler: Settler) -> Task[..., None]:
    """Make the job known to a Celery application."""

    def apply_items(*, items: list[list[Any]], reply_to: str, deliveries: int) -> None:
        settler.apply_items([Item(table=table, seq=seq, body=body) for table, seq, body in items], reply_to, deliveries)

    # Not shared: else every other Celery application of the process would run it too.
    return app.task(name=APPLY_ITEMS, shared=False, acks_late=True, ignore_result=True)(apply_items)
