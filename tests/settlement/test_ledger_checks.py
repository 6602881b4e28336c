"""The settlement service checks its ledger by itself: one replica at a time, and what was found outlives them all."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from prometheus_client.parser import text_string_to_metric_families

from services.kit.bootstrap import Running
from services.kit.database import Database, migrate
from services.kit.supervise import Supervisor
from services.settlement import ledger_checks, store
from services.settlement.config import SCHEMA, Settings
from services.settlement.ledger_checks import LedgerChecks
from services.settlement.server import build
from services.settlement.worker import MIGRATIONS
from tests.settlement.world import World, fast_sqlite
from tests.support.keyring import Keyring
from tests.support.process import wait_until
from tests.support.servers import Postgres

PREFIX = "xuezhan_settlement_ledger_"


def row(database: Database) -> Any:
    return database.run_sync(lambda connection: connection.execute(sa.select(store.ledger_checks)).one())


def test_of_several_replicas_one_makes_the_check_that_is_due(database: Database) -> None:
    def claim() -> bool:
        return database.run_sync(ledger_checks.claim, 900)

    assert claim()
    assert not claim(), "it is being made"
    database.run_sync(ledger_checks.finish, ledger_checks.Found(0, {}))
    assert not claim(), "it was made a moment ago"
    store_at = sa.update(store.ledger_checks).values
    database.run_sync(lambda connection: connection.execute(store_at(finished_at=time.time() - 901)))
    assert claim()
    # Whoever took it upon themselves has died.
    database.run_sync(lambda connection: connection.execute(store_at(making_at=time.time() - 61)))
    assert claim()
    database.run_sync(ledger_checks.go_on)
    assert not claim()


def sqlite(folder: Path, _postgres: Postgres) -> Database:
    return fast_sqlite(f"sqlite:///{folder}/checks.db")


def postgresql(_folder: Path, postgres: Postgres) -> Database:
    made = Database(postgres.new_database("checks"), SCHEMA)
    migrate(made, MIGRATIONS)
    return made


@pytest.mark.parametrize("make", [sqlite, postgresql])
def test_a_check_is_made_in_a_process_of_its_own(make: Callable[..., Database], tmp_path: Path, postgres: Postgres) -> None:
    database = make(tmp_path, postgres)
    World(database).deposit(ann=5000)
    checks = LedgerChecks(database.url, database, 1, Supervisor())
    checks.start()
    wait_until(lambda: row(database).finished_at, seconds=30, what="a check")
    checks.stop()
    assert json.loads(row(database).found) == [0, {}]
    database.close()


def figures(running: Running) -> dict[str, float]:
    """What the service says of its ledger, by the end of the name and the check."""
    with urllib.request.urlopen(f"http://127.0.0.1:{running.metrics_port}/metrics", timeout=5) as answer:
        families = list(text_string_to_metric_families(answer.read().decode()))
    samples = (sample for family in families for sample in family.samples if sample.name.startswith(PREFIX))
    return {" ".join([sample.name.removeprefix(PREFIX), *sample.labels.values()]): sample.value for sample in samples}


async def until(running: Running, true: Callable[[dict[str, float]], bool]) -> dict[str, float]:
    async with asyncio.timeout(30):
        while not true(found := await asyncio.to_thread(figures, running)):  # noqa: ASYNC110 - it is scraped
            await asyncio.sleep(0.1)
    return found


async def test_a_coin_made_past_the_ledger_is_told_by_the_next_check_and_after_a_restart(tmp_path: Path) -> None:
    keys = Keyring(tmp_path / "keys")
    url = f"sqlite:///{tmp_path}/settlement.db"
    values = {"database_url": url, "secrets": keys.folder, "development": True, "port": 0, "metrics_port": 0, "reflection": False}
    running = Running("settlement", Settings.model_validate(values | {"ledger_check_seconds": 1}))
    await running.start(build)
    calm = await until(running, lambda found: found["checked_timestamp_seconds"] > 0)
    assert calm["imbalance_coins"] == 0
    assert [name for name in calm if name.startswith("findings") and calm[name]] == []
    database = fast_sqlite(url)
    world = World(database)
    world.deposit(ann=5000)

    def forge(connection: sa.Connection) -> None:
        for name in connection.scalars(sa.text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).all():
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
        connection.exec_driver_sql("UPDATE entries SET coins = coins + 9 WHERE account = 'wallet:ann'")

    database.run_sync(forge)
    database.close()
    told = await until(running, lambda found: found["imbalance_coins"] == 9)
    assert (told["findings zero_sum"], told["findings balances_rebuilt"], told["findings items_in_order"]) == (1, 1, 0)
    await running.stop()
    again = Running("settlement", Settings.model_validate(values))
    await again.start(build)
    remembered = await until(again, bool)
    assert remembered["imbalance_coins"] == 9
    assert remembered["checked_timestamp_seconds"] >= told["checked_timestamp_seconds"]
    await again.stop()
