"""One live table: the only place where its course is moved.

Law: everything about a table goes through its one mailbox, behind the append in flight; what is shown depends only on rows that are
stored. A step is `Course` (what happens) → rows → journal → `Outlet` (who is shown what).
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Final

from games.hand import Refusal
from services.table import ending, handshake, play, standing, switches, turnover
from services.table.answers import Reply
from services.table.appends import Append, Fate
from services.table.course import Course
from services.table.deadlines import Deadlines
from services.table.ending import Why
from services.table.events import Emission
from services.table.mailbox import Departure, Entry, State, nobody_waits
from services.table.outlet import Outlet, Output, outputs_of
from services.table.phases import OVER, STORED, Phase
from services.table.rows import Kind, Row, action_body, body
from services.table.seats import Seat
from services.table.store import TableRow, signed

if TYPE_CHECKING:
    from games.hand import Action
    from services.kit.items import ItemOutcome
    from services.table.ports import Host

_JITTER: Final = 0.5
"""A claim window lasts up to this much longer than the room says."""


class Table:
    """A table that this process owns."""

    __slots__ = (
        "__weakref__", "counted", "course", "deadlines", "departure", "due", "early", "epoch", "head", "host", "id", "in_flight",
        "later", "mailbox", "num", "opened_at", "outlet", "outputs", "pending", "rows", "seats", "sent", "shut", "standing", "state",
        "stored_state", "unshown", "wake_at",
    )  # fmt: skip

    def __init__(self, host: Host[Table], course: Course, stored: TableRow, head: int) -> None:
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
        self.seats = [Seat(self, no, player) for no, player in enumerate(course.players)]
        self.deadlines = Deadlines(len(self.seats))
        timed = course.room.turn_seconds > 0
        self.outlet = Outlet(self.seats, course.counts, self.deadlines, self._window, self.limit, timed=timed)
        self.rows: list[Row] = []
        self.pending: Append | None = None
        self.outputs: list[Output] = []
        self.sent: list[Output] = []
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
        """Let what comes wait in the mailbox, outcomes too, and stop the timers.

        What was begun before is still stored and shown: then the table is `quiet`. `when_shown` tells of it.
        """
        if self.state is State.LIVE:
            self.state, self.shut = State.FROZEN, True
            self.deadlines.stop(self.host.now())

    @property
    def quiet(self) -> bool:
        """Whether a frozen table has come to rest: nothing is on its way to the journal, to its players or from the claim window."""
        return self.state is State.FROZEN and self._is_shown() and not self.later

    def thaw(self) -> None:
        """Go on where the table stood still: with all the time that was left, then with what came meanwhile."""
        if self.state is not State.FROZEN:
            return
        self.state, self.shut = State.LIVE, self.in_flight
        self.deadlines.go_on(self.host.now())
        if not self.in_flight:
            try:
                self._take_in(self.host.now())
            except Exception as error:  # noqa: BLE001 - a fault of ours at one table must not keep others from going on
                self.host.failed(self, error)

    def go(self, departure: Departure) -> None:
        """Be this server's no more. What is not stored is forgotten, who waits for something is told why, and nothing more is said.

        The host calls it when it lets go of the table; its seats are detached, or sent on, by whoever knows where to.
        """
        if self.departure is not None:
            return
        self.state, self.shut, self.departure = State.GONE, True, departure
        self.outputs, self.sent, self.rows, self.pending = [], [], [], None
        waiting = [*(self.mailbox or ()), *(self.later or ())]
        self.mailbox = self.later = None
        for entry in waiting:
            entry.abandon(departure)

    # Steps.

    def log(
        self, kind: Kind, seat: int, text: str, told: list[Emission], *, action_id: int = 0, auto: int = 0, at: int | None = None
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

    def act(self, action: Action, auto: int, action_id: int = 0, answer: Reply | None = None) -> Refusal | None:
        """Carry out an action, and whatever follows from it that has one answer only. A refusal changes nothing."""
        refusal = self.step(action, auto, action_id, answer)
        if refusal is None:
            self._follow_up()
        return refusal

    def _follow_up(self) -> None:
        """Do what follows from an action by itself."""
        course = self.course
        if course.forced:
            play.at_once(self)
        if course.going:
            play.let_go(self)
        if course.phase is not Phase.PLAYING:
            self.catch_up()

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
        return None

    def presence(self, seat: int, *, on_auto: bool, leaving: bool, action_id: int = 0, answer: Reply | None = None) -> None:
        """Put a seat on or off 托管, or let its player go: out of the hand too, where leaving has a meaning, once others have answered."""
        course = self.course
        told = course.presence(seat, on_auto=on_auto, leaving=leaving)
        if answer is not None:
            self.outputs.append(answer)
        self.log(Kind.SEAT, seat, body({"on_auto": on_auto, "leaving": leaving}), told, action_id=action_id)
        self._think_again(seat, sooner=on_auto)
        if course.going or course.forced:
            self._follow_up()
        if self.course.free:
            self.catch_up()

    def switch(self, kind: Kind, seat: int, answer: Reply, *, on: bool) -> None:
        """Carry out a player's switch: AUTO_DISCARD or AUTO_PASS."""
        switches.turn(self.course, kind, seat, on=on)
        self.outputs.append(answer)
        self.log(kind, seat, body({"on": on}), [], action_id=answer.action_id)
        self._think_again(seat, sooner=on)
        if self.course.forced:
            self._follow_up()

    def _think_again(self, seat: int, *, sooner: bool) -> None:
        """Set the time of an open offer anew. Who goes and comes back has no more than if he had stayed."""
        if play.is_asked(self, seat):
            asked_at, answers = self.deadlines.asked_at[seat], self.deadlines.answers
            answers[seat] = min(answers[seat], self.host.now() + self.limit(seat)) if sooner else asked_at + self.limit(seat)
        self.rest()

    def call_off(self, why: Why, by: str = "") -> None:
        """End the hand, if one is being played, where it stands, and close the table. `by`: the operator who wants it."""
        told = self.course.call_off(why, by)
        ended = ending.in_row(told[0] if told else None)
        text = body({**self.course.checkpoint(), "counts": self.outlet.after(self.outputs), "reason": why, "by": by, "ended": ended})
        self.log(Kind.CALLED_OFF, -1, text, told)
        self.deadlines.nobody_is_asked()
        self.catch_up()

    def catch_up(self) -> None:
        """Do what the phase asks for next."""
        course = self.course
        if course.forced and course.phase is Phase.PLAYING:
            # Of a table that was read from the journal of a release that let bots think about claims.
            play.at_once(self)
        handshake.go_on(self)
        turnover.keep_up(self)
        if course.phase in OVER:
            self.when_shown(self._retire)
        self.rest()

    def _retire(self) -> None:
        self.host.retire(self)

    def dispose(self) -> None:
        """Let go of everything, for whoever still holds the table: what refers to one another would wait for the collector of cycles."""
        for seat in self.seats:
            del seat.table
        self.seats = []
        del self.course, self.outlet

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
        self.sent, self.outputs = self.outputs, []
        return append

    def stored(self, append: Append) -> None:
        """The rows are durable: show what follows from them, then take in what came meanwhile."""
        self.in_flight = False
        if self.departure is not None:
            return
        self.shut = self.state is not State.LIVE
        for seq in append.done:
            self.host.relay.settled(self.id, seq)
        outputs, self.sent = self.sent, []
        self._count(append)
        now = self.host.now()
        if outputs:
            self.outlet.release(outputs, now)
        if append.items or append.ends:
            self.unshown.append(append)
            self.when_shown(partial(standing.pass_on, self))
        self._settle_down()
        self._take_in(now)

    def _take_in(self, now: float) -> None:
        """Do what waits in the mailbox, up to the next append; then what is due."""
        mailbox = self.mailbox
        while mailbox and not self.shut:
            mailbox.popleft().do()
        if not mailbox:
            self.mailbox = None
        if self.due and not self.shut:
            self.tick(now)
        else:
            self.rest()

    def _count(self, append: Append) -> None:
        """Count what is stored now: an action or hand that was lost with its rows is counted when it happens again."""
        metrics, course = self.host.metrics, self.course
        if append.acts:
            metrics.actions[course.room.game, course.room.id] += append.acts
        if course.finished != self.counted:
            self.counted = course.finished
            metrics.hand_over(course.room, called_off=course.hand is None)

    def lost(self, fate: Fate) -> None:
        """The rows are not stored and never will be: this table is another's, or must be read again."""
        if self.departure is None:
            self.host.lost(self, fate)

    # Time.

    def tick(self, now: float) -> None:
        """Look at what is due."""
        if now >= self.deadlines.window:
            # It is stored, and waits for no row that is on its way: how long it takes must not tell of one.
            self.outlet.go_on(now)
        if self.in_flight or self.rows:
            self.due = True
            return
        self._settle_down()
        self.due = self.shut
        if self.shut:
            self.rest()
            return
        if now >= self.deadlines.phase:
            late, self.deadlines.phase = now - self.deadlines.phase, inf
            handshake.time_is_up(self, late)
        if now >= self.deadlines.tokens:
            self._expire(now)
        play.timers(self, now)
        self.rest()

    def _expire(self, now: float) -> None:
        for seat in self.seats:
            if seat.attachment is not None and now >= seat.attachment.expires:
                seat.detach("expired", "UNAUTHENTICATED")
        self.deadlines.tokens = min((seat.attachment.expires for seat in self.seats if seat.attachment is not None), default=inf)

    def rest(self) -> None:
        """Ask to be woken when the next thing is due."""
        at = self.deadlines.next() if self.departure is None else inf
        if at < self.wake_at:
            self.host.timers.wake(self, at)

    def _window(self) -> float:
        return self.course.room.claim_window_ms / 1000 * random.uniform(1, 1 + _JITTER)

    def limit(self, no: int) -> float:
        """Return the seconds that a seat may think."""
        room = self.course.room
        if self.course.players[no] is None:
            return room.bots.pause_ms / 1000
        if (self.course.on_auto | self.course.leaving) >> no & 1 or switches.throws_drawn(self.course, no):
            return self.host.auto_pause
        return room.turn_seconds or room.idle_seconds
