"""Law: a figure's name stands in the source as it is scraped, and begins with what exports it."""

from __future__ import annotations

from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from services.kit import identity
from services.kit.database import Database
from services.kit.letterbox import Letterbox
from services.kit.messages import Reader
from services.kit.metrics import RpcMetrics, new_registry
from services.kit.publisher import Publisher
from services.kit.supervise import Supervisor
from services.kit.tls import ServerTls
from services.matchmaking.metrics import Metrics as MatchmakingMetrics
from services.settlement.metrics import LedgerCollector, WorkerMetrics
from services.table.metrics import TableMetrics
from tests.support.certificates import Authority
from tests.support.figures import OF_EVERY_PART, PREFIXES, scraped, written
from tests.support.post import Post


def every_part(registry: CollectorRegistry, folder: Path) -> None:
    """Make what every part exports."""
    RpcMetrics(registry)
    Supervisor(registry)
    Letterbox("items", Reader(Post().trust).items, Publisher("memory://"), registry)
    ServerTls(*Authority(folder).issue()).export(registry)
    identity.export(lambda: False, registry)


def settlement(registry: CollectorRegistry) -> None:
    WorkerMetrics(registry)
    database = Database("sqlite://", "settlement")
    registry.register(LedgerCollector(database))
    database.close()


PARTS = {
    "table": lambda registry: TableMetrics(registry).watch(lambda: iter(()), lambda: 0.0),
    "matchmaking": MatchmakingMetrics,
    "settlement": settlement,
}


@pytest.mark.parametrize("part", PARTS)
def test_every_name_that_a_part_exports_begins_with_its_own_and_stands_in_the_source(part: str, tmp_path: Path) -> None:
    registry = new_registry()
    every_part(registry, tmp_path)
    PARTS[part](registry)
    names = scraped(generate_latest(registry).decode())
    assert [name for name in names if name.startswith(PREFIXES[part])]
    assert [name for name in names if not name.startswith((PREFIXES[part], OF_EVERY_PART, "grpc_server_"))] == []
    assert names - written() == set()
