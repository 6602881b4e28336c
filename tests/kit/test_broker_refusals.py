"""What a broker refuses is told in its own words, and keeps the part from serving until it is mended; a broker that is away does not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from amqp import exceptions as amqp
from kombu import Queue
from kombu.exceptions import OperationalError
from prometheus_client import CollectorRegistry

from services.kit import bus
from services.kit.broker_link import AWAY_SECONDS, REFUSED_SECONDS, pause, words
from services.kit.errors import UnavailableError
from services.kit.items import TableOutcome
from services.kit.publisher import Letter, Publisher
from services.kit.supervise import Supervisor
from tests.support.post import Ear, Post
from tests.support.process import free_port, wait_until
from tests.support.servers import RabbitMQ

SECRET = "a-password-that-nobody-may-read"
_names = (f"late{number}" for number in range(100))


@pytest.fixture
def supervisor() -> Supervisor:
    return Supervisor(CollectorRegistry())


@pytest.fixture
def late(rabbitmq: RabbitMQ) -> str:
    """The URL of a virtual host that does not exist yet."""
    return rabbitmq.url.removesuffix("//") + f"/{next(_names)}"


def make_vhost(rabbitmq: RabbitMQ, url: str) -> None:
    name = url.rpartition("/")[2]
    rabbitmq.control("add_vhost", name)
    rabbitmq.control("set_permissions", "--vhost", name, "guest", ".*", ".*", ".*")


@pytest.fixture
def ear(late: str, supervisor: Supervisor) -> Iterator[Callable[[str], Ear]]:
    made: list[Ear] = []

    def make(url: str) -> Ear:
        made.append(Ear(url, Post(), supervisor=supervisor))
        return made[-1]

    yield make
    for one in made:
        one.stop()


def faults(supervisor: Supervisor) -> list[str]:
    return list(supervisor._faults.values())


@pytest.mark.parametrize(
    ("error", "said", "refused"),
    [
        (amqp.AccessRefused("ACCESS_REFUSED - no", None, None, 403), "403 ACCESS_REFUSED - no", True),
        (amqp.NotFound("NOT_FOUND - no queue", (50, 10), None, 404), "404 NOT_FOUND - no queue", True),
        (amqp.PreconditionFailed("PRECONDITION_FAILED - x", (50, 10), None, 406), "406 PRECONDITION_FAILED - x", True),
        (amqp.NotAllowed("NOT_ALLOWED - vhost x not found", (10, 40), None, 530), "530 NOT_ALLOWED - vhost x not found", True),
        (amqp.InternalError("INTERNAL_ERROR - vhost is down", (10, 40), None, 541), "541 INTERNAL_ERROR - vhost is down", True),
        (amqp.ConnectionForced("CONNECTION_FORCED - shutdown", (0, 0), None, 320), "320 CONNECTION_FORCED - shutdown", False),
        (ConnectionRefusedError(111, "Connection refused"), "[Errno 111] Connection refused", False),
        (TimeoutError(), "TimeoutError", False),
    ],
)
def test_what_the_broker_says_is_told_from_its_silence(error: Exception, said: str, refused: bool) -> None:
    assert words(error) == (said, refused)
    wrapped = OperationalError("something")
    wrapped.__cause__ = error
    assert words(wrapped) == (said, refused)


def test_a_wrong_password_is_told_in_the_brokers_words_and_nowhere_repeated(
    rabbitmq: RabbitMQ, supervisor: Supervisor, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    url = rabbitmq.new_vhost().replace("guest:guest", f"guest:{SECRET}")
    publisher = Publisher(url, supervisor)
    with pytest.raises(UnavailableError) as caught:
        publisher.dead([Letter(b"", {})])
    assert caught.value.reason == "broker_refuses"
    assert caught.value.message.startswith("the broker refuses: 403 ACCESS_REFUSED - Login was refused")
    assert pause(caught.value) == REFUSED_SECONDS > AWAY_SECONDS
    logged = "".join(capfd.readouterr()) + caplog.text
    assert "broker_refuses" in logged
    assert "403 ACCESS_REFUSED" in logged
    assert not supervisor.ready
    assert SECRET not in logged + str(caught.value) + repr(caught.value.__cause__) + "".join(faults(supervisor))
    publisher.close()


def test_a_broker_that_is_away_is_no_refusal(supervisor: Supervisor) -> None:
    publisher = Publisher(f"amqp://guest:{SECRET}@127.0.0.1:{free_port()}//", supervisor)
    with pytest.raises(UnavailableError, match=r"^the broker does not answer: \[Errno 111\] Connection refused$") as caught:
        publisher.dead([Letter(b"", {})])
    assert (caught.value.reason, supervisor.ready, pause(caught.value)) == ("broker", True, AWAY_SECONDS)
    publisher.close()


def test_who_hears_outcomes_waits_for_a_virtual_host_that_is_missing_and_serves_when_it_is_made(
    rabbitmq: RabbitMQ, late: str, supervisor: Supervisor, ear: Callable[[str], Ear]
) -> None:
    heard = ear(late)
    wait_until(lambda: not supervisor.ready, seconds=20, what="the refusal")
    assert faults(supervisor)[0].startswith("530 NOT_ALLOWED")
    make_vhost(rabbitmq, late)
    wait_until(lambda: supervisor.ready, seconds=REFUSED_SECONDS + 5, what="the end of it")
    told(late, heard)


def test_a_queue_that_is_there_with_other_arguments_is_told_until_it_is_gone(
    rabbitmq: RabbitMQ, supervisor: Supervisor, ear: Callable[[str], Ear]
) -> None:
    url = rabbitmq.new_vhost()
    name = bus.outcome_queue("server-1").name
    with bus.connect(url) as connection:
        other: Any = Queue(name, bus.EVENTS, routing_key="x", durable=True)
        other(connection).declare()
        heard = ear(url)
        wait_until(lambda: not supervisor.ready, seconds=20, what="the refusal")
        assert faults(supervisor)[0].startswith("406 PRECONDITION_FAILED - inequivalent arg 'x-expires' for queue")
        other(connection).delete()
    wait_until(lambda: supervisor.ready, seconds=REFUSED_SECONDS + 5, what="the end of it")
    told(url, heard)


def test_a_queue_that_is_deleted_under_its_reader_is_made_again(
    rabbitmq: RabbitMQ, supervisor: Supervisor, ear: Callable[[str], Ear]
) -> None:
    url = rabbitmq.new_vhost()
    heard = ear(url)
    told(url, heard)
    with bus.connect(url) as connection:
        bus.outcome_queue("server-1")(connection).delete()
    heard.heard.clear()
    told(url, heard)
    assert supervisor.ready
    assert not [thread for thread in threading.enumerate() if "outcomes" in thread.name and not thread.is_alive()]


def told(url: str, heard: Ear) -> None:
    """Send outcomes until they are heard: what is sent while there is no queue is not kept."""
    publisher, table = Publisher(url), TableOutcome(table="t", through=1, items=[])

    def send() -> bool:
        publisher.outcomes("server-1", heard.post.outcomes("server-1", table))
        return heard.through("t") == 1

    wait_until(send, seconds=20, what="an outcome")
    publisher.close()
