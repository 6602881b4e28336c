"""Kongs 杠 that nobody robs: the meld, what it earns, the replacement."""

from __future__ import annotations

from games.hand import Event
from games.mahjong.draws import claim, draw
from games.mahjong.events import Melded
from games.mahjong.hooks import HandState
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.tiles import Tile


def complete(hand: HandState, who: int, meld: Meld, out: list[Event]) -> None:
    """Lay down a kong, whose tiles have left the concealed part and the river, and draw its replacement."""
    rules = hand.rules
    seat = hand.seats[who]
    seat.melds.append(meld)
    hand.turn = who
    hand.row += 1
    hand.melded = True
    seat.waits = rules.waits(seat)
    out.append(Melded(rules.all, who, meld))
    claim(hand, rules.kong_stages(hand, who, meld), out)
    draw(hand, who, out, replacement=True)


def complete_added(hand: HandState, who: int, tile: Tile, out: list[Event]) -> None:
    """Turn a pung into an added kong 补杠; its fourth tile has left the concealed part."""
    seat = hand.seats[who]
    pung = next(meld for meld in seat.melds if meld.tile == tile)
    seat.melds.remove(pung)
    seat.pungs ^= 1 << tile
    complete(hand, who, Meld(MeldKind.ADDED_KONG, tile, pung.source), out)
