"""Real Celery workers on RabbitMQ and PostgreSQL: killed at any step, given poison, told to stop, cut off from their broker."""

import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection, Consumer

from services.kit import bus, items
from services.kit.database import Database, migrate
from services.kit.errors import UnavailableError
from services.kit.items import Outcomes, TableOutcome
from services.settlement import operate
from services.settlement.config import SCHEMA
from services.settlement.worker import MIGRATIONS
from tests.settlement.world import CLOSE, World, open_body, stage_body
from tests.support.keyring import Keyring
from tests.support.process import Process, free_port, wait_until
from tests.support.servers import Postgres, RabbitMQ

SECONDS = 60


class Shop:
    """A ledger on PostgreSQL, a broker, workers, and a table server that sends items and hears outcomes."""

    def __init__(self, folder: Path, database: Database, broker: str) -> None:
        self.folder = folder
        self.broker = broker
        self.world = World(database)
        self.keys = Keyring(folder / "secrets")
        self.publisher = bus.Publisher(broker)
        self.heard: list[TableOutcome] = []
        self.consumer = bus.OutcomeConsumer(broker, "server-1", lambda body: self.heard.extend(Outcomes.model_validate(body).tables))
        self.consumer.start()
        self.metrics_port = free_port()

    def worker(self, *how: str) -> Process:
        number = len(list(self.folder.glob("worker*")))
        env = {
            "XUEZHAN_DATABASE_URL": self.world.database.url,
            "XUEZHAN_BROKER_URL": self.broker,
            "XUEZHAN_SECRETS": str(self.keys.folder),
            "XUEZHAN_METRICS_PORT": str(self.metrics_port),
        }
        return Process([sys.executable, "-m", "tests.settlement.fragile_worker", *how], log=self.folder / f"worker{number}", env=env)

    def table(self, name: str, *bodies: Any) -> list[dict[str, Any]]:
        """Deposit and hold for two players, and make the table's items."""
        players = [f"{name}-a", f"{name}-b"]
        self.world.deposit(**dict.fromkeys(players, 5000))
        assert self.world.hold(name, *players).held
        return [
            items.sign(self.keys.table.items, name, seq, items.canonical(body), "server-1").model_dump()
            for seq, body in enumerate([open_body(*players), *bodies], 1)
        ]

    def through(self, table: str) -> int:
        return max((outcome.through for outcome in self.heard if outcome.table == table), default=0)

    def wait_through(self, table: str, seq: int) -> None:
        wait_until(lambda: self.through(table) >= seq, seconds=SECONDS, what=f"item {seq} of {table} settled")

    def close(self) -> None:
        self.consumer.stop()
        self.publisher.close()


@pytest.fixture
def shop(tmp_path: Path, postgres: Postgres, rabbitmq: RabbitMQ) -> Iterator[Shop]:
    database = Database(postgres.new_database("shop"), SCHEMA)
    migrate(database, MIGRATIONS)
    made = Shop(tmp_path, database, rabbitmq.new_vhost())
    yield made
    made.close()
    assert made.world.findings() == []
    database.close()


@pytest.mark.parametrize("step", ["moved", "committed"])
def test_a_worker_killed_in_the_middle_of_a_batch_loses_nothing_and_moves_nothing_twice(shop: Shop, step: str) -> None:
    mark = shop.folder / "hangs"
    batch = [*shop.table("t", stage_body((0, 1, 10)), CLOSE), *shop.table("u", stage_body((1, 0, 20)), CLOSE)]
    with shop.worker(step, str(mark)) as worker:
        shop.publisher.apply_items(batch)
        worker.wait_ready(mark.exists, seconds=SECONDS)
        worker.kill()
    with shop.worker("never", str(mark)) as worker:
        worker.wait_ready(lambda: min(shop.through("t"), shop.through("u")) == 3, seconds=SECONDS)
        assert worker.terminate() == 0
    assert shop.world.wallets("t-a", "t-b", "u-a", "u-b") == [4900, 5100, 5200, 4800]


def test_an_item_that_kills_every_worker_ends_as_a_dead_letter_and_the_others_are_settled(shop: Shop) -> None:
    batch = [*shop.table("t", stage_body((0, 1, 10))), *shop.table("poison", stage_body((0, 1, 10)))]
    shop.publisher.apply_items(batch)
    deaths = 0
    while not any(outcome.stuck for outcome in shop.heard):
        assert deaths <= bus.DELIVERY_LIMIT
        with shop.worker("poison", "poison") as worker:
            wait_until(lambda worker=worker: not worker.running or any(o.stuck for o in shop.heard), seconds=SECONDS, what="its end")  # type: ignore[misc]
            deaths += not worker.running
    shop.wait_through("t", 2)
    assert deaths >= 3
    assert [(letter.table, letter.seq, letter.reason) for letter in shop.world.run(operate.dead_letters)] == [
        ("poison", 1, "kills_workers")
    ]
    assert shop.world.owned("t-a") == 4900


def test_a_worker_that_is_told_to_stop_ends_its_job_first_and_its_metrics_were_there_to_read(shop: Shop) -> None:
    with shop.worker("never", "") as worker:
        shop.publisher.apply_items(shop.table("t", stage_body((0, 1, 10))))
        shop.wait_through("t", 2)
        with urllib.request.urlopen(f"http://127.0.0.1:{shop.metrics_port}/metrics") as page:
            figures = page.read().decode()
        assert 'xuezhan_settlement_items_total{game="crazy_xuezhan",kind="stage",result="applied",tier="mayou"} 1.0' in figures
        assert "xuezhan_settlement_oldest_unsettled_seconds 0.0" in figures
        assert worker.terminate() == 0


def test_workers_and_tables_go_on_by_themselves_when_the_broker_was_killed_and_comes_back(shop: Shop, rabbitmq: RabbitMQ) -> None:
    batch = shop.table("t", stage_body((0, 1, 10)), CLOSE)
    with shop.worker("never", "") as worker:
        shop.publisher.apply_items(batch[:1])
        shop.wait_through("t", 1)
        rabbitmq.wait_on_disk(shop.broker, bus.SETTLEMENT_QUEUE)
        rabbitmq.kill()
        with pytest.raises(UnavailableError):
            shop.publisher.apply_items(batch[1:2])
        rabbitmq.start()
        # Whoever sends keeps the row that makes it send again.
        wait_until(lambda: _sent(lambda: shop.publisher.apply_items(batch)) and shop.through("t") == 3, seconds=SECONDS, what="settled")
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
    publisher = bus.Publisher(url)
    publisher.apply_items([{"some": "item"}])
    publisher.close()
    dead: list[Any] = []
    for _ in range(bus.DELIVERY_LIMIT + 1):
        with Connection(url) as connection, Consumer(connection, [bus.settlement_queue(url)], callbacks=[lambda *_: None]):
            connection.drain_events(timeout=10)
    with Connection(url) as connection, Consumer(connection, [bus.dead_queue()], callbacks=[lambda body, _: dead.append(body)]):
        connection.drain_events(timeout=10)
    assert dead[0][1] == {"items": [{"some": "item"}]}


def test_a_broker_that_is_not_there_is_told_within_seconds() -> None:
    publisher = bus.Publisher(f"amqp://guest:guest@127.0.0.1:{free_port()}//")
    sends: list[Callable[[], None]] = [lambda: publisher.apply_items([]), lambda: publisher.outcome("server-1", {})]
    for send in sends:
        with pytest.raises(UnavailableError):
            send()
    publisher.close()
