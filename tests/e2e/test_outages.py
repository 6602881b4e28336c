"""Two minutes without a worker, and two minutes without the broker: play goes on within ten seconds of the end, and nothing is lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from tests.e2e.held import nothing_left_behind
from tests.e2e.installation import FAST_ROOMS, Large, assert_whole, figure, report
from tests.support.postgres import Postgres
from tests.support.process import wait_until
from tests.support.rabbitmq import RabbitMQ

pytestmark = [pytest.mark.drill, pytest.mark.timeout(900)]

TABLES = 20
HANDS = 12
OUTAGE_SECONDS = 120
GOES_ON_SECONDS = 10
ACTIONS = 300
"""So many more are play, at twenty tables, and not the end of hands that were dealt before."""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres, rabbitmq: RabbitMQ) -> Iterator[Large]:
    with Large(tmp_path_factory.mktemp("outages"), postgres, rabbitmq, FAST_ROOMS) as installation:
        yield installation


def actions(large: Large) -> float:
    return figure(large.metrics["table"], "xuezhan_table_actions_total") or 0


def drill(large: Large, name: str, begin: Callable[[], object], end: Callable[[], object]) -> None:
    with nothing_left_behind(large), large.load("--tables", TABLES, "--hands", HANDS) as load:
        large.play_until(load, 500)
        begin()
        time.sleep(OUTAGE_SECONDS)
        assert load.running, load.output()[-2000:]
        before = actions(large)
        end()
        ended = time.monotonic()
        wait_until(lambda: actions(large) >= before + ACTIONS, seconds=120, what="play")
        seconds = time.monotonic() - ended
        print(f"{name}: play went on {seconds:.1f} s after the end")
        assert_whole(report(load, seconds=300), hands=TABLES * HANDS)
    checked = large.ledger_check()
    assert checked.status == 0, checked.out + checked.err
    assert seconds <= GOES_ON_SECONDS


def test_play_goes_on_soon_after_two_minutes_without_a_worker(large: Large) -> None:
    drill(large, "no worker", lambda: large.kill("worker"), lambda: large.start("worker"))


def test_play_goes_on_soon_after_two_minutes_without_the_broker(large: Large, rabbitmq: RabbitMQ) -> None:
    drill(large, "no broker", rabbitmq.kill, rabbitmq.start)
