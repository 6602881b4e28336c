"""What the seats of one mahjong hand hold and are asked. Mutable and slotted; only the modules of this package change it, each the part
it is named after.

Law: outside a turn every seat holds 13 tiles, melds counted, and `waits` is what those 13 wait for; the seat whose turn it is holds 14
and its `waits` are those of the 13 before the draw. A tile won by self-draw is set aside, in `wins`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from games.hand import Action
from games.mahjong.concealed import Concealed
from games.mahjong.events import Win
from games.mahjong.melds import Meld
from games.mahjong.tiles import Suit, Tile


@dataclass(slots=True, eq=False)
class Seat:
    """What one player has before them.

    `pungs`: mask of the kinds of their pungs, those that a fourth tile can be added to. `void` is -1 where no suit is named; `barred`: mask
    of the kinds they may neither meld nor win with and must throw first. `drawn`: the tile they drew and have not answered on yet, -1 for
    none. `draws`: how often they have drawn. `asked`: how many offers they have had. `out`: has won and the hand goes on.
    """

    concealed: Concealed
    melds: list[Meld] = field(default_factory=list)
    pungs: int = 0
    river: list[Tile] = field(default_factory=list)
    void: Suit = -1
    barred: int = 0
    waits: int = 0
    drawn: Tile = -1
    draws: int = 0
    asked: int = 0
    wins: list[Win] = field(default_factory=list)
    out: bool = False


@dataclass(slots=True, eq=False)
class Question:
    """What several seats are asked at the same time (games.hand.Question).

    `offers` keeps what each was offered after they answered. `tile`, `robbing` and `kongs` (kongs in a row right before) are about a claim.
    """

    order: tuple[int, ...]
    offers: dict[int, Any]
    answers: dict[int, Action] = field(default_factory=dict)
    source: int = -1
    tile: Tile = -1
    robbing: bool = False
    kongs: int = 0
