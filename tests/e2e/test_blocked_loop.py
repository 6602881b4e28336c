"""The event loop of a table server is blocked for longer than its lease, while its threads live on: others go on with its tables."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.held import nothing_left_behind
from tests.e2e.installation import FAST_ROOMS, Large, assert_whole, figure, report
from tests.support.postgres import Postgres
from tests.support.process import wait_until
from tests.support.rabbitmq import RabbitMQ

pytestmark = [pytest.mark.timeout(600), pytest.mark.drill]

TABLES = 12
SERVERS = ("table", "table-2", "table-3")
BLOCKED_SECONDS = 9
"""Past the lease, and past the time in which others take the tables up."""
BLOCKS = f"""
import signal, time
# A handler runs on the thread of the event loop.
signal.signal(signal.SIGUSR1, lambda *_: (print("blocked", flush=True), time.sleep({BLOCKED_SECONDS}), print("goes on", flush=True)))
"""


@pytest.fixture
def large(tmp_path: Path, postgres: Postgres, rabbitmq: RabbitMQ) -> Iterator[Large]:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(BLOCKS)
    environments = {server: {"PYTHONPATH": str(tmp_path / "site")} for server in SERVERS}
    with Large(tmp_path, postgres, rabbitmq, FAST_ROOMS, servers=len(SERVERS), environments=environments) as installation:
        yield installation


def test_a_server_whose_loop_is_blocked_past_its_lease_loses_its_tables_and_costs_its_players_a_pause(large: Large) -> None:
    def adopted() -> float:
        return sum(figure(large.metrics[other], "xuezhan_table_adopted_total") or 0 for other in SERVERS)

    def tables(server: str) -> float:
        return figure(large.metrics[server], "xuezhan_table_tables") or 0

    with nothing_left_behind(large), large.load("--tables", TABLES, "--hands", 2, "--think", 0.2) as load:
        large.play_until(load, 100)
        wait_until(lambda: any(tables(server) for server in SERVERS), seconds=30, what="a server has tables")
        server = max(SERVERS, key=tables)
        had = tables(server)
        process = large.parts[server]
        process.signal(signal.SIGUSR1)
        wait_until(lambda: adopted() >= had, seconds=BLOCKED_SECONDS, what="others adopt its tables")
        # The thread of the figures answers: only the loop is blocked.
        assert tables(server) == had
        assert "goes on" not in process.output()
        found = report(load, seconds=240)
    assert process.output().count("goes on") == 1
    assert_whole(found, hands=TABLES * 2)
    assert found["faults"] == {}
    assert found["moves"] > 0
    assert found["never_answered"] == 0
    assert found["unanswered_max_ms"] < 10_000
    checked = large.ledger_check()
    assert checked.status == 0, checked.out + checked.err
