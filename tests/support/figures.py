"""The names of the figures that parts export, and where they must stand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from tests.support.source import project_files

PREFIXES = {"table": "xuezhan_table_", "matchmaking": "xuezhan_matchmaking_", "settlement": "xuezhan_settlement_"}
"""Of the figures of each service; a worker is one of settlement."""
OF_EVERY_PART = "xuezhan_part_"
OF_CLIENTS = "xuezhan_client_"
_NAME = re.compile(r'"((?:xuezhan|grpc_server)_[a-z_]+)"')
_SERIES = re.compile(r"_(?:bucket|count|sum)$")


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
