"""How a mahjong game values hands on their own, without a table around them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from games.mahjong.concealed import Concealed
from games.mahjong.fans import Circumstances, Value
from games.mahjong.melds import Meld
from games.mahjong.tiles import Suit, Tile

WinValue: TypeAlias = Callable[[Concealed, Sequence[Meld], Tile, Suit | None, Circumstances, int | None], Value | str]
"""What a win is worth in one game under a cap in fans, or why it is none; the concealed tiles hold the winning one."""


class Valuer(NamedTuple):
    """How one game with its options values hands."""

    win: WinValue
    waits: Callable[[Concealed, Sequence[Meld], Suit | None, int | None], Iterable[tuple[Tile, Value]]]
