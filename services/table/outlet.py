"""What a table shows: to its seats and watchers, in order, numbered for each view, and no earlier than the claim window allows.

Law: nothing comes here before it is durable. Each view has its own count, advanced only by events it contains. The outcome of a discard
or added kong waits for the claim window whether or not anybody was asked, and everything after it waits behind it, answers included.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from math import inf
from operator import itemgetter
from typing import TYPE_CHECKING, Final, TypeAlias

from games.hand import MAX_SEATS
from services.table.codec import registry, wire
from services.table.events import VIEWS, Asked, Emission
from services.table.seats import Reply

if TYPE_CHECKING:
    from services.table.deadlines import Deadlines
    from services.table.seats import Attachment, Seat
    from services.table.streams import Stream
    from services.table.watching import Watcher

RING: Final = 64
"""Events kept for clients that come back; older ones are in a full view."""
PUBLIC: Final = MAX_SEATS

Route = tuple["Stream", bytes, Callable[[list[int]], Sequence[int]]]
"""A stream, how an event for its seats begins (`wire.event_head`), and what picks those seats' numbers, in that order."""


@dataclass(slots=True)
class Asking:
    """An offer on its way to its seat, encoded but for the time that the seat is given."""

    seat: int
    decision: int
    choices: bytes


class Hold(Enum):
    """In a list of outputs: what follows waits for the claim window."""

    HOLD = "hold"


HOLD: Final = Hold.HOLD


@dataclass(slots=True)
class Forget:
    """In a list of outputs: from here on a seat is another player's, and events kept for it are not for the new player."""

    seat: int


Output: TypeAlias = "tuple[int, bytes] | Asking | Reply | Hold | Forget"
"""What happened as (audience, Event without seats), and what is beside that."""


def outputs_of(told: Sequence[Emission], hand_no: int, *, windowed: bool) -> list[Output]:
    """Encode what happened in hand number `hand_no`, while it is fresh; it is shown when it is stored.

    `windowed`: what follows on a discard or added kong waits.
    """
    outputs: list[Output] = [
        Asking(event.seat, event.decision, registry.choices(event.offer))
        if type(event) is Asked
        else (event.to, registry.event(event, hand_no))
        for event in told
    ]
    if windowed:
        for place, event in enumerate(told, 1):
            if getattr(event, "opens_claims", False):
                # Its outcome waits, but not the offers to claim it.
                outcome = any(type(later) is not Asked for later in told[place:])
                outputs.insert(place if outcome else len(told), HOLD)
                break
    return outputs


def _picker(places: list[int]) -> Callable[[list[int]], Sequence[int]]:
    """Return what picks the items at some places of a list."""
    # By a slice where there is one place, since what picks a single item does not make a list of it.
    return itemgetter(*places) if len(places) > 1 else itemgetter(slice(places[0], places[0] + 1))


class Outlet:
    """The showing side of one table."""

    __slots__ = (
        "__weakref__",
        "_ring",
        "counts",
        "deadlines",
        "held",
        "limit",
        "routes",
        "seats",
        "shown_decisions",
        "timed",
        "watchers",
        "window",
    )

    def __init__(
        self,
        seats: list[Seat],
        counts: list[int],
        deadlines: Deadlines,
        window: Callable[[], float],
        limit: Callable[[int], float],
        *,
        timed: bool,
    ) -> None:
        """`window` draws how long an outcome waits; `limit` says how long a seat may think; `timed`: whether seats are told."""
        self.seats = seats
        self.counts = counts
        self.deadlines = deadlines
        self.window = window
        self.limit = limit
        self.timed = timed
        self.shown_decisions = [0] * len(seats)
        self.held: deque[Output] | None = None
        self.watchers: list[Watcher] | None = None
        self.routes: dict[int, list[Route]] = {}
        self._ring: deque[tuple[int, bytes]] = deque(maxlen=RING)

    def release(self, outputs: list[Output], now: float) -> None:
        """Show outputs in order, or queue them behind what is held."""
        if self.held is not None:
            self.held.extend(outputs)
            return
        counts, routes, remember, watched = self.counts, self.routes, self._ring.append, bool(self.watchers)
        counted_event = wire.counted_event
        queues: dict[Stream, list[bytes]] = {}
        for output in outputs:
            if isinstance(output, tuple):
                shown = output
            elif isinstance(output, Asking):
                shown = 1 << output.seat, self._ask(output, now)
            elif isinstance(output, Reply):
                queues.setdefault(output.stream, []).append(output.data)
                output.said()
                continue
            elif isinstance(output, Forget):
                self._forget(1 << output.seat)
                continue
            else:
                self.held = deque(outputs[outputs.index(HOLD) + 1 :])
                self.deadlines.window = now + self.window()
                break
            to, what = shown
            remember(shown)
            for view in VIEWS[to]:
                counts[view] += 1
            for stream, head, numbers in routes.get(to) or self._route(to):
                queues.setdefault(stream, []).append(counted_event(head, numbers(counts), what))
            if watched and to >> PUBLIC:
                self._tell_watchers(what, now)
        for stream, chunks in queues.items():
            stream.put_all(chunks)

    def after(self, outputs: list[Output]) -> list[int]:
        """Return the views' counts once what is held, and then these outputs, are shown."""
        counts = list(self.counts)
        for output in (*(self.held or ()), *outputs):
            to = output[0] if isinstance(output, tuple) else 1 << output.seat if isinstance(output, Asking) else 0
            for view in VIEWS[to]:
                counts[view] += 1
        return counts

    def _forget(self, bit: int) -> None:
        """Keep past events for all but this seat. Emptied in place: `release` holds on to the ring."""
        kept = [(to & ~bit, what) for to, what in self._ring]
        self._ring.clear()
        self._ring.extend(kept)

    def _tell_watchers(self, what: bytes, now: float) -> None:
        data = wire.watch_event(self.counts[PUBLIC], what)
        for watcher in self.watchers or ():
            watcher.event(data, now)

    def go_on(self, now: float) -> None:
        """The claim window is over: show what was held, up to the next one."""
        held, self.held, self.deadlines.window = self.held, None, inf
        if held:
            self.release(list(held), now)

    def _route(self, to: int) -> list[Route]:
        """Return the streams on which an audience is heard, and remember them until somebody comes or goes."""
        members: dict[Stream, list[Attachment]] = {}
        for seat in self.seats:
            attachment = seat.attachment
            if to >> seat.no & 1 and attachment is not None and attachment.live:
                members.setdefault(attachment.stream, []).append(attachment)
        found = self.routes[to] = [
            (stream, wire.event_head([one.name for one in some]), _picker([one.seat.no for one in some]))
            for stream, some in members.items()
        ]
        return found

    def reroute(self) -> None:
        """Forget on which streams audiences are heard: somebody came or went."""
        self.routes.clear()

    def _ask(self, asking: Asking, now: float) -> bytes:
        no = asking.seat
        self.shown_decisions[no] = asking.decision
        seconds = self.limit(no)
        self.deadlines.ask(no, now, seconds)
        return registry.offer_event(asking.decision, asking.choices, int(seconds * 1000) if self.timed else 0)

    def time_left_ms(self, no: int, now: float) -> int:
        """Return what a seat is told of its time; 0: there is no hurry."""
        left = self.deadlines.answers[no] - now
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
