"""A picture of a mahjong table, kept up from what a seat or a watcher is shown.

Views set it anew, events carry it on. Nothing is in it that was not shown: what is concealed is counted, one's own tiles are known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Final

from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import any_table
from xuezhan.client.acts import tiles_named
from xuezhan.client.any_table import AnyTable

_FROM_HAND: Final = {mj.MELD_KIND_PUNG: 2, mj.MELD_KIND_DIRECT_KONG: 3, mj.MELD_KIND_ADDED_KONG: 1, mj.MELD_KIND_CONCEALED_KONG: 4}
"""Concealed tiles that a meld takes."""


@dataclass(slots=True)
class SeatModel:
    """A seat as it is shown. `tiles` are the concealed ones that are known; `count` is how many there are."""

    count: int = 0
    tiles: list[int] = field(default_factory=list)
    melds: list[mj.Meld] = field(default_factory=list)
    discards: list[int] = field(default_factory=list)
    void: int = 0
    wins: list[mj.Won] = field(default_factory=list)
    on_auto: bool = False
    left: bool = False


class TableModel(AnyTable):
    """The picture. `me`: the seat whose eyes it is seen with; None for a watcher. `turn` is -1 when it is nobody's."""

    def __init__(self, players: int = 4, me: int | None = None) -> None:
        super().__init__(me)
        self.seats: list[SeatModel] = [SeatModel() for _ in range(players)]
        self.dealer = 0
        self.wall_left = 0
        self.last_discard = 0

    REACTIONS: ClassVar = {**any_table.REACTIONS}


def _view(table: TableModel, what: pb.View) -> None:
    table.state = int(what.state)
    table.money = list(what.money)
    if not what.HasField("mahjong"):
        return
    view = what.mahjong
    table.hand, table.dealer, table.phase = view.hand, view.dealer, view.phase
    table.wall_left, table.turn, table.last_discard = view.wall_left, view.turn_plus_one - 1, view.last_discard
    table.points = list(view.points)
    auto = list(what.on_auto) or [False] * len(view.seats)
    table.seats = [
        SeatModel(
            seat.concealed_count,
            list(seat.concealed),
            list(seat.melds),
            list(seat.discards),
            seat.void_suit,
            list(seat.wins),
            on_auto,
        )
        for seat, on_auto in zip(view.seats, auto, strict=False)
    ]


def _dealt(table: TableModel, what: mj.Dealt) -> None:
    any_table.begun(table, what.hand)
    table.dealer, table.phase = what.dealer, "deal"
    table.wall_left, table.turn, table.last_discard = what.wall_left, -1, 0
    table.seats = [
        SeatModel(count, list(what.tiles) if seat == table.me else [], on_auto=old.on_auto, left=old.left)
        for (seat, count), old in zip(enumerate(what.concealed_counts), table.seats, strict=False)
    ]


def _voids(table: TableModel, what: mj.VoidsShown) -> None:
    for seat, suit in zip(table.seats, what.suits, strict=False):
        seat.void = suit


def _exchanged(table: TableModel, what: mj.Exchanged) -> None:
    if table.me is not None:
        mine = table.seats[table.me].tiles
        for tile in what.gave:
            mine.remove(tile)
        mine.extend(what.got)


def _drew(table: TableModel, what: mj.Drew) -> None:
    seat = table.seats[what.seat]
    seat.count += 1
    if what.tile:
        seat.tiles.append(what.tile)
    table.wall_left, table.turn, table.phase, table.last_discard = what.wall_left, what.seat, "play", 0


def _discarded(table: TableModel, what: mj.Discarded) -> None:
    seat = table.seats[what.seat]
    _take(seat, what.tile, 1)
    seat.discards.append(what.tile)
    table.turn, table.last_discard = what.seat, what.tile


def _melded(table: TableModel, what: mj.Melded) -> None:
    seat, meld = table.seats[what.seat], what.meld
    _take(seat, meld.tile, _FROM_HAND.get(meld.kind, 0))
    if meld.kind == mj.MELD_KIND_ADDED_KONG:
        seat.melds = [old for old in seat.melds if old.tile != meld.tile]
    elif meld.from_seat_plus_one:
        river = table.seats[meld.from_seat_plus_one - 1].discards
        if river and river[-1] == meld.tile:
            river.pop()
    seat.melds.append(meld)
    table.turn, table.last_discard = what.seat, 0


def _robbed(table: TableModel, what: mj.KongRobbed) -> None:
    _take(table.seats[what.seat], what.tile, 1)


def _won(table: TableModel, what: mj.Won) -> None:
    seat = table.seats[what.seat]
    if what.how == mj.WIN_HOW_SELF_DRAW:
        _take(seat, what.tile, 1)
    seat.wins.append(what)


def _over(table: TableModel, what: pb.HandOver) -> None:
    any_table.REACTIONS["hand_over"](table, what)
    for seat, text in zip(table.seats, what.concealed, strict=False):
        if text:
            seat.tiles = tiles_named(text)


def _take(seat: SeatModel, tile: int, number: int) -> None:
    seat.count -= number
    for _ in range(number):
        if tile in seat.tiles:
            seat.tiles.remove(tile)


TableModel.REACTIONS |= {
    "view": _view,
    "dealt": _dealt,
    "voids_shown": _voids,
    "exchanged": _exchanged,
    "drew": _drew,
    "discarded": _discarded,
    "melded": _melded,
    "kong_robbed": _robbed,
    "won": _won,
    "hand_over": _over,
}
