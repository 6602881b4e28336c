"""The deployment files speak of metrics, commands and settings that exist."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from tests.support.figures import PARTS, registry_of, series
from tests.support.source import ROOT
from tools.dashboards.boards import BOARDS
from tools.dashboards.draw import plain
from tools.dashboards.write import text_of
from xuezhan.cli.load.figures import FairnessFaults

DEPLOY = ROOT / "deploy"
OURS = re.compile(r"\b((?:xuezhan|grpc_server)_[a-z_]+)\b")


@pytest.fixture
async def exported(tmp_path: Path) -> set[str]:
    """Every name that some part, or a load run, exports; histograms by their series."""
    clients = CollectorRegistry()
    clients.register(FairnessFaults(list))
    return {name for part in PARTS for name in series(registry_of(part, tmp_path))} | set(series(clients))


def _asked_for(text: str) -> set[str]:
    return set(OURS.findall(text))


def test_every_metric_of_the_alerts_is_exported(exported: set[str]) -> None:
    asked = {name for path in (DEPLOY / "prometheus" / "rules").glob("*.yml") for name in _asked_for(path.read_text())}
    assert len(asked) > 10
    assert asked - exported == set()


@pytest.mark.usefixtures("require_prometheus")
def test_prometheus_understands_its_configuration() -> None:
    ran = subprocess.run(
        ["promtool", "check", "config", DEPLOY / "prometheus" / "prometheus.yml"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_every_metric_of_the_dashboards_is_exported(exported: set[str]) -> None:
    asked = {name for board in BOARDS for panel in board.panels for query in panel.queries for name in _asked_for(query.expr)}
    assert len(asked) > 40
    assert asked - exported == set()


def test_the_dashboards_files_are_what_is_written_of_them() -> None:
    """`make dashboards` writes them."""
    files = {path.name: path.read_text() for path in (DEPLOY / "grafana" / "dashboards").iterdir()}
    assert files == {f"{board.name}.json": text_of(board) for board in BOARDS}


@pytest.mark.usefixtures("require_prometheus")
def test_prometheus_understands_every_query_of_the_dashboards(tmp_path: Path) -> None:
    queries = [plain(query.expr) for board in BOARDS for panel in board.panels for query in panel.queries]
    rules = [{"record": f"query_{number}", "expr": query} for number, query in enumerate(queries)]
    file = tmp_path / "rules.yml"
    file.write_text(json.dumps({"groups": [{"name": "queries", "rules": rules}]}))  # JSON is YAML
    ran = subprocess.run(["promtool", "check", "rules", file], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.fixture
def xuezhan_command() -> Path:
    return ROOT / ".venv" / "bin" / "xuezhan"


def test_the_keys_of_the_compose_file_are_made_once_and_kept(xuezhan_command: Path, tmp_path: Path) -> None:
    out = tmp_path / "keys"
    for _ in range(2):
        subprocess.run([xuezhan_command, "keys", "--out", out], check=True, capture_output=True)
    made = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert not [path for path in made if path.stat().st_mode & 0o077]
    assert subprocess.run([xuezhan_command, "keys", "--out", out], check=True, capture_output=True, text=True).stderr == f"{out}: kept\n"
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == made
