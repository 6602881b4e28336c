"""The streams of one client: which seat is carried to which server, and where it goes when its table moves or its server is lost.

What is done with a seat is decided by its `Route`; here it is done.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Coroutine
from typing import Any, Final
from weakref import WeakSet

from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client.channels import Channels
from xuezhan.client.errors import ClientError
from xuezhan.client.route import Do, Route, Step
from xuezhan.client.seat import Seat
from xuezhan.client.servers import Servers
from xuezhan.client.stream import FLUSH_SECONDS, PlayStream
from xuezhan.client.tickets import Place

_LOOKING_AT_ONCE: Final = 16


class Streams:
    """Carries seats over as few streams as possible: one a server.

    Counts: streams `broken` that had carried something, `reconnects` (streams opened for seats that had lost theirs), `moves` (a seat that
    followed its table to another server) and `waits` (a seat that waited for its table to have an owner that can be reached).
    """

    def __init__(self, channels: Channels, flush_seconds: float = FLUSH_SECONDS) -> None:
        self.broken = self.reconnects = self.moves = self.waits = 0
        self.servers = Servers()
        self._channels = channels
        self._flush_seconds = flush_seconds
        self._streams: dict[str, PlayStream] = {}
        """By server, the one that new seats are given to."""
        self._others: set[PlayStream] = set()
        """Streams that are left to the seats they have."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._sought: dict[Seat, bool] = {}
        """Seats whose tickets are asked where they are, and whether the answer decides what becomes of the seat."""
        self._given_up: WeakSet[Seat] = WeakSet()
        self._at_once = asyncio.Semaphore(_LOOKING_AT_ONCE)

    def add(self, seat: Seat) -> None:
        """Carry a seat to the server where it is played."""
        self._given_up.discard(seat)
        if seat.route is None:
            place, patience = seat.place, self._channels.patience_seconds
            seat.route = Route(place.address, patience, place.addresses, place.epoch, may_ask=seat.relocate is not None)
        self._carry(seat, seat.place.address)

    def remove(self, seat: Seat) -> None:
        """Give a seat up, also between two connections; its table goes on."""
        self._given_up.add(seat)
        self._take_off(seat)

    def _take_off(self, seat: Seat) -> None:
        if isinstance(seat.carrier, PlayStream):
            seat.carrier.remove(seat, tell=True)

    @property
    def addresses(self) -> tuple[str, ...]:
        """Return the servers that are known to this client, those it is connected to first."""
        live = (address for address, stream in self._streams.items() if not stream.ended and stream.carried)
        return tuple(dict.fromkeys((*live, *self.servers.addresses)))

    async def close(self) -> None:
        """End all streams. Raises what a listener raised, when all have ended."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        streams = [*self._streams.values(), *self._others]
        self._streams.clear()
        self._others.clear()
        ended = await asyncio.gather(*(stream.close() for stream in streams), return_exceptions=True)
        for raised in ended:
            if raised is not None:
                raise raised

    # What streams tell of their seats.

    def seat_attached(self, stream: PlayStream, seat: Seat, what: pb.Attached) -> bool:
        """Note where the seat is played; False at a former owner's."""
        route = _route(seat)
        if not route.attached(what.epoch, what.addresses):
            return False
        seat.place = seat.place._replace(address=stream.address)
        if self.servers.due():
            self._start(self.servers.ask(self._channels.channel(stream.address)))
        return True

    def heeds(self, seat: Seat, name: str, what: Any) -> bool:
        """Whether an event that takes the seat from its stream counts."""
        return not (name == "moved" and seat.attached and _route(seat).outdated(what.epoch))

    def seat_left(self, seat: Seat, name: str, what: Any) -> None:
        """Follow the table, wait for its next owner, look for the seat, or end it."""
        route, now, known = _route(seat), _now(), self.addresses
        if name == "moved":
            step = route.moved(now, what.address, what.epoch, what.addresses, known)
            followed = step.do is Do.ATTACH and step.address == what.address
            self.moves += followed
            self.waits += not followed
            self._do([seat], step)
        elif name == "wait":
            self.waits += 1
            self._do([seat], route.wait(now, what.retry_after_ms / 1000))
        else:
            self._do([seat], route.refused(now, what.reason, what.code, known))

    def seat_unanswered(self, stream: PlayStream, seat: Seat, *, deaf: bool) -> None:
        """Attach the seat elsewhere; if the server does not hear at all, whoever comes back to it does so over another connection."""
        route, now = _route(seat), _now()
        if not seat.attached:
            route.stray(now)
        stream.remove(seat)
        if deaf and self._streams.get(stream.address) is stream:
            del self._streams[stream.address]
            self._others.add(stream)
            stream.retire()
        error = ClientError("unanswered", f"{stream.address} does not answer", passing=True)
        self._do([seat], route.lost(now, error, self.addresses, here=False, worked=stream.carried))

    def stream_ended(self, stream: PlayStream, seats: list[Seat], error: ClientError, *, silent: bool) -> None:
        """Carry the seats on over other streams: those that go the same way go together."""
        self._others.discard(stream)
        if self._streams.get(stream.address) is stream:
            del self._streams[stream.address]
        if not seats:
            return
        self.broken += stream.carried
        now, known = _now(), self.addresses
        groups: dict[str, list[tuple[Seat, Step]]] = defaultdict(list)
        for seat in seats:
            route = _route(seat)
            if not seat.attached:
                route.stray(now)
            seat.carrier = None
            seat.detached()
            step = route.lost(now, error, known, here=stream.carried and not silent, worked=stream.carried)
            if step.do is Do.ATTACH:
                groups[step.address].append((seat, step))
            else:
                self._do([seat], step)
        for group in groups.values():
            self._do([seat for seat, _ in group], max((step for _, step in group), key=lambda step: step.seconds))

    # What is done with seats.

    def _do(self, seats: list[Seat], step: Step) -> None:
        if step.do is Do.END:
            assert step.error is not None
            for seat in seats:
                seat.end(step.error)
        elif step.do is Do.ASK:
            for seat in seats:
                self._start(self._look(seat, step.seconds))
        else:
            for seat in seats:
                _route(seat).at = step.address
                if step.ask:
                    self._start(self._look(seat, 0.0, beside=True))
            self._start(self._carry_on(seats, step))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _carry_on(self, seats: list[Seat], step: Step) -> None:
        await asyncio.sleep(step.seconds)
        opened = False
        for seat in seats:
            # Unless the ticket has said meanwhile that it is elsewhere.
            if _route(seat).at == step.address and not _carried(seat):
                opened = self._carry(seat, step.address) or opened
        self.reconnects += opened

    def _carry(self, seat: Seat, address: str) -> bool:
        """Give the seat to the stream to a server; return whether that had to be opened."""
        if seat.over is not None or seat in self._given_up:
            return False
        _route(seat).at = address
        stream = self._streams.get(address)
        opened = stream is None or stream.ended
        if stream is None or stream.ended:
            stream = PlayStream(self._channels.fresh(address), address, self, self._flush_seconds)
            self._streams[address] = stream
        stream.add(seat)
        return opened

    async def _look(self, seat: Seat, seconds: float, *, beside: bool = False) -> None:
        """Ask the ticket where the seat is. `beside`: while servers go on being tried; then only a clear word counts."""
        assert seat.relocate is not None
        if seat in self._sought:
            # What is being asked beside the servers decides if these have turned the seat away meanwhile.
            self._sought[seat] = self._sought[seat] or not beside
            return
        self._sought[seat] = not beside
        try:
            await asyncio.sleep(seconds)
            place = await self._ask_ticket(seat)
        except ClientError as error:
            if seat not in self._given_up and (self._sought[seat] or not (error.passing or seat.attached)):
                self._take_off(seat)
                seat.end(error)
        else:
            if seat.over is None and not seat.attached and seat not in self._given_up:
                self._found(seat, place)
        finally:
            del self._sought[seat]

    async def _ask_ticket(self, seat: Seat) -> Place:
        assert seat.relocate is not None
        decided = self._sought[seat]
        try:
            async with self._at_once:
                return await seat.relocate()
        except ClientError as error:
            if not error.passing or decided or not self._sought[seat]:
                raise
        # It was turned away while this was being asked, and has all its patience from then on.
        return await self._ask_ticket(seat)

    def _found(self, seat: Seat, place: Place) -> None:
        route, carried = _route(seat), _carried(seat)
        route.found(place.address, place.addresses, place.epoch)
        seat.place = place
        if carried and route.at == place.address:
            return  # It is being tried there.
        if carried:
            route.stray(_now())
        self._take_off(seat)
        self._carry(seat, place.address)


def _route(seat: Seat) -> Route:
    assert seat.route is not None, "a seat that is carried has one"
    return seat.route


def _carried(seat: Seat) -> bool:
    return isinstance(seat.carrier, PlayStream) and seat.carrier.carries(seat)


def _now() -> float:
    return asyncio.get_running_loop().time()
