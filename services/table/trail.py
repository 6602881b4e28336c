"""What the log of a table server tells of its players: that they were attached, each hand's end, that they left.

With the lines of matchmaking and settlement, those of one player tell their whole way. There is a line a step and none an action, and each
is written only when what it tells is stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from services.kit import logs
from services.table.phases import STORED, Phase

if TYPE_CHECKING:
    from services.table.appends import Append
    from services.table.core import TableCore
    from services.table.seats import Seat

log = logs.get(__name__)

_ENDS: Final = frozenset({STORED[Phase.SETTLING], STORED[Phase.CALLED_OFF]})
"""The states with which everybody who is still at a table leaves it."""
_AGAIN_SECONDS: Final = 1.0
"""A seat that is attached again and again is told of so often at most: each time costs its client nothing."""


def attached(table: TableCore, seat: Seat) -> None:
    """Tell that a player plays a seat over a stream from now on."""
    if table.host.now() - seat.view_at >= _AGAIN_SECONDS:
        log.info("attached", player=seat.player, match=table.id, seat=seat.no, hand=table.course.hand_no)


def stored(table: TableCore, append: Append) -> None:
    """Tell what became of the table's players with rows that are stored now."""
    course = table.course
    for end in append.ends:
        points = end.hand.points() if end.hand is not None else None
        for seat, player in enumerate(end.players):
            if player is not None:
                earned = points[seat] if points is not None else 0
                log.info("hand_over", player=player, match=table.id, hand=end.number, seat=seat, points=earned, called_off=end.called_off)
    if course.left != table.parted:
        for seat in course.left - table.parted:
            _left(table, seat, "left")
        table.parted = course.left
    if append.state in _ENDS:
        for seat in range(len(course.players)):
            if seat not in course.left | course.free:
                _left(table, seat, course.closing or append.state)


def _left(table: TableCore, seat: int, reason: str) -> None:
    course = table.course
    if (player := course.players[seat]) is not None:
        log.info("left", player=player, match=table.id, hand=course.hand_no, seat=seat, reason=reason)
