"""What one seat was shown of one deal, to be compared with the deal that follows from the published seed.

Law: every tile shown is compared on its own, by its place in the wall, so that whatever was missed in between excuses nothing else.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final, NamedTuple

from xuezhan.api.table.v1 import cards_pb2 as cd
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.client.acts import card_name, tile_name
from xuezhan.client.deal import CARDS, Deal

BLOCK: Final = 13
_OWN_TILES: Final = {mj.MELD_KIND_PUNG: 2, mj.MELD_KIND_DIRECT_KONG: 3, mj.MELD_KIND_ADDED_KONG: 3, mj.MELD_KIND_CONCEALED_KONG: 4}
"""Tiles of a meld that came to its seat from the wall."""


class Exchange(NamedTuple):
    """An exchange 换三张 as the seat saw it: who took part, and what it gave and got itself."""

    seats: tuple[int, ...]
    shift: int
    gave: tuple[int, ...]
    got: tuple[int, ...]


class Witness:
    """What a seat was shown. Values are the protocol's; what was not shown is None or -1."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.tiles: list[int] | None = None
        self.dealer = -1
        self.dealer_from = ""
        self.leader = -1
        self.shown = 0
        self.exchange: Exchange | None = None
        self.draws: list[tuple[int, int]] = []
        """Own draws: how many tiles the wall held after it, and the tile."""
        self._left = -1
        """Tiles in the wall after what was heard last."""
        self._odd = ""
        self._held: list[tuple[int, list[int]]] = []
        """Own tiles of full views, and how many tiles the wall held then; -1: a hand of cards."""

    def hear(self, name: str, what: Any) -> None:
        """Take in an event of the hand."""
        match name:
            case "drew":
                self._drew(what)
            case "dealt":
                self.tiles, self.dealer, self.dealer_from = sorted(what.tiles), what.dealer, what.dealer_from
                self._left = what.wall_left
            case "exchanged":
                self.exchange = Exchange(tuple(what.seats), what.shift, tuple(what.gave), tuple(what.got))
            case "cards_dealt":
                self.tiles, self.shown, self.leader = sorted(what.cards), what.shown, what.leader
            case _:
                pass

    def look(self, view: mj.MahjongView | cd.CardView) -> None:
        """Take in a full view of the hand while it is played."""
        if isinstance(view, cd.CardView):
            self.shown, self.leader = view.shown, view.leader
            self._held.append((-1, list(view.cards)))
            return
        self.dealer, self._left = view.dealer, view.wall_left
        seat = view.seats[self.seat]
        if view.drawn and view.turn_plus_one - 1 == self.seat:
            self.draws.append((view.wall_left, view.drawn))
        own: list[int] = [*seat.concealed, *seat.discards]
        for meld in seat.melds:
            own += [meld.tile] * _OWN_TILES.get(meld.kind, 0)
        self._held.append((view.wall_left, own))

    def _drew(self, what: mj.Drew) -> None:
        if self._left >= 0 and what.wall_left != self._left - 1:
            self._odd = self._odd or f"a draw left {what.wall_left} tiles in the wall, the one before {self._left}"
        self._left = what.wall_left
        if what.seat == self.seat:
            self.draws.append((what.wall_left, what.tile))

    def differs(self, deal: Deal) -> str:
        """Return what of the deal is not as it was shown; "" if everything fits."""
        return (self._cards_differ if deal.deck == CARDS else self._tiles_differ)(deal)

    def _cards_differ(self, deal: Deal) -> str:
        block = deal.block(self.seat)
        if self.tiles is not None and self.tiles != block:
            return f"dealt {_names(block, card_name)}, shown {_names(self.tiles, card_name)}"
        if self.shown and (self.shown, self.leader) != (deal.wall[deal.shown()], deal.leader()):
            return f"{card_name(deal.wall[deal.shown()])} leads for seat {deal.leader()}, shown {card_name(self.shown)} for {self.leader}"
        if any(Counter(held) - Counter(block) for _, held in self._held):
            return f"dealt {_names(block, card_name)}, shown others"
        return ""

    def _tiles_differ(self, deal: Deal) -> str:
        wall, size = deal.wall, len(deal.wall)
        if self.tiles is not None and self.tiles != deal.block(self.seat):
            return f"dealt {_names(deal.block(self.seat), tile_name)}, shown {_names(self.tiles, tile_name)}"
        if self.dealer_from == "draw" and self.dealer != deal.dealer():
            return f"seat {deal.dealer()} was drawn as dealer, shown {self.dealer}"
        if self._odd:
            return self._odd
        for left, tile in self.draws:
            place = size - left - 1
            if not BLOCK * deal.players <= place < size or wall[place] != tile:
                drawn = tile_name(wall[place]) if 0 <= place < size else "nothing"
                return f"place {place} of the wall is {drawn}, drawn {tile_name(tile)}"
        for left, held in self._held:
            more = Counter(held) - Counter(wall[: size - left])
            if more:
                return f"shown {_names(sorted(more.elements()), tile_name)}, which nobody was dealt or had drawn by then"
        return self._exchange_differs(deal)

    def _exchange_differs(self, deal: Deal) -> str:
        exchange = self.exchange
        if exchange is None or len(exchange.seats) < 2:
            return ""
        seats = exchange.seats
        if self.dealer_from:
            shift = deal.shift(len(seats), dealer_drawn=self.dealer_from == "draw")
            if shift != exchange.shift:
                return f"the exchange went {shift} places on, shown {exchange.shift}"
        if self.seat not in seats:
            return ""
        giver = seats[(seats.index(self.seat) - exchange.shift) % len(seats)]
        for held, tiles in ((self.seat, exchange.gave), (giver, exchange.got)):
            more = Counter(tiles) - Counter(deal.block(held))
            if more:
                return f"seat {held} gave {_names(sorted(more.elements()), tile_name)} without having been dealt it"
        return ""


def _names(tiles: list[int], name: Any) -> str:
    return " ".join(map(name, tiles))
