"""A seat of a live table: who may play it, over which stream, and which of its actions have been answered.

Law: a seat is open on one stream at most, under one name, and is told there alone what it is told. Seat and stream never disagree, since
only `Attachment` ties and unties them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from services.table.codec import wire
from services.table.notices import detached

if TYPE_CHECKING:
    from services.table.streams import Stream

REMEMBERED_ACCEPTED: Final = 256
"""Ids of accepted actions kept in memory; all are in the journal."""
REMEMBERED_REFUSED: Final = 64
_ID_BYTES: Final = 8
MAX_WAITING: Final = 16
"""Inputs of one seat that may wait for the append in flight."""


class SeatedTable(Protocol):
    """What a seat needs of its table."""

    shut: bool

    def send(self, do: Callable[[], None], /) -> None:
        """Do it now, or in its turn."""
        ...

    def say(self, reply: Reply) -> None:
        """Answer in turn."""
        ...

    def refused(self, why: bytes) -> None:
        """Count a refusal."""
        ...

    def reroute(self) -> None:
        """Look again where its seats are attached."""
        ...


class Wanted(NamedTuple):
    """What a seat waits to be shown where it is attached: what followed an event number, and first (`welcome`) that it is attached."""

    attachment: Attachment
    last_number: int
    welcome: bool


class Seat:
    """One seat.

    `attachment`: where it is played. `hash`: what its player committed to for the next shuffle; `expected`: whether the next
    commitment waits for that. `waiting`: its inputs in the table's mailbox.
    """

    __slots__ = (
        "__weakref__",
        "accepted",
        "attachment",
        "expected",
        "hash",
        "no",
        "pending",
        "player",
        "refused",
        "table",
        "view_at",
        "waiting",
        "wanted",
    )

    def __init__(self, table: SeatedTable, no: int, player: str | None) -> None:
        self.table = table
        self.no = no
        self.player = player
        self.attachment: Attachment | None = None
        self.hash = b""
        self.expected = player is not None
        self.waiting = 0
        self.wanted: Wanted | None = None
        self.view_at = -inf
        self.pending: dict[int, Reply] = {}
        """Answers that are still to come, by the ids of what they answer."""
        self.accepted: bytearray | None = None
        """Ids of accepted actions, packed: a long hand has hundreds, and each new one is looked for among them."""
        self.refused: dict[int, tuple[bytes, bytes]] | None = None

    def remember_accepted(self, action_id: int) -> None:
        """Keep the id of an accepted action."""
        if self.accepted is None:
            self.accepted = bytearray()
        elif len(self.accepted) >= REMEMBERED_ACCEPTED * _ID_BYTES:
            del self.accepted[: REMEMBERED_ACCEPTED // 4 * _ID_BYTES]
        self.accepted += action_id.to_bytes(_ID_BYTES, "little")

    def remember_refused(self, action_id: int, why: bytes, detail: bytes) -> None:
        """Keep the answer to a refused action."""
        if self.refused is None:
            self.refused = {}
        elif len(self.refused) >= REMEMBERED_REFUSED:
            del self.refused[next(iter(self.refused))]
        self.refused[action_id] = (why, detail)

    def said(self, action_id: int) -> tuple[bytes, bytes] | tuple[()] | None:
        """Return what was answered to an id: nothing of one that was accepted, why and detail of a refused one; None if it is unknown."""
        if self.accepted is not None and self._was_accepted(self.accepted, action_id):
            return ()
        return self.refused.get(action_id) if self.refused is not None else None

    @staticmethod
    def _was_accepted(accepted: bytearray, action_id: int) -> bool:
        packed = action_id.to_bytes(_ID_BYTES, "little")
        at = accepted.find(packed)
        while at % _ID_BYTES and at > 0:
            # The end of one id and the beginning of the next.
            at = accepted.find(packed, at + 1)
        return at >= 0

    @property
    def stream(self) -> Stream | None:
        """The stream that the seat is played over."""
        return self.attachment.stream if self.attachment is not None else None

    def on(self, stream: Stream) -> Attachment | None:
        """Return the seat's attachment, if it is played over this stream."""
        attachment = self.attachment
        return attachment if attachment is not None and attachment.stream is stream else None

    def detach(self, reason: str, code: str = "") -> None:
        """Take the seat off its stream, if it is on one, and tell the client why."""
        if self.attachment is not None:
            self.attachment.detach(reason, code)


@dataclass(slots=True, eq=False)
class Reply:
    """An answer on its way to the stream that the input came over; of one with an id it is the only one.

    `data` is empty until the input is judged. `ref`: the client's name for the seat; `refused`: why and detail.
    """

    stream: Stream
    data: bytes
    received: float
    seat: Seat | None = None
    action_id: int = 0
    ref: bytes = b""
    refused: tuple[bytes, bytes] | tuple[()] = ()

    def said(self) -> None:
        """Note that it is on the stream's queue: from here on copies are answered by themselves."""
        if self.seat is not None:
            self.seat.pending.pop(self.action_id, None)


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
        self.seat.table.reroute()

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


def attachment_of(stream: Stream, ref: int) -> Attachment | None:
    """Return what a client's name stands for."""
    found = stream.attachments.get(ref)
    assert found is None or isinstance(found, Attachment), "whatever a stream holds is one"
    return found


def ask(stream: Stream, ref: int, seat: Seat) -> Attachment:
    """Let a name of the client stand for a seat that is to be opened in its turn.

    Another seat that is open under the name is left. The same one stays open: asked for again, it is shown anew.
    """
    before = attachment_of(stream, ref)
    if before is not None and before.seat is not seat and before.is_open:
        before.end()
    attachment = before if before is not None and before.seat is seat else Attachment(stream, ref, seat)
    stream.hold(attachment)
    return attachment
