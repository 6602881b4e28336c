"""Fixtures for every test. Servers are started once a run, by the first test that asks; who kills one starts it again."""

import os
from collections.abc import Iterator

import pytest

from tests.support.server import Server
from tests.support.servers import Postgres, Prometheus, RabbitMQ


def require(server: type[Server]) -> None:
    """Skip the test, saying what to install, when the machine lacks the server; fail it with CI=true."""
    missing = server.missing()
    if missing is not None:
        reason = f"needs {missing}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL; take a database of your own with `new_database`."""
    require(Postgres)
    with Postgres() as server:
        yield server


@pytest.fixture(scope="session")
def rabbitmq() -> Iterator[RabbitMQ]:
    """A RabbitMQ node; take a virtual host of your own with `new_vhost`."""
    require(RabbitMQ)
    with RabbitMQ() as server:
        yield server


@pytest.fixture
def require_prometheus() -> None:
    """Make the test need Prometheus: start it with `Prometheus({"job": ["127.0.0.1:9100"]})`."""
    require(Prometheus)
