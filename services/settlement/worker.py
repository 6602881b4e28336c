"""The workers that run the settlement job: a Celery process on RabbitMQ, or a thread beside the services on the memory transport.

Celery's pool is `solo`: one job at a time in the main thread, one worker process a core. Prefork's children are unsafe beside the threads
that metrics and database keep, and when one dies it is the parent that decides what the broker hears; in solo a killed worker is a closed
connection, after which the broker hands the message to the next. SQL runs in the database's own thread, so that a signal's exception can
never fall into a commit.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Final

from celery import signals
from kombu import Consumer

from services.kit import bus, keys, logs
from services.kit.config import ConfigError
from services.kit.database import Database, migrate
from services.kit.errors import UnavailableError
from services.kit.metrics import MetricsServer, new_registry
from services.kit.roles import Role
from services.kit.supervise import Supervisor
from services.kit.tls import server_tls
from services.settlement.batch import Step
from services.settlement.config import SCHEMA, WorkerSettings
from services.settlement.metrics import LedgerCollector, WorkerMetrics
from services.settlement.tasks import Settler, register

log = logs.get(__name__)

MIGRATIONS: Final = Path(__file__).parent / "migrations"
_BROKER_TRIES: Final = 60


def run(settings: WorkerSettings, step: Step = lambda _: None) -> int:
    """Run a Celery worker until told to stop (SIGTERM: after the job at hand). Returns the exit status.

    `step` is called at every step of a batch, for tests. ConfigError when the broker lives in one process, or the metrics port is taken.
    """
    if bus.is_memory(settings.broker_url):
        raise ConfigError("broker_url: a worker of its own needs a broker other processes reach; `xuezhan up` settles by itself")
    own = keys.load(settings.secrets, Role.WORKER)
    with ExitStack() as stack:
        registry = new_registry()
        supervisor = Supervisor(registry)
        database = Database(settings.database_url, SCHEMA, settings.pool, supervisor)
        stack.callback(database.close)
        migrate(database, MIGRATIONS)
        registry.register(LedgerCollector(database))
        publisher = bus.Publisher(settings.broker_url)
        stack.callback(publisher.close)
        settler = Settler(
            database=database,
            ring=own.items,
            publish=publisher.outcome,
            metrics=WorkerMetrics(registry),
            batch_seconds=settings.batch_seconds,
            step=step,
        )
        exported = _export(settings, registry, supervisor)
        stack.callback(exported.stop)
        log.info("worker_started", metrics_port=exported.port)
        status = _work(settings.broker_url, settler)
    log.info("worker_stopped", status=status)
    return status


def _work(broker_url: str, settler: Settler) -> int:
    app = bus.celery_app(broker_url)
    register(app, settler)
    _declare(broker_url)
    # Celery sets up its own logging unless somebody says that it is done.
    signals.setup_logging.connect(_logging_is_set_up, weak=False)
    name = f"settlement-{os.getpid()}@%h"
    worker = app.Worker(pool="solo", hostname=name, without_gossip=True, without_mingle=True, without_heartbeat=True, quiet=True)
    worker.start()
    return int(worker.exitcode or 0)


def _declare(broker_url: str) -> None:
    """Make the queues. A broker that starts at the same moment is waited for, a minute at most."""
    for _ in range(_BROKER_TRIES):
        try:
            bus.declare_settlement(broker_url)
            return
        except UnavailableError:
            log.warning("broker_awaited")
            time.sleep(1)
    raise ConfigError("broker_url: the broker does not answer")


def _export(settings: WorkerSettings, registry: Any, supervisor: Supervisor) -> MetricsServer:
    try:
        return MetricsServer(registry, settings.host, settings.metrics_port, server_tls(settings, registry), supervisor)
    except OSError as error:
        raise ConfigError(f"metrics_port: the worker cannot listen on {settings.host}:{settings.metrics_port}: {error.strerror}") from None


def _logging_is_set_up(**_: Any) -> None:
    logging.getLogger("celery").setLevel(logging.WARNING)


class EmbeddedWorker:
    """A thread that takes settlement jobs from the memory transport and runs the same Celery task. What a job raises it survives."""

    def __init__(self, broker_url: str, settler: Settler, supervisor: Supervisor | None = None) -> None:
        assert bus.is_memory(broker_url)
        self._url = broker_url
        app = bus.celery_app(broker_url)
        register(app, settler)
        self._app = app
        self._stop = threading.Event()
        self._supervisor = supervisor or Supervisor()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin."""
        self._thread = self._supervisor.thread("settlement-worker", self._serve, self._stop)

    def stop(self) -> None:
        """End after the job at hand. Messages that are left are hints: their senders send them again."""
        self._stop.set()
        if self._thread is not None:  # A start that failed before this one's turn stops everything too.
            self._thread.join(timeout=30)

    def _serve(self) -> None:
        queue = bus.settlement_queue(self._url)
        with (
            bus.connect(self._url) as connection,
            Consumer(connection, [queue], callbacks=[self._receive], accept=["json"], prefetch_count=1),
        ):
            while not self._stop.is_set():
                with suppress(TimeoutError):
                    connection.drain_events(timeout=0.2)

    def _receive(self, body: Any, message: Any) -> None:
        try:
            args, kwargs, _ = body
            self._app.tasks[message.headers["task"]](*args, **kwargs)
        except UnavailableError:
            log.warning("job_put_off")
        except Exception:
            # One bad message must not stop the others.
            log.exception("job_failed")
        finally:
            message.ack()
