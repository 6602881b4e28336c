"""A table server that is stopped breaks no connection: its clients leave it by themselves, and it is silent when it goes on."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.held import nothing_left_behind
from tests.e2e.installation import FAST_ROOMS, Large, assert_whole, figure, report
from tests.support.postgres import Postgres
from tests.support.process import wait_until
from tests.support.rabbitmq import RabbitMQ

pytestmark = [pytest.mark.timeout(300), pytest.mark.drill]

TABLES = 12
FROZEN_SECONDS = 9
"""Past its lease, and past the time in which others take its tables up."""


@pytest.fixture
def large(tmp_path: Path, postgres: Postgres, rabbitmq: RabbitMQ) -> Iterator[Large]:
    with Large(tmp_path, postgres, rabbitmq, FAST_ROOMS, servers=3) as installation:
        yield installation


def test_a_server_that_is_stopped_past_its_lease_and_goes_on_costs_its_players_a_pause(large: Large) -> None:
    with nothing_left_behind(large), large.load("--tables", TABLES, "--hands", 2, "--think", 0.2) as load:
        large.play_until(load, 100)

        def tables(server: str) -> float:
            return figure(large.metrics[server], "xuezhan_table_tables") or 0

        wait_until(lambda: any(tables(server) for server in large.servers), seconds=30, what="a server has tables")
        server = max(large.servers, key=tables)
        os.kill(large.parts[server].pid, signal.SIGSTOP)
        time.sleep(FROZEN_SECONDS)
        os.kill(large.parts[server].pid, signal.SIGCONT)
        found = report(load, seconds=240)
    assert_whole(found, hands=TABLES * 2)
    assert found["faults"] == {}
    assert found["streams_broken"] == 1, "given up by the client"
    assert found["moves"] > 0
    assert found["never_answered"] == 0
    assert found["unanswered_max_ms"] < 10_000
    checked = large.ledger_check()
    assert checked.status == 0, checked.out + checked.err
