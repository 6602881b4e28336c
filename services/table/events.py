"""What happens at a table outside the rules of its game, in the form everybody may see."""

from __future__ import annotations

from typing import Any, NamedTuple

from games.hand import Stage
from services.kit.items import ItemOutcome


class Asked(NamedTuple):
    """An offer to one seat under its decision number at this table."""

    decision: int
    offer: Any


class Committed(NamedTuple):
    """Published before the deal: from here on nothing about the shuffle can change but by the reveals."""

    hand: int
    commitment: bytes
    hashes: tuple[bytes, ...]
    options: str


class Revealed(NamedTuple):
    """A player's bytes; empty: withheld."""

    seat: int
    contribution: bytes


class SeatChanged(NamedTuple):
    """A seat went on or off 托管, or its player left."""

    seat: int
    on_auto: bool
    left: bool


class Claimed(NamedTuple):
    """Claims of one stage of a hand, in multiples. `points`: each seat's of the hand, this stage included."""

    hand: int
    place: int
    stage: Stage
    points: tuple[int, ...]


class Settled(NamedTuple):
    """What a stage (place -1: the whole hand) moved in coins, and made of ratings."""

    game: str
    hand: int
    place: int
    cause: str
    outcome: ItemOutcome


class Ended(NamedTuple):
    """A hand is over; its seed proves the deal. `called_off`: why it was not played to its end."""

    hand: int
    concealed: tuple[str, ...]
    points: tuple[int, ...]
    seed: bytes
    contributions: tuple[bytes | None, ...]
    result: str
    called_off: str = ""


class Closed(NamedTuple):
    """The table is over."""

    phase: str
    reason: str


Emission = tuple[int, Any]
"""An audience (bits 0..7 the seats, `games.hand.WATCHERS` the public view) and what it is shown: an event of the game or of this module."""
