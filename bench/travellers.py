"""The players of `bench.crowd` whose tables change servers: a stream a server, and every seat at the server where its table is."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final

import uvloop
from grpc import aio

from bench import processes
from bench.crowd import CHANNEL_OPTIONS, SEATS, Crowd
from bench.load import Load
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.api.table.v1.table_pb2_grpc import TableServiceStub

_INPUTS: Final = 200
"""Attaches in one message, below the 64 KiB that a server takes."""
_RETRY_SECONDS: Final = 0.1


class Travellers(Crowd):
    """`views`: when each seat was last shown how its table stands, on the monotonic clock. `names`: the tables' ids, by place."""

    def __init__(self, address: str, secrets: str, room: str, tables: int) -> None:
        super().__init__(address, secrets, room, tables)
        self.views: dict[int, float] = {}
        self.names: dict[int, str] = {}
        self._home = address
        self._stays = False
        self._tokens: dict[int, str] = {}
        self._at: dict[int, str] = {}
        self._calls: dict[str, Any] = {}

    def head_for(self, address: str, *, stay: bool) -> None:
        """Go to this server when a stream breaks; with `stay` not before they are told to."""
        self._home, self._stays = address, stay

    def set_out(self) -> None:
        """Attach every seat at the server that they head for."""
        self._stays = False
        self._go(self._tokens, self._home)

    async def _read(self) -> None:
        # Every stream has a reader of its own.
        await asyncio.Event().wait()

    def _call_to(self, address: str) -> Any:
        if address not in self._calls:
            self._calls[address] = TableServiceStub(aio.insecure_channel(address, options=CHANNEL_OPTIONS)).Play()
            self._tasks.append(asyncio.create_task(self._listen(address)))
            self._tasks[-1].add_done_callback(self._failed)
        return self._calls[address]

    def _failed(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self._ended(task)

    async def _listen(self, address: str) -> None:
        call = self._calls[address]
        try:
            while (response := await call.read()) is not aio.EOF:
                self._hear(response)
        except aio.AioRpcError:
            await asyncio.sleep(_RETRY_SECONDS)
        del self._calls[address]
        if not self._stays:
            self._go([ref for ref, at in self._at.items() if at == address], self._home)

    def _go(self, refs: Any, address: str, epoch: int = 0) -> None:
        for ref in refs:
            self._at[ref] = address
            self._attaches.append(pb.Input(seat_ref=ref, attach=pb.Attach(token=self._tokens[ref], epoch=epoch)))
        self._wake.set()

    def _seated(self, place: int, opened: Any) -> None:
        self.names[place] = opened.table_id
        for one in opened.tokens:
            self._tokens[place * SEATS + one.seat] = one.token
        self._go([place * SEATS + one.seat for one in opened.tokens], opened.address)

    def _viewed(self, refs: Any) -> None:
        now = time.monotonic()
        for ref in refs:
            self.views[ref] = now

    def _sent_on(self, event: Any) -> None:
        refs = list(event.seat_refs)
        if event.HasField("moved"):
            self._go(refs, event.moved.address, event.moved.epoch)
        else:
            asyncio.get_running_loop().call_later(event.wait.retry_after_ms / 1000, self._go, refs, self._home)

    async def _write(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._out or self._attaches:
                some, self._out, self._attaches = [*self._attaches, *self._out], [], []
                by_address: dict[str, list[pb.Input]] = {}
                for item in some:
                    by_address.setdefault(self._at[item.seat_ref], []).append(item)
                for address, inputs in by_address.items():
                    await self._send(address, inputs)

    async def _send(self, address: str, inputs: list[pb.Input]) -> None:
        for start in range(0, len(inputs), _INPUTS):
            try:
                await self._call_to(address).write(pb.PlayRequest(inputs=inputs[start : start + _INPUTS]))
            except (aio.AioRpcError, asyncio.InvalidStateError):
                # Its reader notices, and the seats are attached elsewhere.
                return


class Journey(Load):
    """The commands of these players."""

    def __init__(self, travellers: Travellers) -> None:
        super().__init__(travellers)
        self._travellers = travellers

    async def head_for(self, address: str, stay: bool) -> dict[str, Any]:
        """Go to this server when a stream breaks."""
        self._travellers.head_for(address, stay=stay)
        return {}

    async def set_out(self) -> dict[str, Any]:
        """Attach every seat at the server that they head for."""
        self._travellers.set_out()
        return {}

    async def viewed(self, since: float) -> dict[str, Any]:
        """Wait until every seat has been shown its table after a moment; when each was, by table."""
        views = self._travellers.views
        await self._until(lambda: len(views) == self._travellers.tables * SEATS and min(views.values()) > since)
        found: dict[str, list[float]] = {}
        for ref, at in views.items():
            found.setdefault(self._travellers.names[ref // SEATS], []).append(at)
        return {"views": found}


async def run(address: str, secrets: str, room: str, tables: int) -> None:
    """Play until the parent goes."""
    travellers = Travellers(address, secrets, room, tables)
    await travellers.start()
    journey = Journey(travellers)
    await processes.serve({}, journey.handlers() | {"head_for": journey.head_for, "set_out": journey.set_out, "viewed": journey.viewed})


def main() -> None:
    """Run as a child of the bench."""
    uvloop.run(run(**processes.begin()))


if __name__ == "__main__":
    main()
