"""The broker tells of its queues one by one on the path that Prometheus is told, without a setting at the broker."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator

import pytest
import yaml
from kombu import Connection
from prometheus_client.parser import text_string_to_metric_families

from services.kit.bus import DEAD_QUEUE, SETTLEMENT_QUEUE
from tests.conftest import require
from tests.support.process import wait_until
from tests.support.servers import RabbitMQ
from tests.support.source import ROOT

DEPLOY = ROOT / "deploy" / "prometheus"


@pytest.fixture(scope="module")
def broker() -> Iterator[RabbitMQ]:
    require(RabbitMQ)
    with RabbitMQ(metrics=True) as started:
        yield started


def samples(broker: RabbitMQ, path: str) -> dict[tuple[str, str], float]:
    """Figures by name and queue."""
    with urllib.request.urlopen(f"http://{broker.metrics_address}{path}", timeout=10) as answer:
        families = text_string_to_metric_families(answer.read().decode())
        return {(sample.name, sample.labels.get("queue", "")): sample.value for family in families for sample in family.samples}


def test_the_dead_and_the_waiting_are_told_of_each_queue(broker: RabbitMQ) -> None:
    jobs = yaml.safe_load((DEPLOY / "prometheus.yml").read_text())["scrape_configs"]
    (path,) = [job["metrics_path"] for job in jobs if job["job_name"] == "rabbitmq"]
    with Connection(broker.new_vhost()) as connection:
        for name in (SETTLEMENT_QUEUE, DEAD_QUEUE):
            connection.SimpleQueue(name).close()
        with connection.SimpleQueue(DEAD_QUEUE) as dead:
            dead.put({"nobody": "believes this"})
        wait_until(
            lambda: samples(broker, path).get(("rabbitmq_queue_messages", DEAD_QUEUE)) == 1, seconds=30, what="the figure of the dead queue"
        )
    assert ("rabbitmq_queue_messages", SETTLEMENT_QUEUE) in samples(broker, path)
    assert ("rabbitmq_queue_messages", DEAD_QUEUE) not in samples(broker, "/metrics")
    named = {name for name, _ in samples(broker, path)}
    assert {"rabbitmq_disk_space_available_bytes", "rabbitmq_disk_space_available_limit_bytes"} <= named
