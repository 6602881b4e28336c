"""The append: a batch of journal rows of many tables, with what they owe, in one statement that checks the epoch of each.

Law: a row is stored only if its table still has the owner's epoch and the row is the next one; what is not, is reported and changes
nothing.

The functions take the driver's own connection: this is on the way of every action.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from services.table.rows import Row


@dataclass(slots=True)
class Append:
    """Rows of one table that are stored together, or not at all.

    `items`: what came due (seq, body). `done`: seqs of items whose outcome is among the rows. `state`: the table's new stored state, empty
    for no change.
    """

    table_id: str
    epoch: int
    rows: list[Row]
    items: list[tuple[int, str]] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    state: str = ""

    @property
    def first(self) -> int:
        """The seq of its first row."""
        return self.rows[0].seq


class Fate(Enum):
    """What became of the append of one table."""

    STORED = "stored"
    FENCED = "fenced"
    """The table has another owner."""
    OVERTAKEN = "overtaken"
    """Under our own epoch the journal holds something else there: the table must be rebuilt from it."""


class PartlyRefusedError(Exception):
    """Not all of a batch could be stored, so none of it was; it is to be stored table by table."""


_SQLITE_ROWS: Final = """
INSERT INTO journal (table_id, seq, epoch, kind, seat, action_id, auto, body, digest)
SELECT t.id, r.value->>2, t.epoch, r.value->>4, r.value->>5, r.value->>6, r.value->>7, r.value->>8, r.value->>9
FROM json_each(?) r JOIN tables t ON t.id = r.value->>0 AND t.epoch = r.value->>1
WHERE r.value->>3 = 1 + coalesce((SELECT max(j.seq) FROM journal j WHERE j.table_id = t.id), 0)"""
_SQLITE_ITEMS: Final = """
INSERT INTO outbox (table_id, seq, body, created_at, attempts, next_at, done)
SELECT r.value->>0, r.value->>1, r.value->>2, ?2, 1, ?3, 0 FROM json_each(?1) r"""
_SQLITE_DONE: Final = """
UPDATE outbox SET done = 1 FROM json_each(?) r WHERE outbox.table_id = r.value->>0 AND outbox.seq = r.value->>1"""
_SQLITE_STATES: Final = """
UPDATE tables SET state = r.value->>1 FROM json_each(?) r WHERE tables.id = r.value->>0"""


def sqlite_append(connection: Any, batch: Sequence[Append], resend_seconds: float) -> list[bool]:
    """Store a batch as one transaction; for each table whether it was stored. Raises PartlyRefusedError when not all could be."""
    rows = ",".join(_row_json(append, row) for append in batch for row in append.rows)
    items = [(append.table_id, seq, body) for append in batch for seq, body in append.items]
    done = [(append.table_id, seq) for append in batch for seq in append.done]
    states = [(append.table_id, append.state) for append in batch if append.state]
    execute = connection.execute
    execute("BEGIN IMMEDIATE")
    try:
        stored = execute(_SQLITE_ROWS, (f"[{rows}]",)).rowcount
        if stored != sum(len(append.rows) for append in batch):
            raise PartlyRefusedError
        if items:
            now = time.time()
            execute(_SQLITE_ITEMS, (json.dumps(items), now, now + resend_seconds))
        if done:
            execute(_SQLITE_DONE, (json.dumps(done),))
        if states:
            execute(_SQLITE_STATES, (json.dumps(states),))
    except BaseException:
        execute("ROLLBACK")
        raise
    execute("COMMIT")
    return [True] * len(batch)


def _row_json(append: Append, row: Row) -> str:
    seq, kind, seat, action_id, auto, body, digest = row
    hashed = "null" if digest is None else f'"{digest}"'
    # A body is JSON already, and ids are checked names: nothing here needs escaping.
    return f'["{append.table_id}",{append.epoch},{seq},{append.first},"{kind.value}",{seat},{action_id},{auto},{body},{hashed}]'


_POSTGRES: Final = """
WITH wanted AS (
  SELECT * FROM unnest(%s::text[], %s::bigint[], %s::bigint[], %s::text[]) AS w(id, epoch, first, state)
), locked AS (
  SELECT t.id, t.epoch, w.first, w.state FROM tables t JOIN wanted w ON t.id = w.id
  WHERE t.epoch = w.epoch ORDER BY t.id FOR NO KEY UPDATE OF t
), ready AS (
  SELECT * FROM locked l WHERE l.first = 1 + coalesce((SELECT max(j.seq) FROM journal j WHERE j.table_id = l.id), 0)
), rows AS (
  INSERT INTO journal (table_id, seq, epoch, kind, seat, action_id, auto, body, digest)
  SELECT r.id, r.seq, l.epoch, r.kind, r.seat, r.action_id, r.auto, r.body, r.digest
  FROM unnest(%s::text[], %s::bigint[], %s::text[], %s::smallint[], %s::bigint[], %s::smallint[], %s::text[], %s::text[])
    AS r(id, seq, kind, seat, action_id, auto, body, digest) JOIN ready l ON l.id = r.id
), items AS (
  INSERT INTO outbox (table_id, seq, body, created_at, attempts, next_at, done)
  SELECT i.id, i.seq, i.body, extract(epoch from clock_timestamp()), 1, extract(epoch from clock_timestamp()) + %s, false
  FROM unnest(%s::text[], %s::bigint[], %s::text[]) AS i(id, seq, body) JOIN ready l ON l.id = i.id
), done AS (
  UPDATE outbox o SET done = true
  FROM unnest(%s::text[], %s::bigint[]) AS d(id, seq) JOIN ready l ON l.id = d.id WHERE o.table_id = d.id AND o.seq = d.seq
), states AS (
  UPDATE tables t SET state = l.state FROM ready l WHERE t.id = l.id AND l.state <> ''
)
SELECT id FROM ready"""


def postgres_append(connection: Any, batch: Sequence[Append], resend_seconds: float) -> list[bool]:
    """Store a batch by one autocommit statement; for each table whether it was stored."""
    rows = [(append.table_id, row) for append in batch for row in append.rows]
    items = [(append.table_id, seq, body) for append in batch for seq, body in append.items]
    done = [(append.table_id, seq) for append in batch for seq in append.done]
    found = connection.execute(
        _POSTGRES,
        (
            [append.table_id for append in batch],
            [append.epoch for append in batch],
            [append.first for append in batch],
            [append.state for append in batch],
            [table_id for table_id, _ in rows],
            [row.seq for _, row in rows],
            [row.kind.value for _, row in rows],
            [row.seat for _, row in rows],
            [row.action_id for _, row in rows],
            [row.auto for _, row in rows],
            [row.body for _, row in rows],
            [row.digest for _, row in rows],
            resend_seconds,
            [item[0] for item in items],
            [item[1] for item in items],
            [item[2] for item in items],
            [table_id for table_id, _ in done],
            [seq for _, seq in done],
        ),
    )
    stored = {table_id for (table_id,) in found}
    return [append.table_id in stored for append in batch]


_EPOCH: Final = "SELECT epoch FROM tables WHERE id = {0}"
_ROWS: Final = "SELECT seq, kind, seat, action_id, auto, body, digest FROM journal WHERE table_id = {0} AND seq >= {0} ORDER BY seq"


def fate(connection: Any, append: Append, mark: str) -> Fate | None:
    """Return what became of an append whose outcome is not known; None: it is not there, and can be tried again. `mark`: ? or %s."""
    row = connection.execute(_EPOCH.format(mark), (append.table_id,)).fetchone()
    if row is None or row[0] != append.epoch:
        return Fate.FENCED
    there = connection.execute(_ROWS.format(mark), (append.table_id, append.first)).fetchall()
    if not there:
        return None
    mine = [tuple(row) for row in append.rows]
    return Fate.STORED if [tuple(row) for row in there] == mine else Fate.OVERTAKEN
