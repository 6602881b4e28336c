"""What clients send: attach, act, contribute, reveal, resync, detach, resume, leave, switches.

Law: every input is answered or done at most once, in the table's mailbox; one that is not legal changes nothing and harms nobody's
stream. A token that does not fit reveals nothing, not even whether the table exists.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from games.hand import Action, Do, Refusal, Why
from services.table import answers, handshake, play, shuffle
from services.table.attach import attach, bring_up_to_date
from services.table.codec import actions, wire
from services.table.notices import turn_away
from services.table.phases import Phase
from services.table.rows import SEAT_ACTED, Kind
from services.table.seats import MAX_WAITING, Reply, Seat, attachment_of
from services.table.table import Table, table_of
from xuezhan.api.table.v1 import table_pb2 as pb

if TYPE_CHECKING:
    from services.table.hall import Hall
    from services.table.streams import Stream

MAX_INPUTS: Final = 2048
"""Inputs of one request; one with more is refused as a whole."""
_PRESENCE_SECONDS: Final = 0.05
"""Who goes is stored and told to all: the stream of one who goes and comes all the time, or turns switches, is read so much later for
each.
"""
_CONTRIBUTE_SECONDS: Final = 0.0005
_MAY_LEAVE: Final = frozenset({Phase.GATHERING, Phase.REVEALING, Phase.PLAYING, Phase.BREAK})
_OVER: Final = frozenset({Phase.SETTLING, Phase.CLOSED, Phase.CALLED_OFF})
_STALE: Final = b"stale"
_NOT_YOUR_TURN: Final = Why.NOT_YOUR_TURN.value.encode()
_HAND_OVER: Final = Why.HAND_OVER.value.encode()
_MALFORMED: Final = Why.MALFORMED.value.encode()
_NOT_OFFERED: Final = Why.NOT_OFFERED.value.encode()


def receive(hall: Hall, stream: Stream, item: Any, received: float) -> None:
    """Take in one input of a request that came at that time; of a gateway's seats in their turns."""
    if stream.turns is None:
        _take_in(hall, stream, item, received)
    else:
        stream.turns.take(
            wire.varint(item.seat_ref),
            partial(_take_in, hall, stream, item, received),
            partial(_turn_away, stream, item, received),
        )


def _turn_away(stream: Stream, item: Any, received: float) -> None:
    """Refuse an input of a gateway's seat, of which too many wait for their turn."""
    kind = item.WhichOneof("input")
    if kind == "attach":
        turn_away(stream, item.seat_ref, "unavailable")
    elif (attachment := attachment_of(stream, item.seat_ref)) is not None and kind in _NAMED and (named := getattr(item, kind).action_id):
        seat, decision = attachment.seat, item.act.decision
        if not answers.is_copy(seat, stream, attachment.name, named, decision, received):
            answers.too_many(seat, stream, attachment.name, named, decision, received)


def _take_in(hall: Hall, stream: Stream, item: Any, received: float) -> None:
    kind = item.WhichOneof("input")
    if kind == "attach":
        attach(hall, stream, item.seat_ref, item.attach, received)
        return
    message: Any = getattr(item, kind) if kind else None
    named = message.action_id if kind in _NAMED else 0
    attachment = attachment_of(stream, item.seat_ref)
    if attachment is None:
        answers.not_attached(stream, wire.varint(item.seat_ref), named, item.act.decision, received)
        return
    seat, ref = attachment.seat, attachment.name
    try:
        if kind is None:
            _refuse_nameless(seat, stream, b"input: missing", received, ref)
        elif named:
            _named(seat, stream, ref, kind, message, received)
        else:
            _unnamed(seat, stream, ref, kind, message, received)
    except Exception as error:  # noqa: BLE001 - a fault of ours at one table must not end the stream of thousands
        hall.failed(table_of(seat), error)


def unreadable(stream: Stream, received: float) -> None:
    """Refuse a whole request that is no message."""
    stream.offend(received)
    stream.put(wire.answer(wire.varint(0), 0, 0, _MALFORMED, b"request: unreadable"))


def too_many(stream: Stream, number: int, received: float) -> None:
    """Refuse a whole request with more inputs than one may hold. None of them is looked at, so their ids stay free."""
    stream.offend(received)
    stream.put(wire.answer(wire.varint(0), 0, 0, answers.TOO_MANY, b"inputs: %d, at most %d" % (number, MAX_INPUTS)))


def _refuse_nameless(
    seat: Seat, stream: Stream, detail: bytes, received: float, ref: bytes, *, why: bytes = _MALFORMED, decision: int = 0
) -> None:
    """Refuse an input without an id. One answer is enough for all of a request: no client of ours sends such."""
    if stream.offend(received):
        seat.table.say(Reply(stream, wire.answer(ref, 0, decision, why, detail), received, ref=ref))


def _named(seat: Seat, stream: Stream, ref: bytes, kind: str, message: Any, received: float) -> None:
    action_id, decision = message.action_id, message.decision if kind == "act" else 0
    if answers.is_copy(seat, stream, ref, action_id, decision, received):
        return
    if len(seat.pending) >= answers.MAX_PENDING and action_id not in seat.pending:
        answers.too_many(seat, stream, ref, action_id, decision, received)
        return
    reply = answers.pending(seat, stream, ref, action_id, received)
    if seat.table.shut:
        seat.waiting += 1
        seat.table.send(partial(_waited, seat, _judge, stream, kind, message, reply))
    else:
        _JUDGES[kind](seat, message, reply)


def _unnamed(seat: Seat, stream: Stream, ref: bytes, kind: str, message: Any, received: float) -> None:
    if not seat.table.shut:
        _HANDLERS[kind](seat, stream, message, received)
    elif seat.waiting >= MAX_WAITING:
        _refuse_nameless(seat, stream, b"", received, ref, why=answers.TOO_MANY)
    else:
        seat.waiting += 1
        seat.table.send(partial(_waited, seat, _HANDLERS[kind], stream, message, received))


def _waited(seat: Seat, handle: Callable[..., None], *args: Any) -> None:
    seat.waiting -= 1
    handle(seat, *args)


def _judge(seat: Seat, stream: Stream, kind: str, message: Any, reply: Reply) -> None:
    """Do what an input that has waited asks for, or refuse it."""
    if seat.pending.get(reply.action_id) is not reply:
        # It came over another stream since, and is judged in that one's turn.
        return
    if seat.on(stream) is None:
        reply.said()
        answers.not_attached(stream, reply.ref, reply.action_id, message.decision if kind == "act" else 0, reply.received)
    else:
        _JUDGES[kind](seat, message, reply)


def _nameless(seat: Seat, stream: Stream, message: Any, received: float) -> None:
    if attachment := seat.on(stream):
        decision = getattr(message, "decision", 0)
        _refuse_nameless(seat, stream, b"action_id: must not be 0", received, attachment.name, decision=decision)


def _act(seat: Seat, act: Any, reply: Reply) -> None:
    table, decision, no = table_of(seat), act.decision, seat.no
    course = table.course
    if course.on_auto or course.leaving:
        _speaks(table, seat)
    refused = None if decision == table.outlet.shown_decisions[no] and play.is_asked(table, no) else _late(table, no, act)
    if refused is None:
        action = actions.action_of(act, no)
        if not isinstance(action, Refusal):
            answers.accept(reply, decision)
            result = _carry_out(table, action, reply)
            if result is None:
                seat.remember_accepted(reply.action_id)
                return
            action = result
        refused = (action.why.value.encode(), action.detail.encode())
    answers.refuse(seat, reply, decision, *refused)


def _carry_out(table: Table, action: Action, accepted: Reply) -> Refusal | None:
    """Let an act take effect; a `leave` that has to wait for others' answers is accepted now and takes effect then."""
    course, no, action_id = table.course, action.seat, accepted.action_id
    if action.do is not Do.LEAVE or play.leaves_now(table, no):
        return table.act(action, SEAT_ACTED, action_id, accepted)
    if no in course.going:
        return Refusal(Why.NOT_OFFERED, "the seat is leaving")
    table.presence(no, on_auto=no in course.on_auto, leaving=True, action_id=action_id, answer=accepted)
    return None


def _late(table: Table, no: int, act: Any) -> tuple[bytes, bytes] | None:
    """Return why an act that is about no open offer cannot be taken, or None: leaving needs no offer where it has a meaning."""
    decision, shown = act.decision, table.outlet.shown_decisions[no]
    course = table.course
    hand = course.hand
    if hand is None:
        return (_HAND_OVER if course.phase in _OVER else _NOT_YOUR_TURN), b""
    if hand.over:
        return _HAND_OVER, b""
    if course.rules.may_leave and act.do == actions.LEAVE and not decision:
        return None
    if play.is_asked(table, no):
        return _STALE, b"the open decision is %d" % shown
    return (_STALE if 0 < decision <= shown else _NOT_YOUR_TURN), b""


def _speaks(table: Table, seat: Seat) -> None:
    course = table.course
    if seat.no in (course.on_auto | course.leaving) - course.left and course.phase is Phase.PLAYING:
        table.presence(seat.no, on_auto=False, leaving=False)


def _reveal(seat: Seat, stream: Stream, message: Any, received: float) -> None:
    attachment = seat.on(stream)
    if attachment and not handshake.reveal(table_of(seat), seat, message.contribution):
        _refuse_nameless(seat, stream, b"contribution: not awaited, or not what was committed to", received, attachment.name)


def _contribute(seat: Seat, stream: Stream, message: Any, received: float) -> None:
    attachment, given = seat.on(stream), message.contribution_hash
    if attachment is None:
        return
    if not shuffle.is_hash(given):
        _refuse_nameless(seat, stream, b"contribution_hash: 32 bytes or none", received, attachment.name)
        return
    table = table_of(seat)
    stream.slow(_CONTRIBUTE_SECONDS, attachment.name)
    has = handshake.contribute(table, seat, given, declines=True)
    # In front of the commitment, which may have waited for this hash alone.
    told = pb.Event(contributed=pb.Contributed(contribution_hash=has)).SerializeToString()
    seat.table.say(Reply(stream, wire.event(attachment.name, b"", told), received, ref=attachment.name))
    handshake.go_on(table)


def _resync(seat: Seat, stream: Stream, message: Any, _received: float) -> None:
    if attachment := seat.on(stream):
        attachment.hear(live=False)
        bring_up_to_date(attachment, message.last_number)


def _detach(seat: Seat, stream: Stream, _message: Any, _received: float) -> None:
    if attachment := seat.on(stream):
        attachment.end()


def _resume(seat: Seat, stream: Stream, _message: Any, _received: float) -> None:
    if seat.on(stream):
        _speaks(table_of(seat), seat)


def _leave(seat: Seat, stream: Stream, _message: Any, _received: float) -> None:
    table, no = table_of(seat), seat.no
    course = table.course
    attachment = seat.on(stream)
    if attachment is None or no in course.left or course.phase not in _MAY_LEAVE:
        return
    # Between two hands there is nothing to be played for them.
    on_auto = not (course.finished and course.phase in {Phase.BREAK, Phase.GATHERING})
    waits = course.rules.leave_waits and course.phase is Phase.PLAYING
    if no not in course.leaving or on_auto > (no in course.on_auto) or (waits and no not in course.going):
        stream.slow(_PRESENCE_SECONDS, attachment.name)
        table.presence(no, on_auto=on_auto, leaving=True)
    if course.rules.may_leave and not waits and course.phase is Phase.PLAYING and no not in course.left:
        table.act(play.leaving(no), SEAT_ACTED)
    if no in course.left:
        table.when_shown(lambda: seat.detach("left"))


def _switch(seat: Seat, message: Any, reply: Reply, *, kind: Kind) -> None:
    table = table_of(seat)
    course = table.course
    if not getattr(course.rules, kind):
        answers.refuse(seat, reply, 0, _NOT_OFFERED, b"%s: this game does not have it" % kind.encode())
    elif course.phase is not Phase.PLAYING or seat.no in course.left:
        answers.refuse(seat, reply, 0, _HAND_OVER, b"%s: no hand is being played" % kind.encode())
    else:
        # On while it is on, too: an id that was answered must be known after a restart, whatever it changed.
        seat.remember_accepted(reply.action_id)
        reply.stream.slow(_PRESENCE_SECONDS, reply.ref)
        answers.accept(reply, 0)
        table.switch(kind, seat.no, reply, on=message.on)


_HANDLERS: Final[dict[str, Callable[[Seat, Stream, Any, float], None]]] = {
    "act": _nameless,
    "contribute": _contribute,
    "reveal": _reveal,
    "resync": _resync,
    "detach": _detach,
    "resume": _resume,
    "leave": _leave,
    "auto_discard": _nameless,
    "auto_pass": _nameless,
}
_JUDGES: Final[dict[str, Callable[[Seat, Any, Reply], None]]] = {
    "act": _act,
    "auto_discard": partial(_switch, kind=Kind.AUTO_DISCARD),
    "auto_pass": partial(_switch, kind=Kind.AUTO_PASS),
}
_NAMED: Final = frozenset(_JUDGES)
"""Inputs that have an id, and an answer."""
