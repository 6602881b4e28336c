"""What release 0.1.0 left behind, put where a test can start the present release on it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import psycopg
from kombu import Connection, Exchange, Queue

from tests.support.postgres import Postgres

DATA = Path(__file__).parent / "data"
GAMES = "crazy_xuezhan,happy_sichuan,kaxinwu,crazy_duel"
LIVE_TABLES = 8


def lay_data_folder(folder: Path) -> Path:
    """Make a data folder of `up`, with its secrets beside it, and return its path."""
    data = folder / "data"
    data.mkdir()
    for name in ("matchmaking", "table", "settlement"):
        with sqlite3.connect(data / f"{name}.db") as database:
            database.executescript((DATA / "embedded" / f"{name}.sql").read_text())
        database.close()
    beside = folder / "data.secrets"
    beside.mkdir(mode=0o700)
    shutil.copy(DATA / "embedded" / "keys.json", beside / "keys.json")
    (beside / "keys.json").chmod(0o600)
    return data


def rows(folder: Path, service: str, query: str) -> list[tuple[Any, ...]]:
    """Read a service's database in a data folder."""
    database = sqlite3.connect(folder / f"{service}.db")
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


def lay_database(postgres: Postgres) -> str:
    """Make a database as the old release left it, and return its URL."""
    url = postgres.new_database("upgrade")
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute((DATA / "large" / "database.sql").read_bytes())
    return url


def lay_queues(broker_url: str) -> int:
    """Declare exchanges and queues as the old release did, with what was left in the queues; return how many messages."""
    found: list[dict[str, Any]] = json.loads((DATA / "large" / "messages.json").read_text())
    with Connection(broker_url) as connection:
        for queue in _QUEUES:
            queue(connection).declare()
        producer = connection.Producer()
        for one in found:
            about = {name: value for name, value in one["properties"].items() if not name.startswith("content_")}
            form = {"content_type": one["content_type"], "content_encoding": one["content_encoding"]}
            producer.publish(one["body"], routing_key=one["queue"], headers=one["headers"], **form, **about)
    return len(found)


_QUEUES = (
    Queue(
        "xuezhan.settlement.dead",
        Exchange("xuezhan.dead", type="topic"),
        routing_key="xuezhan.settlement.dead",
        queue_arguments={"x-queue-type": "quorum", "x-max-length": 10_000},
    ),
    Queue(
        "xuezhan.settlement",
        Exchange("xuezhan.tasks", type="topic"),
        routing_key="xuezhan.settlement",
        queue_arguments={
            "x-queue-type": "quorum",
            "x-delivery-limit": 5,
            "x-dead-letter-exchange": "xuezhan.dead",
            "x-dead-letter-routing-key": "xuezhan.settlement.dead",
        },
    ),
    Queue(
        "xuezhan.table.table-1",
        Exchange("xuezhan.events", type="topic"),
        routing_key="settled.table-1",
        queue_arguments={"x-expires": 3_600_000, "x-max-length": 100_000},
    ),
)
