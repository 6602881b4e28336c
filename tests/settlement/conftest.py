from collections.abc import Iterator
from pathlib import Path

import pytest

from services.kit.database import Database, migrate
from services.settlement.config import SCHEMA
from services.settlement.worker import MIGRATIONS
from tests.settlement.world import World


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/settlement.db"
    url: str = request.getfixturevalue("postgres").new_database("settlement")
    return url


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A migrated settlement database of each kind."""
    made = Database(database_url, SCHEMA, pool=8)
    migrate(made, MIGRATIONS)
    yield made
    made.close()


@pytest.fixture
def world(database: Database) -> Iterator[World]:
    """Wallets and tables over each kind of database; whatever a test does, the ledger proves right after it."""
    made = World(database)
    yield made
    assert made.findings() == []
