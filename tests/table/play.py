"""Steps that many tests of the table begin with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tests.table.client import Client
from tests.table.world import World
from xuezhan.api.table.v1 import table_pb2 as pb

PLAYERS = ("ann", "bob", "cem", "dee")


async def seated(w: World, client: Client, table_id: str = "t", first_ref: int = 0) -> pb.OpenTableResponse:
    """Open a table, attach all players over one stream and wait for the first offers."""
    opened = await w.open(*PLAYERS, table_id=table_id)
    await client.attach_all(opened, first_ref)
    await client.until(lambda: all(first_ref + seat in client.offers for seat in range(4)))
    return opened


async def until(true: Callable[[], Any], seconds: float = 10) -> None:
    """Wait for something in this process that sends no word."""
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110 - what is waited for is inside the server
            await asyncio.sleep(0.005)


def state(w: World, table_id: str) -> tuple[Any, ...]:
    """All of a table that could have changed."""
    table = w.hall.find(table_id)
    return table.head, table.course.digest(), list(table.course.counts), table.course.on_auto, list(table.course.missed)


class Gate:
    """Holds appends up on the database's thread, as a slow disk would."""

    def __init__(self, w: World) -> None:
        import threading

        self.open = threading.Event()
        self.waiting = threading.Event()
        self._journal = w.hall.journal
        self._append = self._journal._append

        def slow(*args: Any) -> Any:
            self.waiting.set()
            assert self.open.wait(20)
            return self._append(*args)

        self._journal._append = slow

    def let_go(self) -> None:
        self.open.set()
        self._journal._append = self._append
