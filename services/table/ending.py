"""How hands end: played to their end, or called off for one of a few reasons."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from services.table.events import Ended
from services.table.hand_end import HandEnd
from services.table.phases import Phase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from services.table.course_state import CourseState


class CalledOff(StrEnum):
    """Why a hand was called off. Players, records and operators read these names: never a free text."""

    OPERATOR = "operator"
    """An operator did it; who stands beside it."""
    REPLAY_FAILED = "replay_failed"
    """The journal cannot be played again."""
    RULES_UNKNOWN = "rules_unknown"
    """This server does not have the rules that the hand was dealt with."""
    DEAL_KEY_LOST = "deal_key_lost"
    """The hand's seed cannot be derived again."""
    SETTLEMENT_STUCK = "settlement_stuck"
    """The coins of the hand before did not settle in time: no hand is being played then."""


def end(course: CourseState, called_off: str = "", by: str = "") -> HandEnd:
    """Return what the record of the present hand follows from."""
    assert course.committed is not None, "a hand begins with its commitment"
    if called_off:
        # Answers that were accepted belong to the record, whether or not the question was ever decided.
        course.transcript.close()
    return HandEnd(
        table=course.table_id,
        number=course.hand_no,
        rules=course.rules,
        version=course.version,
        base=course.room.base,
        players=course.players,
        money=course.committed.money,
        seed=course.seed,
        contributions=tuple(course.contributions),
        committed=course.committed,
        dealt=course.dealt.signed if course.dealt is not None else None,
        withheld=course.withheld,
        hand=course.hand if course.phase is not Phase.REVEALING else None,
        transcript=course.transcript,
        dealt_at=course.dealt_at,
        called_off=called_off,
        by=by,
    )


def in_row(ended: Ended | None) -> dict[str, Any] | None:
    """Return how a hand was called off as part of its row: a replay has nothing else of it."""
    if ended is None:
        return None
    given = [one.hex() if one is not None else None for one in ended.contributions]
    found = {"hand": ended.hand, "points": list(ended.points), "seed": ended.seed.hex(), "contributions": given}
    return found | {"why": ended.called_off, "by": ended.by}


def from_row(to: int, value: Mapping[str, Any] | None) -> Ended | None:
    """Return how a hand was called off; None in a row of an earlier release, or one about no hand."""
    if value is None:
        return None
    given = tuple(bytes.fromhex(one) if one is not None else None for one in value["contributions"])
    return called_off(to, value["hand"], tuple(value["points"]), bytes.fromhex(value["seed"]), given, value["why"], value["by"])


def called_off(
    to: int, number: int, points: tuple[int, ...], seed: bytes, contributions: tuple[bytes | None, ...], why: str, by: str
) -> Ended:
    """Return what is told of a hand that was called off."""
    return Ended(to, number, ("",) * len(points), points, seed, contributions, "{}", why, by)
