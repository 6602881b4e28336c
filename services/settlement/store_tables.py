"""Table heads and holds: locking them, reading them as `Table`, writing what changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final

import sqlalchemy as sa

from games.hand import Policy
from services.settlement import store
from services.settlement.state import OCCUPYING, Hold, HoldState, Table, TableState, Terms

_t, _h = store.tables.c, store.holds.c
_LOCK: Final = sa.select(store.tables).where(_t.id.in_(sa.bindparam("ids", expanding=True))).order_by(_t.id).with_for_update(key_share=True)
_HOLDS_OF_TABLES: Final = (
    sa.select(store.holds).where(_h.table_id.in_(sa.bindparam("tables", expanding=True))).order_by(_h.table_id, _h.since, _h.seat)
)
_HOLDS_OF_MATCH: Final = sa.select(store.holds).where(_h.match_id == sa.bindparam("match")).order_by(_h.seat)
_OCCUPIED: Final = sa.select(_h.player, _h.table_id).where(_h.player.in_(sa.bindparam("players", expanding=True)), _h.state.in_(OCCUPYING))


def lock_tables(connection: sa.Connection, ids: Collection[str], now: int) -> dict[str, Table]:
    """Lock the heads of tables, sorted, making those that are missing, and read their seats."""
    blank = [{"id": name, "state": TableState.NEW, "head": 0, "stuck": "", "created_at": now} for name in sorted(set(ids))]
    store.insert(connection, store.tables, blank, skip_existing=True)
    found = connection.execute(_LOCK, {"ids": [row["id"] for row in blank]})
    tables = {row.id: Table(row.id, TableState(row.state), row.head, _terms(row), row.stuck) for row in found}
    for hold in _holds(connection.execute(_HOLDS_OF_TABLES, {"tables": list(tables)})):
        table = tables[hold.table]
        before = table.seats.get(hold.seat)
        if before is not None:
            table.gone.append(before)
        table.seats[hold.seat] = hold
    return tables


def write_tables(connection: sa.Connection, tables: Iterable[Table]) -> None:
    """Write heads and holds of locked tables as they are now."""
    all_tables = list(tables)
    holds = [hold for table in all_tables for hold in [*table.gone, *table.seats.values()]]
    store.insert(connection, store.holds, [_hold_row(hold) for hold in holds if hold.fresh])
    store.update(connection, store.holds, ("match_id", "seat"), [_hold_row(hold) for hold in holds if not hold.fresh])
    store.update(connection, store.tables, ("id",), [_table_row(table) for table in all_tables])


def occupied(connection: sa.Connection, players: Collection[str]) -> dict[str, str]:
    """Return the table (or match) that occupies each of the players who has one."""
    if not players:
        return {}
    found = connection.execute(_OCCUPIED, {"players": sorted(players)})
    return {row.player: row.table_id for row in found}


def holds_of_match(connection: sa.Connection, match: str) -> list[Hold]:
    """Return the holds made for a match, wherever they are bound now."""
    return _holds(connection.execute(_HOLDS_OF_MATCH, {"match": match}))


def _holds(found: Iterable[Any]) -> list[Hold]:
    return [
        Hold(
            row.match_id,
            row.seat,
            row.table_id,
            row.player,
            row.account,
            HoldState(row.state),
            row.stake,
            row.returned,
            row.pooled,
            row.since,
        )
        for row in found
    ]


def _hold_row(hold: Hold) -> store.Row:
    return {
        "match_id": hold.match,
        "seat": hold.seat,
        "table_id": hold.table,
        "player": hold.player,
        "account": hold.account,
        "state": hold.state,
        "stake": hold.stake,
        "returned": hold.returned,
        "pooled": hold.pooled,
        "since": hold.since,
    }


def _table_row(table: Table) -> store.Row:
    terms = table.terms
    row: dict[str, object] = {"id": table.id, "state": table.state, "head": table.head, "stuck": table.stuck}
    for name in Terms._fields:
        row[name] = None if terms is None else getattr(terms, name)
    return row


def _terms(row: sa.Row[tuple[object, ...]]) -> Terms | None:
    if row.room_id is None:
        return None
    return Terms(row.room_id, row.game, Policy(row.policy), row.base, row.entry, row.needed, row.lock, bool(row.rated))
