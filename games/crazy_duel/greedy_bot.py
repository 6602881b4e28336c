"""A bot for 疯狂对杀 that plays rows, keeps bombs and jokers, and beats when it pays.

It looks at its own cards, its offer, and how many cards the other holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final

from games.crazy_duel.cards import JOKERS, RANKS
from games.crazy_duel.kinds import Play
from games.crazy_duel.offers import CardOffer
from games.crazy_duel.plays import BOMB, read
from games.crazy_duel.score import times
from games.crazy_duel.targets import Mask, Target, beating, members, possible
from games.hand import Action, Do, Why

_NEAR: Final = 8
"""With this many cards or fewer a player is near their end: now bombs are for use."""
_SHED: Final = 2.0
"""What it is worth to lead one card more."""
_SPLIT: Final = 5.0
"""What it costs to leave one card of a rank behind."""
_BROKEN: Final = 20.0
"""What it costs to break a bomb."""
_JOKER: Final = 5.0
"""What it costs to spend a joker."""
_KEPT: Final = 12.0
"""What it costs to lead a bomb."""
_WORTH: Final = 12.0
"""What a play may cost to take the lead from one who is not near their end."""


class GreedyBot:
    """Goes out when it can; leads what sheds most; follows with what costs least. It leaves nothing to chance."""

    __slots__ = ()

    def __init__(self, random: Random) -> None:
        del random

    def choose(self, hand: Any, seat: int) -> Action:
        """Answer the seat's open offer."""
        offer: CardOffer = hand.offers[seat]
        over = offer.to_beat.play if offer.to_beat is not None else None
        cards = hand.cards(seat)
        last = read(cards, None, over)
        if not isinstance(last, Why):
            return Action(seat, Do.PLAY, tiles=cards, kind=last.kind)
        mind = _Mind(offer.held, hand.left[seat], hand.left[1 - seat])
        target = mind.lead() if over is None else mind.follow(over)
        if target is None:
            return Action(seat, Do.PASS)
        return Action(seat, Do.PLAY, tiles=target.cards(offer.held), kind=target.play.kind)


class _Mind:
    """What it makes of its cards: `ranks` are how many it has of each rank 9…2."""

    __slots__ = ("held", "other", "own", "ranks")

    def __init__(self, held: Sequence[int], own: int, other: int) -> None:
        self.held = held
        self.own = own
        self.other = other
        self.ranks = [sum(held[4 * rank : 4 * rank + 4]) for rank in range(len(RANKS))]

    def lead(self) -> Target:
        """Return what sheds most cards at least cost; low before high, unless the other could go out on it."""
        plays = members(possible(self.held, wild=False))
        return max(plays, key=lambda target: _SHED * target.play.size - self._cost(target) - self._danger(target.play))

    def follow(self, over: Play) -> Target | None:
        """Return the cheapest play that beats, or None where keeping one's cards is worth more."""
        best = self._cheapest(possible(self.held, wild=False) & beating(over))
        if best is None or self._cost(best) > self._limit():
            best = self._cheapest(possible(self.held) & beating(over)) or best
        return best if best is not None and self._cost(best) <= self._limit() else None

    def _cheapest(self, plays: Mask) -> Target | None:
        return min(members(plays), key=self._cost, default=None)

    def _limit(self) -> float:
        """Return what taking the lead is worth now."""
        if self.other <= _NEAR:
            return 10 * _WORTH
        return 2 * _WORTH if self.own <= _NEAR else _WORTH

    def _danger(self, play: Play) -> float:
        """Return what it costs to lead something low that a player near the end may beat with their last cards."""
        if play.stars:
            return _KEPT
        return 3.0 * (JOKERS + 1 - play.top) if play.size == self.other else 0.0

    def _cost(self, target: Target) -> float:
        """Return what a play takes from the rest of the hand."""
        play = target.play
        if target.alone:
            return _JOKER * target.width + play.top + play.stars
        cost = 0.6 * play.top
        natural = 0
        for rank in range(target.bottom, play.top + 1):
            held = self.ranks[rank]
            used = min(held, target.width)
            natural += used
            if held >= BOMB > held - used and not play.stars:
                cost += _BROKEN
            elif held > used:
                cost += _SPLIT
        cost += _JOKER * (play.size - natural)
        return cost + 2.0 * play.stars - times(play.stars) if play.stars else cost
