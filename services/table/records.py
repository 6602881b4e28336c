"""Hand records from the journal (docs/rules/README.md): of finished hands only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from games import deal
from games.record import Recorder
from services.kit import logs
from services.kit.errors import FailedPreconditionError, NotFoundError
from services.kit.items import ItemKind, ItemOutcome
from services.kit.secrets import KeyRing
from services.table.course import Course
from services.table.phases import Phase
from services.table.replay import reopen, step
from services.table.rows import Kind, Row, action_of

log = logs.get(__name__)


class _Hand:
    """What the rows of one hand add up to."""

    def __init__(self, course: Course) -> None:
        self.number = course.hand_no
        self.setup = course.setup()
        self.players = course.players
        self.money = list(course.money)
        self.recorder = Recorder(course.rules, self.setup)
        self.outcomes: list[ItemOutcome] = []
        self.called_off = ""
        self.owed = 0

    def record(self, base: int) -> dict[str, Any]:
        if self.called_off:
            return {
                "game": self.recorder.ruleset.game,
                "table": self.setup.table,
                "hand": self.number,
                "seed": self.setup.seed.hex(),
                "commitment": deal.commitment(self.setup.seed),
                "contributions": [None if given is None else given.hex() for given in self.setup.contributions],
                "seats": list(self.players),
                "called_off": self.called_off,
            }
        record = self.recorder.record(base, self.money)
        record["seats"] = list(self.players)
        self._compare(record["coins"])
        return record

    def _compare(self, coins: list[dict[str, Any]]) -> None:
        """What the ledger did is what happened; that it differs from the rules is for an operator.

        What it moved is compared, not what is left at the table: a winner who has gone has taken his coins with him.
        """
        for entry, outcome in zip(coins, self.outcomes, strict=False):
            change, moves = list(outcome.change), [[move.payer, move.payee, move.coins] for move in outcome.moves]
            name, paid = ("moves", moves) if "moves" in entry else ("change", change)
            if outcome.money and entry[name] != paid:
                log.error("coins_differ_from_rules", table=self.setup.table, hand=self.number, seq=outcome.seq)
                entry["after"] = list(outcome.money)
                entry[name] = paid


def records(table_id: str, rows: Sequence[Row], deal_keys: KeyRing, hand: int) -> list[str]:
    """Return the records of all finished hands (`hand` 0), or of one.

    NotFoundError: no such hand; FailedPreconditionError: not over yet.
    """
    hands, course = _hands(table_id, rows, deal_keys)
    if hand > course.hand_no:
        raise NotFoundError("no_such_hand", f"hand: {table_id} has had {course.hand_no}")
    finished = [one for one in hands if one.number <= course.finished and not one.owed]
    if hand:
        finished = [one for one in finished if one.number == hand]
    if not finished:
        raise FailedPreconditionError("not_over", "the record of a hand is there when it is over and settled")
    return [json.dumps(one.record(course.room.base), separators=(",", ":"), ensure_ascii=False) for one in finished]


def _hands(table_id: str, rows: Sequence[Row], deal_keys: KeyRing) -> tuple[list[_Hand], Course]:
    course = reopen(table_id, rows[0])
    hands: list[_Hand] = []
    items: list[_Hand | None] = [None]
    for row in rows[1:]:
        if row.kind is Kind.DEAL:
            hands.append(_Hand(course))
        elif row.kind is Kind.ACT:
            hands[-1].recorder.apply(action_of(row))
        elif row.kind is Kind.CALLED_OFF and hands and course.phase is Phase.PLAYING:
            hands[-1].called_off = json.loads(row.body)["reason"]
        elif row.kind is Kind.SETTLED:
            _settled(items, ItemOutcome.model_validate_json(row.body))
        course.owed = []
        step(course, row, deal_keys)
        for _seq, text in course.owed:
            owes = hands[-1] if hands and json.loads(text)["kind"] in {ItemKind.STAGE, ItemKind.HAND_END} else None
            items.append(owes)
            if owes is not None:
                owes.owed += 1
    return hands, course


def _settled(items: list[_Hand | None], outcome: ItemOutcome) -> None:
    owes = items[outcome.seq - 1] if outcome.seq <= len(items) else None
    if owes is not None:
        owes.owed -= 1
        if outcome.kind in {ItemKind.STAGE, ItemKind.HAND_END}:
            owes.outcomes.append(outcome)
