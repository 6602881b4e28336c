"""What a table shows: to its seats and watchers, in order, numbered for each view, and no earlier than the claim window allows.

Law: nothing comes here before it is durable. Each view has its own count, advanced only by events it contains. The outcome of a discard
or added kong waits for the claim window whether or not anybody was asked, and everything after it waits behind it, answers included.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from games.hand import MAX_SEATS
from services.table.codec import registry, wire
from services.table.events import Asked

if TYPE_CHECKING:
    from services.table.seats import Seat
    from services.table.streams import Stream
    from services.table.watching import Watcher

RING: Final = 64
"""Events kept for clients that come back; older ones are in a full view."""
PUBLIC: Final = MAX_SEATS
_VIEWS: Final = [tuple(view for view in range(MAX_SEATS + 1) if to >> view & 1) for to in range(1 << MAX_SEATS + 1)]
"""The views in every audience: seats, and the public one."""
_ENCODERS: Final = registry.EVENTS


Route = tuple["Stream", bytes, "list[int]"]
"""A stream, how an event for its seats begins (`wire.event_head`), and the seats in that order."""


class Reply(NamedTuple):
    """An answer on its way to the stream that the act came over."""

    stream: Stream
    data: bytes
    received: float


HOLD: Final = object()
"""In a list of outputs: what follows waits for the claim window."""
Output = Any
"""An emission, a Reply, or HOLD."""


class Outlet:
    """The showing side of one table."""

    __slots__ = (
        "__weakref__",
        "_ring",
        "asked_at",
        "counts",
        "deadlines",
        "hand_no",
        "held",
        "held_until",
        "limit",
        "routes",
        "seats",
        "shown",
        "timed",
        "watchers",
        "window",
    )

    def __init__(
        self, seats: list[Seat], counts: list[int], window: Callable[[], float], limit: Callable[[int], float], *, timed: bool
    ) -> None:
        """`window` draws how long an outcome waits; `limit` says how long a seat may think; `timed`: whether seats are told."""
        self.seats = seats
        self.counts = counts
        self.window = window
        self.limit = limit
        self.timed = timed
        self.hand_no = 0
        self.shown = [0] * len(seats)
        self.asked_at = [0.0] * len(seats)
        self.deadlines = [inf] * len(seats)
        self.held: deque[Output] | None = None
        self.held_until = inf
        self.watchers: list[Watcher] | None = None
        self.routes: dict[int, list[Route]] = {}
        self._ring: deque[tuple[int, bytes]] = deque(maxlen=RING)

    def release(self, outputs: list[Output], now: float) -> None:
        """Show outputs in order, or queue them behind what is held."""
        if self.held is not None:
            self.held.extend(outputs)
            return
        hand_no, counts, routes, remember = self.hand_no, self.counts, self.routes, self._ring.append
        for place, output in enumerate(outputs):
            encode = _ENCODERS.get(type(output))
            if encode is not None:
                what = encode(output, hand_no)
            elif type(output) is Asked:
                what = self._ask(output, now)
            elif output is HOLD:
                self.held = deque(outputs[place + 1 :])
                self.held_until = now + self.window()
                return
            else:
                output.stream.answer(output.data, output.received)
                continue
            to = output.to
            remember((to, what))
            for view in _VIEWS[to]:
                counts[view] += 1
            heard = routes.get(to)
            if heard is None:
                heard = routes[to] = self._route(to)
            for stream, head, members in heard:
                stream.put(wire.counted_event(head, [counts[no] for no in members], what))
            if self.watchers and to >> PUBLIC:
                self._tell_watchers(what, now)

    def _tell_watchers(self, what: bytes, now: float) -> None:
        for watcher in self.watchers or ():
            watcher.event(wire.watch_event(self.counts[PUBLIC], what), now)

    def go_on(self, now: float) -> None:
        """The claim window is over: show what was held, up to the next one."""
        held, self.held, self.held_until = self.held, None, inf
        if held:
            self.release(list(held), now)

    def _route(self, to: int) -> list[Route]:
        """Return the streams on which an audience is heard."""
        members: dict[Stream, list[int]] = {}
        for seat in self.seats:
            if to >> seat.no & 1 and seat.live and seat.stream is not None:
                members.setdefault(seat.stream, []).append(seat.no)
        return [(stream, wire.event_head([self.seats[no].ref for no in some]), some) for stream, some in members.items()]

    def _ask(self, asked: Asked, now: float) -> bytes:
        no = asked.seat
        self.shown[no] = asked.decision
        self.asked_at[no] = now
        seconds = self.limit(no)
        self.deadlines[no] = now + seconds
        return registry.offer_event(asked.decision, asked.offer, int(seconds * 1000) if self.timed else 0)

    def time_left_ms(self, no: int, now: float) -> int:
        """Return what a seat is told of its time; 0: there is no hurry."""
        left = self.deadlines[no] - now
        return max(1, int(left * 1000)) if self.timed and left != inf else 0

    def since(self, no: int, last_number: int) -> list[tuple[int, bytes]] | None:
        """Return the events of a seat after a number, numbered;

        None if they are not all kept any more, or the number is not of this table.
        """
        number = self.counts[no]
        missing = number - last_number
        if not 0 <= missing <= len(self._ring) or last_number == 0:
            return None
        found: list[tuple[int, bytes]] = []
        for to, what in reversed(self._ring):
            if len(found) == missing:
                break
            if to >> no & 1:
                found.append((number, what))
                number -= 1
        return found[::-1] if len(found) == missing else None
