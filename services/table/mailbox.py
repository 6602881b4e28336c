"""Whether a table is played here, and what waits for its turn there.

Law: what is put into a table's mailbox is done, once and in order, or it is abandoned, once, because the table went. Nothing is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Final, NamedTuple


class State(Enum):
    """Whether this server plays a table that it has in memory. `TableCore` has the transitions `freeze` and `go`, `Table` has `thaw`."""

    LIVE = "live"
    """It is played here."""
    FROZEN = "frozen"
    """This server owns it, but inputs wait in the mailbox and the timers stand still, since it may move to another server."""
    GONE = "gone"
    """It is over, or another server's. Nothing is done, stored, answered or sent any more; this state is final."""


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
    """Do nothing: nobody waits for the entry, or its sender is told by the stream that it came over."""


class Entry(NamedTuple):
    """Something to do at a table in its turn, and what to do instead if the table goes before that."""

    do: Callable[[], None]
    abandon: Callable[[Departure], None] = nobody_waits
