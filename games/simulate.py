"""Whole hands played by bots in this process: `xuezhan simulate`.

Law: the same arguments give the same records, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

from games.bots import bot
from games.deal import simulated_seed
from games.fields import FieldError, whole
from games.hand import Action, Bot, Do, Refusal, Ruleset, Setup
from games.leaving import next_step
from games.record import Recorder
from games.registry import ruleset as find_ruleset

TABLE: Final = "simulate"
_PLENTY: Final = 10**9
_MOST: Final = 4 * 10**15
"""Half of what an account may hold."""


def simulate(
    game: str,
    hands: int,
    seed: str,
    options: Mapping[str, object] | None = None,
    players: int | None = None,
    bots: str = "greedy",
    money: int | None = None,
    leave: float = 0.0,
) -> Iterator[dict[str, Any]]:
    """Return the records of hands played one after the other at one table.

    `money`: coins of each seat before every hand; None: enough for anything. `leave`: the chance, a turn, that a seat leaves, in games
    where that has a meaning within the hand. OptionError or FieldError names the argument that cannot be used, before the first hand.
    """
    rules = find_ruleset(game, options or {}, players)
    whole("hands", hands, 1)
    if not 0 <= leave <= 1:
        raise FieldError("leave", f"{leave} is no chance from 0 to 1")
    each = whole("money", enough_for_anything(rules) if money is None else money, 0, _MOST)
    bot(game, bots, Random(0))
    return _records(rules, hands, seed, bots, [each] * rules.players, leave if rules.may_leave else 0.0)


def enough_for_anything(rules: Ruleset) -> int:
    """Return coins that no seat can lose in one hand: it owes each largest claim to three others a few times at most."""
    return min(max(_PLENTY, 12 * rules.base * rules.largest_claim), _MOST)


def _records(rules: Ruleset, hands: int, seed: str, bots: str, money: list[int], leave: float) -> Iterator[dict[str, Any]]:
    before: Mapping[str, Any] | None = None
    for number in range(1, hands + 1):
        random = Random(f"{seed} {number}")
        setup = Setup(TABLE, number, simulated_seed(seed, number), (None,) * rules.players, before)
        recorder = Recorder(rules, setup)
        play(recorder, [bot(rules.game, bots, random) for _ in range(rules.players)], random, leave)
        before = recorder.hand.carry()
        yield recorder.record(rules.base, money)


def play(recorder: Recorder, bots: Sequence[Bot], random: Random, leave: float = 0.0) -> None:
    """Play a hand to its end."""
    hand = recorder.hand
    staying = set(range(len(bots)))
    going: list[int] = []
    while not hand.over:
        for seat, mind in enumerate(bots):
            # One that is out of the hand is not asked any more, but may still go.
            asked = hand.offers[seat] is not None
            if leave > 0 and seat in staying and (asked or hand.seat_done(seat)) and random.random() < leave:
                staying.remove(seat)
                going.append(seat)
            elif asked:
                _apply(recorder, answer(hand, seat, mind))
            while (step := next_step(hand, going)) is not None:
                _apply(recorder, step)
                if step.do is Do.LEAVE:
                    going.remove(step.seat)


def answer(hand: Any, seat: int, mind: Bot) -> Action:
    """Return what is done for a seat that is asked: the server carries out its only choice, or its bot chooses."""
    action: Action = hand.default(seat) if hand.offers[seat].at_once else mind.choose(hand, seat)
    return action


def _apply(recorder: Recorder, action: Action) -> None:
    refused = recorder.apply(action)
    assert not isinstance(refused, Refusal), f"a bot chose what is refused: {action}, {refused}"
