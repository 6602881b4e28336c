"""What a win is worth: the words shared by every mahjong game."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class How(StrEnum):
    """How the winning tile came."""

    SELF_DRAW = "self_draw"
    DISCARD = "discard"
    ROBBED_KONG = "robbed_kong"


class Circumstances(NamedTuple):
    """What surrounded a win.

    `kongs`: kongs in a row right before (the winner's for a self-draw on a replacement, the discarder's for a discard). `last_tile`: the wall
    was empty after the tile. `first_draw`: the winner's first draw, nobody having melded. `how` None: none of this is known (查叫).
    """

    how: How | None = None
    kongs: int = 0
    last_tile: bool = False
    first_draw: bool = False
    dealer: bool = False


NO_CIRCUMSTANCES = Circumstances()


class Part(NamedTuple):
    """One part of a win's value. `fan` is the part's total, for 根 all of them together."""

    id: str
    name: str
    fan: int


class Value(NamedTuple):
    """What a win is worth: `fan` before the cap, `multiple` after it."""

    parts: tuple[Part, ...]
    fan: int
    multiple: int
