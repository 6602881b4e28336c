"""One seat at one table, as its player sees it.

Law: what is heard here comes once and in order, whatever happens to the connection. The server counts what it shows a seat without gaps;
what was heard is not heard again, what was missed is asked for, and an act that was not answered is sent again under its own id until it
is.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, NamedTuple, Protocol

from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client.errors import ClientError
from xuezhan.client.faults import Fault
from xuezhan.client.proof import DealProof
from xuezhan.client.receipts import Receipts
from xuezhan.client.record_keys import RecordKeys
from xuezhan.client.route import Route
from xuezhan.client.tickets import Place

MAX_HEARD: Final = 2000
"""What an iterating player may leave unread before the seat starts over with a full view."""
MAX_UNANSWERED: Final = 16
_ANSWERED: Final = frozenset({"act", "auto_discard", "auto_pass"})
"""Inputs with an id, each of which gets an answer."""
REGULAR_ENDS: Final = frozenset({"closed", "left"})
SEAT_OVER: Final = "seat_over"
"""What an act is refused as whose table is over: no answer to it will come. Whether it took effect is in the hand's record."""


class Heard(NamedTuple):
    """One thing that a seat was shown. `name` is the event's field in the protocol ("drew"), `what` its message.

    `number` counts from 1 without gaps; 0 for what is not counted. An `offer` that comes with a full view is heard on its own too, with 0.
    """

    number: int
    name: str
    what: Any


class Carrier(Protocol):
    """What carries a seat's inputs to the server."""

    def send(self, seat: Seat, item: pb.Input) -> None:
        """Send one input soon."""
        ...


class Unanswered(NamedTuple):
    """An input whose answer is still to come. `hand`: the number of the hand in which it was sent."""

    item: pb.Input
    answer: asyncio.Future[pb.Answer]
    sent_at: float
    hand: int


Listener = Callable[["Seat", Heard], None]


def new_id() -> int:
    """Return an id for an input, by which it is known when it is sent again."""
    return secrets.randbits(64) or 1


class Seat:
    """A seat being played. Iterate over it to hear what happens; `act` to answer offers.

    With a `listener` every event goes there at once instead, which spares a task for each seat. `relocate` finds the seat again when its
    token has expired or its table is elsewhere. The seat's part in every shuffle is made and checked here (`proof`); `faults` lists what
    the server did that it must not do. `receipts` keeps what was signed and seen; `keys` judge signatures.
    """

    def __init__(
        self,
        place: Place,
        player: str = "",
        *,
        listener: Listener | None = None,
        relocate: Callable[[], Awaitable[Place]] | None = None,
        receipts: Receipts | None = None,
        keys: RecordKeys | None = None,
    ) -> None:
        self.place = place
        self.player = player
        self.relocate = relocate
        self.last_number = 0
        self.offer: pb.Offer | None = None
        self.auto_discard = False
        """Whether 自动摸打 is on for this seat."""
        self.auto_pass = False
        """Whether the server passes every claim for this seat."""
        self.info = pb.Attached()
        self.attached = False
        self.attach_sent_at = 0.0
        self.full_views = 0
        self.over: ClientError | None = None
        """Why nothing more will be heard; None while the seat is open. `REGULAR_ENDS` are no errors."""
        self.route: Route | None = None
        """Where it is attached next; set by what carries it."""
        self.carrier: Carrier | None = None
        self.faults: list[Fault] = []
        self.gaps = 0
        """How often an event came whose forerunner had not."""
        self.proof = DealProof(place, player, self._send, self.faults, receipts, keys)
        self.unanswered: dict[int, Unanswered] = {}
        self._leaving = False
        self._missing = False
        self._resumes = False
        self._listener = listener
        self._heard: deque[Heard] = deque()
        self._news = asyncio.Event()

    @property
    def table_id(self) -> str:
        """Return the table's id, which is also the match's."""
        return self.place.table_id

    def __repr__(self) -> str:
        return f"<seat {self.place.seat} of {self.place.table_id}, player {self.player}, heard {self.last_number}>"

    # What the player does.

    def submit(self, act: pb.Act, decision: int | None = None) -> asyncio.Future[pb.Answer]:
        """Send an answer to the open offer (or to `decision`); the future holds what the server says to it.

        If the table is over before, it holds an answer that is refused as `seat_over`; the future raises ClientError if the seat is lost.
        Raises ClientError `seat_over` or `too_many` when nothing can be sent.
        """
        if decision is None:
            decision = self.offer.decision if self.offer is not None else 0
        act.decision = decision
        act.action_id = act.action_id or new_id()
        offer = self.offer if self.offer is not None and self.offer.decision == decision else None
        self.proof.acted("sent", act, self.proof.number, offer)
        return self._say(pb.Input(act=act), act.action_id)

    async def act(self, act: pb.Act, decision: int | None = None) -> pb.Answer:
        """Answer the open offer and wait for what the server says: `refused` is empty if it stands, `seat_over` if the table is over."""
        return self._too_late() or await self.submit(act, decision)

    async def set_auto_discard(self, *, on: bool) -> pb.Answer:
        """Switch 自动摸打 on or off: the server throws what is drawn where nothing else is possible, until the end of the hand.

        Answered and raising as `act`. `refused` is `not_offered` in a game without it, `hand_over` while no hand is being played.
        """
        switch = pb.AutoDiscard(on=on, action_id=new_id())
        return self._too_late() or await self._say(pb.Input(auto_discard=switch), switch.action_id)

    async def set_auto_pass(self, *, on: bool) -> pb.Answer:
        """Switch on or off that every claim on others' tiles is passed for this seat, wins too, until the end of the hand.

        Answered and raising as `act`; `refused` as of `set_auto_discard`.
        """
        switch = pb.AutoPass(on=on, action_id=new_id())
        return self._too_late() or await self._say(pb.Input(auto_pass=switch), switch.action_id)

    def resume(self) -> None:
        """Say "I am here": ends 托管, the server's playing for this seat."""
        self._send(pb.Input(resume=pb.Resume()))

    def leave(self) -> None:
        """Leave the table as soon as its rules allow; until then the server plays the seat."""
        self._leaving = True
        self.proof.acted("sent", pb.Act(do=pb.DO_LEAVE), self.proof.number)
        self._send(pb.Input(leave=pb.Leave()))

    async def __aiter__(self) -> AsyncIterator[Heard]:
        """Yield what the seat hears, until its table is closed. Raises ClientError if the seat is lost before."""
        assert self._listener is None, "a seat with a listener is not iterated over"
        while True:
            while self._heard:
                yield self._heard.popleft()
            if self.over is not None:
                if self.over.reason not in REGULAR_ENDS:
                    raise self.over
                return
            self._news.clear()
            await self._news.wait()

    # What the stream tells the seat.

    def attach_input(self) -> pb.Input:
        """Return what opens this seat on a stream."""
        self.attach_sent_at = asyncio.get_running_loop().time()
        self._resumes = self.last_number > 0
        hashed = self.proof.offers.fresh()
        epoch = self.route.epoch if self.route is not None else 0
        return pb.Input(attach=pb.Attach(token=self.place.token, last_number=self.last_number, contribution_hash=hashed, epoch=epoch))

    def written(self, item: pb.Input) -> None:
        """Note that an input has just been written to the stream: from now on its answer is waited for."""
        kind, now = item.WhichOneof("input"), asyncio.get_running_loop().time()
        if kind == "reveal":
            self.proof.sent()
        elif kind == "attach":
            self.attach_sent_at = now
        elif kind in _ANSWERED:
            waiting = self.unanswered.get(getattr(item, kind).action_id)
            if waiting is not None:
                self.unanswered[getattr(item, kind).action_id] = waiting._replace(sent_at=now)

    @property
    def waits_since(self) -> float:
        """Return when the oldest thing was sent that the server has not answered; 0 if there is none."""
        if not self.attached:
            return self.attach_sent_at
        return min((one.sent_at for one in self.unanswered.values()), default=0.0)

    def detached(self) -> None:
        """Note that nothing is heard for the moment."""
        self.attached = False
        self.proof.detached()

    def hear(self, number: int, name: str, what: Any) -> None:
        """Take in one event from the stream."""
        if number:
            if number <= self.last_number:
                return
            if number != self.last_number + 1:
                self._missed()
                return
            self.last_number, self._missing = number, False
        self._react(name, what)
        self._tell(Heard(number, name, what))
        if name == "view" and what.HasField("offer") and not self._answering(what.offer.decision):
            self._tell(Heard(0, "offer", what.offer))
        if name == "table_closed":
            self.end(ClientError("closed", what.reason or pb.TableState.Name(what.state)))

    def answered(self, answer: pb.Answer) -> None:
        """Take in the answer to an act."""
        if answer.refused == "not_attached":
            # What was refused is sent again when the seat is attached; one that believes it is was told otherwise and did not hear it.
            if self.attached:
                self.detached()
                self._send(self.attach_input())
            return
        waiting = self.unanswered.pop(answer.action_id, None)
        if waiting is None:
            return
        if waiting.item.HasField("act"):
            self.proof.acted("refused" if answer.refused else "accepted", waiting.item.act, waiting.hand)
        if not answer.refused and waiting.item.HasField("auto_discard"):
            self.auto_discard = waiting.item.auto_discard.on
        elif not answer.refused and waiting.item.HasField("auto_pass"):
            self.auto_pass = waiting.item.auto_pass.on
        elif not answer.refused and self.offer is not None and self.offer.decision == answer.decision:
            self.offer = None
        if not waiting.answer.done():
            waiting.answer.set_result(answer)

    def resend(self, older_than: float) -> int:
        """Send again what was sent before `older_than` (loop time) and is not answered. Returns how many inputs."""
        late = [(action_id, one) for action_id, one in self.unanswered.items() if one.sent_at < older_than]
        for action_id, one in late:
            self.unanswered[action_id] = one._replace(sent_at=asyncio.get_running_loop().time())
            self._send(one.item)
        return len(late)

    def end(self, reason: ClientError) -> None:
        """Close the seat: nothing more will be heard."""
        if self.over is not None:
            return
        self.over, self.attached = reason, False
        for action_id, waiting in self.unanswered.items():
            if waiting.answer.done():
                continue
            if too_late := self._too_late(action_id):
                waiting.answer.set_result(too_late)
            else:
                waiting.answer.set_exception(reason)
                waiting.answer.exception()  # Whoever does not wait for it is not warned about it.
        self.unanswered.clear()
        self._tell(Heard(0, "over", reason))

    def _too_late(self, action_id: int = 0) -> pb.Answer | None:
        """Return the answer to what is said at a table that is over; None while it is not."""
        if self.over is None or self.over.reason not in REGULAR_ENDS:
            return None
        return pb.Answer(action_id=action_id, refused=SEAT_OVER, detail=str(self.over))

    def _say(self, item: pb.Input, action_id: int) -> asyncio.Future[pb.Answer]:
        """Send what is answered, now or when the seat is attached, and again until it is."""
        if self.over is not None:
            raise ClientError(SEAT_OVER, str(self.over))
        if len(self.unanswered) >= MAX_UNANSWERED:
            raise ClientError("too_many", "too many acts are unanswered")
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[pb.Answer] = loop.create_future()
        self.unanswered[action_id] = Unanswered(item, answer, loop.time(), self.proof.number)
        if self.attached:
            self._send(item)
        return answer

    def _send(self, item: pb.Input) -> None:
        if self.carrier is not None:
            self.carrier.send(self, item)

    def _missed(self) -> None:
        if not self._missing:
            self._missing = True
            self.gaps += 1
            self._resync(self.last_number)

    def _resync(self, last_number: int) -> None:
        self._send(pb.Input(resync=pb.Resync(last_number=last_number)))
        self.proof.resynced()

    def _answering(self, decision: int) -> bool:
        return any(one.item.act.decision == decision for one in self.unanswered.values())

    def _tell(self, heard: Heard) -> None:
        if self._listener is not None:
            self._listener(self, heard)
        elif heard.name != "over":
            if len(self._heard) >= MAX_HEARD:
                self._heard.clear()
                self._resync(0)
            self._heard.append(heard)
        self._news.set()

    def _react(self, name: str, what: Any) -> None:
        match name:
            case "offer":
                self.offer = what
            case "attached":
                self._on_attached(what)
            case "view":
                self._on_view(what)
            case "resync_needed":
                self._resync(self.last_number)
                self.resend(asyncio.get_running_loop().time() + 1)
            case "seat_taken":
                if what.seat < len(self.info.seats):
                    self.info.seats[what.seat].CopyFrom(pb.SeatAssignment(player_id=what.player_id))
            case "detached":
                if what.reason == "attached_elsewhere":
                    self.proof.elsewhere()
            case "hand_over":
                self.offer, self.auto_discard, self.auto_pass = None, False, False
            case _:
                pass
        self.proof.hear(name, what)

    def _on_attached(self, what: pb.Attached) -> None:
        self.info, self.attached = what, True
        self.auto_discard, self.auto_pass = what.auto_discard, what.auto_pass
        self.proof.attached(what, self.place, resumed=self._resumes)
        self.resend(asyncio.get_running_loop().time() + 1)
        if self._leaving:
            self.leave()

    def _on_view(self, what: pb.View) -> None:
        self.full_views += 1
        self.last_number, self._missing = what.number, False
        self.auto_discard, self.auto_pass = what.auto_discard, what.auto_pass
        self.offer = what.offer if what.HasField("offer") else None
        if what.seats:
            del self.info.seats[:]
            self.info.seats.extend(what.seats)
        self.proof.view(what)
