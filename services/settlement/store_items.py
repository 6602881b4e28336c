"""Items as stored, what became of them, dead letters, attempts and what operators did."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa

from services.kit.items import ItemKind, ItemOutcome
from services.settlement import store

MAX_RUN = 400
"""Items of one table settled in one transaction; more follow with the next message."""


_KEY: Final = [store.items.c.table_id, store.items.c.seq]
_COLUMNS: Final = ", ".join(f"items.{column.name}" for column in store.items.c)
_OF_GIVEN: Final = "SELECT " + _COLUMNS + " FROM items JOIN {given} ON items.table_id = given.table_id AND items.seq "  # noqa: S608 - names of this module
_READ: Final = _OF_GIVEN + "= given.seq"
_FOLLOWING: Final = (
    _OF_GIVEN + "> given.seq AND items.seq <= given.settled_at WHERE items.state = 'stored' ORDER BY items.table_id, items.seq"
)
"""`settled_at` of the given rows is the last seq wanted."""


_WAITING: Final[store.Row] = {"state": "stored", "outcome": None, "settled_at": None}


class Key(NamedTuple):
    """Which item."""

    table: str
    seq: int


class Stored(NamedTuple):
    """An item in the database. `outcome` is None until it is settled."""

    table: str
    seq: int
    kind: str
    body: str
    hash: str
    state: str
    outcome: ItemOutcome | None


class New(NamedTuple):
    """An item that is not in the database yet."""

    key: Key
    kind: ItemKind
    body: str
    hash: str


def read(connection: sa.Connection, keys: Collection[Key]) -> dict[Key, Stored]:
    """Return those of the items that are stored."""
    if not keys:
        return {}
    found = store.select_text(connection, _READ, _KEY, [_row(key) for key in keys])
    return {Key(row.table_id, row.seq): _stored(row) for row in found}


def following(connection: sa.Connection, heads: Mapping[str, int], limit: int) -> list[Stored]:
    """Return the stored items of tables that are among the next `limit` after their heads, in order."""
    if not heads or not limit:
        return []
    rows = [{"table_id": table, "seq": head, "settled_at": head + limit} for table, head in heads.items()]
    return [_stored(row) for row in store.select_text(connection, _FOLLOWING, [*_KEY, store.items.c.settled_at], rows)]


def write(connection: sa.Connection, new: Sequence[New], outcomes: Mapping[Key, ItemOutcome], now: int) -> None:
    """Store new items, settled or not, and write how those that were stored before ended."""
    stored = [_new_row(item, outcomes.get(item.key), now) for item in new]
    before = sorted(outcomes.keys() - {item.key for item in new})
    store.insert(connection, store.items, stored)
    store.update(connection, store.items, ("table_id", "seq"), [{**_row(key), **_ended(outcomes[key], now)} for key in before])


def _new_row(item: New, outcome: ItemOutcome | None, now: int) -> store.Row:
    ended = _WAITING if outcome is None else _ended(outcome, now)
    return {**_row(item.key), "kind": item.kind, "body": item.body, "hash": item.hash, "stored_at": now, **ended}


def _row(key: Key) -> store.Row:
    return {"table_id": key.table, "seq": key.seq}


def _ended(outcome: ItemOutcome, now: int) -> store.Row:
    return {"state": outcome.result, "outcome": outcome.model_dump_json(), "settled_at": now}


def count_attempt(connection: sa.Connection, key: Key) -> int:
    """Count that an item is about to be tried by itself; returns how often it was."""
    c = store.attempts.c
    store.insert(connection, store.attempts, [{"table_id": key.table, "seq": key.seq, "count": 0}], skip_existing=True)
    same = sa.and_(c.table_id == key.table, c.seq == key.seq)
    counted = connection.execute(sa.update(store.attempts).where(same).values(count=c.count + 1).returning(c.count))
    return int(counted.scalar_one())


def forget_attempts(connection: sa.Connection, table: str) -> None:
    """Let every item of a table be tried again."""
    connection.execute(sa.delete(store.attempts).where(store.attempts.c.table_id == table))


def dead_letter(connection: sa.Connection, key: Key, reason: str, detail: str, body: str, now: int) -> None:
    """Keep what could not be settled for an operator to see; the same again is counted."""
    c = store.dead_letters.c
    same = sa.and_(c.table_id == key.table, c.seq == key.seq, c.reason == reason)
    again = sa.update(store.dead_letters).where(same).values(times=c.times + 1, last_at=now, detail=detail, resolution="")
    if connection.execute(again).rowcount:
        return
    row = {"table_id": key.table, "seq": key.seq, "reason": reason, "detail": detail, "body": body}
    store.insert(
        connection, store.dead_letters, [{**row, "times": 1, "first_at": now, "last_at": now, "resolution": ""}], skip_existing=True
    )


def stick(connection: sa.Connection, table: str, reason: str) -> None:
    """Mark a table as stuck: nothing more of it is settled until an operator acts."""
    connection.execute(sa.update(store.tables).where(store.tables.c.id == table).values(stuck=reason))


def _stored(row: sa.Row[tuple[object, ...]]) -> Stored:
    outcome = None if row.outcome is None else ItemOutcome.model_validate_json(row.outcome)
    return Stored(row.table_id, row.seq, row.kind, row.body, row.hash, row.state, outcome)


class Backlog(NamedTuple):
    """What waits. Ages in seconds."""

    oldest_seconds: int
    unsettled: int
    dead_letters: int
    stuck_tables: int


def backlog(connection: sa.Connection, now: int) -> Backlog:
    """Count what waits for other items, for a worker or for an operator."""
    c = store.items.c
    waiting = connection.execute(sa.select(sa.func.min(c.stored_at), sa.func.count()).where(c.state == "stored")).one()
    dead = connection.scalar(sa.select(sa.func.count()).where(store.dead_letters.c.resolution == "")) or 0
    stuck = connection.scalar(sa.select(sa.func.count()).where(store.tables.c.stuck != "")) or 0
    return Backlog(0 if waiting[0] is None else max(0, now - waiting[0]), waiting[1], dead, stuck)


def void(connection: sa.Connection, key: Key, kind: ItemKind, outcome: ItemOutcome, now: int) -> None:
    """Write that an operator let an item count as refused, whether it was stored or never came."""
    row = {"table_id": key.table, "seq": key.seq, "kind": kind, "body": "", "hash": "", "state": "stored", "stored_at": now}
    store.insert(connection, store.items, [row], skip_existing=True)
    ended = {"table_id": key.table, "seq": key.seq, "state": "void", "outcome": outcome.model_dump_json(), "settled_at": now}
    store.update(connection, store.items, ("table_id", "seq"), [ended])


def resolve(connection: sa.Connection, table: str, through: int) -> None:
    """Note that an operator dealt with a table's dead letters up to an item; one that fails again opens anew."""
    c = store.dead_letters.c
    done = sa.update(store.dead_letters).where(c.table_id == table, c.seq <= through, c.resolution == "")
    connection.execute(done.values(resolution="operator"))
