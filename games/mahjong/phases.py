"""What all seats do at the same time before play: one phase after the other, then the dealer draws."""

from __future__ import annotations

from games.hand import Action, Event
from games.mahjong import draws
from games.mahjong.hooks import HandState
from games.mahjong.state import Question


def go_on(hand: HandState, out: list[Event]) -> None:
    """Ask the next phase that asks anybody, or begin to play."""
    phases = hand.rules.phases
    while hand.phase < len(phases):
        phase = phases[hand.phase]
        offers = phase.open(hand)
        if offers:
            hand.question = Question(tuple(offers), offers)
            hand.offers[:] = [offers.get(who) for who in range(hand.players)]
            return
        phase.close(hand, {}, out)
        hand.phase += 1
    for seat in hand.seats:
        seat.waits = hand.rules.waits(seat)
    draws.draw(hand, hand.dealer, out)


def answer(hand: HandState, question: Question, action: Action, out: list[Event]) -> None:
    """Keep a seat's answer; when all are in, carry them out."""
    question.answers[action.seat] = action
    if len(question.answers) < len(question.order):
        return
    hand.question = None
    hand.rules.phases[hand.phase].close(hand, question.answers, out)
    hand.phase += 1
    go_on(hand, out)
