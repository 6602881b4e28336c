"""What happens in a hand of 疯狂对杀, in the forms that each audience may see.

Law: a seat's cards are in no event but its own until it lays them or the hand is over. The ten cards put away are in none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from games.crazy_duel.cards import Card
from games.crazy_duel.kinds import Laid, Play
from games.hand import Event


@dataclass(slots=True)
class CardsDealt(Event):
    """The hand was dealt. `cards` are those of the seat it is for, sorted, empty in the public form; `leader` holds the shown card."""

    name: ClassVar[str] = "cards_dealt"
    to: int
    cards: tuple[Card, ...]
    shown: Card
    leader: int
    counts: tuple[int, ...]


@dataclass(slots=True)
class CardsPlayed(Event):
    """A seat laid a play. `left`: how many cards it still holds."""

    name: ClassVar[str] = "cards_played"
    to: int
    seat: int
    cards: tuple[Card, ...]
    play: Play
    left: int


@dataclass(slots=True)
class CardsPassed(Event):
    """A seat passed, so the other leads."""

    name: ClassVar[str] = "cards_passed"
    to: int
    seat: int


@dataclass(slots=True)
class CardView(Event):
    """All that one seat may know (`seat`), or everybody (`PUBLIC`).

    `cards`: the viewer's own, sorted. `to_beat`: the play to be beaten, None where the next play leads. `turn`: whose turn it is, -1 after
    the hand. `played`: all plays so far, in order. `hands`: what each seat still holds, once the hand is over, else empty.
    """

    name: ClassVar[str] = "view"
    to: int
    seat: int
    counts: tuple[int, ...]
    cards: tuple[Card, ...]
    to_beat: Laid | None
    turn: int
    shown: Card
    leader: int
    played: tuple[Laid, ...]
    points: tuple[int, ...]
    hands: tuple[tuple[Card, ...], ...] = ()
