"""The broker's queues, and how a process connects to it.

Law: the broker only carries hints; whoever sends keeps the row that makes it send again. So nothing here is waited for without a bound,
and a lost, doubled or reordered message changes nothing.

`memory://` is the same code in one process: queues live in this process only.
"""

from __future__ import annotations

from typing import Any, Final

from amqp.exceptions import NotFound
from kombu import Connection, Exchange, Queue

from services.kit import broker
from services.kit.frames import frame_handler

SETTLEMENT_QUEUE: Final = "xuezhan.settlement"
DEAD_QUEUE: Final = "xuezhan.settlement.dead"
DELIVERY_LIMIT: Final = 5
CONFIRM_SECONDS: Final = 5
CONNECT_SECONDS: Final = 3
HEARTBEAT_SECONDS: Final = 15
_POLL_SECONDS: Final = 0.01

is_memory = broker.is_memory

EVENTS: Final = Exchange("xuezhan.events", type="topic", durable=True)
TASKS: Final = Exchange("xuezhan.tasks", type="topic", durable=True)
DEAD: Final = Exchange("xuezhan.dead", type="topic", durable=True)


def connect(url: str, heartbeat: int = 0) -> Connection:
    """Return a connection to a broker, not open yet: bounded waits; short polling in memory."""
    return Connection(
        broker.address(url),
        ssl=broker.tls(url),
        transport_options=transport_options(url),
        connect_timeout=CONNECT_SECONDS,
        heartbeat=heartbeat,
    )


def transport_options(url: str) -> dict[str, Any]:
    """Return what kombu and py-amqp are told beside the URL."""
    if is_memory(url):
        return {"polling_interval": _POLL_SECONDS}
    return {
        "max_retries": 0,
        "read_timeout": CONFIRM_SECONDS,
        "write_timeout": CONFIRM_SECONDS,
        "frame_handler": frame_handler,
    }


def open_connection(connection: Connection) -> None:
    """Connect now, or raise what the driver does; of several addresses in the URL the next is tried next time."""
    try:
        connection.ensure_connection(max_retries=0, reraise_as_library_errors=False)
    except Exception:
        connection.maybe_switch_next()
        raise


def settlement_queue(url: str) -> Queue:
    """Return the queue of settlement jobs: quorum, bounded deliveries, dead letters kept. Plain in memory."""
    if is_memory(url):
        return Queue(SETTLEMENT_QUEUE, TASKS, routing_key=SETTLEMENT_QUEUE)
    return Queue(
        SETTLEMENT_QUEUE,
        TASKS,
        routing_key=SETTLEMENT_QUEUE,
        queue_arguments={
            "x-queue-type": "quorum",
            "x-delivery-limit": DELIVERY_LIMIT,
            "x-dead-letter-exchange": DEAD.name,
            "x-dead-letter-routing-key": DEAD_QUEUE,
        },
    )


def dead_queue() -> Queue:
    """Return where bad messages end, and jobs that killed their worker too often. Whatever is owed is still a row of the sender."""
    return Queue(
        DEAD_QUEUE,
        DEAD,
        routing_key=DEAD_QUEUE,
        queue_arguments={"x-queue-type": "quorum", "x-max-length": 10_000},
    )


def workers(connection: Connection) -> int:
    """Return how many workers take jobs from the broker."""
    channel: Any = connection.channel()
    try:
        return int(channel.queue_declare(SETTLEMENT_QUEUE, passive=True).consumer_count)
    except NotFound:
        # Workers make it when they connect.
        return 0
    finally:
        channel.close()


def outcome_queue(server: str) -> Queue:
    """Return the queue of one table server's outcomes. It goes when nobody has used it for an hour; outcomes can be asked for again."""
    return Queue(
        f"xuezhan.table.{server}",
        EVENTS,
        routing_key=outcome_key(server),
        durable=True,
        queue_arguments={"x-expires": 3_600_000, "x-max-length": 100_000},
    )


def outcome_key(server: str) -> str:
    """Return the routing key of what a table server is told."""
    return f"settled.{server}"
