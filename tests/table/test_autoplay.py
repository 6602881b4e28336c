"""What the server answers for a seat, in a table. Seat 1 is asked, of a hand that stands still."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from games.hand import Action, Do, Refusal, Why
from services.table.autoplay import Given, Ground, answers, at_once
from services.table.seat_set import NOBODY, SeatSet

SEAT = 1
ONE = SeatSet.of([SEAT])
PASS, DISCARD, WIN = Action(SEAT, Do.PASS, auto=True), Action(SEAT, Do.DISCARD, auto=True), Action(SEAT, Do.WIN, auto=True)
CHOICE = Action(SEAT, Do.PUNG)


@dataclass
class Offer:
    at_once: bool = False
    draw_and_discard: bool = False
    may_pass: bool = True

    def check(self, action: Action) -> Refusal | None:
        return None if action.do is not Do.PASS or self.may_pass else Refusal(Why.NOT_OFFERED)


@dataclass
class Question:
    source: int


@dataclass
class Hand:
    offers: list[Offer | None]
    question: Question | None = None
    answer: Action = DISCARD

    def default(self, _seat: int) -> Action:
        return self.answer


@dataclass
class Course:
    """As much of a course as is looked at."""

    hand: Hand
    players: tuple[str | None, ...] = ("ann", "bob")
    on_auto: SeatSet = NOBODY
    leaving: SeatSet = NOBODY
    auto_pass: SeatSet = NOBODY
    auto_discard: SeatSet = NOBODY
    going: list[int] = field(default_factory=list)

    @property
    def dealt_hand(self) -> Hand:
        return self.hand


def turn(**more: Any) -> Hand:
    """Seat 1 is to discard."""
    return Hand([None, Offer(**more)])


def claim(**more: Any) -> Hand:
    """Seat 1 may claim seat 0's discard; who says nothing wins."""
    return Hand([None, Offer(**more)], Question(0), WIN)


def exchange() -> Hand:
    """All exchange tiles, and nobody claims anything."""
    return Hand([Offer(), Offer()], Question(-1))


def mind(_course: Any, _seat: int) -> Action:
    return CHOICE


BOT = ("ann", None)


@pytest.mark.parametrize(
    ("course", "does"),
    [
        (Course(turn()), [(DISCARD, Ground.TIME_RAN_OUT)]),
        (Course(claim()), [(WIN, Ground.TIME_RAN_OUT)]),
        (Course(turn(), on_auto=ONE), [(DISCARD, Ground.ON_AUTO)]),
        (Course(turn(), leaving=ONE), [(DISCARD, Ground.ON_AUTO)]),
        (Course(turn(draw_and_discard=True), auto_discard=ONE), [(DISCARD, Ground.AUTO_DISCARD)]),
        # The switch throws what was drawn, and answers nothing else.
        (Course(turn(), auto_discard=ONE), [(DISCARD, Ground.TIME_RAN_OUT)]),
        (Course(turn(draw_and_discard=True), auto_discard=ONE, on_auto=ONE), [(DISCARD, Ground.ON_AUTO)]),
        (Course(claim(), auto_pass=ONE), [(PASS, Ground.AUTO_PASS)]),
        (Course(claim(may_pass=False), auto_pass=ONE), [(WIN, Ground.AUTO_PASS)]),
        (Course(claim(), auto_pass=ONE, on_auto=ONE), [(PASS, Ground.AUTO_PASS)]),
        # Only claims are passed.
        (Course(turn(), auto_pass=ONE), [(DISCARD, Ground.TIME_RAN_OUT)]),
        (Course(exchange(), auto_pass=ONE), [(DISCARD, Ground.TIME_RAN_OUT)]),
        # A bot's choice may be refused.
        (Course(turn(), players=BOT), [(CHOICE, Ground.BOT), (DISCARD, Ground.TIME_RAN_OUT)]),
        (Course(claim(), players=BOT), [(CHOICE, Ground.BOT), (WIN, Ground.TIME_RAN_OUT)]),
    ],
)
def test_the_answers_for_a_seat(course: Any, does: list[Given]) -> None:
    assert list(answers(course, SEAT, mind)) == does


@pytest.mark.parametrize(
    ("course", "does"),
    [
        (Course(turn(at_once=True)), [(DISCARD, Ground.ONLY_ANSWER)]),
        (Course(turn(at_once=True), players=BOT), [(DISCARD, Ground.ONLY_ANSWER)]),
        (Course(Hand([None, None])), []),
        (Course(claim()), []),
        (Course(claim(), auto_pass=ONE), [(PASS, Ground.AUTO_PASS)]),
        (Course(claim(), on_auto=ONE), [(WIN, Ground.ON_AUTO)]),
        (Course(claim(), leaving=ONE), [(WIN, Ground.ON_AUTO)]),
        (Course(claim(), players=BOT), [(CHOICE, Ground.BOT), (WIN, Ground.TIME_RAN_OUT)]),
        # Whoever leaves the hand is answered for when it is their turn to leave.
        (Course(claim(), auto_pass=ONE, going=[SEAT]), []),
        # Turns take their time, whoever plays.
        (Course(turn(), on_auto=ONE), []),
        (Course(turn(draw_and_discard=True), auto_discard=ONE), []),
        (Course(turn(), players=BOT), []),
    ],
)
def test_the_answers_that_wait_for_no_time(course: Any, does: list[Given]) -> None:
    assert list(at_once(course, SEAT, mind)) == does
