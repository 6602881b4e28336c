"""What a pause tells while tables move: a hand-over within a claim window neither cuts it nor tells whether the server was asked."""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Coroutine
from typing import Any

import pytest

from tests.support.ranks import mann_whitney
from tests.table.play import until
from tests.table.several import Servers, servers
from tests.table.test_tells import OUTCOMES, PER_TABLE, Crowd, P
from tests.table.world import Rules, World
from xuezhan.api.table.v1 import table_pb2 as pb

__all__ = ["servers"]

WINDOW_SECONDS = 0.1
TABLES = 24
MOVES = 700


class Wanderers(Crowd):
    """The crowd at tables that are handed to and fro between two servers, each time within a claim window."""

    def __init__(self, a: World, b: World, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(a, monkeypatch, seed=5)
        self.worlds = {a.address: a, b.address: b}
        self.tokens: dict[int, str] = {}
        self.last: dict[int, int] = {}
        self.said: dict[int, list[pb.Input]] = defaultdict(list)
        """What each seat said without an answer: it says so again at the next server."""
        self.moves: dict[str, list[float]] = defaultdict(list)
        self.moving: set[str] = set()
        self.calls: dict[str, Any] = {}
        self.writing: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.going: set[asyncio.Task[None]] = set()

    async def wander(self) -> None:
        """Play until tables have moved often enough."""
        a = self.w
        self.ids = [f"t{number}" for number in range(TABLES)]
        async with contextlib.AsyncExitStack() as stack:
            for address, w in self.worlds.items():
                w.hall.reconnect_seconds = 0
                self.calls[address] = (await stack.enter_async_context(w.stub())).Play()
            opening = [a.open("ann", "bob", None, None, table_id=table_id) for table_id in self.ids]
            for number, opened in enumerate(await asyncio.gather(*opening)):
                self.tokens |= {number * PER_TABLE + one.seat: one.token for one in opened.tokens}
            await self.write(a.address, [self.attach(ref) for ref in self.tokens])
            readers = [asyncio.create_task(self.read(address)) for address in self.calls]
            try:
                await until(lambda: self.count() >= MOVES or any(reader.done() for reader in readers), seconds=400)
                for reader in readers:
                    assert not reader.done() or reader.result()
            finally:
                for task in (*readers, *self.going):
                    task.cancel()
                await asyncio.gather(*readers, *self.going, return_exceptions=True)
                for call in self.calls.values():
                    call.cancel()

    def count(self) -> int:
        """How often tables have moved."""
        return sum(map(len, self.moves.values()))

    def attach(self, ref: int, epoch: int = 0) -> pb.Input:
        return pb.Input(seat_ref=ref, attach=pb.Attach(token=self.tokens[ref], last_number=self.last.get(ref, 0), epoch=epoch))

    async def write(self, address: str, inputs: list[pb.Input]) -> None:
        if inputs:
            async with self.writing[address]:
                await self.calls[address].write(pb.PlayRequest(inputs=inputs))

    async def read(self, address: str) -> None:
        async for response in self.calls[address]:
            now = asyncio.get_running_loop().time()
            for event in response.events:
                self.last.update(zip(event.seat_refs, event.numbers, strict=False))
                await self.follow(address, event)
            for answer in response.answers:
                if answer.refused != "not_attached":
                    self.said.pop(answer.seat_ref, None)
            inputs = self.take(response, now)
            for item in inputs:
                if item.HasField("act"):
                    item.act.action_id = self.rng.getrandbits(60) | 1
                if not item.HasField("auto_pass"):
                    self.said[item.seat_ref] = [item]
            await self.write(address, inputs)

    async def follow(self, address: str, event: Any) -> None:
        """Go after a table that moved, say there what was not answered, and let a table move that shows a discard."""
        kind = event.WhichOneof("what")
        if kind == "moved":
            await self.write(event.moved.address, [self.attach(ref, event.moved.epoch) for ref in event.seat_refs])
        elif kind == "attached":
            await self.write(address, [item for ref in event.seat_refs for item in self.said.pop(ref, [])])
        elif kind == "discarded":
            for table_id in [self.ids[ref // PER_TABLE] for ref in event.seat_refs if ref % PER_TABLE == 0]:
                self.start(self.move(table_id, self.rng.uniform(0, WINDOW_SECONDS / 2)))

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self.going.add(task)
        task.add_done_callback(self.going.discard)

    async def move(self, table_id: str, seconds: float) -> None:
        """Hand a table to the other server, unless it is on its way."""
        if table_id in self.moving:
            return
        self.moving.add(table_id)
        await asyncio.sleep(seconds)
        source, target = sorted(self.worlds.values(), key=lambda w: w.hall.find(table_id) is None)
        table = source.hall.find(table_id)
        row = next(one for one in await source.hall.directory.servers() if one.name == target.server_name)
        begun = asyncio.get_running_loop().time()
        if table is not None and await source.service._hand_over._hand_over([table], row, 1.0):
            self.moves[table_id].append(begun)
        self.moving.discard(table_id)

    def moved(self, *, asked: bool) -> list[float]:
        """How long the outcomes took of discards within whose window a hand-over began, with somebody asked or without."""
        found = []
        for table_id, table in self.tables.items():
            numbers = iter(table.asked)
            for place, (at, kind, _) in enumerate(table.happened):
                if kind not in {"discarded", "kong_announced"}:
                    continue
                somebody = next(numbers)
                outcome = next((later for later, what, _ in table.happened[place + 1 :] if what in OUTCOMES), None)
                if outcome is not None and somebody is asked and any(at <= begun < outcome for begun in self.moves[table_id]):
                    found.append(outcome - at)
        return found


@pytest.mark.drill
@pytest.mark.timeout(500)
async def test_a_hand_over_within_a_claim_window_does_not_tell_whether_the_server_was_asked(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = Rules(window=int(WINDOW_SECONDS * 1000), pause=int(WINDOW_SECONDS * 1700), contribution=0.2)
    a, b = await servers(2, rules, auto_pause_ms=int(WINDOW_SECONDS * 2000), lease_seconds=5)
    crowd = Wanderers(a, b, monkeypatch)
    await crowd.wander()
    asked, free = crowd.moved(asked=True), crowd.moved(asked=False)
    print(f"{crowd.count()} moves; {len(asked)} with somebody asked, {len(free)} without, p = {mann_whitney(asked, free):.3g}")
    assert len(asked) + len(free) >= MOVES / 2
    # A seat whose stream breaks off hears of a discard late, and of its outcome in time.
    short = [seconds for seconds in asked + free if seconds < WINDOW_SECONDS * 0.9]
    assert len(short) <= len(asked + free) / 50, f"windows are not cut: {short}"
    assert mann_whitney(asked, free) >= P
    assert mann_whitney([seconds + 0.03 for seconds in asked], free) < P, "a shift of 30 ms is found"
