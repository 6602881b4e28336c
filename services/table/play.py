"""What the server does for seats: answers that have no alternative, timers, 托管, players' switches, bots."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from games.hand import Action, Do, Refusal
from games.leaving import next_step
from services.table import switches
from services.table.rows import SEAT_ACTED, SERVER_PLAYED, TIME_RAN_OUT

if TYPE_CHECKING:
    from services.table.core import TableCore
    from services.table.course import Course


def at_once(table: TableCore) -> None:
    """Carry out every offer that has one answer only, and every claim that the server answers."""
    course = table.course
    hand = course.dealt_hand
    while course.forced:
        course.forced = False
        for seat in range(hand.players):
            offer = hand.offers[seat]
            if offer is None:
                continue
            if offer.at_once:
                refused = table.step(hand.default(seat), SERVER_PLAYED)
                assert refused is None, f"the only answer was refused: {refused}"
            elif switches.claims_for(course, seat):
                _answer(table, seat, table.step)


def timers(table: TableCore, now: float, act: Callable[[Action, int], Refusal | None]) -> None:
    """Answer for every seat whose time is up: `act` carries an answer out, and what follows from it."""
    answers = table.deadlines.answers
    for no in range(len(answers)):
        if answers[no] <= now:
            answers[no] = inf
            if is_asked(table, no):
                _answer(table, no, act)


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


def _answer(table: TableCore, no: int, carry_out: Callable[[Action, int], Refusal | None]) -> None:
    course = table.course
    if course.players[no] is None:
        action = table.host.bots.choose(course, no)
        if carry_out(action, SEAT_ACTED) is None:
            return
        table.host.bots.wrong(table.id, action)
    why = _why(course, no)
    table.host.metrics.timer_fired(course.room, why)
    default = switches.declined(course, no) if why == "auto_pass" else course.dealt_hand.default(no)
    refused = carry_out(default, TIME_RAN_OUT if why == "time_ran_out" else SERVER_PLAYED)
    assert refused is None, f"the default answer was refused: {refused}"


def _why(course: Course, no: int) -> str:
    """Return why the server answers for a seat."""
    if no in course.auto_pass and switches.claims_open(course):
        return "auto_pass"
    if no in course.on_auto | course.leaving:
        return "on_auto"
    return "auto_discard" if switches.throws_drawn(course, no) else "time_ran_out"
