"""The tie between a seat and the stream that it is played over.

Law: a seat is open on one stream at most, under one name, and is told there alone what it is told. Seat and stream never disagree, since
only this module ties and unties them.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from services.table.codec import wire
from xuezhan.api.table.v1 import table_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from services.table.seats import Seat
    from services.table.streams import Stream


class Attachment:
    """One seat on one stream, under the client's name for it: `ref`, and `name` as it stands in messages.

    It is asked for (`ask`), then open from the seat's turn on, until it ends. `live`: the table's events go to the stream (not before a
    view, not after an overflow). `expires`: when the seat's token does, on the host's clock.
    """

    __slots__ = ("expires", "live", "name", "ref", "seat", "stream")

    def __init__(self, stream: Stream, ref: int, seat: Seat) -> None:
        self.stream = stream
        self.ref = ref
        self.name = wire.varint(ref)
        self.seat = seat
        self.live = False
        self.expires = inf

    @property
    def is_open(self) -> bool:
        """Whether the seat is played here."""
        return self.seat.attachment is self

    @property
    def is_named(self) -> bool:
        """Whether the client's name still stands for this attachment. If it does not, nobody waits for it any more."""
        return self.stream.attachments.get(self.ref) is self

    def open(self, expires: float) -> None:
        """Let the seat be played here, and nowhere else."""
        before = self.seat.attachment
        if before is not None and before is not self:
            before.detach("attached_elsewhere")
        self.seat.attachment = self
        self.expires = expires
        self.hear(live=False)

    def hear(self, *, live: bool) -> None:
        """Let the table's events go to the stream, or not."""
        self.live = live
        self.seat.table.outlet.reroute()

    def end(self) -> None:
        """Untie the seat from the stream without a word."""
        self.stream.release(self)
        if self.is_open:
            self.seat.attachment = None
            self.hear(live=False)

    def detach(self, reason: str, code: str = "") -> None:
        """Untie the seat from the stream and tell the client why."""
        self.end()
        self.stream.keep(wire.event(self.name, b"", detached(reason, code)))


def ask(stream: Stream, ref: int, seat: Seat) -> Attachment:
    """Let a name of the client stand for a seat that is to be opened in its turn.

    Another seat that is open under the name is left. The same one stays open: asked for again, it is shown anew.
    """
    before = stream.attachments.get(ref)
    if before is not None and before.seat is not seat and before.is_open:
        before.end()
    attachment = before if before is not None and before.seat is seat else Attachment(stream, ref, seat)
    stream.hold(attachment)
    return attachment


def turn_away(stream: Stream, ref: int, reason: str, code: str = "") -> None:
    """Refuse to open a seat under a name. Where a seat has the name that seat stays, so nobody may take it for detached."""
    ref_bytes = wire.varint(ref)
    if ref in stream.attachments:
        stream.put(wire.answer(ref_bytes, 0, 0, reason.encode(), code.encode()))
    else:
        stream.put(wire.event(ref_bytes, b"", detached(reason, code)))


def send_on(stream: Stream, ref: int, address: str, epoch: int, addresses: Sequence[str] = ()) -> None:
    """Say which server plays the table of the seat that was to be opened under a name."""
    if ref in stream.attachments:
        turn_away(stream, ref, "moved", address)
    else:
        stream.keep(wire.event(wire.varint(ref), b"", moved(address, epoch, addresses)))


def hold_off(stream: Stream, ref: int, wait_ms: int) -> None:
    """Say that nobody plays the table of the seat that was to be opened under a name, and when to ask again."""
    if ref in stream.attachments:
        turn_away(stream, ref, "wait", str(wait_ms))
    else:
        stream.put(wire.event(wire.varint(ref), b"", pb.Event(wait=pb.Wait(retry_after_ms=wait_ms)).SerializeToString()))


def moved(address: str, epoch: int, addresses: Sequence[str]) -> bytes:
    """Return the event that a table is played elsewhere, without seats."""
    return pb.Event(moved=pb.Moved(address=address, epoch=epoch, addresses=addresses)).SerializeToString()


def detached(reason: str, code: str = "") -> bytes:
    """Return the event that a seat no longer hears from a stream, without seats."""
    return pb.Event(detached=pb.Detached(reason=reason, code=code)).SerializeToString()
