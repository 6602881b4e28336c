"""Hands whose course a test chooses, through the real deal: the nonce is searched for, everything after it is the server's own.

A mind knows all tiles and plays all seats. `find` deals and plays hands in memory, nonce after nonce, until one goes as wanted. A test
names the nonce that was found, so that it is found at once; the search goes on from there if a rule should ever change. `follow` then
plays the same answers at a real table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from games.hand import Action, Do, Refusal, Ruleset, Setup
from games.leaving import next_step
from services.table import shuffle
from tests.table.client import Client, act_of
from tests.table.deals import RING, nonce
from xuezhan.api.table.v1 import cards_pb2 as cd
from xuezhan.api.table.v1 import table_pb2 as pb

TABLE = "t"
AT_MOST = 20_000

Mind = Callable[[Any], Action]
"""The next answer of anybody, given the hand."""


class Step(NamedTuple):
    """An answer of a player, and the number of the offer it answers; 0: it answers none."""

    action: Action
    decision: int


class Script(NamedTuple):
    """A hand that goes as wanted."""

    nonce: str
    steps: list[Step]
    hand: Any

    def claims(self, *causes: str) -> list[tuple[str, list[tuple[int, int, int]]]]:
        """The stages with these causes, or all."""
        return stages(self.hand, *causes)


def stages(hand: Any, *causes: str) -> list[tuple[str, list[tuple[int, int, int]]]]:
    """The stages of a hand with these causes, or all: cause and claims as plain values."""
    return [(stage.cause, [tuple(claim) for claim in stage.claims]) for stage in hand.stages if not causes or stage.cause in causes]


def find(rules: Ruleset, mind: Callable[[int], Mind], wanted: Callable[[Any], bool], first: int) -> Script:
    """Search from nonce `first` on. `mind` makes the players of a nonce."""
    for number in range(first, first + AT_MOST):
        script = played(rules, number, mind(number))
        if wanted(script.hand):
            return script
    raise AssertionError(f"no hand from nonce {first} on goes as wanted")


def up_to_a_win(rules: Ruleset, mind: Callable[[int], Mind]) -> Script:
    """A hand up to the first discard that a seat wins on, where it may pass instead and nobody else is asked."""
    for number in range(2000):
        found = played(rules, number, mind(number))
        wins = [place for place, step in enumerate(found.steps) if step.action.do is Do.WIN]
        hand = dealt(rules, number)
        for step in found.steps[: wins[0] if wins else 0]:
            hand.apply(step.action)
        if hand.question is not None and len(hand.question.order) == 1 and hand.offers[hand.question.order[0]].may_pass:
            return found._replace(steps=found.steps[: wins[0]])
    raise AssertionError("no hand goes so")


def dealt(rules: Ruleset, number: int) -> Any:
    """The hand as it is dealt to players who add no bytes."""
    seed = shuffle.seed(RING, RING.current, TABLE, 1, nonce(number))
    assert seed is not None
    return rules.deal(Setup(TABLE, 1, seed, (None,) * rules.players))[0]


def played(rules: Ruleset, number: int, mind: Mind) -> Script:
    """Play one hand in memory."""
    hand = dealt(rules, number)
    return Script(nonce(number), list(_steps(hand, mind, waits=rules.leave_waits)), hand)


def _steps(hand: Any, mind: Mind, *, waits: bool) -> Iterator[Step]:
    going: list[int] = []
    while not hand.over:
        at_once = next((offer for offer in hand.offers if offer is not None and offer.at_once), None)
        action = mind(hand) if at_once is None else hand.default(at_once.seat)
        offer = hand.offers[action.seat]
        step = Step(action, 0 if offer is None or action.do is Do.LEAVE else offer.number)
        if action.do is Do.LEAVE and waits:
            going.append(action.seat)
        else:
            refused = hand.apply(action)
            assert not isinstance(refused, Refusal), (action, refused)
        if at_once is None:
            yield step
        while (follows := next_step(hand, going)) is not None:
            assert not isinstance(hand.apply(follows), Refusal)
            if follows.do is Do.LEAVE:
                going.remove(follows.seat)


def asked(hand: Any) -> int:
    """The first seat that is asked."""
    return next(seat for seat, offer in enumerate(hand.offers) if offer is not None)


def stack(monkeypatch: pytest.MonkeyPatch, script: Script) -> None:
    """Let table servers deal the script's hand: the nonce is that of the search, as their deal key is (tests.table.deals)."""
    monkeypatch.setattr(shuffle, "new_nonce", lambda: script.nonce)


async def follow(client: Client, script: Script, goes: int = -1) -> None:
    """Play the script at a real table whose players are all attached, answer by answer. `goes`: a seat that leaves when it has won."""
    await client.until(lambda: bool(client.offers))
    for action, decision in script.steps:
        seat = action.seat

        def is_due(seat: int = seat, decision: int = decision) -> bool:
            return not decision or (seat in client.offers and client.offers[seat].decision == decision)

        await client.until(is_due)
        answer = await client.act(seat, card_act(action, decision) if action.do is Do.PLAY else act_of(action, decision))
        assert answer.refused == "", (action, answer)
        if goes == seat and action.do is Do.WIN:
            await client.send(pb.Input(seat_ref=seat, leave=pb.Leave()))
            await client.wait_for("detached", seat)


def card_act(action: Action, decision: int) -> pb.Act:
    """Return the laying of cards as an act."""
    kind = cd.PlayKind.Value(f"PLAY_KIND_{action.kind.upper()}")
    return pb.Act(decision=decision, do=pb.DO_PLAY, cards=[cd.Card.ValueType(card + 1) for card in action.tiles], play=kind)
