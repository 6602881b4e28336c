"""The proof of the ledger, as `xuezhan ledger check` and the tests run it: read-only checks that answer findings.

Law: the sum of all accounts is zero, no player account is below zero, each item moved coins once and in order.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.engine import make_url

from services.kit.config import ConfigError
from services.kit.items import MAX_COINS, ItemOutcome, body_hash
from services.settlement import store
from services.settlement.check_ratings import ratings_rebuilt, ratings_within_bounds
from services.settlement.config import SCHEMA
from services.settlement.findings import MOST_FINDINGS, Finding, rows
from services.settlement.state import OCCUPYING

HELD_SECONDS: Final = 600
"""How long a stake may be held before a table binds it. Matchmaking gives a match up after some minutes at most."""


_a, _e, _t, _i, _h = store.accounts.c, store.entries.c, store.transfers.c, store.items.c, store.holds.c


def imbalance(connection: sa.Connection) -> int:
    """Return how many coins there are too many, or too few."""
    return int(connection.scalar(sa.select(sa.func.coalesce(sa.func.sum(_e.coins), 0))) or 0)


def zero_sum(connection: sa.Connection) -> Iterator[Finding]:
    """The entries of all accounts add up to zero.

    A failure means that coins were made or lost: stop payouts and compare transfers with their entries.
    """
    total = imbalance(connection)
    if total:
        yield Finding("zero_sum", "all accounts", f"the entries add up to {total}")


def balances_rebuilt(connection: sa.Connection) -> Iterator[Finding]:
    """Every kept balance is the sum of its account's entries.

    A failure means that a balance was changed past the ledger, or an entry lost.
    """
    # Of house and outside nothing is kept, and their sums may be larger than a database can add up.
    kept = sa.select(_a.name).where(_a.balance.is_not(None))
    summed = sa.select(_e.account, sa.func.sum(_e.coins).label("coins")).where(_e.account.in_(kept)).group_by(_e.account)
    sums = summed.subquery().c
    wanted = (
        sa.select(_a.name, _a.balance, sa.func.coalesce(sums.coins, 0))
        .join_from(store.accounts, sums.account.table, sums.account == _a.name, isouter=True)
        .where(_a.balance.is_not(None), _a.balance != sa.func.coalesce(sums.coins, 0))
    )
    for name, balance, coins in rows(connection, wanted):
        yield Finding("balances_rebuilt", name, f"the balance is {balance}, its entries add up to {int(coins)}")


def running_balances(connection: sa.Connection) -> Iterator[Finding]:
    """Every entry's balance after it is the balance before plus its coins.

    A failure means that two transactions worked on an account at once without waiting for one another.
    """
    before = sa.func.coalesce(sa.func.lag(_e.balance_after).over(partition_by=_e.account, order_by=_e.id), 0)
    chain = (
        sa.select(_e.id, _e.account, (before + _e.coins).label("due"), _e.balance_after).where(_e.balance_after.is_not(None)).subquery().c
    )
    for number, account, due, after in rows(
        connection, sa.select(chain.id, chain.account, chain.due, chain.balance_after).where(chain.due != chain.balance_after)
    ):
        yield Finding("running_balances", account, f"entry {number} leaves {after}, {due} expected")


def no_account_out_of_bounds(connection: sa.Connection) -> Iterator[Finding]:
    """No wallet, escrow or pool is below zero or above 2^53 - 1.

    A failure means that the database's own constraint is gone.
    """
    for name, balance in rows(connection, sa.select(_a.name, _a.balance).where(sa.or_(_a.balance < 0, _a.balance > MAX_COINS))):
        yield Finding("no_account_out_of_bounds", name, f"the balance is {balance}")


def two_entries_a_transfer(connection: sa.Connection) -> Iterator[Finding]:
    """Every transfer has its two entries, with its coins and accounts, and every entry its transfer.

    A failure means that rows of the ledger were written or deleted by hand.
    """
    paying, paid = store.entries.alias("paying"), store.entries.alias("paid")
    fits = sa.and_(paying.c.account == _t.payer, paying.c.coins == -_t.coins, paid.c.account == _t.payee, paid.c.coins == _t.coins)
    wanted = (
        sa.select(_t.id)
        .join(paying, paying.c.id == 2 * _t.id, isouter=True)
        .join(paid, paid.c.id == 2 * _t.id + 1, isouter=True)
        .where(sa.func.coalesce(fits, sa.false()).is_(sa.false()))
    )
    for (transfer,) in rows(connection, wanted):
        yield Finding("two_entries_a_transfer", f"transfer {transfer}", "its entries do not match it")
    strays = sa.select(_e.id).join(store.transfers, _t.id == _e.id // 2, isouter=True).where(_t.id.is_(None))
    for (entry,) in rows(connection, strays):
        yield Finding("two_entries_a_transfer", f"entry {entry}", "it has no transfer")


def items_in_order(connection: sa.Connection) -> Iterator[Finding]:
    """Every table's settled items are 1 to its head, without a gap, and nothing after the head is settled.

    A failure means that an item was settled out of order or that its row is lost.
    """
    settled = (
        sa.select(_i.table_id, sa.func.count().label("settled"), sa.func.min(_i.seq).label("first"), sa.func.max(_i.seq).label("last"))
        .where(_i.state != "stored")
        .group_by(_i.table_id)
        .subquery()
        .c
    )
    head = store.tables.c
    wanted = sa.select(head.id, head.head, settled.settled, settled.first, settled.last).join_from(
        store.tables, settled.table_id.table, settled.table_id == head.id, isouter=True
    )
    counted = sa.func.coalesce(settled.settled, 0)
    wrong = sa.or_(counted != head.head, sa.and_(counted > 0, sa.or_(settled.first != 1, settled.last != head.head)))
    for table, through, items, first, last in rows(connection, wanted.where(wrong)):
        yield Finding("items_in_order", table, f"settled through {through}, but {items or 0} items are, from {first} to {last}")


def nothing_waits_that_could_go_on(connection: sa.Connection) -> Iterator[Finding]:
    """No stored item is the next of a table that is not stuck.

    A failure means that a transaction stored an item and did not settle it.
    """
    head = store.tables.c
    wanted = (
        sa.select(_i.table_id, _i.seq)
        .join(store.tables, sa.and_(head.id == _i.table_id, _i.seq == head.head + 1))
        .where(_i.state == "stored", head.stuck == "")
    )
    for table, seq in rows(connection, wanted):
        yield Finding("nothing_waits_that_could_go_on", table, f"item {seq} is stored, next in order, and not settled")


def every_item_moved_its_coins_once(connection: sa.Connection) -> Iterator[Finding]:
    """The transfers between seats that carry an item's number are exactly the moves of its outcome.

    A failure means that an item moved coins twice, or that its transfers are lost.
    """
    stages = sa.select(_i.table_id, _i.seq, _i.outcome).where(_i.state == "applied", _i.kind == "stage")
    moved = sa.select(_t.table_id, _t.seq, sa.func.count(), sa.func.sum(_t.coins)).where(
        _t.seq > 0, _t.payer.startswith("escrow:"), _t.payee.startswith("escrow:")
    )
    sums = {(row[0], row[1]): (row[2], int(row[3])) for row in connection.execute(moved.group_by(_t.table_id, _t.seq))}
    for table, seq, outcome in connection.execute(stages):
        moves = ItemOutcome.model_validate_json(outcome).moves
        told = (len(moves), sum(move.coins for move in moves))
        if sums.pop((table, seq), (0, 0)) != told:
            yield Finding(
                "every_item_moved_its_coins_once", table, f"item {seq} tells {told[0]} moves of {told[1]} coins, the ledger others"
            )
    for table, seq in sums:
        yield Finding("every_item_moved_its_coins_once", table, f"item {seq} moved coins between seats and is no applied stage")


def bodies_match_their_hashes(connection: sa.Connection) -> Iterator[Finding]:
    """Every item's hash is that of its body.

    A failure means that a stored item was changed by hand.
    """
    for table, seq, body, digest in connection.execute(sa.select(_i.table_id, _i.seq, _i.body, _i.hash).where(_i.hash != "")):
        if body_hash(body) != digest:
            yield Finding("bodies_match_their_hashes", table, f"item {seq} has another body than its hash says")


def holds_fit_their_tables(connection: sa.Connection) -> Iterator[Finding]:
    """A hold's state is one that its table's state allows.

    A failure means that a stake was bound, returned or released twice or halfway.
    """
    head = store.tables.c
    fits = sa.or_(
        sa.and_(_h.state == "held", head.state == "held"),
        sa.and_(_h.state == "bound", head.state == "open"),
        sa.and_(_h.state == "left", head.state.in_(["open", "closed"])),
        sa.and_(_h.state == "closed", head.state == "closed"),
        sa.and_(_h.state == "void", head.state == "void"),
    )
    wanted = sa.select(_h.match_id, _h.seat, _h.state, head.state).join_from(
        store.holds, store.tables, head.id == _h.table_id, isouter=True
    )
    for match, seat, state, of_table in rows(connection, wanted.where(sa.func.coalesce(fits, sa.false()).is_(sa.false()))):
        yield Finding("holds_fit_their_tables", match, f"seat {seat} is {state}, its table {of_table}")


def stakes_are_accounted_for(connection: sa.Connection) -> Iterator[Finding]:
    """What a table's seats brought is what they hold, what went back to them and what is in the pool; a stake that is over holds nothing.

    A failure means that coins left a table past its seats, or stayed behind.
    """
    pooled = store.accounts.alias("pools").c
    at_tables = (
        sa.select(_h.table_id, sa.func.sum(_h.stake - _h.returned - _a.balance).label("off"), sa.func.sum(_h.pooled).label("pooled"))
        .join_from(store.holds, store.accounts, _a.name == _h.account)
        .group_by(_h.table_id)
        .subquery()
        .c
    )
    pool = sa.func.coalesce(pooled.balance, 0)
    wanted = sa.select(at_tables.table_id, at_tables.off, at_tables.pooled, pool).join_from(
        at_tables.off.table, pooled.name.table, pooled.name == sa.literal("pool:") + at_tables.table_id, isouter=True
    )
    for table, off, in_pool, has in rows(connection, wanted.where(sa.or_(at_tables.off != pool, at_tables.pooled != pool))):
        yield Finding(
            "stakes_are_accounted_for", table, f"{off} coins of the stakes are elsewhere, {in_pool} owed to the pool, which has {has}"
        )
    over = sa.select(_h.account, _a.balance).join_from(store.holds, store.accounts, _a.name == _h.account)
    for account, balance in rows(connection, over.where(_h.state.not_in(OCCUPYING), _a.balance != 0)):
        yield Finding("stakes_are_accounted_for", account, f"the stake is over, but {balance} coins are left")


def stakes_bound_in_time(connection: sa.Connection, now: float | None = None, held_seconds: int = HELD_SECONDS) -> Iterator[Finding]:
    """No stake is held for longer than the limit without being bound to a table.

    A failure means that a match was neither seated nor given up, or that its table does not send its item `open` or is told a forged
    outcome of it: its coins would be held for ever. Look for the table in the logs of matchmaking, the table servers and the workers.
    """
    head = store.tables.c
    before = int(time.time() if now is None else now) - held_seconds
    wanted = (
        sa.select(_h.match_id, sa.func.sum(_h.stake), head.created_at)
        .join_from(store.holds, store.tables, head.id == _h.match_id)
        .where(_h.state == "held", head.created_at < before)
        .group_by(_h.match_id, head.created_at)
        .order_by(head.created_at)
    )
    for match, coins, since in rows(connection, wanted):
        waited = before + held_seconds - since
        yield Finding("stakes_bound_in_time", match, f"{coins} coins have been held for {waited} s and no table has bound them")


CHECKS: Final[tuple[Callable[[sa.Connection], Iterator[Finding]], ...]] = (
    zero_sum,
    balances_rebuilt,
    running_balances,
    no_account_out_of_bounds,
    two_entries_a_transfer,
    items_in_order,
    nothing_waits_that_could_go_on,
    every_item_moved_its_coins_once,
    bodies_match_their_hashes,
    holds_fit_their_tables,
    stakes_are_accounted_for,
    ratings_rebuilt,
    ratings_within_bounds,
    stakes_bound_in_time,
)
"""Every check, in the order in which a reader wants to know."""


def each(connection: sa.Connection, now: float | None = None, held_seconds: int = HELD_SECONDS) -> Iterator[tuple[str, list[Finding]]]:
    """Run one check after another: its name, and at most twenty findings.

    `now`: the time in seconds since 1970, where it is not this machine's.
    """
    timed: dict[Any, Any] = {stakes_bound_in_time: partial(stakes_bound_in_time, now=now, held_seconds=held_seconds)}
    for check in CHECKS:
        yield check.__name__, list(islice(timed.get(check, check)(connection), MOST_FINDINGS))


def findings(connection: sa.Connection, now: float | None = None, held_seconds: int = HELD_SECONDS) -> list[Finding]:
    """Run every check as `each` does; nothing found proves the ledger."""
    return [finding for _, found in each(connection, now, held_seconds) for finding in found]


def _read_only(file: Path) -> str:
    """Return SQLite's address of a file that is only read. Raises ConfigError for a copy that cannot be read where it is."""
    where = f"file:{quote(str(file))}?mode=ro"
    if os.access(file.parent, os.W_OK):
        return where
    # In WAL mode a reader makes a file beside it, unless somebody who writes has done so; or nobody can write.
    log, index = (file.with_name(f"{file.name}{end}") for end in ("-wal", "-shm"))
    if index.exists():
        return where
    if log.exists() and log.stat().st_size:
        raise ConfigError(
            f"{file.parent} cannot be written to, and {log.name} in it is still to be read: check a copy that can be written to"
        )
    return f"{where}&immutable=1"


def check_database(url: str, held_seconds: int = HELD_SECONDS) -> list[Finding]:
    """Run every check on the settlement database at `url`, of one moment, read-only, without holding up those who write.

    Raises ConfigError for a copy of SQLite's files that cannot be read where it is.
    """
    with one_moment(url).begin() as connection:
        return findings(connection, held_seconds=held_seconds)


def one_moment(url: str) -> sa.Engine:
    """Return how to read the settlement database at `url` as it is at one moment. Raises ConfigError likewise."""
    parts = make_url(url)
    if parts.get_backend_name() == "sqlite":
        # Deferred: a reader's snapshot, which in WAL mode nobody waits for.
        address = _read_only(Path(parts.database or ""))
        engine = sa.create_engine("sqlite://", creator=lambda: sqlite3.connect(address, uri=True), poolclass=sa.NullPool)
        sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
        return engine
    return sa.create_engine(
        parts.set(drivername="postgresql+psycopg"),
        poolclass=sa.NullPool,
        isolation_level="REPEATABLE READ",
        execution_options={"postgresql_readonly": True},
        connect_args={"options": f"-c search_path={SCHEMA}", "connect_timeout": 5},
    )
