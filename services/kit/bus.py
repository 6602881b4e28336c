"""The broker: settlement jobs to workers (Celery) and outcomes back to table servers (a kombu topic exchange).

Law: the broker only carries hints; whoever sends keeps the row that makes it send again. So nothing here is waited for without a bound,
and a lost, doubled or reordered message changes nothing.

`memory://` is the same code in one process: queues live in this process only.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

from celery import Celery
from kombu import Connection, Consumer, Exchange, Queue
from kombu.exceptions import OperationalError
from kombu.pools import producers

from services.kit import broker
from services.kit.errors import UnavailableError
from services.kit.supervise import Supervisor

APPLY_ITEMS: Final = "xuezhan.settlement.apply_items"
"""Task name. Body: {"items": [SignedItem as JSON object, ...]}."""
SETTLEMENT_QUEUE: Final = "xuezhan.settlement"
DEAD_QUEUE: Final = "xuezhan.settlement.dead"
DELIVERY_LIMIT: Final = 5
CONFIRM_SECONDS: Final = 5
_POLL_SECONDS: Final = 0.01
_LISTEN_SECONDS: Final = 0.1
"""How long a consumer listens before it looks whether it is to stop."""

is_memory = broker.is_memory

EVENTS: Final = Exchange("xuezhan.events", type="topic", durable=True)
_TASKS: Final = Exchange("xuezhan.tasks", type="topic", durable=True)
_DEAD: Final = Exchange("xuezhan.dead", type="topic", durable=True)


def connect(url: str, heartbeat: int = 0) -> Connection:
    """Return a connection to a broker, not open yet: publisher confirms and bounded waits; short polling in memory."""
    return Connection(
        broker.address(url),
        ssl=broker.tls(url),
        transport_options=_transport_options(url),
        connect_timeout=CONFIRM_SECONDS,
        heartbeat=heartbeat,
    )


def _transport_options(url: str) -> dict[str, Any]:
    if is_memory(url):
        return {"polling_interval": _POLL_SECONDS}
    return {
        "confirm_publish": True,
        "max_retries": 3,
        "interval_start": 0.1,
        "interval_max": 1,
        "read_timeout": CONFIRM_SECONDS,
        "write_timeout": CONFIRM_SECONDS,
    }


def settlement_queue(url: str) -> Queue:
    """Declare-able queue of settlement jobs: quorum, bounded deliveries, dead letters kept. Plain in memory."""
    if is_memory(url):
        return Queue(SETTLEMENT_QUEUE, _TASKS, routing_key=SETTLEMENT_QUEUE)
    return Queue(
        SETTLEMENT_QUEUE,
        _TASKS,
        routing_key=SETTLEMENT_QUEUE,
        queue_arguments={
            "x-queue-type": "quorum",
            "x-delivery-limit": DELIVERY_LIMIT,
            "x-dead-letter-exchange": _DEAD.name,
            "x-dead-letter-routing-key": DEAD_QUEUE,
        },
    )


def dead_queue() -> Queue:
    """Where jobs end that killed their worker too often. Their items are still rows of the sender, which sends them again."""
    return Queue(
        DEAD_QUEUE,
        _DEAD,
        routing_key=DEAD_QUEUE,
        queue_arguments={"x-queue-type": "quorum", "x-max-length": 10_000},
    )


def outcome_queue(server: str) -> Queue:
    """The queue of one table server's outcomes. It goes when nobody has used it for an hour; outcomes can be asked for again."""
    return Queue(
        f"xuezhan.table.{server}",
        EVENTS,
        routing_key=f"settled.{server}",
        durable=True,
        queue_arguments={"x-expires": 3_600_000, "x-max-length": 100_000},
    )


def _failures(connection: Connection) -> tuple[type[BaseException], ...]:
    """Return what a broker that is away, or a connection that is lost, raises. Time-outs are OSErrors."""
    return (OperationalError, OSError, *connection.connection_errors, *connection.channel_errors)


def declare_settlement(url: str) -> None:
    """Make the queues of settlement jobs, dead letters first, so that no job and no dead letter is lost for want of them.

    Raises UnavailableError when the broker does not answer.
    """
    connection = connect(url)
    try:
        with connection:
            broker.make(connection, dead_queue(), settlement_queue(url))
    except _failures(connection) as error:
        raise UnavailableError("broker", "the broker does not answer") from error


def celery_app(url: str) -> Celery:
    """Make the Celery application for a broker. Late acknowledgement, JSON only, no results, finite redelivery."""
    app = Celery("xuezhan", broker=broker.address(url), set_as_current=False)
    queue: Any = settlement_queue(url)
    # Made by `declare_settlement`, or by an administrator.
    queue.no_declare = not is_memory(url)
    app.conf.update(
        broker_use_ssl=broker.tls(url),
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_acks_on_failure_or_timeout=True,
        task_ignore_result=True,
        task_store_errors_even_if_ignored=False,
        task_serializer="json",
        accept_content=["json"],
        task_queues=[queue],
        task_default_queue=SETTLEMENT_QUEUE,
        task_default_exchange=_TASKS.name,
        task_default_exchange_type="topic",
        task_default_routing_key=SETTLEMENT_QUEUE,
        task_create_missing_queues=False,
        worker_prefetch_multiplier=1,
        worker_max_tasks_per_child=1000,
        worker_send_task_events=False,
        worker_enable_remote_control=False,
        worker_detect_quorum_queues=not is_memory(url),
        worker_hijack_root_logger=False,
        worker_soft_shutdown_timeout=0,
        broker_connection_retry_on_startup=True,
        broker_heartbeat=0 if is_memory(url) else 15,
        broker_pool_limit=2,
        broker_transport_options=_transport_options(url),
    )
    return app


class Publisher:
    """Sends jobs and outcomes, from any one thread at a time; each call is bounded in time.

    Raises UnavailableError when the broker does not take the message in time: the sender's row stays and is sent again later.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._app = celery_app(url)
        self._connection = connect(url)
        self._lock = threading.Lock()
        self._declared: set[str] = set()

    def apply_items(self, items: list[dict[str, Any]]) -> None:
        """Send one batch of signed items to the settlement workers."""
        self._send(self._apply_items, items)

    def outcome(self, server: str, body: dict[str, Any]) -> None:
        """Send outcomes to the table server `server`."""
        self._send(self._outcome, server, body)

    def close(self) -> None:
        """Close the connections."""
        self._connection.release()
        self._app.close()

    def _send(self, send: Callable[..., None], *args: Any) -> None:
        with self._lock:
            try:
                send(*args)
            except _failures(self._connection) as error:
                self._declared.clear()
                raise UnavailableError("broker", "the broker does not answer") from error

    def _apply_items(self, items: list[dict[str, Any]]) -> None:
        if SETTLEMENT_QUEUE not in self._declared and not is_memory(self._url):
            declare_settlement(self._url)
            self._declared.add(SETTLEMENT_QUEUE)
        self._app.send_task(
            APPLY_ITEMS,
            kwargs={"items": items},
            retry=True,
            retry_policy={"max_retries": 2, "interval_start": 0.1, "interval_max": 0.5},
            confirm_timeout=CONFIRM_SECONDS,
        )

    def _outcome(self, server: str, body: dict[str, Any]) -> None:
        if EVENTS.name not in self._declared:
            broker.make(self._connection, EVENTS)
            self._declared.add(EVENTS.name)
        with producers[self._connection].acquire(block=True, timeout=CONFIRM_SECONDS) as producer:
            producer.publish(
                body,
                exchange=EVENTS,
                routing_key=f"settled.{server}",
                serializer="json",
                retry=True,
                retry_policy={"max_retries": 2, "interval_start": 0.1, "interval_max": 0.5},
                confirm_timeout=CONFIRM_SECONDS,
            )


class OutcomeConsumer:
    """A thread that hands a table server's outcomes to `handle`, and connects again for ever when the broker goes away.

    `handle` gets the decoded body and must not block; what it raises is not caught here and would be a programming error.
    """

    def __init__(self, url: str, server: str, handle: Callable[[Any], None], supervisor: Supervisor | None = None) -> None:
        self._url = url
        self._queue = outcome_queue(server)
        # Made when connected, or by an administrator.
        made: Any = outcome_queue(server)
        made.no_declare = True
        self._made: Queue = made
        self._handle = handle
        self._stop = threading.Event()
        self._supervisor = supervisor or Supervisor()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin."""
        self._thread = self._supervisor.thread("outcomes", self._run, self._stop)

    def stop(self) -> None:
        """End within about a second."""
        self._stop.set()
        if self._thread is not None:  # A start that failed before this one's turn stops everything too.
            self._thread.join(timeout=5)

    def _run(self) -> None:
        while not self._stop.is_set():
            connection = connect(self._url, heartbeat=15)
            try:
                with connection:
                    broker.make(connection, self._queue)
                    with Consumer(connection, [self._made], callbacks=[self._receive], accept=["json"], prefetch_count=100):
                        self._drain(connection)
            except _failures(connection):
                self._stop.wait(0.5)

    def _drain(self, connection: Connection) -> None:
        while not self._stop.is_set():
            try:
                connection.drain_events(timeout=_LISTEN_SECONDS)
            except TimeoutError:
                if not is_memory(self._url):
                    connection.heartbeat_check()

    def _receive(self, body: Any, message: Any) -> None:
        self._handle(body)
        message.ack()
