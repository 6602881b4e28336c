"""A seat of a live table: who may play it, over which stream, and which of its actions have been answered."""

from __future__ import annotations

from array import array
from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from services.table.answers import Reply
    from services.table.attachment import Attachment
    from services.table.streams import Stream
    from services.table.table import Table

REMEMBERED_ACCEPTED: Final = 256
"""Ids of accepted actions kept in memory; all are in the journal."""
REMEMBERED_REFUSED: Final = 64
MAX_WAITING: Final = 16
"""Inputs of one seat that may wait for the append in flight."""


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

    def __init__(self, table: Table, no: int, player: str | None) -> None:
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
