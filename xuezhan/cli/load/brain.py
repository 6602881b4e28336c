"""How the players of a load run choose: from the offer alone, or from what their seat has seen."""

from __future__ import annotations

from random import Random
from typing import Final, Protocol

from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import Heard, acts


class Brain(Protocol):
    """Chooses for one seat. It is told everything that the seat hears, in order."""

    def hear(self, heard: Heard) -> None:
        """Take in an event."""
        ...

    def choose(self, offer: pb.Offer) -> pb.Act:
        """Answer an offer."""
        ...


CARD_GAMES: Final = frozenset({"crazy_duel"})
"""Games of cards; all others are mahjong."""


def make_brain(game: str, name: str, random: Random) -> Brain:
    """Return a player's mind: `name` is random or greedy."""
    if game in CARD_GAMES:
        from games.bots import bot
        from xuezhan.cli.load.card_brain import CardBrain

        return CardBrain(bot(game, name, random))
    if name == "greedy":
        from games.bots import bot
        from xuezhan.cli.load.greedy import GreedyBrain

        return GreedyBrain(bot(game, name, random))
    return RandomBrain(random)


class RandomBrain:
    """Any of a mahjong offer's choices with the same chance; it need not look at the table."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def hear(self, heard: Heard) -> None:
        """Nothing is remembered."""

    def choose(self, offer: pb.Offer) -> pb.Act:
        """Answer an offer."""
        choices, random = offer.mahjong, self._random
        if choices.exchange_from:
            return acts.exchange(self._three(list(choices.exchange_from)))
        if choices.void_suits:
            return acts.void(random.choice(choices.void_suits))
        number = random.randrange(len(choices.discards) + len(choices.kongs) + choices.may_win + choices.may_pung + choices.may_pass)
        if number < len(choices.discards):
            return acts.discard(choices.discards[number])
        number -= len(choices.discards)
        if number < len(choices.kongs):
            return acts.kong(choices.kongs[number].tile, choices.kongs[number].kind)
        number -= len(choices.kongs)
        others = [act for may, act in ((choices.may_win, acts.win), (choices.may_pung, acts.pung), (choices.may_pass, acts.skip)) if may]
        return others[number]()

    def _three(self, tiles: list[int]) -> list[int]:
        suit = self._random.choice(sorted({acts.suit_of(tile) for tile in tiles}))
        return self._random.sample([tile for tile in tiles if acts.suit_of(tile) == suit], 3)
