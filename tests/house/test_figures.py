"""Law: a figure's name stands in the source as it is scraped, and begins with what exports it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from prometheus_client import generate_latest

from services.kit.metrics import new_registry
from services.settlement.metrics import REFUSALS, WorkerMetrics
from services.table.metrics import TableMetrics
from tests.support.figures import OF_EVERY_PART, PARTS, PREFIXES, registry_of, scraped, written
from tests.support.source import project_files


@pytest.mark.parametrize("part", PARTS)
async def test_every_name_that_a_part_exports_begins_with_its_own_and_stands_in_the_source(part: str, tmp_path: Path) -> None:
    names = scraped(generate_latest(registry_of(part, tmp_path)).decode())
    assert [name for name in names if name.startswith(PREFIXES[part])]
    assert [name for name in names if not name.startswith((PREFIXES[part], OF_EVERY_PART, "grpc_server_"))] == []
    assert names - written() == set()


def test_every_alarm_of_a_table_server_begins_at_0() -> None:
    """Of a counter that comes up at 1 nobody sees that it increased."""
    registry = new_registry()
    TableMetrics(registry)
    sources = (file.read_text() for file in project_files("services/table/*.py"))
    raised = {what for source in sources for what in re.findall(r'alarms\.labels\("(\w+)"\)', source)}
    assert len(raised) > 5
    assert {what: registry.get_sample_value("xuezhan_table_alarms_total", {"what": what}) for what in raised} == dict.fromkeys(raised, 0)


def test_every_refusal_of_an_item_begins_at_0() -> None:
    registry = new_registry()
    WorkerMetrics(registry)
    sources = "".join(file.read_text() for file in project_files("services/settlement/door.py", "services/settlement/batch.py"))
    reasons = set(re.findall(r'(?:Bad\(|reason = |else |return )"(\w+)"', sources))
    assert reasons == set(REFUSALS)
    assert {registry.get_sample_value("xuezhan_settlement_refused_total", {"reason": reason}) for reason in reasons} == {0}
