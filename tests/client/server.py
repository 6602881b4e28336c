"""A table and matchmaking server that does what a test tells it to: it shows seats what the test says and writes down what it was sent."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from grpc import StatusCode, aio

from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as mm
from xuezhan.api.matchmaking.v1.matchmaking_pb2_grpc import add_MatchmakingServiceServicer_to_server
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.api.table.v1.table_pb2_grpc import add_TableServiceServicer_to_server

OPTIONS = (("grpc.so_reuseport", 0),)


class Stream:
    """One `Play` stream: which of its seats are attached, under which reference."""

    def __init__(self, context: Any) -> None:
        self.refs: dict[str, int] = {}
        self._context = context
        self._lock = asyncio.Lock()

    async def write(self, response: pb.PlayResponse) -> None:
        async with self._lock:
            await self._context.write(response)


class FakeServer:
    """Seats go by their tokens. `log` holds every event of a seat by number; `acts` every act received, `requests` their batches."""

    def __init__(self) -> None:
        self.port = 0
        self.log: dict[str, list[pb.Event]] = defaultdict(list)
        self.acts: list[tuple[str, pb.Act]] = []
        self.switches: list[tuple[bool, int]] = []
        self.reveals: list[bytes] = []
        self.offered: list[bytes] = []
        """Hashes of attaches and contributes."""
        self.resyncs: list[int] = []
        self.attaches: list[tuple[str, pb.Attach]] = []
        self.requests: list[pb.PlayRequest] = []
        self.streams: list[Stream] = []
        self.refusals: dict[int, str] = {}
        self.answers = True
        self.ends_empty = False
        """Whether a stream ends when a seat is given up on it, as a server ends one that holds none."""
        self.on_attach: dict[str, pb.Event | list[pb.Event]] = {}
        """What is said to an attach instead of attaching the seat; of a list each is said once."""
        self.epoch = 0
        self.addresses: list[str] = []
        self.servers: list[pb.TableServer] = []
        """What ListServers answers."""
        self.tickets: dict[str, list[mm.Ticket]] = {}
        self.ticket_calls = 0
        self.hangs = False
        """Whether nothing follows what was said of a ticket, not even the end of the call."""
        self.created_at: list[float] = []
        self.full: list[Any] = []
        """What stands beside the refusals that the next callers of CreateTicket get."""
        self.changed = asyncio.Condition()
        self._server: aio.Server | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def start(self) -> None:
        self._server = aio.server(options=OPTIONS)
        add_TableServiceServicer_to_server(TableSide(self), self._server)  # type: ignore[arg-type]
        add_MatchmakingServiceServicer_to_server(MatchSide(self), self._server)  # type: ignore[arg-type]
        self.port = self._server.add_insecure_port(f"127.0.0.1:{self.port}")
        await self._server.start()

    async def stop(self) -> None:
        assert self._server is not None
        self.streams.clear()
        await self._server.stop(None)

    async def until(self, true: Any) -> None:
        """Wait until `true()` holds; it is looked at whenever something arrives."""
        async with self.changed:
            await asyncio.wait_for(self.changed.wait_for(true), 10)

    async def note(self) -> None:
        async with self.changed:
            self.changed.notify_all()

    async def show(self, seat: str, event: pb.Event, number: int = 0) -> None:
        """Show a seat its next event (or one under another number)."""
        self.log[seat].append(event)
        for stream in self.streams:
            if seat in stream.refs:
                await stream.write(pb.PlayResponse(events=[numbered(event, stream.refs[seat], number or len(self.log[seat]))]))

    async def beat(self) -> None:
        """Send a heartbeat on every stream."""
        for stream in self.streams:
            await stream.write(pb.PlayResponse(heartbeat=pb.Heartbeat()))

    async def tell(self, seat: str, event: pb.Event) -> None:
        """Tell a seat something that is not counted."""
        for stream in self.streams:
            if seat in stream.refs:
                event.seat_refs[:] = [stream.refs[seat]]
                await stream.write(pb.PlayResponse(events=[event]))


def numbered(event: pb.Event, ref: int, number: int) -> pb.Event:
    copy = pb.Event()
    copy.CopyFrom(event)
    copy.seat_refs[:], copy.numbers[:] = [ref], [number]
    return copy


class TableSide:
    def __init__(self, fake: FakeServer) -> None:
        self._fake = fake

    def __getattr__(self, name: str) -> Any:
        return None

    async def Play(self, requests: Any, context: Any) -> None:  # noqa: N802
        fake = self._fake
        stream = Stream(context)
        fake.streams.append(stream)
        try:
            async for request in requests:
                fake.requests.append(request)
                for item in request.inputs:
                    await self._take(stream, item)
                await fake.note()
                if fake.ends_empty and any(item.HasField("detach") for item in request.inputs):
                    await context.abort(StatusCode.FAILED_PRECONDITION, "no seat")
        finally:
            if stream in fake.streams:
                fake.streams.remove(stream)

    async def ListServers(self, _request: pb.ListServersRequest, _context: Any) -> pb.ListServersResponse:  # noqa: N802
        return pb.ListServersResponse(servers=self._fake.servers)

    async def _take(self, stream: Stream, item: pb.Input) -> None:
        fake = self._fake
        kind = item.WhichOneof("input")
        if kind == "attach":
            await self._attach(stream, item)
            return
        seat = next((token for token, ref in stream.refs.items() if ref == item.seat_ref), "")
        if kind == "act":
            fake.acts.append((seat, item.act))
            if fake.answers:
                refused = fake.refusals.get(item.act.decision, "") if seat else "not_attached"
                answer = pb.Answer(seat_ref=item.seat_ref, action_id=item.act.action_id, decision=item.act.decision, refused=refused)
                await stream.write(pb.PlayResponse(answers=[answer]))
        elif kind in {"auto_discard", "auto_pass"}:
            switch = getattr(item, kind)
            fake.switches.append((switch.on, switch.action_id))
            if fake.answers:
                answer = pb.Answer(seat_ref=item.seat_ref, action_id=switch.action_id, refused=fake.refusals.get(0, ""))
                await stream.write(pb.PlayResponse(answers=[answer]))
        elif kind == "reveal":
            fake.reveals.append(item.reveal.contribution)
        elif kind == "contribute":
            fake.offered.append(item.contribute.contribution_hash)
            event = pb.Event(contributed=pb.Contributed(contribution_hash=item.contribute.contribution_hash))
            event.seat_refs[:] = [item.seat_ref]
            await stream.write(pb.PlayResponse(events=[event]))
        elif kind == "resync":
            fake.resyncs.append(item.resync.last_number)
            await self._since(stream, seat, item.resync.last_number)

    async def _attach(self, stream: Stream, item: pb.Input) -> None:
        fake, token = self._fake, item.attach.token
        fake.attaches.append((token, item.attach))
        fake.offered.append(item.attach.contribution_hash)
        says = fake.on_attach.get(token)
        if says:
            event = says.pop(0) if isinstance(says, list) else says
            event.seat_refs[:] = [item.seat_ref]
            await stream.write(pb.PlayResponse(events=[event]))
            return
        stream.refs[token] = item.seat_ref
        attached = pb.Event(
            seat_refs=[item.seat_ref],
            attached=pb.Attached(
                table_id="t",
                seat=0,
                room_id="r",
                contribution_hash=item.attach.contribution_hash,
                epoch=fake.epoch,
                addresses=fake.addresses,
            ),
        )
        await stream.write(pb.PlayResponse(events=[attached]))
        await self._since(stream, token, item.attach.last_number)

    async def _since(self, stream: Stream, seat: str, last: int) -> None:
        events = [numbered(event, stream.refs[seat], number) for number, event in enumerate(self._fake.log[seat], 1) if number > last]
        if events:
            await stream.write(pb.PlayResponse(events=events))


class MatchSide:
    def __init__(self, fake: FakeServer) -> None:
        self._fake = fake

    def __getattr__(self, name: str) -> Any:
        return None

    async def CreateTicket(self, request: mm.CreateTicketRequest, context: Any) -> mm.CreateTicketResponse:  # noqa: N802
        self._fake.created_at.append(asyncio.get_running_loop().time())
        if self._fake.full:
            await context.abort(StatusCode.RESOURCE_EXHAUSTED, "full", trailing_metadata=self._fake.full.pop())
        return mm.CreateTicketResponse(ticket=mm.Ticket(ticket_id=request.key, room_id=request.room_id))

    async def WatchTicket(self, request: mm.WatchTicketRequest, context: Any) -> None:  # noqa: N802
        self._fake.ticket_calls += 1
        if request.ticket_id not in self._fake.tickets:
            await context.abort(StatusCode.NOT_FOUND, "no such ticket")
        for ticket in self._fake.tickets[request.ticket_id]:
            await context.write(mm.WatchTicketResponse(ticket=ticket))
        if self._fake.hangs:
            await asyncio.Event().wait()


@asynccontextmanager
async def started() -> AsyncIterator[FakeServer]:
    """A fake server while it is needed."""
    fake = FakeServer()
    await fake.start()
    try:
        yield fake
    finally:
        await fake.stop()
