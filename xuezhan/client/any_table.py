"""What the pictures of all tables have in common, whatever their game: money, points, presence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from xuezhan.api.table.v1 import table_pb2 as pb


class AnyTable:
    """The part of a picture that no game changes. `turn` is -1 when it is nobody's; `me` is None for a watcher."""

    REACTIONS: ClassVar[dict[str, Callable[[Any, Any], None]]]
    """What each event of the protocol does to the picture."""
    seats: list[Any]

    def __init__(self, me: int | None) -> None:
        self.me = me
        self.hand = 0
        self.phase = ""
        self.turn = -1
        self.money: list[int] = []
        self.points: list[int] = []
        self.last_stage: pb.StageClaimed | None = None
        """The claims that arose last in this hand."""
        self.titles: list[str] = []
        """What each seat's rating is called, in a rated room after a hand."""
        self.state = int(pb.TABLE_STATE_OPEN)

    def hear(self, name: str, what: Any) -> None:
        """Take in one event by its name in the protocol."""
        react = self.REACTIONS.get(name)
        if react is not None:
            react(self, what)


def begun(table: AnyTable, hand: int) -> None:
    """A hand begins."""
    table.hand, table.last_stage, table.points = hand, None, [0] * len(table.seats)


def _committed(table: AnyTable, what: pb.HandCommitted) -> None:
    table.money = list(what.money) or table.money


def _claimed(table: AnyTable, what: pb.StageClaimed) -> None:
    table.last_stage, table.points = what, list(what.points)


def _settled(table: AnyTable, what: pb.StageSettled) -> None:
    table.money = list(what.money)
    table.titles = list(what.titles) or table.titles


def _changed(table: AnyTable, what: pb.SeatChanged) -> None:
    seat = table.seats[what.seat]
    seat.on_auto, seat.left = what.on_auto, what.left


def _taken(table: AnyTable, what: pb.SeatTaken) -> None:
    seat = table.seats[what.seat]
    seat.on_auto = seat.left = False
    table.money = list(what.money)


def _over(table: AnyTable, what: pb.HandOver) -> None:
    table.phase, table.turn, table.points = "over", -1, list(what.points)


def _closed(table: AnyTable, what: pb.TableClosed) -> None:
    table.state = int(what.state)


REACTIONS: dict[str, Callable[[Any, Any], None]] = {
    "hand_committed": _committed,
    "stage_claimed": _claimed,
    "stage_settled": _settled,
    "seat_changed": _changed,
    "seat_taken": _taken,
    "hand_over": _over,
    "table_closed": _closed,
}
