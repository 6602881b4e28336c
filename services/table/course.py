"""The course of a table: what its journal rows make of it.

Law: everything here follows from the rows alone, so a server that reads them gets the same hand, the same decision numbers, the same
count of events for every view, and the same items. Nothing here reads a clock, sends or stores.

Each step answers what is to be shown, in order; the items that came due stand in `owed`, and hands that ended in `ends`, until somebody
takes them.
"""

from __future__ import annotations

import hashlib
import json
import marshal
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Final

from games.hand import Action, Do, Event, Hand, Policy, Refusal, Setup
from games.transcript import Transcript
from services.kit import items
from services.table import between, dues, ending, shuffle, switches
from services.table.course_state import CourseState, Visit
from services.table.ending import CalledOff
from services.table.events import VIEWS, Asked, Closed, Committed, DealSigned, Emission, Ended, Revealed, SeatChanged, Settled
from services.table.phases import Phase
from services.table.rows import SEAT_ACTED, TIME_RAN_OUT
from services.table.seat_set import NOBODY, SeatSet
from services.table.signer import Signed

MISSES: Final = 2
"""Timers in a row that a seat may miss before the server plays it 托管."""

_SHOWN: Final = frozenset({"hand_end", "top_up"})
"""Items beside the stages of a hand whose coins its players are told of."""
_AUDIENCE: Final[Callable[[Emission], int]] = attrgetter("to")
_CHECKPOINT: Final = (
    "hand_no", "finished", "counts", "base", "offered", "asked", "on_auto", "left", "money", "settled", "items", "closing",
    "players", "free", "newcomers", "joining", "holds", "visits", "former",
)  # fmt: skip


class Course(CourseState):
    """One table, from its opening to its close. Owned by exactly one Table, or by a replay."""

    __slots__ = ()

    def digest(self) -> str:
        """Return a hash of the hand's whole state, by which a replay is checked."""
        dumped = self.hand.dump() if self.hand is not None else None
        # Version 2 of the format writes equal values as equal bytes, in a tenth of the time that JSON takes.
        return hashlib.sha256(marshal.dumps(dumped, 2)).hexdigest()

    @property
    def ended(self) -> Ended | None:
        """How the last hand ended, until the next one begins."""
        if self.end_told is None and self.over is not None:
            self.end_told = dues.ended(self, self.over)
        return self.end_told

    @ended.setter
    def ended(self, ended: Ended | None) -> None:
        self.end_told = ended

    # Before a hand.

    def commit(self, seed: bytes, hashes: tuple[bytes, ...], signed: Signed | None) -> list[Committed]:
        """Begin a hand: publish its commitment and what the players committed to. An empty seed: it is known no more."""
        self.hand_no += 1
        self.phase = Phase.REVEALING
        self.seed = seed
        self.contributions = [None] * len(self.players)
        self.dealt = self.over = self.ended = None
        self.withheld = ()
        self.transcript = Transcript()
        self.version = self.rules.version
        self.reckoned, self.reckoned_stages = self.money, 0
        for seat, given in enumerate(hashes):
            if given:
                self.silent = self.silent.put(seat, there=False)
        commitment = shuffle.commitment(seed) if seed or signed is None else bytes.fromhex(json.loads(signed.text)["commitment"])
        self.committed = Committed(self.all, self.hand_no, commitment, hashes, self.rules.options, tuple(self.money), signed)
        return [self.committed]

    def reveal(self, seat: int, contribution: bytes) -> list[Emission]:
        """Keep and echo a player's bytes; they fit their hash."""
        self.contributions[seat] = contribution
        return [Revealed(self.all, seat, contribution)]

    def deal(self, signed: Signed | None, at: int) -> list[Emission]:
        """Deal the hand, with the contributions shown so far. `at`: milliseconds since 1970."""
        self.withheld = tuple(self.awaited())
        out: list[Emission] = [Revealed(self.all, seat, b"") for seat in self.withheld]
        self.silent |= SeatSet.of(self.withheld)
        if signed is not None:
            self.dealt = DealSigned(self.all, self.hand_no, signed)
            out.append(self.dealt)
        self.dealt_at = at
        setup = self.setup()
        self.hand, events = self.rules.deal(setup)
        self.newcomers = NOBODY
        self.stages = 0
        self.phase = Phase.PLAYING
        for seat, offered in enumerate(self.offered):
            self.base[seat] += offered
            self.offered[seat] = 0
        return out + self._told(self.dealt_hand, events)

    def setup(self) -> Setup:
        """Return what the present hand starts from."""
        before = self.hand.carry() if self.hand is not None and self.hand_no > 1 else None
        new = before is not None and bool(self.newcomers)
        return Setup(self.table_id, self.hand_no, self.seed, tuple(self.contributions), before, new_players=new)

    # Play.

    def act(self, action: Action, auto: int, at: int) -> list[Emission] | Refusal:
        """Carry out an action; `auto` says who chose it (services.table.rows), `at` when it came. A refusal changes nothing."""
        hand = self.dealt_hand
        question = hand.question
        events = hand.apply(action)
        if isinstance(events, Refusal):
            return events
        self.transcript.note(action, at, question, decided=hand.question is not question)
        out = self._told(hand, events)
        if auto != SEAT_ACTED:
            if auto == TIME_RAN_OUT:
                self._miss(action.seat, out)
        elif self.missed[action.seat]:
            self.missed[action.seat] = 0
        if action.do is Do.LEAVE:
            if action.seat in self.going:
                self.going.remove(action.seat)
            if hand.over:
                self.leaving = self.leaving.put(action.seat)
            else:
                self._leave(action.seat, out)
        if hand.over or self.leaving:
            self._let_go(out)
        return out

    def _told(self, hand: Hand, events: list[Event]) -> list[Emission]:
        """Return what events and the offers that follow them show to whom."""
        out: list[Emission] = dues.told(self, events) if hand.over or len(hand.stages) != self.stages else [*events]
        offered = self.offered
        silent = NOBODY
        question = hand.question
        if question is not None and question.source >= 0:
            self.forced, silent = True, self.auto_pass
        for seat, offer in enumerate(hand.offers):
            if offer is not None and offer.number != offered[seat]:
                offered[seat] = offer.number
                if offer.at_once or (silent and seat in silent):
                    self.forced = True
                else:
                    self.asked[seat] = decision = self.base[seat] + offer.number
                    out.append(Asked(1 << seat, seat, decision, offer))
        return out

    # The end.

    def _let_go(self, out: list[Emission]) -> None:
        """Let players go who asked to and are no longer needed; end the hand, and the table after its last one."""
        hand = self.dealt_hand
        if not hand.over:
            for seat in self.leaving - self.left:
                if self._may_go(seat):
                    self._leave(seat, out)
            return
        self.finished += 1
        if not self.quiet:
            self.ends.append(ending.end(self))
        switches.off(self)
        self.going = []
        if (self.rules.policy is Policy.POOLED and self.room.base) or self.room.rated:
            self.owe(partial(dues.hand_end, self), self.hand_no, -1, "hand_end")
        if self.finished >= self.room.hands:
            self.close("finished")
        else:
            self.phase = Phase.BREAK
            between.resume(self, out)

    def _may_go(self, seat: int) -> bool:
        """Whether a player may go within the hand unsaid. Where leaving has a meaning for the hand, only its own action lets them go."""
        return self.dealt_hand.seat_done(seat) and not self.rules.may_leave

    def _leave(self, seat: int, out: list[Emission]) -> None:
        self.left = self.left.put(seat)
        self.on_auto = self.on_auto.put(seat, there=False)
        if self.players[seat] is not None:
            self.owe(partial(self._left_body, seat), self.hand_no, -1, "left")
        out.append(SeatChanged(self.all, seat, on_auto=False, left=True))

    def _left_body(self, seat: int) -> items.LeftBody:
        if self.rules.policy is not Policy.POOLED:
            return items.LeftBody(seat=seat)
        return items.LeftBody(seat=seat, hand=self.hand_no, rate=self.room.base, points=self.dealt_hand.points()[seat])

    def take(self, seat: int, player: str, hold: str) -> list[Emission]:
        """Let a player have a vacant seat (services.table.between)."""
        between.take(self, seat, player, hold)
        return []

    def unfilled(self) -> list[Emission]:
        """End the table: nobody took its free seats in time."""
        self.close("left")
        return []

    def call_off(self, why: CalledOff, by: str = "") -> list[Ended]:
        """End the hand where it stands: what was settled stays, nothing more is owed, and the table closes. `by`: the operator."""
        out: list[Ended] = []
        if self.phase in {Phase.REVEALING, Phase.PLAYING}:
            points = (0,) * len(self.players) if self.hand is None or self.phase is Phase.REVEALING else tuple(self.hand.points())
            self.ended = ending.called_off(self.all, self.hand_no, points, self.seed, tuple(self.contributions), why, by)
            self.ends.append(ending.end(self, why, by))
            self.finished += 1
            out.append(self.ended)
        elif self.over is not None:
            # It can be told as long as there is its hand.
            self.ended = dues.ended(self, self.over)
        self.hand = self.over = None
        switches.off(self)
        self.going = []
        self.close(f"called_off_{why}")
        return out

    def checkpoint(self) -> dict[str, Any]:
        """Return what a replay needs that cannot go through the rows before a hand was called off, as plain JSON values."""
        return {name: getattr(self, name) for name in _CHECKPOINT}

    def restore(self, checkpoint: Mapping[str, Any]) -> None:
        """Stand where a hand was called off."""
        for name in _CHECKPOINT:
            value = checkpoint[name]
            setattr(self, name, SeatSet(value) if isinstance(getattr(self, name), SeatSet) else value)
        self.items = [tuple(item) for item in self.items]  # type: ignore[misc]
        self.players = tuple(self.players)
        self.visits = {hold: Visit(*visit) for hold, visit in self.visits.items()}
        self.former = [tuple(pair) for pair in self.former]  # type: ignore[misc]
        self.phase = Phase.SETTLING
        self.hand = None
        self.ended = ending.from_row(self.all, checkpoint.get("ended"))

    def settle(self, outcome: items.ItemOutcome) -> list[Emission]:
        """Take in how the next item ended."""
        hand, index, cause = self.items.pop(0)
        self.settled += 1
        if not self.quiet and not dues.compare(self, outcome, hand, index):
            self.differs = outcome.seq
        if outcome.money:
            self.money = [*outcome.money, *self.money[len(outcome.money) :]][: len(self.players)]
        if outcome.kind is items.ItemKind.OPEN:
            if outcome.result is items.Result.REFUSED:
                self.phase = Phase.CALLED_OFF
                return [Closed(self.all, self.phase, outcome.reason or "refused")]
            self.phase = Phase.GATHERING
        elif outcome.kind is items.ItemKind.CLOSE:
            self.phase = Phase.CLOSED
            return [Closed(self.all, self.phase, self.closing)]
        out: list[Emission] = between.joined(self, outcome) if outcome.kind is items.ItemKind.JOIN else []
        if index >= 0 or cause in _SHOWN:
            out.append(Settled(self.all, self.rules.game, hand, index, cause, outcome))
        between.resume(self, out)
        return out

    def count(self, told: Sequence[Emission]) -> None:
        """Advance the views' counts by what is shown."""
        for to, times in Counter(map(_AUDIENCE, told)).items():
            for view in VIEWS[to]:
                self.counts[view] += times

    # Seats.

    def presence(self, seat: int, *, on_auto: bool, leaving: bool) -> list[Emission]:
        """Put a seat on or off 托管; `leaving`: its player asked to go."""
        self.missed[seat] = 0
        self.leaving = self.leaving.put(seat, there=leaving)
        out: list[Emission] = []
        if on_auto != (seat in self.on_auto):
            self.on_auto = self.on_auto.put(seat, there=on_auto)
            out.append(SeatChanged(self.all, seat, on_auto, left=False))
        if leaving and self.phase is Phase.PLAYING:
            if self.rules.leave_waits and seat not in self.left and seat not in self.going:
                self.going.append(seat)
            if self._may_go(seat):
                self._leave(seat, out)
        self.forced |= switches.claims_open(self)
        between.resume(self, out)
        return out

    def _miss(self, seat: int, out: list[Emission]) -> None:
        self.missed[seat] += 1
        if self.missed[seat] >= MISSES and seat not in self.on_auto:
            self.on_auto = self.on_auto.put(seat)
            # In front of what the action brought about: claims on a discard stay last.
            out.insert(0, SeatChanged(self.all, seat, on_auto=True, left=False))
