"""A bot for 疯狂对杀 that takes any of its choices."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from games.crazy_duel.offers import CardOffer
from games.crazy_duel.targets import OF_KIND, beating, members, possible
from games.hand import Action, Do

_PASSES: Final = 0.2
"""How often it passes although it could beat."""


class RandomBot:
    """Every kind that its cards allow is equally likely, wild jokers included, and so is every size and top of the kind."""

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
        kind = self._random.choice([some for of_kind in OF_KIND.values() if (some := plays & of_kind)])
        target = self._random.choice(members(kind))
        return Action(seat, Do.PLAY, tiles=target.cards(offer.held), kind=target.play.kind)
