"""A table's course from its journal.

Law: a replay gives the same state as the play did, or it says that it cannot; nothing is guessed. It owes nothing anew: what came due is
in the outbox.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

from pydantic import TypeAdapter

from games.fields import FieldError
from games.hand import Refusal, Ruleset
from services.kit.items import ItemOutcome
from services.kit.rooms import Room
from services.kit.secrets import KeyRing
from services.table import shuffle, signer, switches
from services.table.course import Course
from services.table.ending import CalledOff
from services.table.events import Emission
from services.table.rows import Kind, Row, action_of, body

_MOST_ROOMS: Final = 1_000
_NEXT: Final = frozenset({Kind.COMMIT, Kind.CALLED_OFF})
"""Rows after which the hand before them is not looked at again."""
_read: Final[Callable[[str], dict[str, Any]]] = TypeAdapter(dict[str, Any]).validate_json
"""Reads a row's body, in half the time that `json.loads` takes."""


class ReplayError(Exception):
    """The journal cannot be played again.

    `reason` is a stable name for the log; `why` what its hand is called off for; `carried_out`: the row was, and led elsewhere than before.
    """

    def __init__(self, reason: str, at: int, why: CalledOff = CalledOff.REPLAY_FAILED, *, carried_out: bool = False) -> None:
        super().__init__(f"{reason} at row {at}")
        self.reason = reason
        self.why = why
        self.carried_out = carried_out


def opening(table_id: str, room: Room, players: Sequence[str | None], at: int) -> tuple[Course, Row]:
    """Return the course of a new table, and its first row. `at`: milliseconds since 1970."""
    course = Course(table_id, room, room.rules(), tuple(players))
    text = body({"room": room.model_dump(mode="json"), "players": list(players), "rules": course.rules.version})
    return course, Row(1, Kind.OPEN, -1, 0, 0, text, at=at)


def replay(table_id: str, rows: Sequence[Row], deal_keys: KeyRing) -> Course:
    """Return where a table stands after its rows. ReplayError says why that cannot be told, and at which row that shows first."""
    start = max((place for place, row in enumerate(rows) if row.kind is Kind.CALLED_OFF), default=1)
    # A digest is of the whole hand, so the last one of a hand shows whatever went another way before it.
    try:
        return _replay(table_id, rows, start, deal_keys, last_digests(rows))
    except Exception:
        _replay(table_id, rows, start, deal_keys, {row.seq for row in rows if row.digest is not None})
        raise


def _replay(table_id: str, rows: Sequence[Row], start: int, deal_keys: KeyRing, compared: set[int]) -> Course:
    course = reopen(table_id, rows[0], quiet=True)
    told: list[Emission] = []
    for row in rows[start:]:
        told += _play(course, row, deal_keys)
        if row.seq in compared:
            _check(course, row)
    course.count(told)
    course.quiet = False
    return course


def last_digests(rows: Sequence[Row]) -> set[int]:
    """Return the seqs of the rows with the last digest of each hand."""
    found: set[int] = set()
    last = 0
    for row in rows:
        if row.kind in _NEXT:
            found.add(last)
        if row.digest is not None:
            last = row.seq
    found.add(last)
    return found


@lru_cache(maxsize=_MOST_ROOMS)
def _opened(room: bytes, version: str) -> tuple[Room, Ruleset]:
    """Return a room as it was, and the rules that a table was opened under, and is played by to its end.

    Those of today for a version that nobody knows: its deal is then refused as `unknown_rules`.
    """
    found = Room.model_validate(marshal.loads(room))  # noqa: S302 - written by `reopen`
    try:
        return found, found.rules(version)
    except FieldError:
        return found, found.rules()


def reopen(table_id: str, first: Row, *, quiet: bool = False) -> Course:
    """Return the course that a table's first row opens. Rooms are kept as they were when it opened."""
    opened = _read(first.body)
    # Most tables of a room opened under the same: it is looked up by the text that is made in the least time.
    room, rules = _opened(marshal.dumps(opened["room"], 2), opened["rules"])
    return Course(table_id, room, rules, tuple(opened["players"]), quiet=quiet)


def step(course: Course, row: Row, deal_keys: KeyRing, *, compare: bool = True) -> Sequence[Emission]:
    """Play one row again and compare its digest, if it has one; the answer is what it showed."""
    told = _play(course, row, deal_keys)
    if compare and row.digest is not None:
        _check(course, row)
    return told


def _play(course: Course, row: Row, deal_keys: KeyRing) -> Sequence[Emission]:
    if row.kind is Kind.ACT:
        return _act(course, row)
    if row.kind is Kind.SETTLED:
        return course.settle(ItemOutcome.model_validate_json(row.body))
    value = _read(row.body)
    match row.kind:
        case Kind.COMMIT:
            return _commit(course, row, value, deal_keys)
        case Kind.REVEAL:
            return course.reveal(row.seat, bytes.fromhex(value["bytes"]))
        case Kind.DEAL:
            if value["rules"] != course.rules.version:
                raise ReplayError("unknown_rules", row.seq, CalledOff.RULES_UNKNOWN)
            return course.deal(signer.from_row(value), row.at or 0)
        case Kind.SEAT:
            return course.presence(row.seat, on_auto=value["on_auto"], leaving=value["leaving"])
        case Kind.TAKE:
            return course.take(row.seat, value["player"], value["hold"])
        case Kind.UNFILLED:
            return course.unfilled()
        case Kind.AUTO_DISCARD | Kind.AUTO_PASS:
            switches.turn(course, row.kind, row.seat, on=value["on"])
            return []
        case Kind.CALLED_OFF:
            course.restore(value)
            return [] if course.ended is None else [course.ended]
        case _:
            raise ReplayError("unknown_row", row.seq)


def _act(course: Course, row: Row) -> list[Emission]:
    told = course.act(action_of(row), row.auto, row.at or 0) if course.hand is not None else None
    if told is None or isinstance(told, Refusal):
        raise ReplayError("refused_action", row.seq)
    return told


def _check(course: Course, row: Row) -> None:
    if row.digest != course.digest():
        raise ReplayError("other_digest", row.seq, carried_out=True)


def _commit(course: Course, row: Row, value: dict[str, Any], deal_keys: KeyRing) -> Sequence[Emission]:
    seed = shuffle.seed(deal_keys, value["key"], course.table_id, value["hand"], value["nonce"])
    if seed is None:
        raise ReplayError("deal_key_lost", row.seq, CalledOff.DEAL_KEY_LOST)
    return course.commit(seed, hashes_of(value), signer.from_row(value))


def hashes_of(value: dict[str, Any]) -> tuple[bytes, ...]:
    """Return what the body of a COMMIT row says of the players' hashes."""
    return tuple(bytes.fromhex(given) for given in value["hashes"])
