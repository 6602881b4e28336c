"""A ledger on PostgreSQL, a broker, real Celery workers, and a table server that sends items and hears outcomes."""

from __future__ import annotations

import sys
import urllib.request
from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from services.kit.database import Database
from services.kit.items import Item
from services.kit.publisher import Publisher
from tests.settlement.world import World, open_body
from tests.support.keyring import Keyring
from tests.support.post import SECONDS, Ear, Post, an_item
from tests.support.process import Process, free_port


class Shop:
    """Everything but the workers, which a test starts as it needs them."""

    def __init__(self, folder: Path, database: Database, broker: str) -> None:
        self.folder = folder
        self.broker = broker
        self.world = World(database)
        self.keyring = Keyring(folder / "secrets")
        self.post = Post.of(self.keyring)
        self.publisher = Publisher(broker)
        self.ear = Ear(broker, self.post)
        self.metrics_port = free_port()

    def worker(self, *how: str, broker: str = "") -> Process:
        """A worker as `fragile_worker` describes it; by default one that does not die."""
        number = len(list(self.folder.glob("worker*")))
        env = {
            "XUEZHAN_DATABASE_URL": self.world.database.url,
            "XUEZHAN_BROKER_URL": broker or self.broker,
            "XUEZHAN_SECRETS": str(self.keyring.folder),
            "XUEZHAN_METRICS_PORT": str(self.metrics_port),
        }
        command = [sys.executable, "-m", "tests.settlement.fragile_worker", *(how or ("never", ""))]
        return Process(command, log=self.folder / f"worker{number}", env=env)

    def table(self, name: str, *bodies: Any) -> list[Item]:
        """Deposit and hold for two players, and make the table's items."""
        players = [f"{name}-a", f"{name}-b"]
        self.world.deposit(**dict.fromkeys(players, 5000))
        assert self.world.hold(name, *players).held
        return [an_item(name, seq, body) for seq, body in enumerate([open_body(*players), *bodies], 1)]

    def send(self, *items: Item, worth_seconds: float = 600) -> None:
        """Send one message of the table server."""
        self.publisher.items(self.post.items(*items), worth_seconds)

    def through(self, table: str) -> int:
        return self.ear.through(table)

    def wait_through(self, table: str, seq: int) -> None:
        self.ear.wait(table, seq, seconds=SECONDS)

    def figures(self) -> dict[tuple[str, str], float]:
        """What the worker exports now, by name and its labels' values."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=5) as page:
            text = page.read().decode()
        families = text_string_to_metric_families(text)
        return {(one.name, " ".join(one.labels.values())): one.value for family in families for one in family.samples}

    def close(self) -> None:
        self.ear.stop()
        self.publisher.close()
