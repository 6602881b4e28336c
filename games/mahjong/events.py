"""What happens in a mahjong hand, in the forms that each audience may see.

Law: who was asked, who could have claimed and who answered first is in no event. The events of answers given together come together, in
seat order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from games.hand import Event
from games.mahjong.fans import How, Value
from games.mahjong.melds import Meld
from games.mahjong.tiles import Suit, Tile


@dataclass(slots=True)
class Dealt(Event):
    """The hand was dealt. `tiles` are those of the seat it is for, empty in the public form; `left`: tiles in the wall."""

    name: ClassVar[str] = "dealt"
    to: int
    dealer: int
    dealer_from: str
    tiles: tuple[Tile, ...]
    counts: tuple[int, ...]
    left: int


@dataclass(slots=True)
class VoidsShown(Event):
    """All have named their void suit 定缺."""

    name: ClassVar[str] = "voids_shown"
    to: int
    suits: tuple[Suit, ...]


@dataclass(slots=True)
class Exchanged(Event):
    """The exchange 换三张 took place among `seats`: each gave to the one `shift` places on. No seats: nobody exchanged.

    `gave` and `got` are there for the seat itself alone.
    """

    name: ClassVar[str] = "exchanged"
    to: int
    seats: tuple[int, ...]
    shift: int
    gave: tuple[Tile, ...] = ()
    got: tuple[Tile, ...] = ()


@dataclass(slots=True)
class Drew(Event):
    """A seat drew. `tile` is -1 for the others; `replacement`: after a kong; `left`: tiles in the wall."""

    name: ClassVar[str] = "drew"
    to: int
    seat: int
    tile: Tile
    replacement: bool
    left: int


@dataclass(slots=True)
class Discarded(Event):
    """A seat discarded. Whether it was the tile just drawn is not told."""

    name: ClassVar[str] = "discarded"
    opens_claims: ClassVar[bool] = True
    to: int
    seat: int
    tile: Tile


@dataclass(slots=True)
class Melded(Event):
    """A seat laid down a meld. A concealed kong 暗杠 is shown too; an added kong takes the place of its pung."""

    name: ClassVar[str] = "melded"
    to: int
    seat: int
    meld: Meld


@dataclass(slots=True)
class KongAnnounced(Event):
    """An added kong 补杠 was announced. `Melded` follows, or it is robbed."""

    name: ClassVar[str] = "kong_announced"
    opens_claims: ClassVar[bool] = True
    to: int
    seat: int
    tile: Tile


@dataclass(slots=True)
class KongRobbed(Event):
    """The announced kong was robbed 抢杠: the pung stays, the tile is gone."""

    name: ClassVar[str] = "kong_robbed"
    to: int
    seat: int
    tile: Tile


class Win(NamedTuple):
    """One win of a seat. `source`: who discarded or announced the tile, -1 for a self-draw."""

    tile: Tile
    how: How
    source: int
    value: Value


@dataclass(slots=True)
class Won(Event):
    """A seat won. Its other tiles are shown when the hand is over."""

    name: ClassVar[str] = "won"
    to: int
    seat: int
    win: Win


@dataclass(slots=True)
class SeatView:
    """A seat as the viewer may see it.

    `count` concealed tiles; `tiles` are those the viewer may know: their own, and everybody's once the hand is over. `river`: its discards
    that nobody melded. `void` is -1 until shown. A winner who is out of the hand has `out`.
    """

    count: int
    tiles: tuple[Tile, ...]
    melds: tuple[Meld, ...]
    river: tuple[Tile, ...]
    void: Suit
    wins: tuple[Win, ...]
    out: bool


@dataclass(slots=True)
class View(Event):
    """All that one seat may know (`seat`), or everybody (`PUBLIC`).

    `phase`: void, exchange, play or over. `turn`: whose turn it is or whose discard or kong is being answered, -1 before play and after
    the hand. `discard`: the last discard while nobody has drawn or melded since; `announced`: the tile of an added kong being answered;
    -1 otherwise. `drawn`: the tile the viewer drew and has not yet answered on. `named_void`, `gave`: what the viewer chose and is not
    yet carried out.
    """

    name: ClassVar[str] = "view"
    to: int
    seat: int
    phase: str
    dealer: int
    turn: int
    left: int
    discard: Tile
    announced: Tile
    seats: tuple[SeatView, ...]
    points: tuple[int, ...]
    drawn: Tile = -1
    named_void: Suit = -1
    gave: tuple[Tile, ...] = ()
