"""A bot for the mahjong games that takes any of its choices with the same chance."""

from __future__ import annotations

from random import Random
from typing import Any

from games.hand import Action, Do
from games.mahjong.melds import MeldKind
from games.mahjong.offers import EXCHANGED, ClaimOffer, ExchangeOffer, TurnOffer, VoidOffer
from games.mahjong.tiles import SUIT_OF, tiles_in


class RandomBot:
    """Every choice of an offer is equally likely; of an exchange every suit, then every three tiles of it."""

    __slots__ = ("_random",)

    def __init__(self, random: Random) -> None:
        self._random = random

    def choose(self, hand: Any, seat: int) -> Action:
        """Answer the seat's open offer."""
        offer = hand.offers[seat]
        if isinstance(offer, TurnOffer):
            return self._turn(offer)
        if isinstance(offer, ClaimOffer):
            return self._claim(offer)
        if isinstance(offer, VoidOffer):
            return Action(seat, Do.VOID, self._random.choice(tiles_in(offer.suits)))
        assert isinstance(offer, ExchangeOffer), "a seat that is not asked has nothing to choose"
        suit = self._random.choice(sorted({SUIT_OF[tile] for tile in offer.tiles}))
        return Action(seat, Do.EXCHANGE, tiles=tuple(self._random.sample(offer.of_suit(suit), EXCHANGED)))

    def _turn(self, offer: TurnOffer) -> Action:
        discards = offer.discards
        kongs = offer.kongs() if offer.concealed_kongs or offer.added_kongs else []
        choice = int(self._random.random() * (discards.bit_count() + len(kongs) + offer.win))
        if choice < len(kongs):
            tile, kind = kongs[choice]
            return Action(offer.seat, Do.KONG, tile, kind=kind)
        choice -= len(kongs)
        if choice == discards.bit_count():
            return Action(offer.seat, Do.WIN)
        for _ in range(choice):
            discards &= discards - 1
        return Action(offer.seat, Do.DISCARD, (discards & -discards).bit_length() - 1)

    def _claim(self, offer: ClaimOffer) -> Action:
        chances = ((offer.win, Do.WIN), (offer.kong, Do.KONG), (offer.pung, Do.PUNG), (offer.may_pass, Do.PASS))
        do = self._random.choice([do for possible, do in chances if possible])
        if do is Do.KONG:
            return Action(offer.seat, do, offer.tile, kind=MeldKind.DIRECT_KONG)
        return Action(offer.seat, do)
