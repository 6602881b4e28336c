"""The ledger alone, in a process on one core: batches of items from memory, settled one after the other. No broker, no signatures."""

from __future__ import annotations

import asyncio
import time
from itertools import islice
from typing import Any, Final

import sqlalchemy as sa

from bench import processes
from bench.settlement import hands
from services.kit.database import Database
from services.kit.items import BODY
from services.settlement import batch, store, worker
from services.settlement.batch import Good
from services.settlement.config import SCHEMA
from services.settlement.store_items import Key

BATCH: Final = 200
"""Items of a batch, each of another table: as many as a message of a table server may hold."""


class Loop:
    """Settles items of tables that it makes itself."""

    def __init__(self, database_url: str, prefix: str) -> None:
        self._database = Database(database_url, SCHEMA, 1)
        self._names = hands.names(prefix)
        self._live: list[list[Good]] = []

    async def fill(self, entries: int) -> dict[str, Any]:
        """Settle until the ledger has so many entries."""
        while (count := self._entries()) < entries:
            await self.settle(max(BATCH, (entries - count) // hands.ENTRIES))
        return {"entries": count}

    async def settle(self, items: int) -> dict[str, Any]:
        """Settle so many items; the seconds leave out what it takes to hold their stakes."""
        done, spent, longest = 0, 0.0, 0.0
        while done < items:
            goods = self._next()
            begun = time.perf_counter()
            report = self._database.run_sync(batch.settle, goods, int(time.time()))
            took = time.perf_counter() - begun
            assert len(report.settled) == len(goods), report
            done += len(goods)
            spent += took
            longest = max(longest, took)
        return {"items": done, "seconds": spent, "longest": longest}

    async def entries(self) -> dict[str, Any]:
        """Count the ledger's entries."""
        return {"entries": self._entries()}

    def _entries(self) -> int:
        return self._database.run_sync(lambda connection: connection.scalar(sa.select(sa.func.count()).select_from(store.entries)) or 0)

    def _next(self) -> list[Good]:
        """Return a batch: the next item of each of some tables."""
        self._live = [left for left in self._live if left]
        if missing := BATCH - len(self._live):
            names = list(islice(self._names, missing))
            hands.hold(self._database, names)
            self._live += [_goods(name) for name in names]
        goods = [left[0] for left in self._live]
        self._live = [left[1:] for left in self._live]
        return goods


def _goods(table: str) -> list[Good]:
    return [Good(Key(table, seq), BODY.validate_json(text), text, "bench") for seq, text in enumerate(hands.bodies(table), 1)]


async def run(database_url: str, prefix: str) -> None:
    """Settle until the parent goes."""
    loop = Loop(database_url, prefix)
    worker.tune()
    await processes.serve({}, {"fill": loop.fill, "settle": loop.settle, "entries": loop.entries})


def main() -> None:
    """Run as a child of the bench."""
    asyncio.run(run(**processes.begin()))


if __name__ == "__main__":
    main()
