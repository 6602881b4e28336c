"""Between two hands: stakes are made up, players go, and in rooms that refill others take their seats.

Law: as in services.table.course, all of it follows from the rows. A seat is free from when its player's stake is on its way back until
the `join` of another is applied, and no hand begins while one is free.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from services.kit import items
from services.table.course_state import CourseState, Taking, Visit
from services.table.events import Emission, SeatChanged, SeatTaken
from services.table.phases import Phase
from services.table.seat_set import SeatSet

_VISITS: Final = 64
"""Holds under which seats were taken, and earlier holders of seats, that a table remembers."""
_BETWEEN: Final = frozenset({Phase.BREAK, Phase.GATHERING})


def resume(course: CourseState, out: list[Emission]) -> None:
    """When everything so far is settled: let go who does not play on, make stakes up to the room's lock, and gather for the next hand.

    Who asked to go, was not there at the hand's end, or has too little to lock again goes. The table closes instead where the room does
    not refill, or nobody would stay.
    """
    if course.phase not in _BETWEEN or not course.finished or course.items:
        return
    if going := _going(course):
        _let_go(course, going, "left", out)
    elif course.phase is Phase.GATHERING:
        return
    elif not (short := _short(course)):
        course.phase = Phase.GATHERING
    elif course.topped_up < course.finished:
        course.topped_up = course.finished
        for seat in short:
            course.owe(partial(items.TopUpBody, seat=seat), course.hand_no, -1, "top_up")
    else:
        _let_go(course, SeatSet.of(short), "short", out)


def _going(course: CourseState) -> SeatSet:
    """Return the seats whose players do not play a further hand."""
    return (course.leaving | course.on_auto | course.left) & _players(course) - course.free


def _players(course: CourseState) -> SeatSet:
    return SeatSet.of(seat for seat, player in enumerate(course.players) if player is not None)


def _short(course: CourseState) -> list[int]:
    """Return the seats whose stake is below the room's lock."""
    lock = course.room.lock
    return [] if lock == "all" else [seat for seat, coins in enumerate(course.money) if coins < lock and seat not in course.free]


def _let_go(course: CourseState, going: SeatSet, reason: str, out: list[Emission]) -> None:
    """Free the seats of these players, or close the table."""
    if not course.room.refill_seconds or not _players(course) - (going | course.free):
        course.close(reason)
        return
    course.phase = Phase.BREAK
    course.free |= going
    course.leaving -= going
    for seat in going - course.left:
        # What they won or lost is settled: their whole stake returns.
        course.left = course.left.put(seat)
        course.on_auto = course.on_auto.put(seat, there=False)
        course.owe(partial(items.LeftBody, seat=seat), course.hand_no, -1, "left")
        out.append(SeatChanged(course.all, seat, on_auto=False, left=True))
    resume(course, out)


def vacant(course: CourseState) -> list[int]:
    """Return the seats that can be taken now."""
    if not course.free or course.phase not in _BETWEEN:
        return []
    taken = {course.visits[hold].seat for hold in course.joining}
    return [seat for seat in course.free if seat not in taken]


def take(course: CourseState, seat: int, player: str, hold: str) -> None:
    """Let a player have a vacant seat, if the stake held under `hold` can be bound."""
    course.phase = Phase.BREAK
    course.joining.append(hold)
    _remember(course, hold, Visit(seat, player, Taking.JOINING))
    course.owe(partial(items.JoinBody, seat=seat, player=player, hold=hold), course.hand_no, -1, "join")


def _remember(course: CourseState, hold: str, visit: Visit) -> None:
    visits = course.visits
    visits[hold] = visit
    if len(visits) > _VISITS:
        kept = {*course.joining, *course.holds}
        del visits[next(old for old in visits if old not in kept)]


def joined(course: CourseState, outcome: items.ItemOutcome) -> list[Emission]:
    """Take in how the first `join` without an outcome ended: the seat has its new player, or is free again."""
    hold = course.joining.pop(0)
    visit = course.visits[hold]
    if outcome.result is items.Result.REFUSED:
        course.visits[hold] = visit._replace(taking=Taking.REFUSED)
        return []
    seat = visit.seat
    former = course.players[seat]
    assert former is not None, "a bot's seat is never free"
    course.visits[hold] = visit._replace(taking=Taking.SEATED)
    course.former = [*course.former, (seat, former)][-_VISITS:]
    course.players = (*course.players[:seat], visit.player, *course.players[seat + 1 :])
    course.holds[seat] = hold
    course.free = course.free.put(seat, there=False)
    course.left = course.left.put(seat, there=False)
    course.newcomers = course.newcomers.put(seat)
    course.missed[seat] = 0
    return [SeatTaken(course.all, seat, visit.player, tuple(course.money))]
