"""What an operator may do about a table that cannot go on, or a player. Every act is recorded with who and why, in the same transaction.

Law: coins still move only through items in their order. An operator lets items be tried again, or lets one count as refused.
"""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from services.kit.errors import FailedPreconditionError, InvalidArgumentError, NotFoundError
from services.kit.items import BODY, ItemKind, ItemOutcome, Result
from services.settlement import batch, payouts, store, store_frozen, store_items, store_ledger, store_tables
from services.settlement.apply import void
from services.settlement.batch import Report
from services.settlement.ledger import Book, LedgerError, Why
from services.settlement.state import Table
from services.settlement.store_items import Key

MAX_WORDS = 500


class DeadLetter(NamedTuple):
    """Something that could not be settled. Times in seconds since 1970; `resolution` is what an operator did, or empty."""

    table: str
    seq: int
    reason: str
    detail: str
    body: str
    times: int
    first_at: int
    last_at: int
    resolution: str


class Act(NamedTuple):
    """What an operator did. `seq` is 0 where the act was about the whole table; `table` is empty where it was about a player."""

    at: int
    action: str
    table: str
    seq: int
    who: str
    why: str
    player: str = ""
    id: int = 0


def acts(connection: sa.Connection, limit: int = 100, before: int = 0) -> list[Act]:
    """Return what operators did, the latest first; `before`: only acts with lower ids, 0: all."""
    c = store.operator_actions.c
    wanted = sa.select(c.at, c.action, c.table_id, c.seq, c.who, c.why, c.player, c.id).order_by(c.id.desc()).limit(limit)
    return [Act._make(row) for row in connection.execute(wanted.where(c.id < before) if before else wanted)]


def dead_letters(connection: sa.Connection, limit: int = 100, *, resolved: bool = False) -> list[DeadLetter]:
    """Return dead letters, the latest first; those dealt with only when asked for."""
    c = store.dead_letters.c
    wanted = sa.select(store.dead_letters).order_by(c.last_at.desc(), c.table_id, c.seq).limit(limit)
    found = connection.execute(wanted if resolved else wanted.where(c.resolution == ""))
    return [
        DeadLetter(row.table_id, row.seq, row.reason, row.detail, row.body, row.times, row.first_at, row.last_at, row.resolution)
        for row in found
    ]


def replay(connection: sa.Connection, table: str, who: str, why: str, now: int) -> Report:
    """Let a stuck table go on: try its stored items again, in order.

    Raises NotFoundError for a table never heard of, FailedPreconditionError when the law still forbids the next item; nothing is kept then.
    """
    found = _locked(connection, table, who, why, now)
    _record(connection, "replay", found.id, 0, who, why, now)
    return _go_on(connection, found, now)


def void_item(connection: sa.Connection, table: str, seq: int, who: str, why: str, now: int) -> Report:
    """Let the next item of a table count as refused, stored or not, and go on with what follows.

    A voided `open` gives the held stakes back. Raises NotFoundError for a table never heard of; FailedPreconditionError for an item that is
    settled, is not the next, or is a `close`: that one gives stakes back and can only be replayed.
    """
    found = _locked(connection, table, who, why, now)
    if seq != found.head + 1:
        raise FailedPreconditionError("not_next", f"seq: item {seq} is not the next of {table}, which is {found.head + 1}")
    stored = store_items.read(connection, [Key(table, seq)]).get(Key(table, seq))
    kind = BODY.validate_json(stored.body).kind if stored else ItemKind.OPEN if seq == 1 else ItemKind.STAGE
    if stored and kind is ItemKind.CLOSE:
        raise FailedPreconditionError("close", f"seq: item {seq} of {table} closes it and gives the stakes back; replay it instead")
    _record(connection, "void-item", table, seq, who, why, now)
    book = _book_of(connection, found)
    if kind is ItemKind.OPEN:
        void(found, book, Why("release", table, seq, text="void_by_operator"))
    found.head = seq
    outcome = ItemOutcome(seq=seq, kind=kind, result=Result.REFUSED, reason="void_by_operator", money=payouts.money(found, book))
    store_ledger.write_book(connection, book, now)
    store_items.void(connection, Key(table, seq), kind, outcome, now)
    return _go_on(connection, found, now)


def set_frozen(connection: sa.Connection, player: str, frozen: bool, who: str, why: str, now: int) -> bool:
    """Freeze a player, or lift that. Returns whether it changed anything; if not, nothing is recorded."""
    _check_words(who, why)
    # Whoever holds a stake of theirs or withdraws at this moment is waited for.
    store_ledger.lock_wallets(connection, [player])
    if frozen == bool(store_frozen.frozen(connection, [player])):
        return False
    store_frozen.put(connection, player, frozen, now)
    _record(connection, "freeze" if frozen else "unfreeze", "", 0, who, why, now, player)
    return True


def _go_on(connection: sa.Connection, table: Table, now: int) -> Report:
    table.stuck = ""
    store_tables.write_tables(connection, [table])
    store_items.forget_attempts(connection, table.id)
    store_items.resolve(connection, table.id, table.head + 1)
    report = Report()
    try:
        batch.run(connection, {table.id: table}, now, report)
    except LedgerError as error:
        raise FailedPreconditionError("still_stuck", f"table: {table.id} still cannot go on: {error}") from error
    return report


def _check_words(who: str, why: str) -> None:
    for name, words in (("who", who), ("why", why)):
        if not words.strip() or len(words) > MAX_WORDS or not words.isprintable():
            raise InvalidArgumentError("words", f"{name}: 1 to {MAX_WORDS} printable characters are needed")


def _locked(connection: sa.Connection, table: str, who: str, why: str, now: int) -> Table:
    _check_words(who, why)
    if connection.scalar(sa.select(store.tables.c.id).where(store.tables.c.id == table)) is None:
        raise NotFoundError("unknown_table", f"table: {table} was never heard of")
    return store_tables.lock_tables(connection, [table], now)[table]


def _book_of(connection: sa.Connection, table: Table) -> Book:
    holds = list(table.seats.values())
    book = Book(store_ledger.lock_accounts(connection, {hold.account for hold in holds}))
    for account in store_ledger.lock_wallets(connection, {hold.player for hold in holds if hold.player is not None}):
        book.add(account)
    return book


def _record(connection: sa.Connection, action: str, table: str, seq: int, who: str, why: str, now: int, player: str = "") -> None:
    row = {"at": now, "action": action, "table_id": table, "seq": seq, "who": who, "why": why, "player": player}
    connection.execute(sa.insert(store.operator_actions).values(row))
