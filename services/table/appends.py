"""The append: a batch of journal rows of many tables, with what they owe, in one statement that checks the epoch of each.

Law: a row is stored only if its table still has the owner's epoch and the row is the next one; what is not, is reported and changes
nothing.

The functions take the driver's own connection: this is on the way of every action.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from services.table.hand_end import HandEnd
from services.table.rows import Row
from services.table.store import TableRow, open_table


@dataclass(slots=True)
class Append:
    """Rows of one table that are stored together, or not at all.

    `items`: what came due (seq, body). `done`: seqs of items whose outcome is among the rows. `state`: the table's new stored state, empty
    for no change. `acts`: how many of the rows are actions; `received`: when those came that clients sent, on the loop's clock.
    `ends`: hands that are over with these rows, whose records come due.
    """

    table_id: str
    num: int
    epoch: int
    rows: list[Row]
    items: list[tuple[int, str]] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    state: str = ""
    acts: int = 0
    received: list[float] = field(default_factory=list)
    ends: list[HandEnd] = field(default_factory=list)

    @property
    def first(self) -> int:
        """The seq of its first row."""
        return self.rows[0].seq


@dataclass(slots=True)
class Opening:
    """A table that is to be there with its first row and what it owes; `found` is what then is, or `error` why it is not known."""

    row: TableRow
    first: Row
    items: list[tuple[int, str]]
    found: TableRow | None = None
    error: Exception | None = None


class Fate(Enum):
    """What became of the append of one table."""

    STORED = "stored"
    FENCED = "fenced"
    """The table has another owner."""
    OVERTAKEN = "overtaken"
    """Under our own epoch the journal holds something else there: the table must be rebuilt from it."""


class PartlyRefusedError(Exception):
    """Not all of a batch could be stored, so none of it was; it is to be stored table by table."""


_SIZES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
"""Rows of the prepared statements. A batch takes the next larger one; the rest of its rows are null and join nothing."""
_FIELDS: Final = 11
_SQLITE_ROWS: Final = """
INSERT INTO journal (table_num, seq, epoch, kind, seat, action_id, auto, body, digest, at)
SELECT t.num, r.column3, t.epoch, r.column5, r.column6, r.column7, r.column8, r.column9, r.column10, r.column11
FROM (VALUES {}) r JOIN tables t ON t.num = r.column1 AND t.epoch = r.column2
WHERE r.column4 = 1 + coalesce((SELECT max(j.seq) FROM journal j WHERE j.table_num = t.num), 0)"""
_SQLITE_BY_SIZE: Final = {size: _SQLITE_ROWS.format(",".join(["(" + ",".join("?" * _FIELDS) + ")"] * size)) for size in _SIZES}
_SQLITE_ITEMS: Final = """
INSERT INTO outbox (table_id, seq, body, created_at, attempts, next_at, done)
SELECT r.value->>0, r.value->>1, r.value->>2, ?2, 1, ?3, 0 FROM json_each(?1) r"""
_SQLITE_DONE: Final = """
UPDATE outbox SET done = 1 FROM json_each(?) r WHERE outbox.table_id = r.value->>0 AND outbox.seq = r.value->>1"""
_SQLITE_ENDS: Final = """
INSERT INTO records (table_id, hand) SELECT r.value->>0, r.value->>1 FROM json_each(?) r"""
_SQLITE_STATES: Final = """
UPDATE tables SET state = r.value->>1 FROM json_each(?) r WHERE tables.id = r.value->>0"""


def sqlite_append(connection: Any, batch: Sequence[Append], resend_seconds: float, openings: Sequence[Opening] = ()) -> list[bool]:
    """Store a batch, and open tables, as one transaction; for each append whether it was stored.

    Raises PartlyRefusedError when not all could be.
    """
    items = [(append.table_id, seq, body) for append in batch for seq, body in append.items]
    done = [(append.table_id, seq) for append in batch for seq in append.done]
    states = [(append.table_id, append.state) for append in batch if append.state]
    ends = [(append.table_id, end.number) for append in batch for end in append.ends]
    execute = connection.execute
    execute("BEGIN IMMEDIATE")
    try:
        found = [open_table(execute, "?", opening.row, opening.first, opening.items, resend_seconds) for opening in openings]
        for count, values in _values(batch):
            size = next(size for size in _SIZES if size >= count)
            padding = [None] * ((size - count) * _FIELDS)
            if execute(_SQLITE_BY_SIZE[size], values + padding).rowcount != count:
                raise PartlyRefusedError
        if items:
            now = time.time()
            execute(_SQLITE_ITEMS, (json.dumps(items), now, now + resend_seconds))
        if done:
            execute(_SQLITE_DONE, (json.dumps(done),))
        if ends:
            execute(_SQLITE_ENDS, (json.dumps(ends),))
        if states:
            execute(_SQLITE_STATES, (json.dumps(states),))
    except BaseException:
        execute("ROLLBACK")
        raise
    execute("COMMIT")
    for opening, row in zip(openings, found, strict=True):
        opening.found = row
    return [True] * len(batch)


def _values(batch: Sequence[Append]) -> Iterator[tuple[int, list[Any]]]:
    """Yield how many rows, and their values one after another. Rows of one table stay together: they are checked against one head."""
    count = 0
    values: list[Any] = []
    for append in batch:
        rows, num, epoch = append.rows, append.num, append.epoch
        if count + len(rows) > _SIZES[-1]:
            yield count, values
            count, values = 0, []
        first = rows[0].seq
        for seq, kind, seat, action_id, auto, body, digest, at in rows:
            values += (num, epoch, seq, first, kind.value, seat, action_id, auto, body, digest, at)
        count += len(rows)
    if count:
        yield count, values


_POSTGRES: Final = """
WITH wanted AS (
  SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::text[]) AS w(num, epoch, first, state)
), locked AS (
  SELECT t.num, t.id, t.epoch, w.first, w.state FROM tables t JOIN wanted w ON t.num = w.num
  WHERE t.epoch = w.epoch ORDER BY t.num FOR NO KEY UPDATE OF t
), ready AS (
  SELECT * FROM locked l WHERE l.first = 1 + coalesce((SELECT max(j.seq) FROM journal j WHERE j.table_num = l.num), 0)
), rows AS (
  INSERT INTO journal (table_num, seq, epoch, kind, seat, action_id, auto, body, digest, at)
  SELECT r.num, r.seq, l.epoch, r.kind, r.seat, r.action_id, r.auto, r.body, r.digest, r.at
  FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::smallint[], %s::bigint[], %s::smallint[], %s::text[], %s::text[], %s::bigint[])
    AS r(num, seq, kind, seat, action_id, auto, body, digest, at) JOIN ready l ON l.num = r.num
), items AS (
  INSERT INTO outbox (table_id, seq, body, created_at, attempts, next_at, done)
  SELECT i.id, i.seq, i.body, extract(epoch from clock_timestamp()), 1, extract(epoch from clock_timestamp()) + %s, false
  FROM unnest(%s::text[], %s::bigint[], %s::text[]) AS i(id, seq, body) JOIN ready l ON l.id = i.id
), done AS (
  UPDATE outbox o SET done = true
  FROM unnest(%s::text[], %s::bigint[]) AS d(id, seq) JOIN ready l ON l.id = d.id WHERE o.table_id = d.id AND o.seq = d.seq
), ends AS (
  INSERT INTO records (table_id, hand)
  SELECT e.id, e.hand FROM unnest(%s::text[], %s::bigint[]) AS e(id, hand) JOIN ready l ON l.id = e.id
), states AS (
  UPDATE tables t SET state = l.state FROM ready l WHERE t.num = l.num AND l.state <> ''
)
SELECT num FROM ready"""


def postgres_append(connection: Any, batch: Sequence[Append], resend_seconds: float, openings: Sequence[Opening] = ()) -> list[bool]:
    """Store a batch by one autocommit statement; for each table whether it was stored. Tables are opened on other connections."""
    assert not openings, "there are threads enough to open them beside the batch"
    rows = [(append.num, row) for append in batch for row in append.rows]
    items = [(append.table_id, seq, body) for append in batch for seq, body in append.items]
    done = [(append.table_id, seq) for append in batch for seq in append.done]
    ends = [(append.table_id, end.number) for append in batch for end in append.ends]
    found = connection.execute(
        _POSTGRES,
        (
            [append.num for append in batch],
            [append.epoch for append in batch],
            [append.first for append in batch],
            [append.state for append in batch],
            [num for num, _ in rows],
            [row.seq for _, row in rows],
            [row.kind.value for _, row in rows],
            [row.seat for _, row in rows],
            [row.action_id for _, row in rows],
            [row.auto for _, row in rows],
            [row.body for _, row in rows],
            [row.digest for _, row in rows],
            [row.at for _, row in rows],
            resend_seconds,
            [item[0] for item in items],
            [item[1] for item in items],
            [item[2] for item in items],
            [table_id for table_id, _ in done],
            [seq for _, seq in done],
            [table_id for table_id, _ in ends],
            [hand for _, hand in ends],
        ),
    )
    stored = {num for (num,) in found}
    return [append.num in stored for append in batch]


_EPOCH: Final = "SELECT epoch FROM tables WHERE num = {0}"
_ROWS: Final = "SELECT seq, kind, seat, action_id, auto, body, digest, at FROM journal WHERE table_num = {0} AND seq >= {0} ORDER BY seq"


def fate(connection: Any, append: Append, mark: str) -> Fate | None:
    """Return what became of an append whose outcome is not known; None: it is not there, and can be tried again. `mark`: ? or %s."""
    row = connection.execute(_EPOCH.format(mark), (append.num,)).fetchone()
    if row is None or row[0] != append.epoch:
        return Fate.FENCED
    there = connection.execute(_ROWS.format(mark), (append.num, append.first)).fetchall()
    if not there:
        return None
    mine = [tuple(row) for row in append.rows]
    return Fate.STORED if [tuple(row) for row in there] == mine else Fate.OVERTAKEN
