"""Hand records: a hand as one JSON object that anyone can replay (`xuezhan verify-record`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from games import deal, payout
from games.hand import Action, Event, Hand, Policy, Refusal, Ruleset, Setup
from games.transcript import Transcript


class Recorder:
    """Plays one hand and keeps its accepted actions in record order."""

    def __init__(self, ruleset: Ruleset, setup: Setup) -> None:
        """Deal the hand. ValueError names what is wrong with the setup."""
        self.ruleset = ruleset
        self.setup = setup
        self.hand, self.first_events = ruleset.deal(setup)
        self.transcript = Transcript()

    @property
    def actions(self) -> list[Action]:
        """Return the actions that have taken effect, in record order."""
        return self.transcript.actions

    @property
    def times(self) -> list[int]:
        """Return when each of these actions was accepted."""
        return self.transcript.times

    def apply(self, action: Action, at: int = 0) -> list[Event] | Refusal:
        """Carry out one action, as `Hand.apply`. `at`: milliseconds from the deal to its acceptance."""
        question = self.hand.question
        events: list[Event] | Refusal = self.hand.apply(action)
        if not isinstance(events, Refusal):
            self.transcript.note(action, at, question, decided=self.hand.question is not question)
        return events

    def record(self, base: int, money: Sequence[int]) -> dict[str, Any]:
        """Return the record of the finished hand. `base`: the room's base 底分, or coins a point; `money`: each seat's coins before the
        hand.
        """
        return played(self.ruleset, self.setup, self.hand, self.actions, base, money)

    def called_off(self, base: int, money: Sequence[int], why: str) -> dict[str, Any]:
        """Return the record of the hand if it was called off now."""
        return called_off(self.ruleset, self.setup, self.hand, self.actions, base, money, why)


def played(ruleset: Ruleset, setup: Setup, hand: Hand, actions: Iterable[Action], base: int, money: Sequence[int]) -> dict[str, Any]:
    """Return the record of a hand that is over, dealt from `setup`, with its actions in record order."""
    assert hand.over, "a hand that is not over has no record"
    record = _so_far(ruleset, setup, hand, actions, base, money)
    record["coins"] = coins(ruleset.policy, base, money, [stage["claims"] for stage in record["stages"]], record["points"])
    return {**record, "result": hand.result()}


def called_off(
    ruleset: Ruleset, setup: Setup, hand: Hand, actions: Iterable[Action], base: int, money: Sequence[int], why: str
) -> dict[str, Any]:
    """Return the record of a hand that was called off after its deal: all that the deal needs, and what happened until then.

    Stages that are owed stand, a pool is not paid (docs/rules/payout.md).
    """
    record = _so_far(ruleset, setup, hand, actions, base, money)
    stages = [stage["claims"] for stage in record["stages"]]
    record["coins"] = coins(Policy.STAGE, base, money, stages, []) if ruleset.policy is Policy.STAGE else []
    return {**record, "called_off": why}


def _so_far(ruleset: Ruleset, setup: Setup, hand: Hand, actions: Iterable[Action], base: int, money: Sequence[int]) -> dict[str, Any]:
    """Return what a record says of the deal, the actions and the claims."""
    stages = [{"cause": stage.cause, "claims": [list(claim) for claim in stage.claims]} for stage in hand.stages]
    return {
        **_setup(ruleset, setup),
        **hand.record(),
        "actions": [ruleset.action_to_json(action) for action in actions],
        "stages": stages,
        "points": hand.points(),
        UNITS[ruleset.policy]: base,
        "money": list(money),
    }


def _setup(ruleset: Ruleset, setup: Setup) -> dict[str, Any]:
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
    }


def undealt(ruleset: Ruleset, setup: Setup, base: int, money: Sequence[int], why: str) -> dict[str, Any]:
    """Return the record of a hand that was called off between its commitment and its deal.

    Where its seed is lost, the caller puts null for `seed` and the `commitment` that was shown.
    """
    nothing: dict[str, Any] = {"actions": [], "stages": [], "points": [0] * ruleset.players, "coins": []}
    return {**_setup(ruleset, setup), **nothing, UNITS[ruleset.policy]: base, "money": list(money), "called_off": why}


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
