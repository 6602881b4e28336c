"""A bot for the mahjong games that plays for the next step: fewest tiles away from ready, then most tiles that help.

It looks at its own tiles, its offer and what lies open. The void suit 缺门, or what else its game makes `unwanted`, counts for nothing and
is thrown first.
"""

from __future__ import annotations

from random import Random
from typing import Any

from games.hand import Action, Do
from games.mahjong.distance import distance
from games.mahjong.hooks import HandState
from games.mahjong.melds import MeldKind
from games.mahjong.offers import ClaimOffer, TurnOffer
from games.mahjong.state import Seat
from games.mahjong.tiles import ALL_KINDS, COPIES, POW5, SUIT_MASKS, SUIT_OF, Tile, tiles_in


class GreedyBot:
    """Wins and kongs whenever it may, melds a pung that brings it nearer, and throws what helps least. It leaves nothing to chance."""

    __slots__ = ()

    def __init__(self, random: Random) -> None:
        del random

    def choose(self, hand: Any, seat: int) -> Action:
        """Answer the seat's open offer. Before play it does what the server would do."""
        offer = hand.offers[seat]
        if isinstance(offer, TurnOffer):
            return _turn(hand, offer, self.unwanted(hand.seats[seat]))
        if isinstance(offer, ClaimOffer):
            return _claim(hand, offer, self.unwanted(hand.seats[seat]))
        action: Action = hand.default(seat)
        return action._replace(auto=False)

    def unwanted(self, seat: Seat) -> int:
        """Return the mask of the kinds that a seat has no use for."""
        return seat.barred


def _turn(hand: HandState, offer: TurnOffer, unwanted: int) -> Action:
    who = offer.seat
    if offer.win:
        return Action(who, Do.WIN)
    kongs = [(tile, kind) for tile, kind in offer.kongs() if not unwanted >> tile & 1]
    if kongs:
        tile, kind = kongs[0]
        return Action(who, Do.KONG, tile, kind=kind)
    return Action(who, Do.DISCARD, _discard(hand, who, offer.discards, unwanted))


def _claim(hand: HandState, offer: ClaimOffer, unwanted: int) -> Action:
    who = offer.seat
    if offer.win:
        return Action(who, Do.WIN)
    if unwanted >> offer.tile & 1:
        return Action(who, Do.PASS)
    if offer.kong:
        return Action(who, Do.KONG, offer.tile, kind=MeldKind.DIRECT_KONG)
    if offer.pung and _pung_helps(hand.seats[who], offer.tile, unwanted):
        return Action(who, Do.PUNG)
    return Action(who, Do.PASS)


def _useful_keys(seat: Seat, unwanted: int) -> list[int]:
    """Return the packed counts of the suits that are wanted."""
    return [0 if unwanted & suit else key for key, suit in zip(seat.concealed.keys, SUIT_MASKS, strict=True)]


def _pung_helps(seat: Seat, tile: Tile, unwanted: int) -> bool:
    keys = _useful_keys(seat, unwanted)
    melds = len(seat.melds)
    before = distance(keys, melds)
    keys[SUIT_OF[tile]] -= 2 * POW5[tile]
    return distance(keys, melds + 1) < before


def _discard(hand: HandState, who: int, discards: int, unwanted: int) -> Tile:
    """Return the tile to throw: the hand without it is nearest to ready, then waits for most tiles; of equals the lowest."""
    seat = hand.seats[who]
    if discards & unwanted:
        return tiles_in(discards & unwanted)[0]
    keys, melds = _useful_keys(seat, unwanted), len(seat.melds)
    after: dict[Tile, int] = {}
    for tile in tiles_in(discards):
        keys[SUIT_OF[tile]] -= POW5[tile]
        after[tile] = distance(keys, melds)
        keys[SUIT_OF[tile]] += POW5[tile]
    nearest = min(after.values())
    best = [tile for tile, away in after.items() if away == nearest]
    if len(best) == 1:
        return best[0]
    unseen = _unseen(hand, who)
    return max(best, key=lambda tile: (_helpful(keys, melds, tile, nearest, unseen, ALL_KINDS & ~unwanted), -tile))


def _helpful(keys: list[int], melds: int, thrown: Tile, away: int, unseen: list[int], kinds: int) -> int:
    """Return how many unseen tiles would bring the hand without `thrown` nearer."""
    keys[SUIT_OF[thrown]] -= POW5[thrown]
    helpful = 0
    for tile in tiles_in(kinds):
        if unseen[tile]:
            suit = SUIT_OF[tile]
            keys[suit] += POW5[tile]
            if distance(keys, melds) < away:
                helpful += unseen[tile]
            keys[suit] -= POW5[tile]
    keys[SUIT_OF[thrown]] += POW5[thrown]
    return helpful


def _unseen(hand: HandState, who: int) -> list[int]:
    """Return how many of each kind the seat has not seen: neither its own nor lying open."""
    unseen = [COPIES - held for held in hand.seats[who].concealed.counts]
    for seat in hand.seats:
        for meld in seat.melds:
            unseen[meld.tile] -= meld.size
        for tile in seat.river:
            unseen[tile] -= 1
    return unseen
