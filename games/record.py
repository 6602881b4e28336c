"""Hand records: a finished hand as one JSON object that anyone can replay (`xuezhan verify-record`).

Law: a record's order of actions follows from the accepted actions alone, in whatever order they arrived: each stands where it took
effect, and the answers to one question stand together, in the order of its seats.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from games import deal, payout
from games.hand import Action, Do, Event, Policy, Refusal, Ruleset, Setup


class Recorder:
    """Plays one hand and keeps its accepted actions in record order.

    `actions`: those that have taken effect. Answers to an open question are kept apart until they do; what a question that never is
    decided has been answered falls away.
    """

    def __init__(self, ruleset: Ruleset, setup: Setup) -> None:
        """Deal the hand. ValueError names what is wrong with the setup."""
        self.ruleset = ruleset
        self.setup = setup
        self.hand, self.first_events = ruleset.deal(setup)
        self.actions: list[Action] = []
        self._answers: dict[int, Action] = {}

    def apply(self, action: Action) -> list[Event] | Refusal:
        """Carry out one action, as `Hand.apply`."""
        question = self.hand.question
        events: list[Event] | Refusal = self.hand.apply(action)
        if isinstance(events, Refusal):
            return events
        if question is None or action.do is Do.LEAVE:
            self.actions.append(action)
        else:
            self._answers[action.seat] = action
        if question is not None and self.hand.question is not question:
            if action.do is not Do.LEAVE:
                self.actions += [self._answers[seat] for seat in question.order if seat in self._answers]
            self._answers.clear()
        return events

    def record(self, base: int, money: Sequence[int]) -> dict[str, Any]:
        """Return the record of the finished hand. `base`: the room's base 底分, or coins a point; `money`: each seat's coins before the
        hand.
        """
        ruleset, setup, hand = self.ruleset, self.setup, self.hand
        assert hand.over, "a hand that is not over has no record"
        stages = [{"cause": stage.cause, "claims": [list(claim) for claim in stage.claims]} for stage in hand.stages]
        points = hand.points()
        return {
            "game": ruleset.game,
            "options": dict(ruleset.options),
            "players": ruleset.players,
            "table": setup.table,
            "hand": setup.hand,
            "rules": ruleset.version,
            "seed": setup.seed.hex(),
            "contributions": [None if given is None else given.hex() for given in setup.contributions],
            "commitment": deal.commitment(setup.seed),
            **hand.record(),
            "actions": [ruleset.action_to_json(action) for action in self.actions],
            "stages": stages,
            "points": points,
            UNITS[ruleset.policy]: base,
            "money": list(money),
            "coins": coins(ruleset.policy, base, money, [stage["claims"] for stage in stages], points),
            "result": hand.result(),
        }


UNITS: Final[Mapping[Policy, str]] = {Policy.STAGE: "base", Policy.POOLED: "rate"}
"""What a policy calls the coins that a multiple, or a point, is worth."""


def build_record(ruleset: Ruleset, setup: Setup, journal: Iterable[Action], base: int, money: Sequence[int]) -> dict[str, Any]:
    """Return the record of a hand from its accepted actions in the order in which they arrived. All must be accepted again and end the
    hand.
    """
    recorder = Recorder(ruleset, setup)
    for action in journal:
        refused = recorder.apply(action)
        assert not isinstance(refused, Refusal), f"the journal holds an action that is refused: {action}, {refused}"
    return recorder.record(base, money)


def coins(policy: Policy, base: int, money: Sequence[int], stages: Iterable[list[list[int]]], points: list[int]) -> list[dict[str, Any]]:
    """Return the payouts of a finished hand in order, as records have them; none where a multiple is worth no coins.

    `money`: each seat's before the hand; `stages`: the claims of each, which the stage policy pays; `points`: which the pooled policy pays.
    """
    if not base:
        return []
    if policy is Policy.POOLED:
        return [_pool_entry(base, money, points)]
    entries = []
    for claims in stages:
        entries.append(_stage_entry(base, money, claims))
        money = entries[-1]["after"]
    return entries


def _stage_entry(base: int, money: Sequence[int], claims: list[list[int]]) -> dict[str, Any]:
    """Return one payout of the stage policy."""
    paid = payout.stage(base, money, claims)
    return {
        "policy": Policy.STAGE.value,
        "base": base,
        "money": list(money),
        "claims": claims,
        "moves": [list(move) for move in paid.moves],
        "after": list(paid.money),
        "short": payout.short_json(paid.short),
    }


def _pool_entry(rate: int, money: Sequence[int], points: list[int]) -> dict[str, Any]:
    """Return one payout of the pooled policy."""
    paid = payout.pooled(rate, money, points)
    return {
        "policy": Policy.POOLED.value,
        "rate": rate,
        "money": list(money),
        "points": points,
        "change": list(paid.change),
        "after": list(paid.money),
        "short": payout.short_json(paid.short),
    }
