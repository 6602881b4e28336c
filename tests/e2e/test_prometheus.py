"""A real Prometheus scrapes every part while a load runs, and counts what the load itself counts."""

from __future__ import annotations

import contextlib
import urllib.request
from pathlib import Path

import pytest

from tests.e2e.installation import FAST_ROOMS, Embedded, Installation, Large, assert_whole, report
from tests.support.figures import OF_EVERY_PART, PREFIXES, scraped, written
from tests.support.postgres import Postgres
from tests.support.process import ProcessError, wait_until
from tests.support.prometheus import Prometheus
from tests.support.rabbitmq import RabbitMQ

pytestmark = [pytest.mark.timeout(300), pytest.mark.usefixtures("require_prometheus")]

ACTIONS = "sum(xuezhan_table_actions_total)"
HANDS = "sum(xuezhan_table_hands_total)"
STAGES = 'sum(xuezhan_settlement_items_total{kind="stage",result="applied"})'
LATENCY = "sum(xuezhan_table_action_durable_seconds_count)"


def assert_named(part: str, address: str) -> None:
    """Every figure that a part exports is told by its prefix whose it is, and found in the source under its name."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as answer:
        names = scraped(answer.read().decode())
    own = (PREFIXES["settlement" if part == "worker" else part], OF_EVERY_PART, "grpc_server_")
    assert [name for name in names if not name.startswith(own)] == []
    assert names - written() == set()


def scrape_a_load(installation: Installation) -> None:
    """Run a load beside a Prometheus and compare their figures."""
    targets = {part: [address] for part, address in installation.metrics.items()}
    with Prometheus(targets) as prometheus:
        prometheus.wait_scraped()
        with installation.load("--tables", 10, "--hands", 2) as load:
            found = report(load, seconds=200)
        assert_whole(found, hands=20)

        def read(expression: str) -> float:
            return sum(sample.value for sample in prometheus.query(expression))

        due = {
            ACTIONS: found["actions_recorded"],
            HANDS: found["hands"],
            STAGES: found["stages_settled"],
        }
        with contextlib.suppress(ProcessError):
            wait_until(lambda: {name: read(name) for name in due} == due, seconds=20, what="the last scrape")
        assert {name: read(name) for name in due} == due
        assert read(LATENCY) == found["actions_accepted"]
        assert set(prometheus.scrape_errors().values()) == {""}
        for part, address in installation.metrics.items():
            assert_named(part, address)
        assert read("sum(xuezhan_table_refusals_total)") == sum(found["refusals"].values())
        assert read("max(xuezhan_settlement_unsettled_items)") == 0


def test_every_part_of_the_embedded_server_is_scraped_and_counts_what_the_load_counts(tmp_path: Path) -> None:
    with Embedded(tmp_path) as up:
        scrape_a_load(up)


def test_every_part_of_the_large_set_up_is_scraped_and_counts_what_the_load_counts(
    tmp_path: Path, postgres: Postgres, rabbitmq: RabbitMQ
) -> None:
    with Large(tmp_path, postgres, rabbitmq, FAST_ROOMS) as large:
        scrape_a_load(large)
