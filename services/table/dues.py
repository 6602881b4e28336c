"""What arises in a hand between its seats: the stages and the pool, as they are told, owed, and compared with what the ledger moved."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from games import payout
from games.events import HandOver, StageClaimed
from games.hand import Event, Policy
from services.kit import items
from services.table.codec import texts
from services.table.events import Claimed, Emission, Ended
from services.table.rows import body

if TYPE_CHECKING:
    from services.table.course_state import CourseState


def told(course: CourseState, events: Sequence[Event]) -> list[Emission]:
    """Return a hand's events with its new stages and its end as the table tells them; the items for them come due."""
    hand = course.dealt_hand
    out: list[Emission] = []
    index = course.stages
    for event in events:
        if isinstance(event, HandOver):
            course.over = event
        if course.quiet:
            # Only counted: by its audience, which what the table tells has in common with it.
            out.append(event)
        elif isinstance(event, StageClaimed):
            out.append(Claimed(event.to, course.hand_no, index, event.stage, _points_after(course, index)))
            index += 1
        elif isinstance(event, HandOver):
            course.end_told = ended(course, event)
            out.append(course.end_told)
        else:
            out.append(event)
    for place in range(course.stages, len(hand.stages)):
        _owe_stage(course, place)
    course.stages = len(hand.stages)
    return out


def _points_after(course: CourseState, place: int) -> tuple[int, ...]:
    points = [0] * len(course.players)
    for stage in course.dealt_hand.stages[: place + 1]:
        for claim in stage.claims:
            points[claim.payer] -= claim.multiple * course.rules.point_unit
            points[claim.payee] += claim.multiple * course.rules.point_unit
    return tuple(points)


def _owe_stage(course: CourseState, place: int) -> None:
    stage = course.dealt_hand.stages[place]
    if course.rules.policy is not Policy.STAGE or not course.room.base:
        return
    course.owe(partial(_stage_body, course, place), course.hand_no, place, stage.cause)


def _stage_body(course: CourseState, place: int) -> items.StageBody:
    stage = course.dealt_hand.stages[place]
    claims = [items.ClaimRow(payer=claim.payer, payee=claim.payee, multiple=claim.multiple) for claim in stage.claims]
    return items.StageBody(hand=course.hand_no, stage=place, cause=stage.cause, base=course.room.base, claims=claims)


def ended(course: CourseState, event: HandOver) -> Ended:
    """Return what is told of a hand that was played to its end."""
    concealed = tuple(map(texts.writer(course.dealt_hand), event.hands))
    result = body(course.dealt_hand.result())
    return Ended(event.to, course.hand_no, concealed, event.points, course.seed, tuple(course.contributions), result)


def hand_end(course: CourseState) -> items.HandEndBody:
    """Return the item of a hand's end: its pool, its ratings."""
    points = course.dealt_hand.points()
    unit = course.rules.point_unit
    causes = [
        items.CauseLine(
            cause=stage.cause, claims=[items.ClaimRow(payer=c.payer, payee=c.payee, multiple=c.multiple * unit) for c in stage.claims]
        )
        for stage in course.dealt_hand.stages
    ]
    if course.rules.policy is Policy.STAGE:
        return items.HandEndBody(hand=course.hand_no, causes=causes, rating=points)
    return items.HandEndBody(
        hand=course.hand_no, rate=course.room.base, points=points, causes=causes, rating=points if course.room.rated else []
    )


def compare(course: CourseState, outcome: items.ItemOutcome, hand_no: int, place: int) -> bool:
    """Whether the ledger moved what the rules say for a stage, or the pool, of the present hand.

    What it moved is compared, not what is left at the table: a winner who has left has taken their coins away.
    """
    hand = course.hand
    if hand is None or hand_no != course.hand_no or not outcome.money:
        return True
    if outcome.kind is items.ItemKind.STAGE:
        paid = _reckon(course, place)
        return [(move.payer, move.payee, move.coins) for move in outcome.moves] == [tuple(move) for move in paid.moves]
    if outcome.kind is items.ItemKind.HAND_END and course.rules.policy is Policy.POOLED:
        return list(outcome.change) == list(payout.pooled(course.room.base, course.reckoned, hand.points()).change)
    return True


def _reckon(course: CourseState, place: int) -> payout.StageResult:
    """Return what a stage of the present hand pays by the rules, after all stages before it. A replay passes stages over."""
    stages = course.dealt_hand.stages
    while True:
        at = course.reckoned_stages
        paid = payout.stage(course.room.base, course.reckoned, [list(claim) for claim in stages[at].claims])
        course.reckoned, course.reckoned_stages = list(paid.money), at + 1
        if at >= place:
            return paid
