"""Melds 副露: what a player has laid down. There is no chow (吃), so a meld is three or four of one kind."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from games.mahjong.tiles import COPIES, Tile


class MeldKind(StrEnum):
    """The kinds of meld, as written in records."""

    PUNG = "pung"
    """碰: a discard and two of one's own."""
    DIRECT_KONG = "direct_kong"
    """直杠: a discard and three of one's own."""
    ADDED_KONG = "added_kong"
    """补杠, 面下杠, 巴杠: the fourth tile added to one's pung."""
    CONCEALED_KONG = "concealed_kong"
    """暗杠: four of one's own."""


class Meld(NamedTuple):
    """One meld. `source` is the seat whose discard it was made with; -1 for a concealed kong or where it is not known."""

    kind: MeldKind
    tile: Tile
    source: int = -1

    @property
    def is_kong(self) -> bool:
        """Whether it holds all four of its kind. A kong counts as three tiles towards 13 or 14."""
        return self.kind is not MeldKind.PUNG

    @property
    def size(self) -> int:
        """How many tiles lie in it."""
        return COPIES if self.is_kong else COPIES - 1


def meld_mask(melds: Iterable[Meld]) -> int:
    """Return the mask of the kinds melded."""
    mask = 0
    for meld in melds:
        mask |= 1 << meld.tile
    return mask
