"""What is at the heart of every live table: its mailbox, its states, and the way of a row to the journal.

Law: everything about a table goes through its one mailbox, behind the append in flight; what is shown depends only on rows that are
stored. `Table` drives it; the modules between the two each do a part of what happens there.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from math import ceil, inf
from typing import TYPE_CHECKING, Final

from games.hand import Refusal
from services.table import standing, switches
from services.table.appends import Append, Fate
from services.table.course import Course
from services.table.deadlines import Deadlines
from services.table.events import Emission
from services.table.mailbox import Departure, Entry, State, nobody_waits
from services.table.outlet import Outlet, Output, outputs_of
from services.table.phases import STORED
from services.table.rows import Kind, Row, action_body
from services.table.seats import Reply, Seat
from services.table.store import TableRow, signed

if TYPE_CHECKING:
    from games.hand import Action
    from services.kit.items import ItemOutcome
    from services.table.ports import Host

_JITTER: Final = 0.5
"""A claim window lasts up to this much longer than the room says."""
_HELD_SECONDS: Final = 0.0005
"""An answer that waits for the claim window: its stream is read so much later, so that few can wait."""


class TableCore:
    """A table that this process owns, without what drives it."""

    __slots__ = (
        "__weakref__",
        "being_stored",
        "counted",
        "course",
        "deadlines",
        "departure",
        "due",
        "early",
        "epoch",
        "head",
        "host",
        "id",
        "in_flight",
        "later",
        "mailbox",
        "num",
        "opened_at",
        "outlet",
        "outputs",
        "parted",
        "pending",
        "rows",
        "seats",
        "shut",
        "standing",
        "state",
        "stored_state",
        "unshown",
        "wake_at",
    )  # fmt: skip

    def __init__(self, host: Host, course: Course, stored: TableRow, head: int) -> None:
        """Take up a stored table whose journal ends with row `head`."""
        self.host = host
        self.id = course.table_id
        self.course = course
        self.num = stored.num
        self.epoch = stored.epoch
        self.head = head
        self.opened_at = stored.opened_at
        self.stored_state = stored.state
        self.state = State.LIVE
        self.departure: Departure | None = None
        """Why the table is gone, if it is."""
        self.counted = course.finished
        self.parted = course.left
        """Players of whom the log has told that they left."""
        self.seats = [Seat(self, no, player) for no, player in enumerate(course.players)]
        self.deadlines = Deadlines(len(self.seats))
        timed = course.room.turn_seconds > 0
        self.outlet = Outlet(self.seats, course.counts, self.deadlines, self._window, self.limit, timed=timed)
        self.rows: list[Row] = []
        self.pending: Append | None = None
        self.outputs: list[Output] = []
        self.being_stored: list[Output] = []
        self.in_flight = False
        self.shut = False
        """Whether what comes waits in the mailbox: behind the append in flight, or while the table is not live."""
        self.mailbox: deque[Entry] | None = None
        self.later: list[Entry] | None = None
        self.standing = standing.of(course)
        self.unshown: list[Append] = []
        """Appends that are stored, and wait to be shown before coins move."""
        self.early: dict[int, ItemOutcome] | None = None
        self.due = False
        self.wake_at = inf

    # The mailbox.

    def send(self, do: Callable[[], None], abandoned: Callable[[Departure], None] = nobody_waits) -> None:
        """Do it now, or in its turn. If the table goes before that, `abandoned` is told why instead."""
        if not self.shut:
            do()
        elif self.departure is not None:
            abandoned(self.departure)
        else:
            if self.mailbox is None:
                self.mailbox = deque()
            self.mailbox.append(Entry(do, abandoned))

    def when_shown(self, do: Callable[[], None], abandoned: Callable[[Departure], None] = nobody_waits) -> None:
        """Do it as soon as the state is one that everything stored and shown has led to, in a frozen table too."""
        if self.departure is not None:
            abandoned(self.departure)
            return
        if self.later is None:
            self.later = []
        self.later.append(Entry(do, abandoned))
        self._settle_down()

    def _settle_down(self) -> None:
        while self._is_shown():
            self.standing = standing.of(self.course)
            if not self.later:
                return
            # One at a time: it may bring about rows that the next must wait for, or the table's end.
            self.later.pop(0).do()

    def _is_shown(self) -> bool:
        return not (self.rows or self.in_flight or self.outlet.held is not None or self.departure is not None)

    # Whether it is played here: live ⇄ frozen, and from either to gone.

    def freeze(self) -> None:
        """Keep inputs and outcomes in the mailbox, and stop the timers.

        The append in flight is still stored and shown, and the claim window still ends: then the table is `quiet`. Use `when_shown` to
        wait for that.
        """
        if self.state is State.LIVE:
            self.state, self.shut = State.FROZEN, True
            self.deadlines.stop(self.host.now())

    @property
    def quiet(self) -> bool:
        """Whether the table is frozen, and has nothing left to store or to show."""
        return self.state is State.FROZEN and self._is_shown() and not self.later

    def go(self, departure: Departure) -> None:
        """End the table at this server. Rows that are not stored are forgotten, and each waiting entry is abandoned.

        The host calls it when it lets go of the table. It does not touch the seats: the caller detaches them or sends them on.
        """
        if self.departure is not None:
            return
        self.state, self.shut, self.departure = State.GONE, True, departure
        self.outputs, self.being_stored, self.rows, self.pending = [], [], [], None
        waiting = [*(self.mailbox or ()), *(self.later or ())]
        self.mailbox = self.later = None
        for entry in waiting:
            entry.abandon(departure)

    # What `Table` does.

    def stored(self, append: Append) -> None:
        """Go on: these rows are durable."""
        raise NotImplementedError

    def lost(self, fate: Fate) -> None:
        """Stop: the rows are not stored and never will be."""
        raise NotImplementedError

    def tick(self, now: float) -> None:
        """Look at what is due."""
        raise NotImplementedError

    # Steps.

    def log(
        self, kind: Kind, seat: int, text: str, told: Sequence[Emission], *, action_id: int = 0, auto: int = 0, at: int | None = None
    ) -> None:
        """Put a row in front of the journal; what is `told` is shown when it is stored. `at`: when it happened, if not now."""
        course = self.course
        if not self.rows:
            self.pending = Append(self.id, self.num, self.epoch, self.rows)
            self.host.journal.mark(self)
        assert self.pending is not None
        owed = course.owed
        if owed:
            self.pending.items += owed
            course.owed = []
        if course.ends:
            self.pending.ends += course.ends
            course.ends = []
        self.head += 1
        digest = course.digest() if owed else None
        self.rows.append(Row(self.head, kind, seat, signed(action_id), auto, text, digest, at or self.host.unix_ms()))
        windowed = kind is Kind.ACT and course.room.claim_window_ms > 0
        self.outputs += outputs_of(told, course.hand_no, windowed=windowed)

    def step(self, action: Action, auto: int, action_id: int = 0, answer: Reply | None = None) -> Refusal | None:
        """Carry out one action and nothing else."""
        at = self.host.unix_ms()
        told = self.course.act(action, auto, at)
        if isinstance(told, Refusal):
            return told
        self.deadlines.answers[action.seat] = inf
        if answer is not None:
            # Durable before it is sent: the answer stands before the events of its row.
            self.outputs.append(answer)
        self.log(Kind.ACT, action.seat, action_body(action), told, action_id=action_id, auto=auto, at=at)
        assert self.pending is not None
        self.pending.acts += 1
        if answer is not None:
            self.pending.received.append(answer.received)
        return None

    # Answers.

    def say(self, reply: Reply) -> None:
        """Answer in turn: behind rows that are not yet stored, and behind what the claim window holds."""
        if self.departure is not None:
            return
        if self.in_flight:
            self.being_stored.append(reply)
        elif self.rows:
            self.outputs.append(reply)
        elif self.outlet.held is not None:
            reply.stream.slow(_HELD_SECONDS, reply.ref)
            self.outlet.release([reply], self.host.now())
        else:
            reply.said()
            reply.stream.put(reply.data)

    def refused(self, why: bytes) -> None:
        """Count a refusal."""
        self.host.metrics.refused(self.course.room, why)

    def reroute(self) -> None:
        """Look again where the seats are attached."""
        self.outlet.reroute()

    # The journal's side.

    def take(self) -> Append | None:
        """Hand the rows over; until their fate is known, everything else waits. None: the table failed before they were taken."""
        append = self.pending
        if append is None:
            return None
        state = STORED[self.course.phase]
        if state != self.stored_state:
            self.stored_state = append.state = state
        self.in_flight = self.shut = True
        self.rows = []
        self.pending = None
        self.being_stored, self.outputs = self.outputs, []
        return append

    # Time.

    def rest(self) -> None:
        """Ask to be woken when the next thing is due."""
        at = self.deadlines.next() if self.departure is None else inf
        if at < self.wake_at:
            self.host.timers.wake(self, at)

    @property
    def longest_window_ms(self) -> int:
        """Return the longest that a claim window lasts at this table."""
        return ceil(self.course.room.claim_window_ms * (1 + _JITTER))

    def _window(self) -> float:
        return self.course.room.claim_window_ms / 1000 * random.uniform(1, 1 + _JITTER)

    def limit(self, no: int) -> float:
        """Return the seconds that a seat may think."""
        course = self.course
        room = course.room
        if course.players[no] is None:
            return room.bots.pause_ms / 1000
        # Seldom is there anybody to be looked for in a set.
        if (course.on_auto or course.leaving or course.auto_discard) and switches.answers_for(course, no):
            return self.host.auto_pause
        return room.turn_seconds or room.idle_seconds
