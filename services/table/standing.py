"""What of a table is told to whoever asks from outside: where it stood when everything that had happened was stored and shown.

Law: a list, a record or a wallet tells of no outcome before the table has shown it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from services.table.appends import Append
    from services.table.course import Course
    from services.table.phases import Phase
    from services.table.ports import Host
    from services.table.seat_set import SeatSet


class Standing(NamedTuple):
    """A table as it was shown last. `finished`: hands that are over."""

    phase: Phase
    hand_no: int
    finished: int
    players: tuple[str | None, ...]
    on_auto: SeatSet
    free: SeatSet


class Showing(Protocol):
    """What is needed of a table to let go what it has shown."""

    id: str
    unshown: list[Append]

    @property
    def host(self) -> Host:
        """Where coins and records go."""
        ...


def of(course: Course) -> Standing:
    """Return where a table stands of which everything is shown."""
    return Standing(course.phase, course.hand_no, course.finished, course.players, course.on_auto, course.free)


def pass_on(table: Showing) -> None:
    """What was stored is shown: let its coins move, and its records be read."""
    for append in table.unshown:
        if append.items:
            table.host.relay.add(table.id, append.items)
    keep_records(table)


def keep_records(table: Showing) -> None:
    """Let records be made of hands that are over. What coins they move is in the outbox, should the table not be played on here."""
    for append in table.unshown:
        if append.ends:
            table.host.archive.add(append.ends)
    table.unshown = []
