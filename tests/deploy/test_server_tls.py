"""PostgreSQL and RabbitMQ over TLS: one CA file for everything, and nobody is believed whom it did not sign, or who is somebody else."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from amqp.exceptions import AccessRefused

from services.kit import broker, bus
from services.kit.config import ServiceSettings
from services.kit.database import Database
from services.kit.errors import UnavailableError
from services.kit.items import Item, TableOutcome
from services.kit.letterbox import body_of
from services.kit.metrics import MetricsServer, new_registry
from services.kit.publisher import Letter, Publisher
from services.kit.tls import ServerTls
from services.settlement.config import WorkerSettings
from tests.cli.command import xuezhan
from tests.conftest import require
from tests.support.certificates import Authority, Pair
from tests.support.keyring import Keyring
from tests.support.post import Ear, Post
from tests.support.process import free_port, wait_until
from tests.support.rabbitmq import answers
from tests.support.servers import Postgres, Prometheus, RabbitMQ
from tests.support.source import ROOT

HOSTS = ["127.0.0.1"]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CA that signed nothing here."""
    return Authority(tmp_path_factory.mktemp("stranger"), "stranger").file


def settings(database: str, ca: Path, broker_url: str = "memory://") -> ServiceSettings:
    return ServiceSettings(database_url=database, broker_url=broker_url, ca_file=ca, secrets=Path("keys"))


def _readable(pair: Pair, folder: Path) -> Pair:
    """Copies of a certificate and its key, which the user `postgres` alone may read."""
    copies = Pair(folder / "server.pem", folder / "server.key")
    for source, copy in zip(pair, copies, strict=True):
        copy.write_bytes(source.read_bytes())
        copy.chmod(0o600)
        if os.geteuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(copy, account.pw_uid, account.pw_gid)
    return copies


@pytest.fixture(scope="module")
def tls_postgres(authority: Authority) -> Iterator[Postgres]:
    require(Postgres)
    server = Postgres(settings={"ssl": "on", "ssl_cert_file": "../server.pem", "ssl_key_file": "../server.key"})
    _readable(authority.issue("postgres", HOSTS), server.folder)
    with server:
        yield server


def test_a_database_is_reached_by_tls_with_the_ca_of_the_settings_alone(
    tls_postgres: Postgres, authority: Authority, stranger: Path
) -> None:
    url = tls_postgres.new_database("tls") + "?sslmode=verify-full"

    def version(ca: Path, url: str = url) -> str:
        database = Database(settings(url, ca).database_url, "x", 1)
        try:
            answer = database.run_sync(lambda c: c.exec_driver_sql("SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()").scalar())
            return str(answer)
        finally:
            database.close()

    assert version(authority.file).startswith("TLS")
    with pytest.raises(UnavailableError) as caught:
        version(stranger)
    assert "SSL error: certificate verify failed" in str(caught.value.__cause__)
    with pytest.raises(UnavailableError) as caught:
        version(authority.file, url.replace("127.0.0.1", "localhost"))
    assert "localhost" in str(caught.value.__cause__)


@pytest.fixture(scope="module")
def tls_rabbitmq(authority: Authority) -> Iterator[str]:
    """The amqps URL of a node without rights to anything but its first virtual host."""
    require(RabbitMQ)
    pair, port = authority.issue("rabbitmq", HOSTS), free_port()
    options = {
        "listeners.ssl.1": f"127.0.0.1:{port}",
        "ssl_options.cacertfile": str(authority.file),
        "ssl_options.certfile": str(pair.certificate),
        "ssl_options.keyfile": str(pair.key),
        "ssl_options.verify": "verify_none",
    }
    with RabbitMQ(settings=options) as server:
        # It listens there last.
        wait_until(lambda: answers(port), seconds=20, what="the port for TLS")
        yield server.new_vhost().replace("amqp://", "amqps://").replace(f":{server.port}/", f":{port}/")


def test_a_broker_is_reached_by_tls_with_the_ca_of_the_settings_alone(tls_rabbitmq: str, authority: Authority, stranger: Path) -> None:
    def send(ca: Path, url: str = tls_rabbitmq) -> None:
        publisher = Publisher(settings("sqlite://", ca, url).broker_url)
        try:
            publisher.dead([Letter(b"", {})])
        finally:
            publisher.close()

    send(authority.file)
    with pytest.raises(UnavailableError, match="the broker refuses: its certificate: self-signed certificate in certificate chain"):
        send(stranger)
    with pytest.raises(UnavailableError, match="the broker refuses: its certificate: Hostname mismatch"):
        send(authority.file, tls_rabbitmq.replace("127.0.0.1", "localhost"))


def test_jobs_and_outcomes_pass_a_broker_over_tls(tls_rabbitmq: str, authority: Authority) -> None:
    url = settings("sqlite://", authority.file, tls_rabbitmq).broker_url
    publisher, post = Publisher(url), Post()
    ear = Ear(url, post, "table-1")
    try:
        message = post.items(Item(table="t", seq=1, body="{}"))
        publisher.items(message, 60)
        with bus.connect(url) as connection:
            waiting = connection.SimpleQueue(_found(url))
            assert body_of(waiting.get(timeout=20)) == message

        def told() -> bool:
            publisher.outcomes("table-1", post.outcomes("table-1", TableOutcome(table="t", through=1, items=[])))
            return ear.through("t") == 1

        wait_until(told, seconds=20, what="an outcome")
    finally:
        ear.stop()
        publisher.close()


def _found(url: str) -> Any:
    queue: Any = bus.settlement_queue(url)
    queue.no_declare = True
    return queue


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("amqps://h/v", {"cert_reqs": 2, "server_hostname": "h"}),
        ("amqps://h/v?cacertfile=/a%20b", {"cert_reqs": 2, "server_hostname": "h", "ca_certs": "/a b"}),
        ("amqp://h/v", False),
        ("memory://", False),
    ],
)
def test_a_brokers_certificate_is_always_checked(url: str, says: object) -> None:
    assert broker.tls(url) == says


def test_the_broker_of_the_compose_file_has_its_users_queues_and_tls_from_the_first_start(tmp_path: Path) -> None:
    """With rabbitmq.conf, tls.conf and what the job `keys` puts into the broker's folder."""
    require(RabbitMQ)
    secrets, port = Keyring(tmp_path / "keys").folder, free_port()
    users = ("users", "--database", "127.0.0.1/x", "--broker", f"127.0.0.1:{port}/xuezhan", "--tls")
    for command in (users, ("certificates", "--host", "rabbitmq=rabbitmq")):
        made = xuezhan(*command, "--secrets", secrets)
        assert made.status == 0, made.err
    folder = secrets / "rabbitmq"
    (folder / "broker.json").write_bytes((secrets / "administrator" / "broker.json").read_bytes())
    options: dict[str, str] = {}
    for file in ("rabbitmq.conf", "tls.conf"):
        lines = (ROOT / "deploy" / "rabbitmq" / file).read_text().replace("/keys/", f"{folder}/").splitlines()
        options |= dict(line.split(" = ", 1) for line in lines if line and not line.startswith("#"))
    assert options.pop("listeners.tcp") == "none"
    # The tests' own port stays, for the fixture to see that the node is up.
    options |= {"listeners.ssl.1": f"127.0.0.1:{port}", "disk_free_limit.absolute": "50MB"}
    assert options.pop("listeners.ssl.default") == "5671"
    with RabbitMQ(settings=options):
        url = WorkerSettings(secrets=secrets / "worker").broker_url
        assert url.startswith("amqps://")
        publisher = Publisher(url)
        publisher.dead([Letter(b"", {})])
        publisher.close()
        with bus.connect(url.replace("worker", "table")) as stranger, pytest.raises(AccessRefused):
            stranger.connect()


@pytest.mark.usefixtures("require_prometheus")
def test_prometheus_scrapes_by_tls_whom_its_ca_signed_and_nobody_else(authority: Authority, stranger: Path) -> None:
    registry = new_registry()
    tls = ServerTls(*authority.issue("scraped", HOSTS))
    tls.export(registry)
    server = MetricsServer(registry, "127.0.0.1", 0, tls)
    try:
        with Prometheus({"part": [f"127.0.0.1:{server.port}"]}, authority.file) as prometheus:
            prometheus.wait_scraped()
            assert list(prometheus.scrape_errors().values()) == [""]
            wait_until(lambda: bool(prometheus.query("xuezhan_part_certificate_expires_timestamp_seconds")), seconds=10, what="the expiry")
        with Prometheus({"part": [f"127.0.0.1:{server.port}"]}, stranger) as prometheus:
            prometheus.wait_scraped()
            assert "certificate signed by unknown authority" in "".join(prometheus.scrape_errors().values())
    finally:
        server.stop()
