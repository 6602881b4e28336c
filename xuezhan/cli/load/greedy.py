"""Players of a load run that play mahjong to win: the game's own greedy bot, looking at what the seat was shown."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from games.hand import Action, Bot, Do
from games.mahjong.concealed import Concealed
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.offers import ClaimOffer, TurnOffer
from games.mahjong.state import Seat
from games.mahjong.tiles import SUIT_MASKS, Suit
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import Heard, TableModel, acts
from xuezhan.client.model import SeatModel

_KINDS = {mj.MELD_KIND_PUNG: MeldKind.PUNG, mj.MELD_KIND_DIRECT_KONG: MeldKind.DIRECT_KONG, mj.MELD_KIND_ADDED_KONG: MeldKind.ADDED_KONG}
_KONGS = {
    MeldKind.DIRECT_KONG: mj.MELD_KIND_DIRECT_KONG,
    MeldKind.ADDED_KONG: mj.MELD_KIND_ADDED_KONG,
    MeldKind.CONCEALED_KONG: mj.MELD_KIND_CONCEALED_KONG,
}


@dataclass
class Shown:
    """What the bot looks at: its offer, and the seats as this one was shown them."""

    seats: list[Seat]
    offers: list[Any] = field(default_factory=list)


class GreedyBrain:
    """Before play it gives its shortest suit away; in play it asks the game's bot."""

    def __init__(self, bot: Bot) -> None:
        self._table = TableModel()
        self._bot = bot

    def hear(self, heard: Heard) -> None:
        """Keep the picture up."""
        if heard.name == "attached":
            if self._table.me is None:
                self._table = TableModel(len(heard.what.seats), heard.what.seat)
        else:
            self._table.hear(heard.name, heard.what)

    def choose(self, offer: pb.Offer) -> pb.Act:
        """Answer an offer."""
        choices = offer.mahjong
        if choices.void_suits:
            return acts.void(min(choices.void_suits, key=lambda suit: (self._held(suit), suit)))
        if choices.exchange_from:
            return acts.exchange(_shortest(list(choices.exchange_from)))
        me = self._table.me or 0
        shown = Shown([_seat(seat) for seat in self._table.seats], [None] * len(self._table.seats))
        shown.offers[me] = _claim(choices, me) if choices.from_seat_plus_one else _turn(choices, me)
        return _act(self._bot.choose(shown, me))

    def _held(self, suit: int) -> int:
        return sum(1 for tile in self._table.seats[self._table.me or 0].tiles if acts.suit_of(tile) == suit)


def _shortest(tiles: list[int]) -> list[int]:
    suits = Counter(acts.suit_of(tile) for tile in tiles)
    shortest = min(suits, key=lambda suit: (suits[suit], suit))
    return sorted(tile for tile in tiles if acts.suit_of(tile) == shortest)[:3]


def _seat(seat: SeatModel) -> Seat:
    melds = [Meld(_KINDS.get(meld.kind, MeldKind.CONCEALED_KONG), meld.tile - 1) for meld in seat.melds]
    barred = SUIT_MASKS[seat.void - 1] if seat.void else 0
    concealed = Concealed([tile - 1 for tile in seat.tiles])
    return Seat(concealed, melds, river=[tile - 1 for tile in seat.discards], void=Suit(seat.void - 1), barred=barred)


def _mask(tiles: Any) -> int:
    return sum({1 << tile - 1 for tile in tiles})


def _turn(choices: mj.MahjongChoices, me: int) -> TurnOffer:
    concealed = [kong.tile for kong in choices.kongs if kong.kind == mj.MELD_KIND_CONCEALED_KONG]
    added = [kong.tile for kong in choices.kongs if kong.kind == mj.MELD_KIND_ADDED_KONG]
    return TurnOffer(me, 1, choices.tile - 1, _mask(choices.discards), _mask(concealed), _mask(added), choices.may_win)


def _claim(choices: mj.MahjongChoices, me: int) -> ClaimOffer:
    source = choices.from_seat_plus_one - 1
    return ClaimOffer(me, 1, choices.tile - 1, source, choices.may_win, bool(choices.kongs), choices.may_pung, choices.may_pass)


def _act(action: Action) -> pb.Act:
    match action.do:
        case Do.WIN:
            return acts.win()
        case Do.PUNG:
            return acts.pung()
        case Do.KONG:
            return acts.kong(action.tile + 1, _KONGS[MeldKind(action.kind)])
        case Do.DISCARD:
            return acts.discard(action.tile + 1)
        case _:
            return acts.skip()
