"""The phases of a table, and what of them is stored and shown."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Phase(StrEnum):
    """Where a table stands."""

    OPENING = "opening"
    """The stakes are being bound; nothing is dealt before that is settled."""
    GATHERING = "gathering"
    """Waiting, for a bounded time, until each expected seat has given a hash or declined; before a further hand also for the room's
    break and for free seats.
    """
    REVEALING = "revealing"
    """The commitment is published; players show their bytes."""
    PLAYING = "playing"
    BREAK = "break"
    """Between two hands: everything so far is being settled."""
    SETTLING = "settling"
    """The last hand is over; coins are still being moved."""
    CLOSED = "closed"
    CALLED_OFF = "called_off"
    """The stakes could not be bound; nothing was dealt."""


STORED: Final[dict[Phase, str]] = {
    Phase.OPENING: "open",
    Phase.GATHERING: "open",
    Phase.REVEALING: "open",
    Phase.PLAYING: "open",
    Phase.BREAK: "open",
    Phase.SETTLING: "settling",
    Phase.CLOSED: "closed",
    Phase.CALLED_OFF: "called_off",
}
"""The state of a table in the database. Tables that are closed or called off have no owner's work left."""
OVER: Final = frozenset({Phase.CLOSED, Phase.CALLED_OFF})
