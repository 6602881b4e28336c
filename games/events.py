"""What happens in every game, in the form that each audience may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from games.hand import Event, Stage

PUBLIC = -1
"""The seat of a view that is meant for everybody."""


@dataclass(slots=True)
class StageClaimed(Event):
    """Claims arose."""

    name: ClassVar[str] = "stage_claimed"
    to: int
    stage: Stage


@dataclass(slots=True)
class HandOver(Event):
    """The hand is over. `hands`: what each seat still holds, sorted (tiles won with left out); `why`: a stable name of the game."""

    name: ClassVar[str] = "hand_over"
    to: int
    why: str
    hands: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]
