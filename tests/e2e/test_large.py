"""The large set-up under load: each part is killed in turn, and every coin and every acknowledged action is where it must be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.installation import FAST_ROOMS, Large, assert_whole, report
from tests.support.postgres import Postgres
from tests.support.rabbitmq import RabbitMQ

pytestmark = pytest.mark.timeout(300)

TABLES = 20
HANDS = 2


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres, rabbitmq: RabbitMQ) -> Iterator[Large]:
    with Large(tmp_path_factory.mktemp("large"), postgres, rabbitmq, FAST_ROOMS) as installation:
        yield installation


def play_through(large: Large, fault: Callable[[], None]) -> None:
    """Let `fault` happen in the middle of a load run, and look for everything afterwards."""
    with large.load("--tables", TABLES, "--hands", HANDS) as load:
        large.play_until(load, 500)
        fault()
        assert_whole(report(load, seconds=240), hands=TABLES * HANDS)
    checked = large.ledger_check()
    assert checked.status == 0, checked.out + checked.err


@pytest.mark.parametrize("part", Large.PARTS)
def test_a_part_is_killed_and_started_again_and_nothing_is_lost(large: Large, part: str) -> None:
    def fault() -> None:
        large.kill(part)
        large.start(part)

    play_through(large, fault)


def test_the_broker_is_killed_and_started_again_and_nothing_is_lost(large: Large, rabbitmq: RabbitMQ) -> None:
    play_through(large, rabbitmq.restart_after_kill)


def test_the_database_is_killed_and_started_again_and_nothing_is_lost(large: Large, postgres: Postgres) -> None:
    play_through(large, postgres.restart_after_kill)


def test_everything_over_tls_with_each_part_knowing_its_own_folder_alone(tmp_path: Path, postgres: Postgres, rabbitmq: RabbitMQ) -> None:
    with Large(tmp_path, postgres, rabbitmq, FAST_ROOMS, tls=True) as large:

        def fault() -> None:
            large.kill("table")
            large.start("table")

        play_through(large, fault)
