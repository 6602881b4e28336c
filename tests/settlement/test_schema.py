"""The database itself keeps the ledger append-only, exact and one occupancy a player."""

from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.exc import DBAPIError

from services.kit.database import Database
from services.settlement import store
from tests.settlement.world import World

FORBIDDEN = [
    "UPDATE transfers SET coins = 1",
    "DELETE FROM transfers",
    "UPDATE entries SET coins = 1",
    "DELETE FROM entries",
    "UPDATE requests SET wallet = 1",
    "DELETE FROM requests",
    "UPDATE items SET state = 'stored' WHERE state = 'applied'",
    "DELETE FROM items WHERE state = 'applied'",
    "UPDATE accounts SET balance = -1 WHERE name = 'wallet:ann'",
    "UPDATE accounts SET balance = 9007199254740992 WHERE name = 'wallet:ann'",
    "UPDATE accounts SET balance = NULL WHERE name = 'wallet:ann'",
    "UPDATE accounts SET balance = 0 WHERE name = 'house:bots'",
    "INSERT INTO transfers SELECT id + 100, at, payer, payer, coins, cause, table_id, seq, hand, multiple, owed, text FROM transfers",
    "INSERT INTO transfers SELECT id + 100, at, payer, payee, -1, cause, table_id, seq, hand, multiple, owed, text FROM transfers",
    "INSERT INTO items SELECT table_id, seq, kind, body, hash, state, outcome, stored_at, settled_at FROM items",
    "INSERT INTO holds SELECT 'other', seat, table_id, player, account, state, stake, returned, pooled, since FROM holds",
    "UPDATE holds SET state = 'sitting'",
    "UPDATE tables SET state = 'odd'",
]


def test_the_migrations_make_exactly_the_tables_that_the_code_knows(database: Database) -> None:
    def differences(connection: sa.Connection) -> Any:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return compare_metadata(context, store.metadata)

    assert database.run_sync(differences) == []


def test_what_was_written_stays_and_what_is_not_exact_is_not_written(world: World) -> None:
    world.deposit(ann=5000, bob=5000)
    world.table("t", "ann", "bob").stage((0, 1, 10))
    for statement in FORBIDDEN:
        with pytest.raises(DBAPIError):
            world.run(lambda connection, text: connection.exec_driver_sql(text), statement)
    assert [world.owned(player) for player in ("ann", "bob")] == [4900, 5100]


def test_no_table_of_the_ledger_can_be_emptied_at_once(world: World) -> None:
    if world.database.is_sqlite:
        return  # SQLite has no TRUNCATE.
    for table in ("transfers", "entries", "requests", "rating_changes", "operator_actions"):
        with pytest.raises(DBAPIError, match="append-only"):
            world.run(lambda connection, name: connection.exec_driver_sql(f"TRUNCATE {name}"), table)
