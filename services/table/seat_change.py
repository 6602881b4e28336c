"""What a live table does when a seat changes hands between two hands.

Law: nothing that a seat's former player alone was shown is left for the next: neither events kept for them, nor their client, nor the
answers to their acts.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from services.table.course_state import Taking
from services.table.outlet import Forget
from services.table.seats import Seat

if TYPE_CHECKING:
    from services.table.core import TableCore


def part(table: TableCore) -> None:
    """Between two hands: part from players who went."""
    course = table.course
    if not course.room.refill_seconds:
        return
    for seat in table.seats:
        if seat.no in course.free and seat.stream is not None:
            table.when_shown(partial(seat.detach, "left"))


def joined(table: TableCore, hold: str) -> None:
    """Give a seat to its new player, if they have it now, before that is told; and wake who waits to hear of it."""
    visit = table.course.visits[hold]
    if visit.taking == Taking.SEATED:
        table.seats[visit.seat].detach("left")
        table.seats[visit.seat] = Seat(table, visit.seat, visit.player)
        table.outlet.reroute()
        table.outputs.append(Forget(visit.seat))
    table.host.decided(hold)
