"""What can be had of journals that cannot be played again to their end, and the hands that ended in any journal.

Law: rows that cannot be played are still shown: the record of a hand that is called off holds every action that was accepted.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from services.kit import logs
from services.kit.items import ItemKind, ItemOutcome
from services.kit.secrets import KeyRing
from services.table import between, ending, shuffle, signer
from services.table.course import Course
from services.table.events import DealSigned
from services.table.hand_end import HandEnd
from services.table.phases import Phase
from services.table.replay import ReplayError, hashes_of, last_digests, reopen, step
from services.table.rows import Kind, Row, action_of

log = logs.get(__name__)

_IN_A_HAND: Final = frozenset({Phase.REVEALING, Phase.PLAYING})


def salvage(table_id: str, rows: Sequence[Row], owed: Sequence[str], deal_keys: KeyRing, over: Collection[int]) -> Course:
    """Return as much of a table's course as is needed to call its hand off.

    `owed`: bodies of items without an outcome, in order; `over`: hands that are known to have ended.
    """
    course = reopen(table_id, rows[0])
    course.items, course.owed = [], []
    for row in rows[1:]:
        _salvage(course, row, deal_keys)
        if row.kind is Kind.COMMIT:
            # A hand begins when the one before has ended.
            course.finished = course.hand_no - (course.hand_no not in over)
            if course.hand_no in over:
                course.phase = Phase.BREAK
    for text in owed:
        item = json.loads(text)
        course.items.append((item.get("hand", 0), item.get("stage", -1), item.get("cause", item["kind"])))
    if course.phase in _IN_A_HAND:
        _take_what_can_be_played(course, table_id, rows, deal_keys)
    return course


def _salvage(course: Course, row: Row, deal_keys: KeyRing) -> None:
    """Take from a row what does not depend on the rules."""
    value: Any = json.loads(row.body)
    if row.kind is Kind.SETTLED:
        outcome = ItemOutcome.model_validate(value)
        course.settled += 1
        course.money = outcome.money or course.money
        if outcome.kind is ItemKind.JOIN:
            between.joined(course, outcome)
    elif row.kind is Kind.TAKE:
        between.take(course, row.seat, value["player"], value["hold"])
        course.items, course.owed = [], []
    elif row.kind is Kind.COMMIT:
        seed = shuffle.seed(deal_keys, value["key"], course.table_id, value["hand"], value["nonce"])
        course.count(course.commit(seed or b"", hashes_of(value), signer.from_row(value)))
    elif row.kind is Kind.REVEAL:
        course.contributions[row.seat] = bytes.fromhex(value["bytes"])
    elif row.kind is Kind.DEAL and course.phase is Phase.REVEALING:
        course.phase = Phase.PLAYING
        course.withheld, course.dealt_at, course.version = tuple(course.awaited()), row.at or 0, value["rules"]
        signed = signer.from_row(value)
        course.dealt = None if signed is None else DealSigned(course.all, course.hand_no, signed)


def _take_what_can_be_played(course: Course, table_id: str, rows: Sequence[Row], deal_keys: KeyRing) -> None:
    """Give a course its hand as far as the rows can be played, and then the actions as they came."""
    played, _, count, _ = as_far(table_id, rows, deal_keys)
    if played.hand_no == course.hand_no and played.phase is Phase.PLAYING:
        course.hand, course.transcript = played.hand, played.transcript
        course.transcript.close()
    else:
        count = max(place for place, row in enumerate(rows) if row.kind is Kind.COMMIT)
    for row in rows[count:]:
        if row.kind is Kind.CALLED_OFF:
            break
        if row.kind is Kind.ACT:
            course.transcript.add(action_of(row), row.at or 0)


class Played(NamedTuple):
    """Where rows lead, the hands that ended, how many rows were played, and what kept the next one from being played."""

    course: Course
    ends: list[HandEnd]
    rows: int
    wrong: str = ""


def as_far(table_id: str, rows: Sequence[Row], deal_keys: KeyRing) -> Played:
    """Play rows as far as that can be done. Stops where a hand was called off, too.

    They are held to the same digests as by a replay: it does not play on what this cannot record.
    """
    found = _as_far(table_id, rows, deal_keys, last_digests(rows))
    if found.wrong:
        found = _as_far(table_id, rows, deal_keys, {row.seq for row in rows})
        log.warning("row_not_played", match=table_id, row=rows[min(found.rows, len(rows) - 1)].seq, error=found.wrong)
    return found


def _as_far(table_id: str, rows: Sequence[Row], deal_keys: KeyRing, compared: Collection[int]) -> Played:
    course = reopen(table_id, rows[0])
    ends: list[HandEnd] = []
    for place, row in enumerate(rows[1:], 1):
        try:
            if row.kind is Kind.CALLED_OFF:
                return Played(course, ends, place)
            step(course, row, deal_keys, compare=row.seq in compared)
        except Exception as error:  # noqa: BLE001 - whatever keeps a row from being played
            carried_out = isinstance(error, ReplayError) and error.carried_out
            return Played(course, ends, place + carried_out, type(error).__name__)
        ends += course.ends
        course.owed, course.ends = [], []
    return Played(course, ends, len(rows))


def hands_over(table_id: str, rows: Sequence[Row], deal_keys: KeyRing) -> list[HandEnd]:
    """Return the hands of a journal that have ended, one called off included."""
    course, ends, count, _ = as_far(table_id, rows, deal_keys)
    called_off = next((row for row in rows[count:] if row.kind is Kind.CALLED_OFF), None)
    if called_off is None:
        return ends
    value = json.loads(called_off.body)
    number = _called_off(rows, value)
    if rows[count] is not called_off:
        course = salvage(table_id, rows, (), deal_keys, range(1, number or len(rows)))
    if course.phase in _IN_A_HAND and course.hand_no == number and number not in {one.number for one in ends}:
        ends.append(ending.end(course, value["reason"], value.get("by", "")))
    return ends


def _called_off(rows: Sequence[Row], value: dict[str, Any]) -> int:
    """Return which hand a row called off; 0: none, the table was between two."""
    if "ended" in value:
        return int(value["ended"]["hand"]) if value["ended"] else 0
    # The first release wrote nothing about it.
    if value["reason"] == "unsettled":
        return 0
    return max((int(json.loads(row.body)["hand"]) for row in rows if row.kind is Kind.COMMIT), default=0)
