"""The group `settlement`: it runs the whole path, judges it as the cores allow, and trusts no ledger that does not prove right."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from bench import machine, settlement
from bench.options import Options
from bench.settlement.loop import BATCH, Loop
from services.kit.database import Database, migrate
from services.settlement.config import SCHEMA
from services.settlement.worker import MIGRATIONS
from tests.support.servers import Postgres, RabbitMQ
from tests.support.source import ROOT


@pytest.mark.drill
@pytest.mark.timeout(300)
def test_a_quick_run_settles_items_by_every_way_and_proves_the_ledgers(tmp_path: Path) -> None:
    if missing := Postgres.missing() or RabbitMQ.missing():
        pytest.skip(missing)
    command = [sys.executable, "-m", "bench", "settlement", "--quick", "--json", str(tmp_path / "figures.json")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    written = json.loads((tmp_path / "figures.json").read_text())
    assert len(written["rows"]) == 7
    assert all(row["value"] > 0 and row["target"] > 0 for row in written["rows"])
    details = written["details"]["settlement"]
    assert all(details[name][0]["items"] > 0 for name in ("ledger", "no_op", "one_worker", "two_workers", "half_load"))
    assert not any(details[name][0]["starved"] for name in ("one_worker", "two_workers"))
    assert details["entries"] >= 4_000


def test_without_the_servers_a_row_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RabbitMQ, "missing", lambda: "RabbitMQ")
    rows, _ = settlement.run(Options(1, quick=True))
    assert [(row.value, row.note, row.failed) for row in rows] == [(None, "left out: not installed: RabbitMQ", False)]


@pytest.mark.parametrize(
    ("cores", "unit", "ratio", "met"),
    [(2, "us", 1.1, True), (4, "items/s", 1.5, False)],
)
def test_two_workers_are_judged_by_what_they_cost_where_they_have_no_cores_of_their_own(
    monkeypatch: pytest.MonkeyPatch, cores: int, unit: str, ratio: float, met: bool
) -> None:
    monkeypatch.setattr(machine, "cores", lambda: list(range(cores)))
    one = {"items": 1000, "seconds": 1.0, "worker_cpu": 0.5}
    two = {"items": 1500, "seconds": 1.0, "worker_cpu": 0.5 * 1.5 * 1.1}
    row = settlement._two_workers({"one_worker": [one], "two_workers": [two]})
    assert row.ratio == pytest.approx(ratio)
    assert (row.unit, row.met) == (unit, met)


async def test_the_ledger_alone_settles_its_tables_to_their_ends_and_a_ledger_that_was_touched_is_no_result(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/settlement.db"
    database = Database(url, SCHEMA)
    migrate(database, MIGRATIONS)
    loop = Loop(url, "t")
    done = await loop.settle(40 * BATCH)
    assert done["items"] == 40 * BATCH
    closed = database.run_sync(
        lambda connection: connection.execute(sa.text("SELECT count(*) FROM tables WHERE state = 'closed'")).scalar_one()
    )
    assert closed >= BATCH, "the first tables are over"
    settlement._proven(url)
    database.run_sync(
        lambda connection: connection.execute(sa.text("UPDATE accounts SET balance = balance + 1 WHERE name = 'wallet:t-1-0'"))
    )
    with pytest.raises(settlement.WrongLedgerError, match="balances_rebuilt"):
        settlement._proven(url)
    database.close()
