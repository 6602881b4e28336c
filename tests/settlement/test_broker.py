"""Real Celery workers on RabbitMQ and PostgreSQL: killed at any step, given poison, told to stop, cut off from their broker."""

import signal
from collections.abc import Callable

import pytest

from services.kit import bus
from services.kit.errors import UnavailableError
from services.kit.publisher import Publisher
from services.settlement import operate
from tests.settlement.shop import Shop
from tests.settlement.world import CLOSE, stage_body
from tests.support.post import SECONDS, Post, an_item, dead_letters, reasons
from tests.support.process import free_port, wait_until
from tests.support.servers import RabbitMQ


@pytest.mark.parametrize("step", ["moved", "committed"])
def test_a_worker_killed_in_the_middle_of_a_batch_loses_nothing_and_moves_nothing_twice(shop: Shop, step: str) -> None:
    mark = shop.folder / "hangs"
    batch = [*shop.table("t", stage_body((0, 1, 10)), CLOSE), *shop.table("u", stage_body((1, 0, 20)), CLOSE)]
    with shop.worker(step, str(mark)) as worker:
        shop.send(*batch)
        worker.wait_ready(mark.exists, seconds=SECONDS)
        worker.kill()
    with shop.worker("never", str(mark)) as worker:
        worker.wait_ready(lambda: min(shop.through("t"), shop.through("u")) == 3, seconds=SECONDS)
        assert worker.terminate() == 0
    assert shop.world.wallets("t-a", "t-b", "u-a", "u-b") == [4900, 5100, 5200, 4800]


def test_an_item_that_kills_every_worker_ends_as_a_dead_letter_and_the_others_are_settled(shop: Shop) -> None:
    batch = [*shop.table("t", stage_body((0, 1, 10))), *shop.table("poison", stage_body((0, 1, 10)))]
    shop.send(*batch)
    deaths = 0
    while not any(outcome.stuck for outcome in shop.ear.heard):
        assert deaths <= bus.DELIVERY_LIMIT
        with shop.worker("poison", "poison") as worker:
            wait_until(lambda worker=worker: not worker.running or any(o.stuck for o in shop.ear.heard), seconds=SECONDS, what="its end")  # type: ignore[misc]
            deaths += not worker.running
    shop.wait_through("t", 2)
    assert deaths >= 3
    assert [(letter.table, letter.seq, letter.reason) for letter in shop.world.run(operate.dead_letters)] == [
        ("poison", 1, "kills_workers")
    ]
    assert shop.world.owned("t-a") == 4900


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_that_is_told_to_stop_ends_its_job_first_and_its_metrics_were_there_to_read(shop: Shop, stop: signal.Signals) -> None:
    with shop.worker("never", "") as worker:
        shop.send(*shop.table("t", stage_body((0, 1, 10))))
        shop.wait_through("t", 2)
        figures = shop.figures()
        assert figures["xuezhan_settlement_items_total", "crazy_xuezhan stage applied mayou"] == 1
        assert figures["xuezhan_settlement_oldest_unsettled_seconds", ""] == 0
        worker.signal(stop)
        assert worker.wait(seconds=20) == 0
        assert "absolutely not recommended" not in worker.output()


def test_workers_and_tables_go_on_by_themselves_when_the_broker_was_killed_and_comes_back(shop: Shop, rabbitmq: RabbitMQ) -> None:
    batch = shop.table("t", stage_body((0, 1, 10)), CLOSE)
    with shop.worker("never", "") as worker:
        shop.send(*batch[:1])
        shop.wait_through("t", 1)
        rabbitmq.wait_on_disk(shop.broker, bus.SETTLEMENT_QUEUE)
        rabbitmq.kill()
        with pytest.raises(UnavailableError):
            shop.send(*batch[1:2])
        rabbitmq.start()
        # Whoever sends keeps the row that makes it send again.
        wait_until(lambda: _sent(lambda: shop.send(*batch)) and shop.through("t") == 3, seconds=SECONDS, what="settled")
        assert worker.running
    assert shop.world.wallets("t-a", "t-b") == [4900, 5100]


def _sent(send: Callable[[], None]) -> bool:
    try:
        send()
    except UnavailableError:
        return False
    return True


def test_a_message_handed_out_too_often_is_kept_among_the_dead(rabbitmq: RabbitMQ) -> None:
    url = rabbitmq.new_vhost()
    publisher, message = Publisher(url), Post().items(an_item("t", 1, CLOSE))
    publisher.items(message, 60)
    publisher.close()
    for _ in range(bus.DELIVERY_LIMIT + 1):
        with bus.connect(url) as connection, connection.Consumer([bus.settlement_queue(url)], on_message=lambda _: None):
            connection.drain_events(timeout=10)
    [dead] = dead_letters(url, 1)
    assert (dead.body, reasons([dead])) == (message, ["delivery_limit"])


def test_a_broker_that_is_not_there_is_told_within_seconds() -> None:
    publisher = Publisher(f"amqp://guest:guest@127.0.0.1:{free_port()}//")
    sends: list[Callable[[], None]] = [lambda: publisher.items(b"", 60), lambda: publisher.outcomes("server-1", b"")]
    for send in sends:
        with pytest.raises(UnavailableError, match="does not answer"):
            send()
    publisher.close()
