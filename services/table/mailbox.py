"""Whether a table is played here, and what waits for its turn there.

Law: what is put into a table's mailbox is done, once and in order, or it is abandoned, once, because the table went. Nothing is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Final, NamedTuple


class State(Enum):
    """Whether this server plays a table that it has in memory. The transitions are in `services.table.table.Table`."""

    LIVE = "live"
    """It is played here."""
    FROZEN = "frozen"
    """It is this server's, but what comes waits in the mailbox, and its timers stand still: it may be on its way to another server."""
    GONE = "gone"
    """It is not this server's any more, or over: nothing is done, stored, answered or sent. For good."""


class Departure(NamedTuple):
    """Why a table has gone, for whoever still waits for something there.

    `reason`: `closed` (it is over), `unavailable` (come again: it may be read anew here) or `moved` (to `address`, under `epoch`).
    """

    reason: str
    address: str = ""
    epoch: int = 0


CLOSED: Final = Departure("closed")
UNAVAILABLE: Final = Departure("unavailable")


def nobody_waits(_departure: Departure) -> None:
    """Abandon something for which nobody waits, or whose sender is told otherwise: by the stream that it came over."""


class Entry(NamedTuple):
    """Something to do at a table: what it does, and what to do instead when the table goes before its turn."""

    do: Callable[[], None]
    abandon: Callable[[Departure], None] = nobody_waits
