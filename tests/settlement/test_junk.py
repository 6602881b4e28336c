"""A stolen password of the table servers at the broker, used to flood the workers with junk: real items are settled meanwhile."""

from __future__ import annotations

import signal
import sys
import time

import pytest

from services.kit import bus
from services.kit.broker_rights import BOUNDS
from services.kit.errors import UnavailableError
from services.kit.publisher import Publisher
from tests.settlement.shop import Shop
from tests.settlement.test_bad_messages import TASKS, told
from tests.settlement.world import CLOSE, stage_body
from tests.support.post import SECONDS, dead_letters
from tests.support.process import Process, wait_until
from tests.support.servers import Postgres, RabbitMQ
from tests.support.strange import Strange, send_all
from tests.support.users import Users


@pytest.fixture
def users(shop: Shop, postgres: Postgres, rabbitmq: RabbitMQ) -> Users:
    """The users at the broker, and the queues with their bounds, as an administrator makes them."""
    made = Users(shop.folder / "users", postgres, postgres.new_database("junk"), shop.broker)
    made.write()
    made.make_at_broker(rabbitmq)
    return made


def junk(shop: Shop, url: str, *options: str) -> Process:
    """Somebody who sends as fast as the broker lets them."""
    return Process([sys.executable, "-m", "tests.support.junk", url, *options], log=shop.folder / "junk")


def put_away(shop: Shop) -> float:
    return sum(value for (name, _), value in shop.figures().items() if name == "xuezhan_part_bad_messages_total")


def in_queues(rabbitmq: RabbitMQ, shop: Shop) -> dict[str, int]:
    listed = rabbitmq.control("list_queues", "--vhost", shop.broker.rpartition("/")[2], "name", "messages", "--quiet", "--no-table-headers")
    return {name: int(count) for name, count in (line.split("\t") for line in listed.splitlines())}


def test_items_are_settled_within_seconds_during_a_flood_of_junk_and_each_piece_of_it_is_counted(
    shop: Shop, users: Users, rabbitmq: RabbitMQ
) -> None:
    tables = {name: shop.table(name, *(stage_body((0, 1, 1), stage=stage) for stage in range(10))) for name in ("t", "u", "v")}
    publisher = Publisher(users.broker("table"))
    with shop.worker(broker=users.broker("worker")) as worker:
        shop.send(*shop.table("first"))
        worker.wait_ready(lambda: shop.through("first") == 1, seconds=SECONDS)
        with junk(shop, users.broker("table"), "--seconds", "60") as flood:
            wait_until(lambda: put_away(shop) > 3_000, seconds=SECONDS, what="the flood")
            for name, items in tables.items():
                begun = time.monotonic()
                publisher.items(shop.post.items(*items), 600)
                shop.ear.wait(name, 11, seconds=SECONDS)
                seconds = time.monotonic() - begun
                print(f"an item settled {seconds:.1f} s after it was sent")
                assert seconds < 15
            assert flood.running
            assert in_queues(rabbitmq, shop)[bus.SETTLEMENT_QUEUE] < 10_000
        wait_until(lambda: in_queues(rabbitmq, shop)[bus.SETTLEMENT_QUEUE] == 0, seconds=SECONDS, what="the end of the junk")
        wait_until(lambda: told(worker) == put_away(shop), seconds=SECONDS, what="each of them in the log, or among those left out")
        assert worker.output().count('"bad_message"') < put_away(shop) / 50
        assert worker.running
    publisher.close()


def test_a_queue_that_is_full_of_junk_takes_items_as_soon_as_it_has_room(shop: Shop, users: Users, rabbitmq: RabbitMQ) -> None:
    """RabbitMQ refuses what a full queue cannot take; it says so to whoever waits for its answer."""
    vhost = shop.broker.rpartition("/")[2]
    name = "xuezhan-jobs"
    pattern, bounds = BOUNDS[name]
    assert bounds["overflow"] == "reject-publish"
    rabbitmq.control("set_policy", "--vhost", vhost, name, pattern, '{"max-length": 10, "overflow": "reject-publish"}')
    publisher = Publisher(users.broker("table"))
    with junk(shop, users.broker("table"), "--most", "500") as flood:
        assert flood.wait(seconds=SECONDS) == 0
    with pytest.raises(UnavailableError, match="the queue is full"):
        publisher.items(shop.post.items(*shop.table("t", CLOSE)), 600)
    assert in_queues(rabbitmq, shop)[bus.SETTLEMENT_QUEUE] < 500
    items = shop.table("u", CLOSE)
    with shop.worker(broker=users.broker("worker")) as worker:
        publisher.items(shop.post.items(*items), 600)
        shop.wait_through("u", 2)
        assert worker.running
    publisher.close()


def test_no_bad_message_is_lost_where_workers_are_killed_while_they_put_many_away(shop: Shop) -> None:
    """One before the broker has them in the dead queue, the next after it and before they are acknowledged."""
    bodies = [b"{%d" % number for number in range(150)]
    marks = {step: shop.folder / step for step in ("unburied", "buried")}
    shop.send(*shop.table("first"))
    send_all(shop.broker, *TASKS, *(Strange("junk", body) for body in bodies))
    shop.send(*shop.table("t", CLOSE))
    for step, mark in marks.items():
        with shop.worker(step, str(mark)) as worker:
            worker.wait_ready(mark.exists, seconds=SECONDS)
            worker.kill()
    with shop.worker() as worker:
        worker.wait_ready(lambda: shop.through("t") == 2, seconds=SECONDS)
        found: set[bytes] = set()

        def all_are_there() -> bool:
            found.update(letter.body for letter in dead_letters(shop.broker, 1))
            return found == set(bodies)

        wait_until(all_are_there, seconds=SECONDS, what="all of them in the dead queue")


def test_a_worker_that_is_told_to_stop_leaves_the_jobs_that_it_has_not_begun_to_others(shop: Shop) -> None:
    mark = shop.folder / "mark"
    tables = [f"t{number}" for number in range(20)]
    for name in tables:
        shop.send(*shop.table(name, CLOSE))
    with shop.worker("gate", str(mark)) as worker:
        worker.wait_ready(mark.exists, seconds=SECONDS)
        worker.signal(signal.SIGTERM)
        mark.with_suffix(".open").touch()
        assert worker.wait(seconds=20) == 0
    assert [name for name in tables if shop.through(name)] in ([], [tables[0]])
    with shop.worker():
        for name in tables:
            shop.ear.wait(name, 2, seconds=SECONDS)
