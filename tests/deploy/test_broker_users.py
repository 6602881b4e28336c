"""Each role's user at RabbitMQ, made as deploy/README.md says: table servers send items and hear outcomes, workers the other way round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from amqp.exceptions import AccessRefused, ChannelError, NotFound
from kombu import Connection, Exchange, Producer, Queue

from services.kit import broker, bus
from services.kit.broker_rights import BROKER_RIGHTS
from services.kit.confirms import Confirms
from services.kit.items import Item, TableOutcome
from services.kit.letterbox import Letterbox
from services.kit.listener import Listener
from services.kit.messages import ItemsText, Reader
from services.kit.publisher import Publisher
from services.kit.roles import Role
from services.kit.supervise import Supervisor
from tests.support.page import agrees, table
from tests.support.post import Ear, Post, dead_letters
from tests.support.postgres import Postgres
from tests.support.process import wait_until
from tests.support.rabbitmq import RabbitMQ
from tests.support.users import Users

PLACES = ("xuezhan.tasks", "xuezhan.events", "xuezhan.dead", "")
QUEUES = ("xuezhan.settlement", "xuezhan.settlement.dead", "xuezhan.table.table-1", "other")


@pytest.fixture(scope="module")
def vhost(rabbitmq: RabbitMQ) -> str:
    return rabbitmq.new_vhost()


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres, rabbitmq: RabbitMQ, vhost: str) -> Users:
    """The users of an installation, and the queues that its administrator and table server table-1 made; and somebody else's."""
    made = Users(tmp_path_factory.mktemp("users"), postgres, postgres.new_database("brokers"), vhost)
    made.write()
    made.make_at_broker(rabbitmq)
    with bus.connect(vhost) as connection:
        broker.make(connection, bus.outcome_queue("table-1"), Queue("other", Exchange("other"), routing_key="other"))
    return made


@pytest.fixture(params=[role.value for role in BROKER_RIGHTS])
def role(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def connection(users: Users, role: str) -> Iterator[Connection]:
    with bus.connect(users.broker(role)) as connection:
        yield connection


def allowed(connection: Connection, work: Callable[[Any], object]) -> bool:
    """Whether the broker lets this user do this."""
    try:
        with connection.channel() as channel:
            work(channel)
    except AccessRefused:
        return False
    except ChannelError:
        # Its rights were looked at before what was wrong with it.
        return True
    return True


def rights(connection: Connection) -> set[str]:
    """What a user may do, tried: each right at each place there is."""
    return {what for what, work in trials() if allowed(connection, work)}


def trials() -> Iterator[tuple[str, Callable[[Any], object]]]:
    for name in PLACES:
        exchange = Exchange(name, type="topic", durable=True)
        yield f"publish to {name or 'any queue by its name'}", partial(_publish, exchange=exchange)
        if name:
            yield f"make {name}", partial(_make, one=exchange)
            yield f"delete {name}", partial(_delete, name=name)
            yield f"hear {name} by a queue of its own", partial(_bind, queue="xuezhan.table.table-1", exchange=name)
    for name in QUEUES:
        yield f"read {name}", partial(_read, queue=name)
        yield f"empty {name}", partial(_empty, queue=name)
        yield f"bind {name}", partial(_bind, queue=name, exchange="xuezhan.events")
        yield f"delete {name}", partial(_delete_queue, queue=name)
    for name in ("xuezhan.table.table-9", "new", ""):
        yield f"make queue {name or 'without a name'}", partial(_make, one=Queue(name, durable=False, exclusive=not name))


def _publish(channel: Any, exchange: Exchange) -> None:
    confirms = Confirms(channel)
    confirms.expect()
    Producer(channel, exchange, auto_declare=False).publish("x", routing_key="nobody")
    confirms.wait(5)


def _make(channel: Any, one: Queue | Exchange) -> None:
    one(channel).queue_declare() if isinstance(one, Queue) else one(channel).declare()


def _delete(channel: Any, name: str) -> None:
    channel.exchange_delete(name, if_unused=True)


def _bind(channel: Any, queue: str, exchange: str) -> None:
    channel.queue_bind(queue=queue, exchange=exchange, routing_key="tried")


def _read(channel: Any, queue: str) -> None:
    channel.basic_get(queue)


def _empty(channel: Any, queue: str) -> None:
    channel.queue_purge(queue)


def _delete_queue(channel: Any, queue: str) -> None:
    # Not empty, so that it stays where this is allowed.
    channel.queue_delete(queue, if_empty=True)


MAY = {
    "table": {
        "publish to xuezhan.dead",
        "publish to xuezhan.tasks",
        "read xuezhan.table.table-1",
        "empty xuezhan.table.table-1",
        "bind xuezhan.table.table-1",
        "delete xuezhan.table.table-1",
        "make queue xuezhan.table.table-9",
        "hear xuezhan.events by a queue of its own",
    },
    "worker": {"publish to xuezhan.dead", "publish to xuezhan.events", "read xuezhan.settlement", "empty xuezhan.settlement"},
}


def test_a_roles_user_may_do_at_the_broker_what_the_role_needs_and_nothing_else(connection: Connection, role: str) -> None:
    assert rights(connection) == MAY[role]


def test_the_page_on_security_shows_these_rights() -> None:
    rows = [[role, "; ".join(sorted(may))] for role, may in MAY.items()]
    agrees("docs/security.md", "broker rights", table(["role", "may"], rows))


def test_nobody_else_has_a_user(users: Users, rabbitmq: RabbitMQ) -> None:
    listed = {line.split("\t")[0] for line in rabbitmq.control("list_users", "--quiet", "--no-table-headers").splitlines()}
    assert {name for name in listed if name.startswith(users.prefix)} == {f"{users.prefix}table", f"{users.prefix}worker"}


def test_items_outcomes_and_dead_letters_pass_with_these_rights_and_nobody_makes_what_is_there(users: Users, vhost: str) -> None:
    post = Post()
    ear = Ear(users.broker("table"), post, "table-2")
    sender, worker = Publisher(users.broker("table")), Publisher(users.broker("worker"))
    read: list[ItemsText] = []
    letterbox = Letterbox("items", Reader(post.trust).items, worker)

    def take(message: Any) -> None:
        text = letterbox.read(message)
        if text is not None:
            read.append(text)
            message.ack()

    jobs = Listener(
        users.broker("worker"), bus.settlement_queue(users.broker("worker")), take, Supervisor(), "jobs", idle=letterbox.put_away
    )
    jobs.start()
    try:
        sender.items(b"no item", 60)
        sender.items(post.items(Item(table="t", seq=1, body="{}"), server="table-2"), 60)
        wait_until(lambda: bool(read), seconds=20, what="items")
        assert read[0].reply_to == "table-2"

        def told() -> bool:
            worker.outcomes("table-2", b"no outcome")
            worker.outcomes("table-2", post.outcomes("table-2", TableOutcome(table="t", through=1, items=[])))
            return ear.through("t") == 1

        wait_until(told, seconds=20, what="outcomes")
        assert {letter.headers["kind"] for letter in dead_letters(vhost, 2)} == {"items", "outcomes"}
    finally:
        jobs.stop()
        ear.stop()
        sender.close()
        worker.close()


def test_a_queue_that_the_administrator_has_not_made_is_missed_not_made(users: Users) -> None:
    with bus.connect(users.broker("worker")) as connection, pytest.raises(NotFound):
        broker.make(connection, Queue("xuezhan.settlement.new", Exchange("xuezhan.tasks", type="topic"), routing_key="new"))


def test_the_definitions_are_imported_again_without_a_change(users: Users, rabbitmq: RabbitMQ) -> None:
    users.write()
    users.make_at_broker(rabbitmq)
    with bus.connect(users.broker("table")) as connection:
        connection.connect()


def test_every_role_with_rights_is_one_that_the_rights_are_tried_of() -> None:
    assert {Role(name) for name in MAY} == set(BROKER_RIGHTS)
