"""What happens at a table outside the rules of its game. Like a game's events, each says by `to` who may see it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from games.hand import MAX_SEATS, Event, Offer, Stage
from services.kit.items import ItemOutcome
from services.table.rows import body
from services.table.signer import Signed

VIEWS: Final = [tuple(view for view in range(MAX_SEATS + 1) if to >> view & 1) for to in range(1 << MAX_SEATS + 1)]
"""The views in every audience: seats, and the public one."""


class Asked(NamedTuple):
    """An offer to one seat under its decision number at this table."""

    to: int
    seat: int
    decision: int
    offer: Offer


class Committed(NamedTuple):
    """Published before the deal: from here on nothing about the shuffle can change but by the reveals."""

    to: int
    hand: int
    commitment: bytes
    hashes: tuple[bytes, ...]
    ruled: Mapping[str, Any]
    """The options of its rules."""
    money: tuple[int, ...]
    """Each seat's as the hand begins."""
    signed: Signed | None = None
    """None: the hand began under a release without statements."""

    @property
    def options(self) -> str:
        """The options of the hand as JSON. What was stated holds, whatever a later release adds to them."""
        return body(dict(self.ruled) if self.signed is None else json.loads(self.signed.text)["options"])


class DealSigned(NamedTuple):
    """Shown directly before the deal: all bytes of the shuffle but the seed."""

    to: int
    hand: int
    signed: Signed


class Revealed(NamedTuple):
    """A player's bytes; empty: withheld."""

    to: int
    seat: int
    contribution: bytes


class SeatChanged(NamedTuple):
    """A seat went on or off 托管, or its player left."""

    to: int
    seat: int
    on_auto: bool
    left: bool


class SeatTaken(NamedTuple):
    """Between two hands another player took a seat. `money`: each seat's now."""

    to: int
    seat: int
    player: str
    money: tuple[int, ...]


class Claimed(NamedTuple):
    """Claims of one stage of a hand, in multiples. `points`: each seat's of the hand, this stage included."""

    to: int
    hand: int
    place: int
    stage: Stage
    points: tuple[int, ...]


class Settled(NamedTuple):
    """What a stage (place -1: the whole hand) moved in coins, and made of ratings."""

    to: int
    game: str
    hand: int
    place: int
    cause: str
    outcome: ItemOutcome


class Ended(NamedTuple):
    """A hand is over; its seed proves the deal.

    `called_off`: why it was not played to its end (services.table.ending.Why); `by`: the operator who did it.
    """

    to: int
    hand: int
    concealed: tuple[str, ...]
    points: tuple[int, ...]
    seed: bytes
    contributions: tuple[bytes | None, ...]
    result: str
    called_off: str = ""
    by: str = ""


class Closed(NamedTuple):
    """The table is over."""

    to: int
    phase: str
    reason: str


Emission: TypeAlias = Event | Asked | Committed | DealSigned | Revealed | SeatChanged | SeatTaken | Claimed | Settled | Ended | Closed
"""An event of the game or of this module. `to` is its audience: bits 0..7 the seats, `games.hand.WATCHERS` the public view."""
