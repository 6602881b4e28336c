"""The state of one mahjong hand. Mutable and slotted; only the modules of this package change it, each the part it is named after.

Law: outside a turn every seat holds 13 tiles, melds counted, and `waits` is what those 13 wait for; the seat whose turn it is holds 14
and its `waits` are those of the 13 before the draw. A tile won by self-draw is set aside, in `wins`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from games.hand import Action, Stage
from games.mahjong.concealed import Concealed
from games.mahjong.events import Win
from games.mahjong.melds import Meld
from games.mahjong.tiles import Suit, Tile

if TYPE_CHECKING:
    from games.mahjong.hooks import MahjongHooks


@dataclass(slots=True, eq=False)
class Seat:
    """What one player has before him.

    `pungs`: mask of the kinds of his pungs, those that a fourth tile can be added to. `void` is -1 where no suit is named; `barred`: mask
    of the kinds he may neither meld nor win with and must throw first. `drawn`: the tile he drew and has not yet answered on, -1 for
    none. `draws`: how often he has drawn. `asked`: how many offers he has had. `out`: he has won and the hand goes on without him.
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

    `offers` keeps what each was offered after he answered. `tile`, `robbing` and `kongs` (kongs in a row right before) are about a claim.
    """

    order: tuple[int, ...]
    offers: dict[int, Any]
    answers: dict[int, Action] = field(default_factory=dict)
    source: int = -1
    tile: Tile = -1
    robbing: bool = False
    kongs: int = 0


class HandState:
    """One hand between two actions.

    `phase`: index into the ruleset's phases, their number once in play. `next`: index into the wall of the tile drawn next. `turn`: whose
    turn it is, or whose tile is being answered. `row`: kongs in a row of the seat whose turn it is. `melded`: somebody has melded.
    `shift`: of the exchange, 0 for none. `own`: what the game itself remembers (`MahjongHooks.memory`). `ended`: why the hand is over.
    """

    __slots__ = (
        "dealer",
        "dealer_from",
        "ended",
        "melded",
        "next",
        "offers",
        "over",
        "own",
        "phase",
        "players",
        "question",
        "row",
        "rules",
        "seats",
        "shift",
        "stages",
        "totals",
        "turn",
        "wall",
    )

    def __init__(self, rules: MahjongHooks, wall: bytes, dealer: int, dealer_from: str, seats: list[Seat]) -> None:
        self.rules = rules
        self.players = rules.players
        self.wall = wall
        self.dealer = dealer
        self.dealer_from = dealer_from
        self.seats = seats
        self.phase = 0
        self.next = 0
        self.turn = -1
        self.row = 0
        self.melded = False
        self.shift = 0
        self.own: Any = None
        self.offers: list[Any] = [None] * rules.players
        self.question: Question | None = None
        self.stages: list[Stage] = []
        self.totals = [0] * rules.players
        self.over = False
        self.ended = ""

    @property
    def left(self) -> int:
        """How many tiles the wall has."""
        return len(self.wall) - self.next

    @property
    def playing(self) -> list[int]:
        """The seats that have not gone out of the hand, in order."""
        return [who for who, seat in enumerate(self.seats) if not seat.out]

    def others_playing(self, who: int) -> list[int]:
        """Return the other seats that have not gone out of the hand, in turn order from `who` on."""
        return [other for other in self.rules.after[who] if not self.seats[other].out]

    def next_active(self, who: int) -> int:
        """Return the next seat in turn order after `who` that has not gone out of the hand; `who` itself if there is no other."""
        for other in self.rules.after[who]:
            if not self.seats[other].out:
                return other
        return who

    def number(self, who: int) -> int:
        """Return the number of the next offer to a seat."""
        seat = self.seats[who]
        seat.asked += 1
        return seat.asked
