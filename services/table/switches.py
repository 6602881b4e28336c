"""What the server answers for a seat whose player has switched that on, is away or is a bot.

Law: a claim that the server answers is answered with the discard or kong that it is about, before that is shown, whatever a bot's pause is.
So the time until the outcome is the room's claim window, as if nobody had been asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.hand import Action, Do
from services.table.rows import Kind
from services.table.seat_set import NOBODY

if TYPE_CHECKING:
    from services.table.course_state import CourseState


def turn(course: CourseState, kind: Kind, seat: int, *, on: bool) -> None:
    """Turn a switch of a seat. Nobody is told: it shows in the seat's own view alone."""
    if kind is Kind.AUTO_DISCARD:
        course.auto_discard = course.auto_discard.put(seat, there=on)
    else:
        course.auto_pass = course.auto_pass.put(seat, there=on)
        course.forced |= claims_open(course)


def off(course: CourseState) -> None:
    """Turn every switch off: the hand is over."""
    course.auto_discard = course.auto_pass = NOBODY


def throws_drawn(course: CourseState, seat: int) -> bool:
    """Whether the open offer of a seat is one that 自动摸打 answers for it."""
    if seat not in course.auto_discard or course.hand is None:
        return False
    offer = course.hand.offers[seat]
    # Offers of games without this switch do not have it.
    return offer is not None and bool(getattr(offer, "draw_and_discard", False))


def answers_for(course: CourseState, seat: int) -> bool:
    """Whether the server answers what a player's seat is asked now, and before its time is up."""
    return seat in course.on_auto | course.leaving or throws_drawn(course, seat)


def claims_open(course: CourseState) -> bool:
    """Whether seats are asked about another's discard or kong."""
    hand = course.hand
    return hand is not None and hand.question is not None and hand.question.source >= 0


def claims_for(course: CourseState, seat: int) -> bool:
    """Whether an open claim of a seat is answered by the server, at once. Who leaves the hand is answered for as games.leaving has it."""
    if not claims_open(course) or seat in course.going:
        return False
    return course.players[seat] is None or seat in course.on_auto | course.leaving | course.auto_pass


def declined(course: CourseState, seat: int) -> Action:
    """Return the answer to a claim of a seat that passes all claims: where the rules allow no pass, what they force."""
    passed = Action(seat, Do.PASS, auto=True)
    hand = course.dealt_hand
    offer = hand.offers[seat]
    return passed if offer is not None and offer.check(passed) is None else hand.default(seat)
