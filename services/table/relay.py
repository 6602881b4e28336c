"""The relay: what tables owe goes to the settlement workers, what became of it comes back.

Law: the outbox row is the truth, a message only a hint. An item is sent again, less and less often, until its outcome is in the journal;
outcomes that come twice or out of order change nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Final

from kombu import Connection

from services.kit import bus, logs
from services.kit.broker_link import pause
from services.kit.database import Database
from services.kit.errors import ServiceError, UnavailableError
from services.kit.items import MAX_BATCH_BYTES, MAX_BATCH_ITEMS, Item, TableOutcome
from services.kit.letterbox import Letterbox
from services.kit.listener import Listener
from services.kit.messages import Author, OutcomesText
from services.kit.publisher import Publisher
from services.kit.supervise import Supervisor, Threads
from services.table import store

if TYPE_CHECKING:
    from services.table.metrics import TableMetrics

log = logs.get(__name__)

MAX_UNSETTLED: Final = 2_000
"""Items that may be under way without an outcome; the others wait aside for one of them to be settled."""
_LONGEST_SECONDS: Final = 60.0
_ITEM_OVERHEAD: Final = 160
"""Bytes of an item in a message beyond its body."""
_HEAD_BYTES: Final = 512
"""Bytes of a message beyond its items."""
_TICK_SECONDS: Final = 0.005
"""Items that come due together go together."""
_SEND_SECONDS: Final = 0.1
"""The least time between two sendings while the outcome of the first is not known: a message costs as much as the settling of several
items, so workers that are busy get larger messages.
"""
_SPREAD_SECONDS: Final = 1.0
_TABLES_A_TURN: Final = 4
"""Tables that are told an outcome in one turn of the loop: some deal a hand then."""


@dataclass(slots=True)
class _Item:
    table: str
    seq: int
    body: str
    attempts: int
    since: float
    due: float = inf
    """When it is sent next, on the loop's clock; inf while it waits aside."""


class Relay:
    """The items of all tables of the process that have no outcome yet."""

    def __init__(
        self,
        database: Database,
        publisher: Publisher,
        author: Author,
        metrics: TableMetrics,
        resend_seconds: float,
        supervisor: Supervisor,
    ) -> None:
        self._database = database
        self._publisher = publisher
        self._author = author
        self._metrics = metrics
        self._resend_seconds = resend_seconds
        self._loop = asyncio.get_running_loop()
        self._items: dict[tuple[str, int], _Item] = {}
        self._due: list[tuple[float, str, int]] = []
        self._aside: deque[tuple[str, int]] = deque()
        self._under_way: set[tuple[str, int]] = set()
        self._awaited: set[tuple[str, int]] = set()
        """Of the last sending, what has no outcome."""
        self._answered = asyncio.Event()
        self._wake = asyncio.Event()
        self._thread = Threads(supervisor, "publisher", 1)

    def add(self, table: str, items: Sequence[tuple[int, str]]) -> None:
        """Send items that have just been stored."""
        now = self._loop.time()
        for seq, body in items:
            self._put(_Item(table, seq, body, 0, now), now)

    def resume(self, due: Sequence[store.Due], clock: float) -> None:
        """Send again what has no outcome, of tables that were taken up, spread over a second. `clock`: the time as the rows have it."""
        now = self._loop.time()
        for item in due:
            again = _Item(item.table_id, item.seq, item.body, item.attempts, now - max(0.0, clock - item.created_at))
            self._put(again, now + random.uniform(0, _SPREAD_SECONDS))

    def _put(self, item: _Item, at: float) -> None:
        self._items[item.table, item.seq] = item
        item.due = at
        heapq.heappush(self._due, (at, item.table, item.seq))
        if self._due[0][0] == at:
            self._wake.set()

    def settled(self, table: str, seq: int) -> None:
        """The item's outcome is stored."""
        item = self._items.pop((table, seq), None)
        self._under_way.discard((table, seq))
        self._awaited.discard((table, seq))
        if not self._awaited:
            self._answered.set()
        if item is not None and item.due != inf:
            self._admit()

    def _admit(self) -> None:
        """Let the item that has waited the longest for room be sent."""
        while self._aside:
            item = self._items.get(self._aside.popleft())
            if item is not None and item.due == inf:
                self._put(item, self._loop.time())
                return

    def forget(self, table: str, through: int) -> None:
        """The table is no longer this server's: its items up to `through` are no longer ours to send."""
        for seq in range(1, through + 1):
            self.settled(table, seq)

    @property
    def waiting(self) -> int:
        """How many items have no outcome yet."""
        return len(self._items)

    def of(self, table: str) -> tuple[int, float]:
        """Return how many items of a table have no outcome yet, and the age of the oldest."""
        ages = [self._loop.time() - item.since for (of, _), item in list(self._items.items()) if of == table]
        return len(ages), max(ages, default=0.0)

    def oldest_seconds(self) -> float:
        """Return the age of the oldest item without an outcome."""
        return max((self._loop.time() - item.since for item in list(self._items.values())), default=0.0)

    async def run(self) -> None:
        """Send what is due, for ever."""
        while True:
            timeout = max(self._due[0][0] - self._loop.time(), _TICK_SECONDS) if self._due else None
            try:
                async with asyncio.timeout(timeout):
                    await self._wake.wait()
                await asyncio.sleep(_TICK_SECONDS)
            except TimeoutError:
                pass
            self._wake.clear()
            started = self._loop.time()
            self._awaited.clear()
            self._answered.clear()
            # What comes due while a batch is on its way goes with the next: of messages that hold little there would be many.
            while batch := self._take(started):
                try:
                    await self._send(batch)
                except UnavailableError as error:
                    # Nothing else is tried on the way to a broker that does not take it, and no item is put off for longer because of that.
                    log.warning("items_not_sent", items=len(batch), why=error.message)
                    await asyncio.sleep(pause(error))
                    break
            if self._awaited:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout_at(started + _SEND_SECONDS):
                        await self._answered.wait()

    def _take(self, now: float) -> list[_Item]:
        """Return the next batch of what was due at a time, each table's items in order."""
        batch: list[_Item] = []
        size = _HEAD_BYTES
        while self._due and self._due[0][0] <= now and len(batch) < MAX_BATCH_ITEMS:
            at, *_ = entry = self._due[0]
            key = entry[1:]
            item = self._items.get(key)
            if item is None or item.due != at:
                heapq.heappop(self._due)
            elif key not in self._under_way and len(self._under_way) >= MAX_UNSETTLED:
                # What is under way has to be sent again meanwhile: it would wait behind this one.
                heapq.heappop(self._due)
                item.due = inf
                self._aside.append(key)
            else:
                # A quotation mark of the body takes two bytes in the text.
                size += len(item.body) + item.body.count('"') + _ITEM_OVERHEAD
                if batch and size > MAX_BATCH_BYTES:
                    break
                heapq.heappop(self._due)
                self._under_way.add(key)
                batch.append(item)
        return sorted(batch, key=lambda item: (item.table, item.seq))

    async def _send(self, batch: list[_Item]) -> None:
        """Send a batch. UnavailableError: the broker did not take it. Whatever is raised, it is due again at once."""
        pauses = [self._pause(item.attempts + 1) for item in batch]
        try:
            # Worth working on until the last of its items is sent again.
            await asyncio.wrap_future(self._thread.submit(self._publish, batch, max(pauses)))
        except Exception:
            now = self._loop.time()
            for item in batch:
                self._put_again(item, now)
            raise
        now = self._loop.time()
        self._awaited.update(key for item in batch if self._items.get(key := (item.table, item.seq)) is item)
        again = []
        for item, wait in zip(batch, pauses, strict=True):
            item.attempts += 1
            self._metrics.items_sent.labels("yes" if item.attempts > 1 else "no").inc()
            self._put_again(item, now + wait)
            if item.attempts > 1:
                again.append((item.table, item.seq, item.attempts, wait))
        if again:
            try:
                await self._database.run(store.note_resent, again)
            except ServiceError:
                log.warning("resend_not_noted", items=len(again))

    def _pause(self, attempts: int) -> float:
        """Return how long to wait for the outcome of an item that was sent so often."""
        doubled: float = self._resend_seconds * 2 ** min(attempts - 1, 10)
        return min(doubled, _LONGEST_SECONDS) * random.uniform(1, 1.25)

    def _put_again(self, item: _Item, at: float) -> None:
        if self._items.get((item.table, item.seq)) is item:
            self._put(item, at)

    def _publish(self, batch: list[_Item], worth_seconds: float) -> None:
        items = [Item(table=item.table, seq=item.seq, body=item.body) for item in batch]
        self._publisher.items(self._author.items(items), worth_seconds)

    def close(self) -> None:
        """Stop sending."""
        self._thread.close()
        self._publisher.close()


class Inbox:
    """Takes outcomes in from the broker's thread and hands them over in the event loop."""

    def __init__(
        self,
        url: str,
        server: str,
        letterbox: Letterbox[OutcomesText],
        handle: Callable[[TableOutcome], None],
        supervisor: Supervisor,
        workers: Callable[[float], object] = lambda _count: None,
    ) -> None:
        """`workers` is told now and then how many settlement workers there are."""
        self._loop = asyncio.get_running_loop()
        self._letterbox = letterbox
        self._handle = handle
        self._workers = workers
        look = (lambda _: None) if bus.is_memory(url) else self._count_workers
        self._listener = Listener(url, bus.outcome_queue(server), self._receive, supervisor, "outcomes", idle=letterbox.put_away, look=look)

    def start(self) -> None:
        """Begin."""
        self._listener.start()

    async def stop(self) -> None:
        """End."""
        await self._loop.run_in_executor(None, self._listener.stop)

    def _count_workers(self, connection: Connection) -> None:
        self._workers(bus.workers(connection))

    def _receive(self, message: Any) -> None:
        outcomes = self._letterbox.read(message)
        if outcomes is None:
            return
        try:
            self._loop.call_soon_threadsafe(self._hand_over, outcomes.tables)
        except RuntimeError:
            log.warning("loop_closed_under_outcomes")
        message.ack()

    def _hand_over(self, tables: Sequence[TableOutcome]) -> None:
        for outcome in tables[:_TABLES_A_TURN]:
            self._handle(outcome)
        if len(tables) > _TABLES_A_TURN:
            self._loop.call_soon(self._hand_over, tables[_TABLES_A_TURN:])
