"""A bot for 疯狂对杀 that takes any of its choices."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from games.crazy_duel.offers import CardOffer
from games.crazy_duel.targets import ALL, at, beating, possible
from games.hand import Action, Do

_PASSES: Final = 0.2
"""How often it passes although it could beat."""
_BITS: Final = ALL.bit_length()


class RandomBot:
    """Every kind, size and top that its cards allow has a chance, wild jokers included."""

    __slots__ = ("_random",)

    def __init__(self, random: Random) -> None:
        self._random = random

    def choose(self, hand: Any, seat: int) -> Action:
        """Answer the seat's open offer."""
        offer: CardOffer = hand.offers[seat]
        plays = possible(offer.held)
        if offer.to_beat is not None:
            plays &= beating(offer.to_beat.play)
            if not plays or self._random.random() < _PASSES:
                return Action(seat, Do.PASS)
        target = at(plays, int(self._random.random() * _BITS))
        return Action(seat, Do.PLAY, tiles=target.cards(offer.held), kind=target.play.kind)
