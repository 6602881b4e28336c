"""Two matchmaking replicas, each a process of its own, under load: one is killed, or stopped for longer than its lease and continued."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator

import pytest

from services.matchmaking.lease import LEASE_SECONDS
from tests.e2e.installation import FAST_ROOMS, Large, assert_whole, figure, report
from tests.support.postgres import Postgres
from tests.support.process import free_port, wait_until
from tests.support.rabbitmq import RabbitMQ

pytestmark = pytest.mark.timeout(300)

REPLICAS = ("matchmaking", "matchmaking-2")
TABLES = 8
HANDS = 2


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres, rabbitmq: RabbitMQ) -> Iterator[Large]:
    large = Large(tmp_path_factory.mktemp("replicas"), postgres, rabbitmq, FAST_ROOMS)
    port = free_port()
    large.add(REPLICAS[1], "matchmaking", port)
    large.addresses["matchmaking"] += f",127.0.0.1:{port}"
    with large:
        yield large


def play_through(large: Large, fault: Callable[[], None]) -> None:
    """Let two load runs play while `fault` happens, and look for everything afterwards. The players of each begin at another replica."""
    both = large.addresses["matchmaking"]
    with large.load("--tables", TABLES, "--hands", HANDS) as load:
        large.addresses["matchmaking"] = ",".join(reversed(both.split(",")))
        # Another game, so that the runs do not share tables.
        with large.load("--tables", TABLES, "--hands", HANDS, game="happy_sichuan") as other:
            large.addresses["matchmaking"] = both
            large.play_until(other, 300)
            fault()
            assert_whole(report(load, seconds=200), hands=TABLES * HANDS)
            assert_whole(report(other, seconds=200), hands=TABLES * HANDS)
    checked = large.ledger_check()
    assert checked.status == 0, checked.out + checked.err


def seated_by(large: Large, name: str) -> float:
    return figure(large.metrics[name], "xuezhan_matchmaking_seating_seconds_count") or 0


def test_players_are_seated_whichever_replica_they_asked(installation: Large) -> None:
    play_through(installation, lambda: None)
    assert sum(seated_by(installation, name) for name in REPLICAS) >= 2 * TABLES


def test_a_replica_is_killed_and_the_other_goes_on(installation: Large) -> None:
    name = REPLICAS[0]
    try:
        play_through(installation, lambda: installation.kill(name))
    finally:
        installation.start(name)


def test_a_replica_that_is_stopped_past_its_lease_and_continued_does_no_harm(installation: Large) -> None:
    process = installation.parts[REPLICAS[1]]

    def fault() -> None:
        process.signal(signal.SIGSTOP)
        try:
            time.sleep(LEASE_SECONDS + 1)
        finally:
            process.signal(signal.SIGCONT)

    play_through(installation, fault)
    wait_until(lambda: seated_by(installation, REPLICAS[1]) > 0, seconds=20, what="its figures")
