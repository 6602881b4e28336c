"""The groups `moves` and `gateway`: tables are replayed, handed over, adopted and attached again, and every seat sees its table."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench import gateway, moves
from bench.options import Options
from games.registry import GAMES
from tests.support.servers import Postgres
from tests.support.source import ROOT


@pytest.mark.drill
@pytest.mark.timeout(300)
def test_a_quick_run_brings_every_seat_to_its_tables_next_server(tmp_path: Path) -> None:
    if missing := Postgres.missing():
        pytest.skip(missing)
    command = [sys.executable, "-m", "bench", "moves", "gateway", "--quick", "--json", str(tmp_path / "figures.json")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    written = json.loads((tmp_path / "figures.json").read_text())
    rows = {row["what"]: row for row in written["rows"]}
    assert {f"{game}: replaying a whole hand" for game in GAMES} <= set(rows)
    assert len(rows) == len(GAMES) + 7
    assert all(row["value"] > 0 for row in rows.values())
    details = written["details"]["moves"]
    assert len(details["handed_over"]["still"]) == len(details["lost"]["waited"]) == 160
    assert min(details["handed_over"]["still"]) > 0


@pytest.mark.parametrize("group", [moves, gateway])
def test_without_postgresql_a_row_says_so(group: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Postgres, "missing", lambda: "PostgreSQL")
    monkeypatch.setattr("bench.replays.measure", lambda *_of: ([], {}))
    rows, _details = group.run(Options(1, quick=True))  # type: ignore[attr-defined]
    assert [row.note for row in rows] == ["not installed: PostgreSQL"]
