"""What the server answers for a seat, and on what ground: decided from the course alone, carried out by services.table.play."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from services.table import switches
from services.table.rows import SEAT_ACTED, SERVER_PLAYED, TIME_RAN_OUT

if TYPE_CHECKING:
    from games.hand import Action
    from services.table.course_state import CourseState


class Ground(StrEnum):
    """On what ground the server answers."""

    ONLY_ANSWER = "only_answer"
    """There is no other answer, and the seat is not asked."""
    BOT = "bot"
    """The seat is a bot's: the answer is its choice. It may be refused, which is a fault of the bot."""
    AUTO_PASS = "auto_pass"  # noqa: S105 - a switch of a player
    """The player has switched claims off."""
    ON_AUTO = "on_auto"
    """托管, or the player leaves."""
    AUTO_DISCARD = "auto_discard"
    """自动摸打: the player has switched it on."""
    TIME_RAN_OUT = "time_ran_out"


IN_ROWS: Final = dict.fromkeys(Ground, SERVER_PLAYED) | {Ground.BOT: SEAT_ACTED, Ground.TIME_RAN_OUT: TIME_RAN_OUT}
"""What a journal row says of an answer."""


class Given(NamedTuple):
    """An answer of the server's."""

    action: Action
    ground: Ground


Mind = Callable[["CourseState", int], "Action"]
"""Chooses for a bot's seat."""


def at_once(course: CourseState, seat: int, mind: Mind) -> Iterator[Given]:
    """Yield what the server answers before a seat's time is up: only answers, and claims of who does not answer for themselves."""
    hand = course.dealt_hand
    offer = hand.offers[seat]
    if offer is None:
        return
    if offer.at_once:
        yield Given(hand.default(seat), Ground.ONLY_ANSWER)
    elif switches.claims_for(course, seat):
        yield from answers(course, seat, mind)


def answers(course: CourseState, seat: int, mind: Mind) -> Iterator[Given]:
    """Yield what the server answers for a seat that is asked. The second answer counts if the first is refused."""
    if course.players[seat] is None:
        yield Given(mind(course, seat), Ground.BOT)
    ground = _ground(course, seat)
    yield Given(switches.declined(course, seat) if ground is Ground.AUTO_PASS else course.dealt_hand.default(seat), ground)


def _ground(course: CourseState, seat: int) -> Ground:
    if seat in course.auto_pass and switches.claims_open(course):
        return Ground.AUTO_PASS
    if seat in course.on_auto | course.leaving:
        return Ground.ON_AUTO
    return Ground.AUTO_DISCARD if switches.throws_drawn(course, seat) else Ground.TIME_RAN_OUT
