"""What the server does for seats: it carries out the answers that services.table.autoplay decides, and lets players leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Final

from games.hand import Action, Do, Refusal
from games.leaving import next_step
from services.table import autoplay
from services.table.autoplay import IN_ROWS, Ground
from services.table.rows import SEAT_ACTED, SERVER_PLAYED

if TYPE_CHECKING:
    from services.table.autoplay import Given
    from services.table.core import TableCore

_NOT_COUNTED: Final = frozenset({Ground.ONLY_ANSWER, Ground.BOT})
"""What is no timer's answer."""


def at_once(table: TableCore) -> None:
    """Carry out every offer that has one answer only, and every claim that the server answers."""
    course = table.course
    mind = table.host.bots.choose
    while course.forced:
        course.forced = False
        for seat in range(len(course.players)):
            _answer(table, autoplay.at_once(course, seat, mind), table.step)


def timers(table: TableCore, now: float, act: Callable[[Action, int], Refusal | None]) -> None:
    """Answer for every seat whose time is up: `act` carries an answer out, and what follows from it."""
    answers = table.deadlines.answers
    for no in range(len(answers)):
        if answers[no] <= now:
            answers[no] = inf
            if is_asked(table, no):
                _answer(table, autoplay.answers(table.course, no, table.host.bots.choose), act)


def is_asked(table: TableCore, no: int) -> bool:
    """Whether the seat has an open offer that it has been shown."""
    course = table.course
    hand = course.hand
    if hand is None:
        return False
    offer = hand.offers[no]
    return offer is not None and course.base[no] + offer.number == table.outlet.shown_decisions[no]


def leaving(no: int) -> Action:
    """Return the escape of a seat, in games where leaving has a meaning within the hand."""
    return Action(no, Do.LEAVE)


def leaves_now(table: TableCore, no: int) -> bool:
    """Whether a seat's player may leave the hand at once. Else they wait for others' answers (games.leaving)."""
    course = table.course
    return not course.rules.leave_waits or next_step(course.hand, (no,)) == leaving(no)


def let_go(table: TableCore) -> None:
    """Let players leave who asked to, as far as it is their turn, and answer for them what they are asked meanwhile."""
    course = table.course
    while (action := next_step(course.hand, course.going)) is not None:
        refused = table.step(action, SERVER_PLAYED if action.auto else SEAT_ACTED)
        assert refused is None, f"leaving was refused: {refused}"
        if action.seat in course.left:
            table.when_shown(partial(table.seats[action.seat].detach, "left"))


def _answer(table: TableCore, given: Iterable[Given], carry_out: Callable[[Action, int], Refusal | None]) -> None:
    """Carry out the first of these answers that is not refused."""
    for action, ground in given:
        if ground not in _NOT_COUNTED:
            table.host.metrics.timer_fired(table.course.room, ground)
        refused = carry_out(action, IN_ROWS[ground])
        if refused is None:
            return
        assert ground is Ground.BOT, f"the answer for {ground} was refused: {refused}"
        table.host.bots.wrong(table.id, action)
