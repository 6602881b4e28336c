"""One batch of items as one transaction: store what is new, settle what is next in order, tell what is settled.

Law: stored under (table, seq) with the hash of its body, an item moves coins once. The same again has its outcome told again; another body
under a known key is refused and changes nothing. Every table settles its items in order of seq, in whatever order they arrive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import sqlalchemy as sa

from services.kit.items import (
    BODY,
    Body,
    HandEndBody,
    ItemOutcome,
    JoinBody,
    LeftBody,
    OpenBody,
    StageBody,
    TableOutcome,
    TopUpBody,
    body_hash,
)
from services.settlement import bounds, store_frozen, store_items, store_ledger, store_ratings, store_tables
from services.settlement.apply import Applied, apply
from services.settlement.bounds import Around
from services.settlement.ledger import Account, Book, pool
from services.settlement.state import HoldState, Item, Table
from services.settlement.store_items import Key
from services.settlement.store_ratings import Hand


class Good(NamedTuple):
    """An item whose signature and form were checked."""

    key: Key
    body: Body
    text: str
    reply_to: str


class Refused(NamedTuple):
    """An item turned away at the door: nothing of it was stored but a dead letter."""

    key: Key
    reason: str


class Settled(NamedTuple):
    """An item settled by this batch, for counters and log; `room_id` is empty where no stake was ever held, `went` as in `Applied`."""

    table: str
    room_id: str
    outcome: ItemOutcome
    went: tuple[tuple[str, int], ...] = ()


@dataclass(slots=True)
class Report:
    """What a batch did."""

    outcomes: dict[str, TableOutcome] = field(default_factory=dict)
    """By table."""
    settled: list[Settled] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    repeated: int = 0


Step = Callable[[str], None]
"""Called at every step of a batch; tests end the process's work there."""


def settle(
    connection: sa.Connection, items: Sequence[Good], now: int, step: Step = lambda _: None, limit: int = store_items.MAX_RUN
) -> Report:
    """Store a batch, and settle at most `limit` items of each of its tables.

    Raises what the law forbids; then nothing of the batch is kept.
    """
    report = Report()
    tables = store_tables.lock_tables(connection, {item.key.table for item in items}, now)
    new, wanted = _sift(connection, tables, items, now, report)
    step("sifted")
    run(connection, tables, now, report, step, limit, new)
    _tell(connection, tables, wanted, report)
    return report


def run(
    connection: sa.Connection,
    tables: dict[str, Table],
    now: int,
    report: Report,
    step: Step = lambda _: None,
    limit: int = store_items.MAX_RUN,
    new: Sequence[Good] = (),
) -> None:
    """Store new items, and settle those that are next in order, stored before or new, of the given locked tables that are not stuck."""
    runs = _runs(connection, tables, limit, new)
    done = _apply(connection, tables, runs, now, step) if runs else []
    stored = [store_items.New(item.key, item.body.kind, item.text, body_hash(item.text)) for item in new]
    store_items.write(connection, stored, {Key(table.id, applied.outcome.seq): applied.outcome for table, applied in done}, now)
    report.settled += [
        Settled(table.id, table.terms.room_id if table.terms else "", applied.outcome, applied.went) for table, applied in done
    ]
    step("written")


def _runs(connection: sa.Connection, tables: dict[str, Table], limit: int, new: Sequence[Good]) -> dict[str, list[Item]]:
    """Return, for each table that can go on, the items that follow its head without a gap; at most `limit`."""
    heads = {table.id: table.head for table in tables.values() if not table.stuck}
    bodies = {Key(row.table, row.seq): BODY.validate_json(row.body) for row in store_items.following(connection, heads, limit)}
    bodies |= {item.key: item.body for item in new}
    runs: dict[str, list[Item]] = {}
    for table, head in heads.items():
        for seq in range(head + 1, head + 1 + limit):
            body = bodies.get(Key(table, seq))
            if body is None:
                break
            runs.setdefault(table, []).append(Item(table, seq, body))
    return runs


def _apply(
    connection: sa.Connection, tables: dict[str, Table], runs: dict[str, list[Item]], now: int, step: Step
) -> list[tuple[Table, Applied]]:
    """Carry items out, and write what they did to accounts, tables and ratings."""
    others = _matches_to_join(connection, runs, tables, now)
    book = _open_book(connection, [tables[table] for table in runs], runs, others)
    around = _around(connection, {table: tables[table] for table in runs}, runs, others)
    done = [(tables[item.table], apply(tables[item.table], book, item, around)) for items in runs.values() for item in items]
    step("applied")
    store_ledger.write_book(connection, book, now)
    step("moved")
    store_tables.write_tables(connection, ({table: tables[table] for table in runs} | others).values())
    return _rated(connection, done, now)


def _sift(
    connection: sa.Connection, tables: dict[str, Table], items: Sequence[Good], now: int, report: Report
) -> tuple[list[Good], set[Key]]:
    """Refuse what came before with another body, or does not fit its table. Returns what is new, and what the senders want to hear of."""
    # What an operator voided before it came has no hash: whatever comes now is that item.
    known = {key: item.hash for key, item in store_items.read(connection, {item.key for item in items}).items()}
    new: list[Good] = []
    wanted = set()
    for item in items:
        digest = body_hash(item.text)
        if item.key in known:
            reason = "" if known[item.key] in {digest, ""} else "other_body"
        else:
            reason = _misfit(tables[item.key.table], item.body)
        if reason:
            report.refused.append(Refused(item.key, reason))
            store_items.dead_letter(connection, item.key, reason, "", item.text, now)
            continue
        wanted.add(item.key)
        if item.key not in known:
            known[item.key] = digest
            new.append(item)
    return new, wanted


def _misfit(table: Table, body: Body) -> str:
    """Return why an item cannot be meant for this table: its rate is not that of the room where the stakes were held."""
    rate = body.base if isinstance(body, StageBody) else body.rate if isinstance(body, HandEndBody | LeftBody) and body.points else None
    return "rate" if rate is not None and table.terms is not None and rate != table.terms.base else ""


def _matches_to_join(connection: sa.Connection, runs: dict[str, list[Item]], tables: dict[str, Table], now: int) -> dict[str, Table]:
    named = {item.body.hold for items in runs.values() for item in items if isinstance(item.body, JoinBody)}
    locked = store_tables.lock_tables(connection, named - tables.keys(), now) if named else {}
    return {match: locked.get(match) or tables[match] for match in named}


def _open_book(connection: sa.Connection, tables: list[Table], runs: dict[str, list[Item]], others: dict[str, Table]) -> Book:
    """Lock the accounts that the items can touch: escrows and pools, then wallets."""
    involved = [*tables, *others.values()]
    holds = [hold for table in involved for hold in [*table.seats.values(), *table.gone]]
    names = {hold.account for hold in holds} | {pool(table.id) for table in involved}
    accounts: list[Account] = store_ledger.lock_accounts(connection, names)
    only_stages = {table.id for table in tables if all(isinstance(item.body, StageBody) for item in runs[table.id])}
    players = {hold.player for hold in holds if hold.player is not None and (hold.table not in only_stages or hold.state is HoldState.LEFT)}
    return Book([*accounts, *store_ledger.lock_wallets(connection, players)])


def _around(connection: sa.Connection, tables: dict[str, Table], runs: dict[str, list[Item]], others: dict[str, Table]) -> Around:
    """Return what items look at besides their tables: where any brings coins to a table, what its players can own, and who is frozen."""
    bringing = {table for table, items in runs.items() if any(_brings_coins(item.body) for item in items)}
    holds = [hold for table in [*map(tables.__getitem__, bringing), *others.values()] for hold in [*table.seats.values(), *table.gone]]
    players = {hold.player for hold in holds if hold.player is not None}
    return Around(others, tables | others, bounds.reach(connection, players), store_frozen.frozen(connection, players))


def _brings_coins(body: Body) -> bool:
    return isinstance(body, JoinBody | TopUpBody) or (isinstance(body, OpenBody) and any(holder.player is None for holder in body.seats))


def _rated(connection: sa.Connection, done: list[tuple[Table, Applied]], now: int) -> list[tuple[Table, Applied]]:
    """Change ratings, and put what they are now into the outcomes."""
    hands = [
        Hand(table.id, applied.outcome.seq, table.terms.game, applied.ratings, applied.escaped)
        for table, applied in done
        if table.terms is not None and applied.ratings
    ]
    after = iter(store_ratings.change(connection, hands, now))
    return [(table, _with_ratings(applied, next(after)) if applied.ratings else applied) for table, applied in done]


def _with_ratings(applied: Applied, ratings: list[int]) -> Applied:
    return applied._replace(outcome=applied.outcome.model_copy(update={"ratings": ratings}))


def _tell(connection: sa.Connection, tables: dict[str, Table], wanted: set[Key], report: Report) -> None:
    """Collect outcomes: of everything settled now, and of everything asked for again."""
    told = {Key(one.table, one.outcome.seq): one.outcome for one in report.settled}
    again = {key for key in wanted if key not in told and key.seq <= tables[key.table].head}
    found = store_items.read(connection, again)
    told |= {key: item.outcome for key, item in found.items() if item.outcome is not None}
    report.repeated = len(found)
    rows: dict[str, list[ItemOutcome]] = {table: [] for table in tables}
    for key in sorted(told):
        rows[key.table].append(told[key])
    for table in tables.values():
        report.outcomes[table.id] = TableOutcome(table=table.id, through=table.head, items=rows[table.id], stuck=bool(table.stuck))
