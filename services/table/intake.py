"""What clients send: attach, act, contribute, reveal, resync, detach, resume, leave, auto_discard.

Law: every input is answered or done exactly once, in the table's mailbox; one that is not legal changes nothing and harms nobody's
stream. A token that does not fit reveals nothing, not even whether the table exists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from games.hand import Action, Refusal, Why
from services.table import handshake, play, shuffle
from services.table.attach import attach, bring_up_to_date
from services.table.codec import actions, wire
from services.table.outlet import Reply
from services.table.phases import Phase
from services.table.rows import SEAT_ACTED
from services.table.seats import MAX_WAITING, Seat
from xuezhan.api.table.v1 import table_pb2 as pb

if TYPE_CHECKING:
    from services.table.hall import Hall
    from services.table.streams import Stream
    from services.table.table import Table

MAX_INPUTS: Final = 2048
"""Inputs of one request that are looked at; the rest is refused."""
_UNREADABLE_SECONDS: Final = 0.01
_HELD_SECONDS: Final = 0.0005
"""An answer that waits for the claim window: its stream is read so much later, so that few can wait."""
_PRESENCE_SECONDS: Final = 0.05
"""Who goes is stored and told to all: the stream of one who goes and comes all the time, or switches 自动摸打, is read so much later for
each.
"""
_CONTRIBUTE_SECONDS: Final = 0.0005
_MAY_LEAVE: Final = frozenset({Phase.GATHERING, Phase.REVEALING, Phase.PLAYING, Phase.BREAK})
_OVER: Final = frozenset({Phase.SETTLING, Phase.CLOSED, Phase.CALLED_OFF})
_NAMED: Final = frozenset({"act", "auto_discard"})
"""Inputs that have an id, and an answer."""
_STALE: Final = b"stale"
_NOT_YOUR_TURN: Final = Why.NOT_YOUR_TURN.value.encode()
_HAND_OVER: Final = Why.HAND_OVER.value.encode()
_MALFORMED: Final = Why.MALFORMED.value.encode()
_NOT_OFFERED: Final = Why.NOT_OFFERED.value.encode()
_NOT_ATTACHED: Final = b"not_attached"
_TOO_MANY: Final = b"too_many"


def receive(hall: Hall, stream: Stream, item: Any, received: float) -> None:
    """Take in one input of a request that came at that time."""
    kind = item.WhichOneof("input")
    if kind == "attach":
        attach(hall, stream, item.seat_ref, item.attach)
        return
    seat = stream.seats.get(item.seat_ref)
    if seat is None:
        _refuse_unseated(stream, item, kind, received, _NOT_ATTACHED)
    elif kind is None:
        stream.answer(wire.answer(seat.ref, 0, 0, _MALFORMED, b"input: missing"), received)
    elif not seat.table.in_flight:
        try:
            _HANDLERS[kind](seat, stream, getattr(item, kind), received)
        except Exception as error:  # noqa: BLE001 - a fault of ours at one table must not end the stream of thousands
            hall.failed(seat.table, error)
    elif seat.waiting >= MAX_WAITING:
        _refuse_unseated(stream, item, kind, received, _TOO_MANY)
    else:
        seat.waiting += 1
        seat.table.send(_waited, seat, stream, kind, getattr(item, kind), received)


def too_many(stream: Stream, item: Any, received: float) -> None:
    """Refuse an input beyond what one request may hold."""
    _refuse_unseated(stream, item, item.WhichOneof("input"), received, _TOO_MANY)


def unreadable(stream: Stream, received: float) -> None:
    """Refuse a whole request that is no message."""
    stream.debt += _UNREADABLE_SECONDS
    stream.answer(wire.answer(wire.varint(0), 0, 0, _MALFORMED, b"request: unreadable"), received)


def _refuse_unseated(stream: Stream, item: Any, kind: str | None, received: float, why: bytes) -> None:
    action_id = getattr(item, kind).action_id if kind and kind in _NAMED else 0
    decision = item.act.decision if kind == "act" else 0
    stream.answer(wire.answer(wire.varint(item.seat_ref), action_id, decision, why), received)


def _waited(seat: Seat, stream: Stream, kind: str, message: Any, received: float) -> None:
    seat.waiting -= 1
    _HANDLERS[kind](seat, stream, message, received)


def _act(seat: Seat, stream: Stream, act: Any, received: float) -> None:
    if not _answered(seat, stream, act.action_id, act.decision, received):
        _new_act(seat.table, seat, stream, act, received)


def _answered(seat: Seat, stream: Stream, action_id: int, decision: int, received: float) -> bool:
    """Answer what cannot be carried out, or was judged before."""
    table = seat.table
    if seat.stream is not stream:
        stream.answer(wire.answer(seat.ref, action_id, decision, _NOT_ATTACHED), received)
    elif not action_id:
        _reply(table, stream, wire.answer(seat.ref, 0, decision, _MALFORMED, b"action_id: must not be 0"), received)
    elif seat.was_accepted(action_id):
        _reply(table, stream, wire.answer(seat.ref, action_id, decision), received)
    elif seat.refused is not None and action_id in seat.refused:
        _reply(table, stream, wire.answer(seat.ref, action_id, decision, *seat.refused[action_id]), received)
    else:
        return False
    return True


def _new_act(table: Table, seat: Seat, stream: Stream, act: Any, received: float) -> None:
    action_id, decision, no = act.action_id, act.decision, seat.no
    course = table.course
    if course.on_auto | course.leaving:
        _speaks(table, seat)
    refused = None if decision == table.outlet.shown[no] and play.is_asked(table, no) else _late(table, no, act)
    if refused is None:
        action = actions.action_of(act, no)
        if not isinstance(action, Refusal):
            accepted = Reply(stream, wire.answer(seat.ref, action_id, decision), received)
            result = _carry_out(table, action, action_id, accepted)
            if result is None:
                seat.remember_accepted(action_id)
                return
            action = result
        refused = (action.why.value.encode(), action.detail.encode())
    _refuse(seat, stream, action_id, decision, refused, received)


def _carry_out(table: Table, action: Action, action_id: int, accepted: Reply) -> Refusal | None:
    """Let an act take effect; a `leave` that has to wait for others' answers is accepted now and takes effect then."""
    course, no = table.course, action.seat
    if action != play.leaving(no) or play.leaves_now(table, no):
        return table.act(action, SEAT_ACTED, action_id, accepted)
    if no in course.going:
        return Refusal(Why.NOT_OFFERED, "the seat is leaving")
    table.presence(no, on_auto=bool(course.on_auto >> no & 1), leaving=True, action_id=action_id, answer=accepted)
    return None


def _refuse(seat: Seat, stream: Stream, action_id: int, decision: int, refused: tuple[bytes, bytes], received: float) -> None:
    table = seat.table
    seat.remember_refused(action_id, *refused)
    table.hall.metrics.refused(table.course.room, refused[0])
    _reply(table, stream, wire.answer(seat.ref, action_id, decision, *refused), received)


def _late(table: Table, no: int, act: Any) -> tuple[bytes, bytes] | None:
    """Return why an act that is about no open offer cannot be taken, or None: leaving needs no offer where it has a meaning."""
    decision, shown = act.decision, table.outlet.shown[no]
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


def _reply(table: Table, stream: Stream, data: bytes, received: float) -> None:
    """Answer in turn: behind rows that are not yet stored, and behind what the claim window holds."""
    if table.rows or table.outlet.held is not None:
        reply = Reply(stream, data, received)
        if table.rows:
            table.outputs.append(reply)
        else:
            stream.debt += _HELD_SECONDS
            table.outlet.release([reply], table.hall.now())
    else:
        stream.answer(data, received)


def _speaks(table: Table, seat: Seat) -> None:
    bit = 1 << seat.no
    course = table.course
    if (course.on_auto | course.leaving) & bit and not course.left & bit and course.phase is Phase.PLAYING:
        table.presence(seat.no, on_auto=False, leaving=False)


def _reveal(seat: Seat, stream: Stream, message: Any, received: float) -> None:
    table = seat.table
    if seat.stream is stream and not handshake.reveal(table, seat, message.contribution):
        _reply(table, stream, wire.answer(seat.ref, 0, 0, _MALFORMED, b"contribution: not awaited, or not what was committed to"), received)


def _contribute(seat: Seat, stream: Stream, message: Any, received: float) -> None:
    table, given = seat.table, message.contribution_hash
    if seat.stream is not stream:
        return
    if not shuffle.is_hash(given):
        _reply(table, stream, wire.answer(seat.ref, 0, 0, _MALFORMED, b"contribution_hash: 32 bytes or none"), received)
        return
    stream.debt += _CONTRIBUTE_SECONDS
    has = handshake.contribute(seat, given, declines=True)
    # In front of the commitment, which may have waited for this hash alone.
    told = pb.Event(contributed=pb.Contributed(contribution_hash=has)).SerializeToString()
    _reply(table, stream, wire.event(seat.ref, b"", told), received)
    handshake.go_on(table)


def _resync(seat: Seat, stream: Stream, message: Any, _received: float) -> None:
    if seat.stream is stream:
        seat.hear(live=False)
        bring_up_to_date(seat, stream, message.last_number)


def _detach(seat: Seat, stream: Stream, _message: Any, _received: float) -> None:
    if seat.stream is stream:
        seat.forget_stream()


def _resume(seat: Seat, stream: Stream, _message: Any, _received: float) -> None:
    if seat.stream is stream:
        _speaks(seat.table, seat)


def _leave(seat: Seat, stream: Stream, _message: Any, _received: float) -> None:
    table, no = seat.table, seat.no
    course = table.course
    if seat.stream is not stream or course.left >> no & 1 or course.phase not in _MAY_LEAVE:
        return
    # Between two hands there is nothing to be played for him.
    on_auto = not (course.finished and course.phase in {Phase.BREAK, Phase.GATHERING})
    waits = course.rules.leave_waits and course.phase is Phase.PLAYING
    if not course.leaving >> no & 1 or on_auto > course.on_auto >> no & 1 or (waits and no not in course.going):
        stream.debt += _PRESENCE_SECONDS
        table.presence(no, on_auto=on_auto, leaving=True)
    if course.rules.may_leave and not waits and course.phase is Phase.PLAYING and not course.left >> no & 1:
        table.act(play.leaving(no), SEAT_ACTED)
    if course.left >> no & 1:
        table.when_shown(lambda: seat.detach("left"))


def _auto_discard(seat: Seat, stream: Stream, message: Any, received: float) -> None:
    table, action_id, on = seat.table, message.action_id, message.on
    course = table.course
    if _answered(seat, stream, action_id, 0, received):
        return
    if not course.rules.auto_discard:
        _refuse(seat, stream, action_id, 0, (_NOT_OFFERED, b"auto_discard: this game does not have it"), received)
    elif course.phase is not Phase.PLAYING or course.left >> seat.no & 1:
        _refuse(seat, stream, action_id, 0, (_HAND_OVER, b"auto_discard: no hand is being played"), received)
    else:
        # On while it is on, too: an id that was answered must be known after a restart, whatever it changed.
        seat.remember_accepted(action_id)
        stream.debt += _PRESENCE_SECONDS
        table.throw_drawn(seat.no, action_id, Reply(stream, wire.answer(seat.ref, action_id, 0), received), on=on)


_HANDLERS: Final[dict[str, Callable[[Seat, Stream, Any, float], None]]] = {
    "act": _act,
    "contribute": _contribute,
    "reveal": _reveal,
    "resync": _resync,
    "detach": _detach,
    "resume": _resume,
    "leave": _leave,
    "auto_discard": _auto_discard,
}
