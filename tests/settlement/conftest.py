import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from grpc import aio

from services.kit import logs
from services.kit.bootstrap import Running
from services.kit.database import Database, migrate
from services.settlement.config import SCHEMA, Settings
from services.settlement.server import build
from services.settlement.worker import MIGRATIONS
from tests.settlement.desk import Desk
from tests.settlement.shop import Shop
from tests.settlement.world import World, fast_sqlite
from tests.support.keyring import Keyring
from tests.support.servers import Postgres, RabbitMQ


@pytest.fixture(scope="package", autouse=True)
def _plain_logs() -> None:
    logs.configure("warning", json_lines=True)


@pytest.fixture(scope="package")
def postgres_url(request: pytest.FixtureRequest) -> str:
    """One PostgreSQL database; every test has a schema of its own in it."""
    url: str = request.getfixturevalue("postgres").new_database("settlement")
    return url


_schemas = itertools.count(1)


@pytest.fixture
def postgres_database(postgres_url: str) -> Iterator[Database]:
    """A migrated settlement schema on PostgreSQL."""
    made = Database(postgres_url, f"{SCHEMA}_{next(_schemas)}", pool=8)
    migrate(made, MIGRATIONS)
    yield made
    made.close()


@pytest.fixture
def sqlite_database(tmp_path: Path) -> Iterator[Database]:
    """A migrated settlement database on SQLite."""
    made = fast_sqlite(f"sqlite:///{tmp_path}/settlement.db")
    yield made
    made.close()


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> Database:
    """A migrated settlement database of each kind."""
    made: Database = request.getfixturevalue(f"{request.param}_database")
    return made


@pytest.fixture
def world(database: Database) -> Iterator[World]:
    """Wallets and tables over each kind of database; whatever a test does, the ledger proves right after it."""
    made = World(database)
    yield made
    assert made.findings() == []


@pytest.fixture
def shop(tmp_path: Path, postgres: Postgres, rabbitmq: RabbitMQ) -> Iterator[Shop]:
    """A ledger on PostgreSQL and a broker, for workers of their own; the ledger proves right afterwards."""
    database = Database(postgres.new_database("shop"), SCHEMA)
    migrate(database, MIGRATIONS)
    made = Shop(tmp_path, database, rabbitmq.new_vhost())
    yield made
    made.close()
    assert made.world.findings() == []
    database.close()


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    """A running settlement server on SQLite, with its embedded worker, and a caller of it."""
    keys = Keyring(tmp_path / "secrets")
    settings: Any = Settings(database_url=f"sqlite:///{tmp_path}/desk.db", secrets=keys.folder, development=True, port=0, metrics_port=0)
    running = Running("settlement", settings)
    await running.start(build)
    async with aio.insecure_channel(running.address) as channel:
        yield Desk(channel, keys, running, settings.database_url)
    await running.stop()
    assert await asyncio.to_thread(Desk.findings, settings.database_url) == []
