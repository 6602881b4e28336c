"""A seat of a live table: who may play it, over which stream, and which of its actions have been answered."""

from __future__ import annotations

from array import array
from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple

from services.table.codec import wire
from xuezhan.api.table.v1 import table_pb2 as pb

if TYPE_CHECKING:
    from services.table.answers import Reply
    from services.table.streams import Stream
    from services.table.table import Table

REMEMBERED_ACCEPTED: Final = 256
"""Ids of accepted actions kept in memory; all are in the journal."""
REMEMBERED_REFUSED: Final = 64
MAX_WAITING: Final = 16
"""Inputs of one seat that may wait for the append in flight."""


class Wanted(NamedTuple):
    """What a seat waits to be shown over a stream: what followed an event number, and first (`welcome`) that it is attached."""

    stream: Stream
    last_number: int
    welcome: bool


class Seat:
    """One seat.

    `ref` is the client's name for it as bytes; `live`: events go to the stream (not before a view, not after an overflow). `expires`:
    when its token does, on the loop's clock. `hash`: what its player committed to for the next shuffle; `expected`: whether the next
    commitment waits for that. `waiting`: its inputs in the table's mailbox.
    """

    __slots__ = (
        "__weakref__",
        "accepted",
        "expected",
        "expires",
        "hash",
        "live",
        "no",
        "pending",
        "player",
        "ref",
        "refused",
        "stream",
        "table",
        "view_at",
        "waiting",
        "wanted",
    )

    def __init__(self, table: Table, no: int, player: str | None) -> None:
        self.table = table
        self.no = no
        self.player = player
        self.stream: Stream | None = None
        self.ref = b""
        self.live = False
        self.expires = inf
        self.hash = b""
        self.expected = player is not None
        self.waiting = 0
        self.wanted: Wanted | None = None
        self.view_at = -inf
        self.pending: dict[int, Reply] = {}
        """Answers that are still to come, by the ids of what they answer."""
        self.accepted: array[int] | None = None
        self.refused: dict[int, tuple[bytes, bytes]] | None = None

    def remember_accepted(self, action_id: int) -> None:
        """Keep the id of an accepted action."""
        if self.accepted is None:
            self.accepted = array("Q")
        elif len(self.accepted) >= REMEMBERED_ACCEPTED:
            del self.accepted[: REMEMBERED_ACCEPTED // 4]
        self.accepted.append(action_id)

    def remember_refused(self, action_id: int, why: bytes, detail: bytes) -> None:
        """Keep the answer to a refused action."""
        if self.refused is None:
            self.refused = {}
        elif len(self.refused) >= REMEMBERED_REFUSED:
            del self.refused[next(iter(self.refused))]
        self.refused[action_id] = (why, detail)

    def said(self, action_id: int) -> tuple[bytes, bytes] | tuple[()] | None:
        """Return what was answered to an id: nothing of one that was accepted, why and detail of a refused one; None if it is unknown."""
        if self.accepted is not None and action_id in self.accepted:
            return ()
        return self.refused.get(action_id) if self.refused is not None else None

    def hear(self, *, live: bool) -> None:
        """Let the table's events go to the seat's stream, or not."""
        self.live = live
        self.table.outlet.routes.clear()

    def detach(self, reason: str, code: str = "") -> None:
        """Take the seat off its stream and tell the client why."""
        stream = self.stream
        if stream is None:
            return
        ref = self.ref
        self.forget_stream()
        stream.keep(wire.event(ref, b"", detached(reason, code)))

    def forget_stream(self) -> None:
        """Take the seat off its stream without a word."""
        stream = self.stream
        if stream is not None:
            number = _number(self.ref)
            if stream.seats.get(number) is self:
                del stream.seats[number]
                stream.seated_at = self.table.host.now()
        self.stream = None
        self.expires = inf
        self.hear(live=False)


def detached(reason: str, code: str = "") -> bytes:
    """Return the event that a seat no longer hears from a stream, without seats."""
    return pb.Event(detached=pb.Detached(reason=reason, code=code)).SerializeToString()


def _number(ref: bytes) -> int:
    value = 0
    for place, byte in enumerate(ref):
        value |= (byte & 0x7F) << 7 * place
    return value
