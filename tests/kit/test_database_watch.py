"""Whether the database answers, and what only it knows: a real PostgreSQL is frozen, killed and started again."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import GaugeMetricFamily

from services.kit import database_watch
from services.kit.database import Database
from services.kit.database_watch import DatabaseWatch
from services.kit.supervise import Supervisor
from tests.conftest import require
from tests.support.process import wait_until
from tests.support.servers import Postgres

REACHABLE = "xuezhan_part_database_reachable"
KNOWN = "known_seconds"


class Known:
    """A reading: when the database says that it is."""

    def __init__(self, question: str = "SELECT 7") -> None:
        self.question = question

    def read(self, connection: sa.Connection) -> Any:
        return connection.scalar(sa.text(self.question))

    def families(self, found: Any, _seconds: float) -> Iterable[Metric]:
        yield GaugeMetricFamily(KNOWN, "", value=found)


def scraped(registry: CollectorRegistry, name: str) -> float | None:
    """A figure; a scrape never takes long."""
    began = time.monotonic()
    found = registry.get_sample_value(name)
    assert time.monotonic() - began < 0.5
    return found


@pytest.fixture
def server() -> Iterator[Postgres]:
    """A PostgreSQL that no other test needs."""
    require(Postgres)
    with Postgres() as started:
        yield started


def test_a_database_that_is_frozen_or_killed_is_away_until_it_answers_again(server: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_watch, "_STALE_SECONDS", 5.0)
    registry = CollectorRegistry()
    watch = DatabaseWatch(server.new_database("watch"), "watch", registry, Supervisor(), [Known()])
    wait_until(lambda: scraped(registry, REACHABLE) == 1 and scraped(registry, KNOWN) == 7, seconds=10, what="an answer")
    assert server.process is not None
    server.process.freeze()
    wait_until(lambda: scraped(registry, REACHABLE) == 0, seconds=10, what="a frozen database")
    wait_until(lambda: scraped(registry, KNOWN) is None, seconds=10, what="nothing of what it knew")
    server.process.thaw()
    wait_until(lambda: scraped(registry, REACHABLE) == 1 and scraped(registry, KNOWN) == 7, seconds=10, what="an answer")
    server.kill()
    wait_until(lambda: scraped(registry, REACHABLE) == 0, seconds=10, what="a killed database")
    server.start()
    wait_until(lambda: scraped(registry, REACHABLE) == 1, seconds=10, what="an answer")
    watch.close()


def test_a_part_that_uses_all_its_connections_still_sees_that_the_database_answers(postgres: Postgres) -> None:
    url, supervisor, registry = postgres.new_database("watch"), Supervisor(), CollectorRegistry()
    database = Database(url, "watch", 1, supervisor)
    database.submit(lambda: time.sleep(6))
    watch = DatabaseWatch(url, "watch", registry, supervisor)
    wait_until(lambda: scraped(registry, REACHABLE) == 1, seconds=5, what="an answer")
    watch.close()
    database.close()


def test_a_figure_that_is_not_read_in_time_is_missing_and_the_database_is_not_away(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_watch, "_LIMIT_MS", 200)
    registry = CollectorRegistry()
    slow = Known("SELECT 1 FROM pg_sleep(3)")
    watch = DatabaseWatch(postgres.new_database("watch"), "watch", registry, Supervisor(), [slow, Known("SELECT 7")])
    wait_until(lambda: scraped(registry, KNOWN) == 7, seconds=10, what="the other figure")
    assert scraped(registry, REACHABLE) == 1
    watch.close()


def test_a_file_of_sqlite_is_watched_with_the_room_on_its_disk(tmp_path: Path) -> None:
    registry = CollectorRegistry()
    url = f"sqlite:///{tmp_path}/x.db"
    watch = DatabaseWatch(url, "x", registry, Supervisor(), [Known()])
    assert scraped(registry, REACHABLE) == 0
    database = Database(url, "x")
    database.run_sync(lambda connection: connection.exec_driver_sql("CREATE TABLE t (a)"))
    wait_until(lambda: scraped(registry, REACHABLE) == 1 and scraped(registry, KNOWN) == 7, seconds=10, what="an answer")
    free = registry.get_sample_value("xuezhan_part_disk_free_ratio", {"what": "database"})
    assert free is not None
    assert 0 < free < 1
    watch.close()
    database.close()
