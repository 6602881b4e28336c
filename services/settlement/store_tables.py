"""Table heads and holds: locking them, reading them as `Table`, writing what changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final

import sqlalchemy as sa

from games.hand import Policy
from services.settlement import store
from services.settlement.state import OCCUPYING, Hold, HoldState, Table, TableState, Terms

_t, _h = store.tables.c, store.holds.c
_LOCK: Final = "SELECT tables.* FROM tables JOIN {given} ON tables.id = given.id ORDER BY tables.id{lock}"
_HOLD: Final = tuple(column.name for column in store.holds.c)
_HOLDS_OF_TABLES: Final = (
    f"SELECT {', '.join(f'holds.{name}' for name in _HOLD)} FROM holds JOIN {{given}} ON holds.table_id = given.id"  # noqa: S608 - names of this module
    " ORDER BY holds.since, holds.seat"
)
_HOLDS_OF_MATCH: Final = sa.select(store.holds).where(_h.match_id == sa.bindparam("match")).order_by(_h.seat)
_OCCUPIED: Final = sa.select(_h.player, _h.table_id).where(_h.player.in_(sa.bindparam("players", expanding=True)), _h.state.in_(OCCUPYING))


def lock_tables(connection: sa.Connection, ids: Collection[str], now: int) -> dict[str, Table]:
    """Lock the heads of tables, sorted, making those that are missing, and read their seats."""
    blank = [{"id": name, "state": TableState.NEW, "head": 0, "stuck": "", "created_at": now} for name in sorted(set(ids))]
    store.insert(connection, store.tables, blank, skip_existing=True)
    given = [{"id": row["id"]} for row in blank]
    found = store.select_text(connection, _LOCK, [_t.id], given, lock=store.tables)
    tables = {row.id: Table(row.id, TableState(row.state), row.head, _terms(row), row.stuck) for row in found}
    for hold in _holds(store.select_text(connection, _HOLDS_OF_TABLES, [_t.id], given)):
        table = tables[hold.table]
        before = table.seats.get(hold.seat)
        if before is not None:
            table.gone.append(before)
        table.seats[hold.seat] = hold
    return tables


def write_tables(connection: sa.Connection, tables: Iterable[Table]) -> None:
    """Write heads and holds of locked tables as they are now; holds that are as they were read cost nothing."""
    all_tables = list(tables)
    holds = [hold for table in all_tables for hold in [*table.gone, *table.seats.values()]]
    store.insert(connection, store.holds, [_hold_row(hold) for hold in holds if hold.kept is None])
    changed = [_hold_row(hold) for hold in holds if hold.kept is not None and hold.kept != _values(hold)]
    store.update(connection, store.holds, ("match_id", "seat"), changed)
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
    holds = []
    for row in found:
        match, seat, table, player, account, state, stake, returned, pooled, since = kept = tuple(row)
        holds.append(Hold(match, seat, table, player, account, HoldState(state), stake, returned, pooled, since, kept))
    return holds


def _values(hold: Hold) -> tuple[object, ...]:
    return (
        hold.match,
        hold.seat,
        hold.table,
        hold.player,
        hold.account,
        hold.state,
        hold.stake,
        hold.returned,
        hold.pooled,
        hold.since,
    )


def _hold_row(hold: Hold) -> store.Row:
    return dict(zip(_HOLD, _values(hold), strict=True))


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
