"""Hands of 疯狂对杀 as short texts, and their moves."""

from __future__ import annotations

import json
from typing import Any

from games.crazy_duel.hand import DuelHand
from games.hand import Action, Do, Event, Refusal, Setup, Why
from games.registry import ruleset
from tests.games.naive_cards import cards

RULES = ruleset("crazy_duel", {})
RATING = ruleset("crazy_duel", {"room": "rating"})


def dealt(number: int = 1, rules: Any = RULES) -> tuple[DuelHand, list[Event]]:
    hand, events = rules.deal(Setup("t", number, bytes(range(32)), (None, bytes(16))))
    return hand, events


def table(zero: str, one: str, *, leads: int = 0, rules: Any = RULES) -> DuelHand:
    """A hand in which the seats hold these cards and nothing else."""
    hand: DuelHand = dealt(rules=rules)[0]
    hand.offers = [None, None]
    hand.held = [[cards(text).count(card) for card in range(30)] for text in (zero, one)]
    hand.left = [len(cards(zero)), len(cards(one))]
    hand.turn = leads
    hand.asked = [0, 0]
    hand.open()
    return hand


def lay(hand: DuelHand, text: str, kind: str = "", *, seat: int | None = None) -> list[Event]:
    events = hand.apply(Action(hand.turn if seat is None else seat, Do.PLAY, tiles=cards(text), kind=kind))
    assert not isinstance(events, Refusal), events
    return events


def skip(hand: DuelHand) -> list[Event]:
    events = hand.apply(Action(hand.turn, Do.PASS))
    assert not isinstance(events, Refusal), events
    return events


def refused(hand: DuelHand, action: Action) -> Why:
    """The reason; and nothing happened."""
    before = json.dumps(hand.dump()), [hand.view(seat) for seat in (None, 0, 1)], list(hand.offers)
    answer = hand.apply(action)
    assert isinstance(answer, Refusal), answer
    assert before == (json.dumps(hand.dump()), [hand.view(seat) for seat in (None, 0, 1)], list(hand.offers))
    return answer.why


def play(seat: int, text: str, kind: str = "") -> Action:
    return Action(seat, Do.PLAY, tiles=cards(text), kind=kind)
