"""The figures that parts export: their names, and where these must stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

from services.kit import identity
from services.kit.database_watch import DatabaseWatch, Reading
from services.kit.letterbox import Letterbox
from services.kit.messages import Reader
from services.kit.metrics import RpcMetrics, new_registry
from services.kit.publisher import Publisher
from services.kit.supervise import Supervisor
from services.kit.tls import ServerTls
from services.kit.vitals import LoopWatch, export_info
from services.matchmaking.metrics import Metrics as MatchmakingMetrics
from services.settlement.ledger_checks import Found, LedgerChecked
from services.settlement.metrics import Waiting, WorkerMetrics
from services.settlement.store_items import Backlog
from services.table.live import Live, Outbox
from services.table.metrics import TableMetrics
from tests.support.certificates import Authority
from tests.support.post import Post
from tests.support.source import project_files

PREFIXES: Final = {"table": "xuezhan_table_", "matchmaking": "xuezhan_matchmaking_", "settlement": "xuezhan_settlement_"}
"""Of the figures of each service; a worker is one of settlement."""
OF_EVERY_PART: Final = "xuezhan_part_"
_NAME: Final = re.compile(r'"((?:xuezhan|grpc_server)_[a-z_]+)"')
_SERIES: Final = re.compile(r"_(?:bucket|count|sum)$")


@cache
def written() -> frozenset[str]:
    """The names of figures that stand in the source, in full."""
    files = project_files("services/*.py", "xuezhan/*.py")
    return frozenset(name for file in files for name in _NAME.findall(file.read_text()))


def scraped(text: str) -> set[str]:
    """The names of ours in a scrape; a histogram has one."""
    families = list(text_string_to_metric_families(text))
    names = {
        _SERIES.sub("", sample.name) if family.type == "histogram" else sample.name for family in families for sample in family.samples
    }
    # What has no series yet is told by its type alone.
    named = {f"{family.name}_total" if family.type == "counter" else family.name for family in families}
    return {name for name in names | named if name.startswith(("xuezhan_", "grpc_server_"))}


def series(registry: CollectorRegistry) -> Iterable[str]:
    """Every name of series that a registry exports or will: histograms by their three."""
    suffixes = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum"), "gauge": ("",), "info": ("",)}
    for family in registry.collect():
        for suffix in suffixes[family.type]:
            yield family.name + suffix


class _Read(Collector):
    """What a reading says of what it read."""

    def __init__(self, reading: Reading, found: Any) -> None:
        self._reading = reading
        self._found = found

    def collect(self) -> Iterable[Metric]:
        return self._reading.families(self._found, 0.0)


def _table(registry: CollectorRegistry) -> None:
    TableMetrics(registry)
    registry.register(_Read(Outbox(), 1.0))
    nothing = SimpleNamespace(valid=lambda: True, seconds_left=lambda: 1.0, writing_seconds=lambda: 0.0)
    empty = SimpleNamespace(waiting=0, oldest_seconds=lambda: 0.0)
    hall: Any = SimpleNamespace(
        rooms=[], tables={}, streams=set(), watchers=set(), openings={}, lease=nothing, journal=nothing, relay=empty, archive=empty,
        now=lambda: 0.0, waiting_attaches=lambda: 0,
    )  # fmt: skip
    registry.register(Live(hall))


def _settlement(registry: CollectorRegistry) -> None:
    WorkerMetrics(registry)
    registry.register(_Read(Waiting(), Backlog(0, 0, 0, 0)))
    registry.register(_Read(LedgerChecked(), (1, Found(0, {}))))


PARTS: Final[dict[str, Callable[[CollectorRegistry], object]]] = {
    "table": _table,
    "matchmaking": MatchmakingMetrics,
    "settlement": _settlement,
}
"""What makes the figures of each service, on the running loop."""


def registry_of(part: str, folder: Path) -> CollectorRegistry:
    """A registry with every figure of a service and of every part, as if it ran and had been used. On a running loop."""
    registry = new_registry()
    export_info(registry, part)
    LoopWatch(registry).close()
    RpcMetrics(registry)
    supervisor = Supervisor(registry)
    DatabaseWatch(f"sqlite:///{folder}/{part}.db", part, registry, supervisor).close()
    Letterbox("items", Reader(Post().trust).items, Publisher("memory://"), registry)
    ServerTls(*Authority(folder).issue()).export(registry)
    identity.export(lambda: False, registry)
    PARTS[part](registry)
    return registry
