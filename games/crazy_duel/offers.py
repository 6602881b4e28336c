"""What a seat may do in 疯狂对杀: whether it may pass, what it has to beat, and the predicate that judges a play.

Law: an offer alone decides whether an answer is legal; whoever carries out an action does not judge it again. The plays that can be made of
25 cards are too many to list, so an offer never does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from games.crazy_duel.kinds import Laid, Play, PlayKind
from games.crazy_duel.plays import read
from games.hand import Action, Do, Refusal, Why

_KINDS: Final[dict[str, PlayKind | None]] = {"": None} | {kind.value: kind for kind in PlayKind}


@dataclass(slots=True)
class CardOffer:
    """One's turn: to lead, or to follow on `to_beat`. `held`: how many of each card the seat has; the hand's own list, not a copy."""

    seat: int
    number: int
    held: list[int]
    to_beat: Laid | None
    at_once: bool = False

    @property
    def may_pass(self) -> bool:
        """Who leads must play; who follows may pass, also when able to beat."""
        return self.to_beat is not None

    @property
    def lapses(self) -> bool:
        """Nobody else is asked meanwhile, so it does not end but by an answer."""
        return False

    @property
    def must_win(self) -> bool:
        """A play that wins is never the only answer by rule."""
        return False

    def check(self, action: Action) -> Refusal | None:
        """Return why this offer does not include the action, or None if it does. `seat` is not looked at."""
        judged = self.judge(action)
        return judged if isinstance(judged, Refusal) else None

    def judge(self, action: Action) -> Play | Refusal | None:
        """Return the play that an action makes, None for a pass, or why this offer does not include it. `seat` is not looked at."""
        if action.do is Do.PLAY:
            return self._judge_play(action)
        if action.do is not Do.PASS:
            return Refusal(Why.NOT_OFFERED)
        if not bare(action):
            return Refusal(Why.MALFORMED, "pass takes no cards")
        return None if self.may_pass else Refusal(Why.NOT_OFFERED, "who leads must play")

    def _judge_play(self, action: Action) -> Play | Refusal:
        cards, held = action.tiles, self.held
        if not cards or action.tile != -1 or action.kind not in _KINDS:
            return Refusal(Why.MALFORMED, "play takes cards, and a kind of play or none")
        for card in cards:
            if not 0 <= card < len(held):
                return Refusal(Why.MALFORMED, f"{card} is not a card")
            if cards.count(card) > held[card]:
                return Refusal(Why.NOT_OFFERED, "not held")
        play = read(cards, _KINDS[action.kind], self.to_beat and self.to_beat.play)
        return play if isinstance(play, Play) else Refusal(play)


def bare(action: Action) -> bool:
    """Whether an action carries no cards and no kind."""
    return action.tile == -1 and not action.tiles and not action.kind
