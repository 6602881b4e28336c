"""Everything between a hand's commit and its players hearing of their coins, as processes: for the group `settlement`."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

from bench import machine
from bench.processes import Child
from bench.settlement import hands
from bench.settlement.worker import NO_OP, no_op_app
from services.kit import make_keys
from services.kit.database import Database, migrate
from services.settlement.config import SCHEMA
from services.settlement.worker import MIGRATIONS
from tests.support.postgres import Postgres
from tests.support.rabbitmq import RabbitMQ

TABLES: Final = 1_000
"""Tables that owe items at a time, at full load one each: so the items of a message are of as many tables, as when people play."""
_TABLES_A_SECOND: Final = 100
"""More than a worker settles, with a margin."""
_CORES: Final = machine.cores()


def core(place: int) -> int:
    """Return a core for a process, by its place among those that are busy at a time."""
    return _CORES[place % len(_CORES)]


def ledger(postgres: Postgres, name: str) -> str:
    """Make a ledger and return its URL."""
    url = postgres.new_database(name)
    database = Database(url, SCHEMA, 1)
    migrate(database, MIGRATIONS)
    database.close()
    return url


class Whole:
    """The whole path with some workers on a ledger of its own: outbox, relay, RabbitMQ, Celery, ledger, outcome."""

    def __init__(self, ledger_url: str, source: Child, workers: list[Child], tables: int) -> None:
        self.ledger_url = ledger_url
        self.source = source
        self.workers = workers
        self._database = Database(ledger_url, SCHEMA, 1)
        self._names = hands.names(f"of-{len(workers)}")
        self._tables = tables
        self._fresh = 0

    def top(self, warm: float, seconds: float) -> dict[str, Any]:
        """Settle as much as goes, after a warm-up, and add what it cost the workers: `worker_cpu` in seconds."""
        self._add(round((warm + seconds) * _TABLES_A_SECOND))
        self.source.ask("top", seconds=warm)
        before = self._cpu()
        found = self.source.ask("top", seconds=seconds)
        found["worker_cpu"] = self._cpu() - before
        self._fresh = self.source.ask("hold")["left"]
        return found

    def paced(self, rate: float, warm: float, seconds: float) -> dict[str, Any]:
        """Settle so many items a second, and tell how long each took."""
        self._add(round((warm + seconds) * rate / hands.ITEMS) + 1)
        self.source.ask("paced", rate=rate, seconds=warm)
        found = self.source.ask("paced", rate=rate, seconds=seconds)
        self._fresh = self.source.ask("hold")["left"]
        return found

    def _add(self, tables: int) -> None:
        """See that so many tables, and those that are played at once, can begin."""
        missing = tables + self._tables - self._fresh
        if missing > 0:
            names = list(islice(self._names, missing))
            hands.hold(self._database, names)
            self.source.ask("add", names=names)

    def _cpu(self) -> float:
        return sum(worker.cpu_seconds() for worker in self.workers)

    def close(self) -> None:
        """Close the connection to the ledger."""
        self._database.close()


@contextlib.contextmanager
def whole(postgres: Postgres, rabbitmq: RabbitMQ, folder: Path, workers: int, tables: int) -> Iterator[Whole]:
    """Start the whole path, and wait until it works."""
    secrets = folder / f"secrets-{workers}"
    make_keys.make(secrets, development=True)
    ledger_url, broker_url = ledger(postgres, f"ledger_{workers}"), rabbitmq.new_vhost()
    about = {"broker_url": broker_url, "secrets": str(secrets)}
    with contextlib.ExitStack() as stack:
        running = [
            stack.enter_context(Child("bench.settlement.worker", core(1 + place), folder / "log", database_url=ledger_url, **about))
            for place in range(workers)
        ]
        tables_url = postgres.new_database(f"table_{workers}")
        source = stack.enter_context(
            Child(
                "bench.settlement.source", core(0), folder / "log", database_url=tables_url, name=f"bench-{workers}", tables=tables, **about
            )
        )
        made = Whole(ledger_url, source, running, tables)
        stack.callback(made.close)
        # What is measured later is paying, not the opening of all tables at once.
        made.top(0, 0)
        yield made


class NoOp:
    """A Celery task an item that does nothing."""

    def __init__(self, url: str, worker: Child) -> None:
        self._worker = worker
        self._app = no_op_app(url)
        while not self._worker.ask("count")["done"]:
            self._publish(0.1)

    def top(self, warm: float, seconds: float) -> dict[str, Any]:
        """Publish, from here, as many tasks as go, and count those that are done."""
        self._publish(warm)
        done, begun = self._worker.ask("count")["done"], time.monotonic()
        self._publish(seconds)
        return {"items": self._worker.ask("count")["done"] - done, "seconds": time.monotonic() - begun}

    def _publish(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        with self._app.producer_pool.acquire(block=True) as producer:
            while time.monotonic() < until:
                self._app.send_task(NO_OP, kwargs={"item": ["table", 1, "{}"]}, producer=producer)

    def close(self) -> None:
        """Close the connections."""
        self._app.close()


@contextlib.contextmanager
def no_op(rabbitmq: RabbitMQ, folder: Path) -> Iterator[NoOp]:
    """Start a worker whose task does nothing."""
    url = rabbitmq.new_vhost()
    with Child("bench.settlement.worker", core(1), folder / "log", broker_url=url) as worker, contextlib.closing(NoOp(url, worker)) as made:
        yield made
