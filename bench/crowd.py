"""The players of a load generator: all seats of many tables over one `Play` stream, with as little work a seat as can be.

A table that is over is followed by a new one in its place, so what is measured is the whole life of tables: opened, dealt, played, settled,
closed. An offer is answered at once, or laid aside and answered when somebody asks for an answer.
"""

from __future__ import annotations

import asyncio
import os
import time
import traceback
from collections import deque
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Final

from grpc import aio

from bench.answers import answer
from services.kit import keys, rpc
from services.kit.part_tokens import OwnToken
from services.kit.roles import Role
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.api.table.v1.table_pb2_grpc import TableServiceStub

SEATS: Final = 4
_INPUTS: Final = 1000
"""Acts in one message, below the 64 KiB that a server takes."""
_ATTACHES: Final = 100
_OPENERS: Final = 16
"""Tables being opened at a time."""
_CALL_SECONDS: Final = 30.0
CHANNEL_OPTIONS: Final = (("grpc.max_receive_message_length", 4 * 1024 * 1024), ("grpc.use_local_subchannel_pool", 1))


class Crowd:
    """`tables` tables, each played by four.

    `eager`: answer offers as they come, until a table has used up its quota of `quotas` acts, if any; the rest are laid aside.
    """

    def __init__(self, address: str, secrets: str, room: str, tables: int, seed: int = 1) -> None:
        self.tables = tables
        self.accepted = 0
        self.refused: dict[str, int] = {}
        self.hands = 0
        self.eager = False
        self.quotas: list[int] | None = None
        self.delays: list[int] | None = None
        """Nanoseconds from the moment in its action id to each answer, while they are asked for."""
        self.aside: deque[tuple[int, Any]] = deque()
        self._address = address
        self._token = OwnToken(keys.load(Path(secrets), Role.MATCHMAKING), Role.TABLE)
        self._room = room
        self._random = Random(seed)
        self._names = count(1)
        self._ids = count(time.monotonic_ns())
        self._free = asyncio.Queue[int]()
        self._out: list[pb.Input] = []
        self._attaches: list[pb.Input] = []
        self._wake = asyncio.Event()
        self._offered = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Open the stream and all tables."""
        channel = aio.insecure_channel(self._address, options=CHANNEL_OPTIONS)
        self._call = TableServiceStub(channel).Play()
        # Opening goes its own way, so that it does not queue behind the acts.
        self._open = TableServiceStub(aio.insecure_channel(self._address, options=CHANNEL_OPTIONS)).OpenTable
        for place in range(self.tables):
            self._free.put_nowait(place)
        work: list[Callable[[], Any]] = [self._read, self._write, *[self._open_tables] * _OPENERS]
        self._tasks = [asyncio.create_task(run()) for run in work]
        for task in self._tasks:
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """End this process when a part of it has failed: what it would measure means nothing, and nobody waits for it."""
        if not task.cancelled():
            error = task.exception() or EOFError("the server ended the stream")
            traceback.print_exception(error)
            os._exit(1)

    def act(self, ref: int, offer: Any, action_id: int) -> None:
        """Answer an offer."""
        self._out.append(answer(ref, offer, action_id, self._random))
        if not self._wake.is_set():
            self._wake.set()

    def answer_aside(self, action_id: int) -> bool:
        """Answer the offer that has lain aside longest; False if there is none."""
        if not self.aside:
            return False
        ref, offer = self.aside.popleft()
        self.act(ref, offer, action_id)
        return True

    def go(self) -> None:
        """Answer from now on at once, what was laid aside too."""
        self.eager = True
        for _ in range(len(self.aside)):
            ref, offer = self.aside.popleft()
            self._offer(ref, offer)

    async def _read(self) -> None:
        while (response := await self._call.read()) is not aio.EOF:
            self._hear(response)

    def _hear(self, response: Any) -> None:
        if response.answers:
            self._answered(response.answers)
        for event in response.events:
            if event.HasField("offer"):
                self._offer(event.seat_refs[0], event.offer)
            elif event.HasField("view"):
                if event.view.HasField("offer"):
                    self._offer(event.seat_refs[0], event.view.offer)
                self._viewed(event.seat_refs)
            elif event.HasField("table_closed"):
                self.hands += 1
                self._free.put_nowait(event.seat_refs[0] // SEATS)
            elif event.HasField("detached"):
                assert event.detached.reason == "closed", event
            elif event.HasField("moved") or event.HasField("wait"):
                self._sent_on(event)

    def _viewed(self, refs: Any) -> None:
        """Note that seats have been shown how their table stands."""

    def _sent_on(self, event: Any) -> None:
        """Attach seats elsewhere, or later."""
        raise NotImplementedError(event)

    def _offer(self, ref: int, offer: Any) -> None:
        if self.eager:
            quotas = self.quotas
            if quotas is None:
                self.act(ref, offer, next(self._ids))
                return
            place = ref // SEATS
            if quotas[place] > 0:
                quotas[place] -= 1
                self.act(ref, offer, next(self._ids))
                return
        self.aside.append((ref, offer))

    def _answered(self, answers: Any) -> None:
        now = time.monotonic_ns()
        delays = self.delays
        for one in answers:
            if one.refused:
                self.refused[one.refused] = self.refused.get(one.refused, 0) + 1
            else:
                self.accepted += 1
                if delays is not None:
                    delays.append(now - one.action_id)

    async def _write(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._out or self._attaches:
                if self._attaches:
                    some, self._attaches = self._attaches[:_ATTACHES], self._attaches[_ATTACHES:]
                else:
                    some, self._out = self._out[:_INPUTS], self._out[_INPUTS:]
                await self._call.write(pb.PlayRequest(inputs=some))

    async def _open_tables(self) -> None:
        while True:
            place = await self._free.get()
            name = f"bench-{next(self._names)}"
            seats = [pb.SeatAssignment(player_id=f"{name}-{seat}") for seat in range(SEATS)]
            request = pb.OpenTableRequest(table_id=name, room_id=self._room, seats=seats)
            opened = await self._open(request, metadata=rpc.metadata(self._token.current()), timeout=_CALL_SECONDS)
            self._seated(place, opened)

    def _seated(self, place: int, opened: Any) -> None:
        """Attach the seats of a table that has been opened."""
        self._attaches += [pb.Input(seat_ref=place * SEATS + one.seat, attach=pb.Attach(token=one.token)) for one in opened.tokens]
        self._wake.set()
