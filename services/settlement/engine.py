"""The Celery application that runs settlement jobs, and the consumer that stands in front of it.

Celery reads much of a message before a task starts: its task, id, time limits, callbacks, chains, stamps, times. Whatever is odd there ends
the worker or keeps it from working, and after it every other worker. So the consumer takes the raw message first: what is no message of
items is put away, and from the text of one that is, a fresh task message is made, in which nothing is what a stranger wrote.

Law: nothing of a message reaches Celery but what a table server has signed. Nothing is unpacked on the way here either
(services.kit.frames), so there is no error of decoding for Celery to deal with.
"""

from __future__ import annotations

import logging
import os
import signal
import time
import warnings
from collections.abc import Callable
from typing import Any, Final

from celery import Celery
from celery.exceptions import CPendingDeprecationWarning, SecurityWarning
from celery.worker import consumer as celery_consumer
from celery.worker.state import maybe_shutdown
from kombu import Connection
from vine import ppartial, promise

from services.kit import broker, bus, logs
from services.kit.broker_link import Link, failures, pause
from services.kit.errors import UnavailableError
from services.kit.letterbox import PREFETCH
from services.kit.supervise import Supervisor
from services.settlement.jobs import Jobs

log = logs.get(__name__)

_SHUTDOWN_LOOK_SECONDS: Final = 0.1
# As bases of classes neither has a type.
_Consumer: Any = celery_consumer.Consumer
_Blueprint: Any = celery_consumer.Consumer.Blueprint


def celery_app(url: str) -> Celery:
    """Make the Celery application for a broker. Late acknowledgement, JSON only, no results, finite redelivery, nothing delayed."""
    queue: Any = bus.settlement_queue(url)
    # Made when the worker connects, or by an administrator.
    queue.no_declare = True
    app = Celery("xuezhan", broker=broker.address(url), set_as_current=False)
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
        task_default_queue=bus.SETTLEMENT_QUEUE,
        task_default_exchange=bus.TASKS.name,
        task_default_exchange_type="topic",
        task_default_routing_key=bus.SETTLEMENT_QUEUE,
        task_create_missing_queues=False,
        worker_prefetch_multiplier=PREFETCH,
        worker_enable_prefetch_count_reduction=False,
        worker_max_tasks_per_child=1000,
        worker_send_task_events=False,
        worker_enable_remote_control=False,
        worker_detect_quorum_queues=not bus.is_memory(url),
        worker_hijack_root_logger=False,
        worker_soft_shutdown_timeout=0,
        broker_connection_retry_on_startup=True,
        broker_channel_error_retry=True,
        broker_connection_timeout=bus.CONNECT_SECONDS,
        broker_heartbeat=0 if bus.is_memory(url) else bus.HEARTBEAT_SECONDS,
        broker_pool_limit=2,
        broker_transport_options=bus.transport_options(url),
    )
    return app


def _say_it_ourselves() -> None:
    """Say in one line what Celery says in many, naming options that this worker does not have."""
    warnings.filterwarnings("ignore", category=SecurityWarning, message="You're running the worker with superuser privileges")
    warnings.filterwarnings("ignore", category=CPendingDeprecationWarning)
    if os.geteuid() == 0:
        log.warning("worker_runs_as_root", hint="give it a user of its own, who alone may read the folder of its keys")


def run(app: Celery, url: str, jobs: Jobs, supervisor: Supervisor, name: str) -> int:
    """Run a Celery worker in this thread until told to stop. Returns the exit status.

    The pool is `solo`: one job at a time in the main thread, one worker process a core.
    """
    _say_it_ourselves()
    consumer = _consumer_of(url, jobs, Link("jobs", supervisor))
    worker = _worker_of(app)(
        pool="solo",
        concurrency=1,
        hostname=name,
        consumer_cls=consumer,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
    )
    worker.start()
    return int(worker.exitcode or 0)


def _worker_of(app: Celery) -> type[Any]:
    """Return Celery's worker, to which Ctrl-C is an orderly end like any other."""
    base: Any = app.Worker

    class JobWorker(base):  # type: ignore[misc]
        def install_platform_tweaks(self, worker: Any) -> None:
            super().install_platform_tweaks(worker)
            signal.signal(signal.SIGINT, signal.getsignal(signal.SIGTERM))

    return JobWorker


def _consumer_of(url: str, jobs: Jobs, link: Link) -> type[Any]:
    """Return Celery's consumer with the jobs in front of it."""

    class JobConsumer(_Consumer):  # type: ignore[misc]
        class Blueprint(_Blueprint):  # type: ignore[misc]
            # Without the queues for delayed tasks: there are none, and making them takes a right to.
            default_steps = tuple(step for step in _Blueprint.default_steps if "delayed_delivery" not in step)

        def ensure_connected(self, conn: Connection) -> Connection:
            """Connect, however long it takes, and see that the queues are there."""
            while True:
                maybe_shutdown()
                try:
                    bus.open_connection(conn)
                    broker.make(conn, bus.dead_queue(), bus.settlement_queue(url))
                except failures(conn) as error:
                    conn.release()
                    _wait(pause(link.failed(error)))
                else:
                    link.works()
                    self.first_connection_attempt = False
                    return conn

        def create_task_handler(self, promise: Any = promise) -> Callable[[Any], None]:
            """Return what takes a raw message: Celery's own handler hears only of messages made here."""
            handle = super().create_task_handler(promise)
            _take_all_at_hand(self, self.connection, jobs)
            return _or_disconnect(_receiver(jobs, handle))

        def call_soon_ack(self, p: Any, *args: Any, **kwargs: Any) -> Any:
            """Acknowledge at once: Celery's event loop would first wait for something else to happen, for seconds after it connects.

            The pool is `solo`, so this is the thread that the connection belongs to.
            """
            acknowledge = ppartial(p, *args, **kwargs)
            try:
                acknowledge()
            except Exception as error:  # noqa: BLE001 - a lost connection is noticed by the loop; the message comes again
                log.warning("job_not_acknowledged", error=type(error).__name__)
            return acknowledge

    return JobConsumer


def _receiver(jobs: Jobs, handle: Callable[[Any], None]) -> Callable[[Any], None]:
    def receive(message: Any) -> None:
        # Those that wait in this process go back into the queue when it is told to stop.
        maybe_shutdown()
        job = jobs.take(message)
        if job is not None:
            handle(job.as_task(message))
            jobs.done()

    return receive


def _take_all_at_hand(consumer: Any, connection: Connection, jobs: Jobs) -> None:
    """Let each turn of a consumer's event loop take every message that has arrived, and then put the bad ones away."""

    def take() -> None:
        if consumer.connection is not connection:
            consumer.hub.on_tick.discard(turn)
            return
        try:
            while True:
                connection.drain_events(timeout=0)
        except TimeoutError:
            jobs.idle()

    turn = _or_disconnect(take)
    consumer.hub.on_tick.add(turn)


def _or_disconnect(work: Callable[..., object]) -> Callable[..., None]:
    """Make what ends the connection when bad messages cannot be put away now: with it they go back into the queue."""

    def works(*given: Any) -> None:
        try:
            work(*given)
        except UnavailableError as error:
            raise ConnectionResetError(str(error)) from error

    return works


def _wait(seconds: float) -> None:
    ends = time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0:
        maybe_shutdown()
        time.sleep(min(left, _SHUTDOWN_LOOK_SECONDS))


def quiet() -> None:
    """Let Celery's own loggers say only what is wrong."""
    logging.getLogger("celery").setLevel(logging.WARNING)
