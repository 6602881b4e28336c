"""Workers that their broker refuses wait for as long as it takes, say why, and settle when it is mended."""

from __future__ import annotations

from services.kit.broker_link import REFUSED_SECONDS
from tests.settlement.shop import Shop
from tests.settlement.world import CLOSE
from tests.support.post import SECONDS
from tests.support.process import ProcessError, wait_until
from tests.support.servers import RabbitMQ

SECRET = "a-password-that-nobody-may-read"
FAULT, CONNECTED = ("xuezhan_part_serving_faults", "broker"), ("xuezhan_part_broker_connected", "jobs")


def figure(shop: Shop, name: tuple[str, str]) -> float | None:
    try:
        return shop.figures().get(name)
    except OSError:
        return None


def test_a_worker_with_a_wrong_password_waits_and_settles_when_the_password_is_right(shop: Shop, rabbitmq: RabbitMQ) -> None:
    rabbitmq.control("add_user", "worker", "another")
    broker = shop.broker.replace("guest:guest", f"worker:{SECRET}")
    with shop.worker(broker=broker) as worker:
        worker.wait_ready(lambda: figure(shop, FAULT) == 1, seconds=SECONDS)
        assert figure(shop, CONNECTED) == 0
        shop.send(*shop.table("t", CLOSE))
        rabbitmq.control("change_password", "worker", SECRET)
        rabbitmq.control("set_permissions", "--vhost", shop.broker.rpartition("/")[2], "worker", ".*", ".*", ".*")
        wait_until(lambda: shop.through("t") == 2, seconds=REFUSED_SECONDS * 2 + 10, what="the table settled")
        assert (figure(shop, FAULT), figure(shop, CONNECTED)) == (0, 1)
        logged = worker.output()
    assert "403 ACCESS_REFUSED - Login was refused" in logged
    assert "broker_refuses" in logged
    assert "broker_answers" in logged
    assert SECRET not in logged
    rabbitmq.control("delete_user", "worker")


def test_a_worker_may_be_told_to_stop_while_its_broker_refuses_it_or_is_away(shop: Shop) -> None:
    for broker in (f"{shop.broker}-that-is-not-there", "amqp://guest:guest@127.0.0.1:1//"):
        with shop.worker(broker=broker) as worker:
            try:
                worker.wait_ready(lambda: figure(shop, CONNECTED) == 0, seconds=SECONDS)
            except ProcessError as error:
                raise AssertionError(worker.output()) from error
            assert worker.terminate(seconds=10) == 0
