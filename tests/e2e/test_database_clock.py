"""The database's clock is set an hour ahead or back while everything plays: matchmaking, table servers and settlement all go by it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import xuezhan
from tests.e2e.installation import FAST_ROOMS, Large, assert_whole, report
from tests.support.clock import Clock
from tests.support.postgres import Postgres
from tests.support.process import wait_until
from tests.support.rabbitmq import RabbitMQ

pytestmark = [pytest.mark.timeout(600), pytest.mark.drill]

TABLES = 12
HANDS = 4
SERVERS = 3
HOUR = 3600


@pytest.fixture
def clock() -> Iterator[Clock]:
    if (missing := Clock.missing()) is not None:
        pytest.skip(f"needs {missing}")
    with Clock() as made:
        yield made


@pytest.fixture
def large(clock: Clock, tmp_path: Path, rabbitmq: RabbitMQ) -> Iterator[Large]:
    if (missing := Postgres.missing()) is not None:
        pytest.skip(f"needs {missing}")
    with (
        Postgres(env=clock.environment) as postgres,
        Large(tmp_path, postgres, rabbitmq, FAST_ROOMS, servers=SERVERS) as installation,
    ):
        yield installation


@pytest.mark.parametrize("seconds", [HOUR, -HOUR])
def test_a_jump_of_the_databases_clock_costs_a_pause(large: Large, clock: Clock, seconds: int) -> None:
    def serving() -> bool:
        return [row["state"] for row in xuezhan("servers", "--json", *large.where()).lines] == ["serving"] * SERVERS

    with large.load("--tables", TABLES, "--hands", HANDS, "--think", 0.2) as load:
        large.play_until(load, 200)
        clock.jump(seconds)
        # Leases are renewed, or lost and claimed again.
        time.sleep(2)
        wait_until(serving, seconds=20, what="all serve")
        large.play_until(load, 100)
        found = report(load, seconds=240)
    print({key: found[key] for key in ("unanswered_p50_ms", "unanswered_p99_ms", "unanswered_max_ms", "streams_broken", "moves", "waits")})
    assert_whole(found, hands=TABLES * HANDS)
    assert found["faults"] == {}
    assert found["never_answered"] == 0
    assert found["unanswered_max_ms"] < 10_000
    checked = large.ledger_check()
    assert checked.status == 0, checked.out + checked.err
