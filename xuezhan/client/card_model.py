"""A picture of a table of the card game, kept up from what a seat or a watcher is shown.

Views set it anew, events carry it on. Cards of others are counted, one's own are known; at the end of the hand all are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from xuezhan.api.table.v1 import cards_pb2 as cd
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import any_table
from xuezhan.client.acts import card_named
from xuezhan.client.any_table import AnyTable


@dataclass(slots=True)
class CardSeatModel:
    """A seat as it is shown. `cards` are those of its cards that are known; `count` is how many there are."""

    count: int = 0
    cards: list[int] = field(default_factory=list)
    on_auto: bool = False
    left: bool = False


class CardTableModel(AnyTable):
    """The picture. `plays`: who laid what, in order, None for a pass (a view does not tell of passes before it)."""

    def __init__(self, players: int = 2, me: int | None = None) -> None:
        super().__init__(me)
        self.seats: list[CardSeatModel] = [CardSeatModel() for _ in range(players)]
        self.shown = 0
        self.leader = -1
        self.to_beat: cd.CardPlay | None = None
        """What the next play has to beat; None: whoever's turn it is leads."""
        self.plays: list[tuple[int, cd.CardPlay | None]] = []

    REACTIONS: ClassVar = {**any_table.REACTIONS}


def _view(table: CardTableModel, what: pb.View) -> None:
    table.state = int(what.state)
    table.money = list(what.money)
    if not what.HasField("cards"):
        return
    view = what.cards
    table.hand, table.shown, table.leader, table.turn = view.hand, view.shown, view.leader, view.turn_plus_one - 1
    table.phase = "play" if view.turn_plus_one else "over"
    table.points = list(view.points)
    table.to_beat = view.to_beat if view.HasField("to_beat") else None
    table.plays = list(zip(view.played_by, view.played, strict=True))
    known: list[list[int]] = [list(hand.cards) for hand in view.hands] or [
        list(view.cards) if seat == table.me else [] for seat in range(len(view.counts))
    ]
    auto = list(what.on_auto) or [False] * len(known)
    table.seats = [CardSeatModel(count, cards, on_auto) for count, cards, on_auto in zip(view.counts, known, auto, strict=True)]


def _dealt(table: CardTableModel, what: cd.CardsDealt) -> None:
    any_table.begun(table, what.hand)
    table.phase, table.shown, table.leader, table.turn = "play", what.shown, what.leader, what.leader
    table.to_beat, table.plays = None, []
    for number, (seat, count) in enumerate(zip(table.seats, what.counts, strict=True)):
        seat.count, seat.cards = count, list(what.cards) if number == table.me else []


def _played(table: CardTableModel, what: cd.CardsPlayed) -> None:
    seat = table.seats[what.seat]
    seat.count = what.left
    for card in what.play.cards:
        if card in seat.cards:
            seat.cards.remove(card)
    table.plays.append((what.seat, what.play))
    table.to_beat = what.play
    _next(table, what.seat)


def _passed(table: CardTableModel, what: cd.CardsPassed) -> None:
    table.plays.append((what.seat, None))
    table.to_beat = None
    _next(table, what.seat)


def _next(table: CardTableModel, seat: int) -> None:
    table.turn = (seat + 1) % len(table.seats)


def _over(table: CardTableModel, what: pb.HandOver) -> None:
    any_table.REACTIONS["hand_over"](table, what)
    for seat, text in zip(table.seats, what.concealed, strict=False):
        seat.cards = [card_named(name) for name in text.split()]


CardTableModel.REACTIONS |= {
    "view": _view,
    "cards_dealt": _dealt,
    "cards_played": _played,
    "cards_passed": _passed,
    "hand_over": _over,
}
