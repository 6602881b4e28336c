"""The clock of a table server's machine is set an hour ahead or back, and right again, while it plays."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.command import xuezhan
from tests.e2e.installation import FAST_ROOMS, Large, assert_whole, figure, report
from tests.support.clock import Clock
from tests.support.postgres import Postgres
from tests.support.process import wait_until
from tests.support.rabbitmq import RabbitMQ

pytestmark = [pytest.mark.timeout(600), pytest.mark.drill]

SERVERS = ("table", "table-2", "table-3")
TABLES = 12
HANDS = 4
HOUR = 3600
WRONG_SECONDS = 12
"""Past the lease, and past what a client waits for an answer."""


@pytest.fixture
def clocks() -> Iterator[dict[str, Clock]]:
    """A clock for each table server."""
    if (missing := Clock.missing()) is not None:
        pytest.skip(f"needs {missing}")
    with ExitStack() as stack:
        yield {server: stack.enter_context(Clock()) for server in SERVERS}


@pytest.fixture
def large(clocks: dict[str, Clock], tmp_path: Path, postgres: Postgres, rabbitmq: RabbitMQ) -> Iterator[Large]:
    environments = {server: clock.environment for server, clock in clocks.items()}
    with Large(tmp_path, postgres, rabbitmq, FAST_ROOMS, servers=len(SERVERS), environments=environments) as installation:
        yield installation


@pytest.mark.parametrize("seconds", [HOUR, -HOUR])
def test_a_clock_that_is_wrong_for_a_while_costs_no_lease_and_no_action(large: Large, clocks: dict[str, Clock], seconds: int) -> None:
    """Leases run on the database's clock, deadlines on a clock that only goes on. What its tokens say is wrong meanwhile, and the other
    servers take what it cannot.
    """

    def tables(server: str) -> float:
        return figure(large.metrics[server], "xuezhan_table_tables") or 0

    with large.load("--tables", TABLES, "--hands", HANDS, "--think", 0.2) as load:
        large.play_until(load, 100)
        wait_until(lambda: any(tables(server) for server in SERVERS), seconds=30, what="a server has tables")
        server = max(SERVERS, key=tables)
        before = figure(large.metrics[server], "xuezhan_table_actions_total") or 0
        clocks[server].jump(seconds)
        time.sleep(WRONG_SECONDS)
        assert (figure(large.metrics[server], "xuezhan_table_actions_total") or 0) > before
        clocks[server].jump(0)
        listed = xuezhan("servers", "--json", *large.where())
        assert [row["state"] for row in listed.lines] == ["serving"] * len(SERVERS)
        found = report(load, seconds=240)
    print({key: found[key] for key in ("unanswered_p50_ms", "unanswered_p99_ms", "unanswered_max_ms", "streams_broken", "moves", "waits")})
    assert_whole(found, hands=TABLES * HANDS)
    assert found["faults"] == {}
    assert found["streams_broken"] == 0
    assert found["moves"] == 0
    assert found["never_answered"] == 0
    assert found["unanswered_max_ms"] < 5_000
    checked = large.ledger_check()
    assert checked.status == 0, checked.out + checked.err
