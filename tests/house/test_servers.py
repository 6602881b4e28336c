"""Law: the servers that tests rely on lose nothing to a kill, and none outlives the tests."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import kombu
import prometheus_client
import pytest
import sqlalchemy as sa
from sqlalchemy.pool import NullPool

from tests.support.process import Process, ProcessError, wait_until
from tests.support.servers import Postgres, Prometheus, RabbitMQ


def test_postgresql_keeps_a_committed_row_through_kill_9(postgres: Postgres) -> None:
    engine = sa.create_engine(postgres.new_database("house"), poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE kept (coins bigint)"))
        connection.execute(sa.text("INSERT INTO kept VALUES (7)"))
    postgres.kill()
    with pytest.raises(sa.exc.OperationalError), engine.connect():
        pass
    postgres.start()
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT coins FROM kept")).scalar_one() == 7
    postgres.restart()
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT coins FROM kept")).scalar_one() == 7


def test_every_new_database_is_empty_and_ones_own(postgres: Postgres) -> None:
    assert postgres.new_database("same") != postgres.new_database("same")


def test_rabbitmq_keeps_a_confirmed_message_through_kill_9(rabbitmq: RabbitMQ) -> None:
    url = rabbitmq.new_vhost()
    options = {"confirm_publish": True}
    queue = kombu.Queue("kept", queue_arguments={"x-queue-type": "quorum"}, durable=True)
    with kombu.Connection(url, transport_options=options) as connection:
        connection.Producer().publish({"coins": 7}, routing_key="kept", declare=[queue], delivery_mode=2)
    rabbitmq.wait_on_disk(url, "kept")
    rabbitmq.kill()
    with pytest.raises(OSError, match="refused"), kombu.Connection(url) as connection:
        connection.connect()
    rabbitmq.start()
    with kombu.Connection(url) as connection:
        message = queue(connection.default_channel).get()
        assert message is not None
        assert message.payload == {"coins": 7}
        message.ack()


def test_prometheus_scrapes_what_it_is_given(require_prometheus: None) -> None:
    registry = prometheus_client.CollectorRegistry()
    prometheus_client.Counter("hands", "Hands played.", registry=registry).inc(3)
    server, thread = prometheus_client.start_http_server(0, "127.0.0.1", registry)
    try:
        with Prometheus({"table": [f"127.0.0.1:{server.server_port}"]}) as prometheus:
            prometheus.wait_scraped()
            assert list(prometheus.scrape_errors().values()) == [""]
            [sample] = prometheus.query("hands_total")
            assert sample.value == 3
            assert sample.labels["job"] == "table"
            prometheus.kill()
            prometheus.start()
            assert sum(sample.value for sample in prometheus.query("max_over_time(hands_total[1m])")) == 3
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_process_that_ends_before_it_is_ready_says_what_it_printed(tmp_path: Path) -> None:
    process = Process(["sh", "-c", "echo no such room; exit 3"], log=tmp_path / "log")
    process.start()
    with pytest.raises(ProcessError, match=r"(?s)status 3.*no such room"):
        process.wait_ready(lambda: False, seconds=10)


def test_no_process_outlives_tests_that_are_killed(tmp_path: Path) -> None:
    script = f"""
import sys, time
from pathlib import Path
from tests.support.process import Process
child = Process(["sleep", "600"], log=Path({str(tmp_path / "log")!r}))
child.start()
print(child.pid, flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as tests:
        assert tests.stdout is not None
        child = int(tests.stdout.readline())
        assert running(child)
        tests.send_signal(signal.SIGKILL)
    wait_until(lambda: not running(child), seconds=10, what="the child gone")


def running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
