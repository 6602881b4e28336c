"""One live table: what it is told, what follows from that by itself, and what is due.

A step is `Course` (what happens) → rows → journal → `Outlet` (who is shown what); the mailbox and the rows' way are `TableCore`'s.
"""

from __future__ import annotations

from functools import partial
from math import inf
from typing import TYPE_CHECKING

from services.table import between, ending, handshake, play, seat_change, standing, switches, trail
from services.table.core import TableCore
from services.table.ending import CalledOff
from services.table.handshake_plan import Step
from services.table.mailbox import State
from services.table.phases import OVER, Phase
from services.table.rows import Kind, body
from services.table.seats import Reply, Seat

if TYPE_CHECKING:
    from games.hand import Action, Refusal
    from services.table.appends import Append, Fate
    from services.table.ports import TableHost


def table_of(seat: Seat) -> Table:
    """Return the table of a seat."""
    table = seat.table
    assert isinstance(table, Table), "all seats are made by one"
    return table


class Table(TableCore):
    """A table that this process owns."""

    __slots__ = ()

    host: TableHost[Table]

    # What happens.

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
        """Set the time of an open offer anew. Leaving and coming back never extends it."""
        if play.is_asked(self, seat):
            asked_at, answers = self.deadlines.asked_at[seat], self.deadlines.answers
            answers[seat] = min(answers[seat], self.host.now() + self.limit(seat)) if sooner else asked_at + self.limit(seat)
        self.rest()

    def call_off(self, why: CalledOff, by: str = "") -> None:
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
        seat_change.part(self)
        if course.room.refill_seconds:
            self.host.offer_seats(self, vacant=bool(between.vacant(course)))
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

    def thaw(self) -> None:
        """Go on after `freeze`. Timers have as much time left as before; then the mailbox is worked off."""
        if self.state is not State.FROZEN:
            return
        self.state, self.shut = State.LIVE, self.in_flight
        self.deadlines.go_on(self.host.now())
        if not self.in_flight:
            try:
                self._take_in(self.host.now())
            except Exception as error:  # noqa: BLE001 - a fault of ours at one table must not keep others from going on
                self.host.failed(self, error)

    # The journal's side.

    def stored(self, append: Append) -> None:
        """The rows are durable: show what follows from them, then take in what came meanwhile."""
        self.in_flight = False
        if self.departure is not None:
            return
        self.shut = self.state is not State.LIVE
        for seq in append.done:
            self.host.relay.settled(self.id, seq)
        outputs, self.being_stored = self.being_stored, []
        now = self.host.now()
        self._count(append, now)
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

    def _count(self, append: Append, now: float) -> None:
        """Count what is stored now: an action or hand that was lost with its rows is counted when it happens again."""
        metrics, course = self.host.metrics, self.course
        if append.acts:
            metrics.actions[course.room.game, course.room.id] += append.acts
            for received in append.received:
                metrics.durable(now - received)
        if course.finished != self.counted:
            self.counted = course.finished
            metrics.hand_over(course.room, called_off=course.hand is None)
        if append.ends or append.state or course.left != self.parted:
            trail.stored(self, append)

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
            self._time_is_up(late)
        if now >= self.deadlines.tokens:
            self._expire(now)
        play.timers(self, now, self.act)
        self.rest()

    def _time_is_up(self, late: float) -> None:
        """Go on without those who did not come, or close a table whose seats or coins do not come. `late`: by so many seconds."""
        match handshake.time_is_up(self, late):
            case Step.CALL_OFF:
                self.call_off(CalledOff.SETTLEMENT_STUCK)
            case Step.CLOSE_UNFILLED:
                self.log(Kind.UNFILLED, -1, body({}), self.course.unfilled())
                self.catch_up()
            case step:
                handshake.carry_out(self, step)

    def _expire(self, now: float) -> None:
        for seat in self.seats:
            if seat.attachment is not None and now >= seat.attachment.expires:
                seat.detach("expired", "UNAUTHENTICATED")
        self.deadlines.tokens = min((seat.attachment.expires for seat in self.seats if seat.attachment is not None), default=inf)
