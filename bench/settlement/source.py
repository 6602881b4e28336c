"""A table server's way of items without the play, in a process on one core: its journal and outbox, its relay, its inbox.

Tables owe items instead of playing hands. An item is told when its outcome is stored in the journal, which is when a table server tells
its players.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from math import inf
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
import uvloop
from prometheus_client import CollectorRegistry

from bench import processes
from bench.settlement import hands
from services.kit import keys, logs
from services.kit.database import Database, migrate
from services.kit.items import Result, TableOutcome
from services.kit.letterbox import Letterbox
from services.kit.messages import Author, Reader
from services.kit.publisher import Publisher
from services.kit.supervise import Supervisor
from services.table import server, store
from services.table.appends import Append, Fate
from services.table.journal import Journal
from services.table.metrics import TableMetrics
from services.table.relay import Inbox, Relay
from services.table.rows import Kind, Row

_RESEND_SECONDS: Final = 30.0
_TICK: Final = 0.005
_STALLED_SECONDS: Final = 60.0


class Owing:
    """One table that owes items (services.table.ports.JournaledTable)."""

    def __init__(self, source: Source, name: str, num: int) -> None:
        self.id = name
        self.owed = self.told = 0
        self._source = source
        self._num = num
        self._bodies = hands.bodies(name)
        self._seq = 0
        self._rows: list[Row] = []
        self._items: list[tuple[int, str]] = []
        self._done: list[int] = []
        self._since: dict[int, float] = {}

    @property
    def may_owe(self) -> bool:
        """Whether it has items left."""
        return self.owed < len(self._bodies)

    @property
    def over(self) -> bool:
        """Whether all its items are told."""
        return self.told == len(self._bodies)

    def owe(self) -> None:
        """Come to owe the next item."""
        self.owed += 1
        self._items.append((self.owed, self._bodies[self.owed - 1]))
        self._row(Kind.ACT, "{}")

    def outcome(self, outcome: TableOutcome) -> None:
        """Take in what became of items, in order; what is known already changes nothing."""
        for item in outcome.items:
            if item.seq == self.told + len(self._done) + 1 and item.seq in self._since:
                assert item.result is Result.APPLIED, item
                self._done.append(item.seq)
                self._row(Kind.SETTLED, item.model_dump_json(exclude_defaults=True))

    def _row(self, kind: Kind, body: str) -> None:
        self._seq += 1
        self._rows.append(Row(self._seq, kind, 0, 0, 0, body, None, None))
        self._source.journal.mark(self)

    def take(self) -> Append | None:
        """Return what is to be stored."""
        if not self._rows:
            return None
        append = Append(self.id, self._num, 1, self._rows, self._items, self._done)
        self.told += len(self._done)
        self._rows, self._items, self._done = [], [], []
        return append

    def stored(self, append: Append) -> None:
        """Send what is owed; count what is told."""
        now = time.monotonic()
        self._since.update((seq, now) for seq, _ in append.items)
        self._source.relay.add(self.id, append.items)
        for seq in append.done:
            self._source.relay.settled(self.id, seq)
            self._source.tell(now - self._since.pop(seq))
        if append.done or append.items:
            self._source.go_on(self)

    def lost(self, fate: Fate) -> None:
        """Fail: nobody else owns these tables."""
        raise AssertionError(fate)


class Source:
    """The tables, and what a table server has for them."""

    def __init__(self, database_url: str, broker_url: str, secrets: str, name: str, tables: int) -> None:
        """`tables`: how many owe at a time."""
        supervisor, registry = Supervisor(), CollectorRegistry()
        self._database = Database(database_url, server.SCHEMA, supervisor=supervisor)
        migrate(self._database, Path(server.__file__).parent / "migrations")
        own = keys.load_table(Path(secrets))
        metrics = TableMetrics(registry)
        publisher = Publisher(broker_url, supervisor)
        self.journal = Journal(self._database, metrics, lambda: True, _RESEND_SECONDS)
        author = Author(own.key, own.installation, name)
        self.relay = Relay(self._database, publisher, author, metrics, _RESEND_SECONDS, supervisor)
        letterbox = Letterbox("outcomes", Reader(own.trust, name).outcomes, publisher, registry)
        self._inbox = Inbox(broker_url, name, letterbox, self._outcome, supervisor)
        self._name = name
        self._tables = tables
        self._fresh: deque[Owing] = deque()
        self._live: dict[str, Owing] = {}
        self._ready: deque[Owing] = deque()
        self._top = self._starved = False
        self._told = 0
        self._lags: list[float] = []

    async def run(self) -> None:
        """Serve until the parent goes."""
        self._inbox.start()
        relaying = asyncio.create_task(self.relay.run())
        await processes.serve({}, {"add": self.add, "top": self.top, "paced": self.paced, "hold": self.hold})
        relaying.cancel()

    async def add(self, names: list[str]) -> dict[str, Any]:
        """Take up tables whose stakes are held."""
        nums = await self._database.run(_insert, names, self._name)
        self._fresh += [Owing(self, name, num) for name, num in zip(names, nums, strict=True)]
        return {}

    async def top(self, seconds: float) -> dict[str, Any]:
        """Let each table owe one item after the other, from now until told to hold, and count what is told."""
        self._top = True
        self._fill()
        for table in list(self._live.values()):
            self.go_on(table)
        return await self._counted(seconds)

    async def paced(self, rate: float, seconds: float) -> dict[str, Any]:
        """Owe so many items a second, come what may."""
        pacer = asyncio.create_task(self._pace(rate))
        self._lags = []
        found = await self._counted(seconds)
        lags = sorted(self._lags)
        pacer.cancel()
        return found | {f"p{part}_ms": lags[len(lags) * part // 100] * 1e3 if lags else inf for part in (50, 99)}

    async def hold(self) -> dict[str, Any]:
        """Owe nothing new, and wait until everything is told."""
        self._top = False
        until = time.monotonic() + _STALLED_SECONDS
        while any(table.owed > table.told for table in self._live.values()):
            if time.monotonic() > until:
                raise TimeoutError("items without an outcome")
            await asyncio.sleep(_TICK)
        await self.journal.idle()
        return {"left": len(self._fresh)}

    def go_on(self, table: Owing) -> None:
        """Let a table owe more at full load, and another take its place when it is over."""
        if table.over and self._live.pop(table.id, None) is not None:
            self._fill()
        if self._top and table.may_owe and table.owed == table.told:
            table.owe()

    def tell(self, lag: float) -> None:
        """Count an item that is told, so many seconds after it was stored."""
        self._told += 1
        self._lags.append(lag)

    def _fill(self) -> None:
        while len(self._live) < self._tables:
            if not self._fresh:
                self._starved = True
                return
            table = self._fresh.popleft()
            self._live[table.id] = table
            self._ready.append(table)
            if self._top:
                self.go_on(table)

    def _outcome(self, outcome: TableOutcome) -> None:
        table = self._live.get(outcome.table)
        if table is not None:
            table.outcome(outcome)

    async def _pace(self, rate: float) -> None:
        self._fill()
        self._ready = deque(table for table in self._live.values() if table.may_owe)
        at = time.monotonic()
        while True:
            now = time.monotonic()
            while at <= now and self._ready:
                table = self._ready.popleft()
                table.owe()
                at += 1 / rate
                if table.may_owe:
                    self._ready.append(table)
            await asyncio.sleep(_TICK)

    async def _counted(self, seconds: float) -> dict[str, Any]:
        self._starved = False
        told, begun = self._told, time.monotonic()
        await asyncio.sleep(seconds)
        return {"seconds": time.monotonic() - begun, "items": self._told - told, "starved": self._starved}


def _insert(connection: Any, names: list[str], owner: str) -> list[int]:
    rows = [
        {"id": name, "room": "bench", "owner": owner, "generation": 1, "epoch": 1, "state": "open", "opened_at": 0, "request": ""}
        for name in names
    ]
    found = connection.execute(sa.insert(store.tables).returning(store.tables.c.num, sort_by_parameter_order=True), rows)
    return [num for (num,) in found]


async def _serve(given: dict[str, Any]) -> None:
    await Source(**given).run()


def main() -> None:
    """Run as a child of the bench."""
    given = dict(processes.begin())
    logs.configure("warning")
    uvloop.run(_serve(given))


if __name__ == "__main__":
    main()
