"""Reading a player's statement: its lines, newest first, and the figures of their visits."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa

from services.settlement import store
from services.settlement.state import HoldState


class Line(NamedTuple):
    """One line, from the player's side of one transfer.

    `coins` is what it did to wallet and stakes together, `moved` what went from account to account, `after` what they owned then in all.
    """

    entry: int
    at: int
    cause: str
    table: str
    hand: int
    other: str
    other_player: str | None
    multiple: int
    coins: int
    moved: int
    owed: int
    text: str
    after: int


class Visit(NamedTuple):
    """One visit to a table under the terms its room had then. `net` is what was won or lost so far."""

    table: str
    room_id: str
    stake: int
    entry: int
    net: int


def lines(connection: sa.Connection, player: str, before: int, table: str, limit: int) -> list[Line]:
    """Return up to `limit` lines older than entry `before` (0: from the newest), of one table or of all (empty).

    One statement, so that all figures are of one moment. It reads no further back than the page goes.
    """
    e, t, a = store.entries.c, store.transfers.c, store.accounts.c
    newer_too = sa.func.sum(e.player_coins).over(order_by=e.id.desc(), rows=(None, 0))
    mine = (
        sa.select(e.id, e.coins, e.player_coins, (newer_too - e.player_coins).label("newer")).where(e.player == player).subquery("mine").c
    )
    of_page = sa.select(mine.id, mine.coins, mine.player_coins, mine.newer).order_by(mine.id.desc()).limit(limit)
    if before:
        of_page = of_page.where(mine.id < before)
    if table:
        of_page = of_page.where(sa.exists().where(t.id == mine.id // 2, t.table_id == table))
    page = of_page.subquery("page").c
    owns = sa.select(sa.func.coalesce(sa.func.sum(a.balance), 0)).where(a.player == player, a.balance > 0).scalar_subquery()
    other = sa.case((page.id % 2 == 0, t.payee), else_=t.payer)
    others = store.accounts.alias("others").c
    found = connection.execute(
        sa.select(
            page.id,
            t.at,
            t.cause,
            t.table_id,
            t.hand,
            other,
            others.player,
            t.multiple,
            page.player_coins,
            page.coins,
            t.owed,
            t.text,
            owns - page.newer,
        )
        .join_from(page.id.table, store.transfers, t.id == page.id // 2)
        .join(others.name.table, others.name == other)
        .order_by(page.id.desc())
    )
    return [Line._make([*row[:-1], int(row[-1])]) for row in found]


def visits(connection: sa.Connection, player: str, tables: Collection[str]) -> list[Visit]:
    """Return the player's visits to the tables, the latest first."""
    if not tables:
        return []
    h, t, a = store.holds.c, store.tables.c, store.accounts.c
    found = connection.execute(
        sa.select(h.table_id, t.room_id, h.stake, t.entry, a.balance + h.returned - h.stake)
        .join_from(store.holds, store.tables, t.id == h.table_id)
        .join(store.accounts, a.name == h.account)
        .where(h.player == player, h.table_id.in_(sorted(tables)), h.state != HoldState.VOID)
        .order_by(t.created_at.desc(), h.table_id, h.since.desc())
    )
    return [Visit(*row) for row in found]
