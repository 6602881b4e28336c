"""Answers to what clients send: one an id.

Law: an id is looked up before anything is refused, and judged once. A copy of an input that was answered gets the same answer again. A
copy of one whose answer is still to come gets none of its own: that answer goes to whoever sent the last copy. `not_attached` alone says
nothing about the id: whoever hears it attaches and sends the input again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from services.table.codec import wire
from services.table.seats import Reply

if TYPE_CHECKING:
    from services.table.seats import Seat
    from services.table.streams import Stream

MAX_PENDING: Final = 16
"""Inputs of one seat with an id that may wait for their answers; the next are refused as too_many."""
MAX_UNANSWERED: Final = 64
"""Beyond so many an input gets no answer at all, as if it had not been received. No more than refusals are remembered."""
NOT_ATTACHED: Final = b"not_attached"
TOO_MANY: Final = b"too_many"
_COPY_SECONDS: Final = 0.0005
_TOO_MANY_SECONDS: Final = 0.001


def pending(seat: Seat, stream: Stream, ref: bytes, action_id: int, received: float) -> Reply:
    """Return the reply to a new input, which is to be judged next or in its turn."""
    reply = seat.pending[action_id] = Reply(stream, b"", received, seat, action_id, ref)
    return reply


def is_copy(seat: Seat, stream: Stream, ref: bytes, action_id: int, decision: int, received: float) -> bool:
    """Answer a copy of an input that was judged before, or leave it to the answer that is on its way."""
    reply = seat.pending.get(action_id)
    if reply is not None:
        if (reply.stream, reply.ref) == (stream, ref):
            stream.slow(_COPY_SECONDS, ref)
        elif reply.data:
            reply.stream, reply.ref, reply.received = stream, ref, received
            reply.data = wire.answer(ref, action_id, decision, *reply.refused)
        else:
            # It waits to be judged, and its seat to be opened under this name: it is judged after that.
            return seat.waiting >= 2 * MAX_PENDING
        return True
    said = seat.said(action_id)
    if said is None:
        return False
    stream.put(wire.answer(ref, action_id, decision, *said))
    return True


def accept(reply: Reply, decision: int) -> None:
    """Let an input's answer be that it stands; whoever carries it out sends the reply behind its row."""
    reply.data = wire.answer(reply.ref, reply.action_id, decision)


def refuse(seat: Seat, reply: Reply, decision: int, why: bytes, detail: bytes = b"") -> None:
    """Refuse an input for good."""
    reply.refused = (why, detail)
    reply.data = wire.answer(reply.ref, reply.action_id, decision, why, detail)
    seat.remember_refused(reply.action_id, why, detail)
    seat.table.refused(why)
    seat.table.say(reply)


def too_many(seat: Seat, stream: Stream, ref: bytes, action_id: int, decision: int, received: float) -> None:
    """Refuse a new input that is not even looked at. In its turn like any other: nobody finds out what the table is doing."""
    stream.slow(_TOO_MANY_SECONDS, ref)
    if len(seat.pending) < MAX_UNANSWERED:
        refuse(seat, pending(seat, stream, ref, action_id, received), decision, TOO_MANY)


def not_attached(stream: Stream, ref: bytes, action_id: int, decision: int, received: float) -> None:
    """Say that nothing was looked at, since the stream does not hold the seat: of inputs without an id once a request."""
    if not action_id and not stream.offend(received):
        return
    stream.put(wire.answer(ref, action_id, decision, NOT_ATTACHED))
