"""The dashboards over a live installation, idle, loaded and broken in six ways: each panel shows something, and what is broken is seen.

It draws the pictures and writes the table of queries of docs/dashboards.md to XUEZHAN_DASHBOARDS, a folder.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.e2e import alarms
from tests.e2e.alarms import Watched
from tests.e2e.installation import FAST_ROOMS
from tests.e2e.test_alarms import FAULTS
from tests.support.netns import Network
from tests.support.page import table
from tests.support.process import wait_until
from tools.dashboards.boards import BOARDS, OVERVIEW
from tools.dashboards.draw import draw, plain
from tools.dashboards.panels import Panel

pytestmark = [pytest.mark.timeout(1800), pytest.mark.drill, pytest.mark.usefixtures("require_prometheus")]

BROKEN: Final = (
    *("PostgreSQL stopped", "RabbitMQ killed", "workers killed"),
    *("a table server killed", "matchmaking killed", "settlement stopped"),
)
DIFFERS: Final[dict[str, set[str]]] = {
    "PostgreSQL stopped": {"Alerts that wake somebody", "Database reached", "Actions a second", "Seats connected", "Lease, seconds left"},
    "RabbitMQ killed": {"Alerts that wake somebody", "Broker reached", "Parts that answer", "Workers at the broker"},
    "workers killed": {"Alerts that wake somebody", "Parts that do not answer", "Workers at the broker"},
    "a table server killed": {"Alerts that wake somebody", "Parts that do not answer", "Tables by server", "Answers Prometheus"},
    "matchmaking killed": {"Alerts that wake somebody", "Parts that do not answer", "Parts that answer", "Watch calls"},
    "settlement stopped": {"Alerts that wake somebody", "Parts that do not answer", "Answers Prometheus"},
}
"""What is seen of each fault, besides whatever else it does."""
PANELS: Final = [(board.name, panel) for board in BOARDS for panel in board.panels]


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    if (missing := Network.missing()) is not None:
        pytest.skip(f"needs {missing}")
    with Network([*alarms.HOSTS], ("main", "database", "broker")) as network, Watched(tmp_path, network, FAST_ROOMS) as installation:
        yield installation


def values(watched: Watched, panel: Panel) -> list[tuple[tuple[tuple[str, str], ...], float]]:
    """What the queries of a panel return now."""
    return sorted(
        (tuple(sorted(sample.labels.items())), round(sample.value, 3))
        for query in panel.queries
        for sample in watched.prometheus.query(plain(query.expr))
    )


def cell(found: list[tuple[tuple[tuple[str, str], ...], float]]) -> str:
    """What a table says of a panel: its value, or how many series it has and their highest."""
    if not found:
        return "no data"
    highest = f"{max(value for _, value in found):,.4g}"
    return highest if len(found) == 1 else f"{len(found)} series, highest {highest}"


def test_every_panel_shows_what_it_is_about_and_differs_when_that_is_broken(watched: Watched, tmp_path: Path) -> None:
    out = Path(os.environ.get("XUEZHAN_DASHBOARDS", tmp_path / "dashboards"))
    seen: dict[str, dict[str, list[tuple[tuple[tuple[str, str], ...], float]]]] = {}

    def look(state: str) -> None:
        seen[state] = {f"{name}: {panel.title}": values(watched, panel) for name, panel in PANELS}
        draw(OVERVIEW, watched.prometheus.query_range, out / f"{state.replace(' ', '-').lower()}.png", minutes=4, note=f"({state})")

    def hears(alert: str) -> bool:
        return alert in watched.firing()

    watched.quiet(240)
    time.sleep(130)  # until rates of two minutes have two minutes
    look("loaded")
    for board in BOARDS[1:]:
        draw(board, watched.prometheus.query_range, out / f"{board.name}.png", minutes=4)
    for fault in BROKEN:
        alert, _, act, mend = FAULTS[fault]
        try:
            act(watched)
            wait_until(lambda alert=alert: hears(alert), seconds=alarms.HEARD_SECONDS, what=f"{alert} of {fault}")  # type: ignore[misc]
            watched.during(15)
            look(fault)
        finally:
            mend(watched)
        watched.quiet(alarms.OVER_SECONDS)
    watched.load.terminate()
    time.sleep(130)
    look("idle")

    rows = [
        [name, f"`{'`, `'.join(query.expr.replace('|', chr(92) + '|') for query in panel.queries)}`"]
        + [cell(seen[state][f"{name}: {panel.title}"]) for state in ("idle", "loaded")]
        + [", ".join(fault for fault in BROKEN if panel.title in DIFFERS[fault]) or ""]
        for name, panel in PANELS
    ]
    titled = [[row[0], panel.title, *row[1:]] for row, (_, panel) in zip(rows, PANELS, strict=True)]
    (out / "queries.md").write_text(table(["dashboard", "panel", "query", "idle", "loaded", "differs, seen, when broken"], titled))

    assert {name for name, found in seen["loaded"].items() if not found} == set()
    assert {f"{name}: {panel.title}" for name, panel in PANELS if panel.idle and not seen["idle"][f"{name}: {panel.title}"]} == set()
    for fault in BROKEN:
        for name, panel in PANELS:
            title = f"{name}: {panel.title}"
            assert panel.title not in DIFFERS[fault] or seen[fault][title] != seen["loaded"][title], (fault, title)
