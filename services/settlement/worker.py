"""The workers that run the settlement job: a Celery process on RabbitMQ, or a thread beside the services on the memory transport.

Celery's pool is `solo`: one job at a time in the main thread, one worker process a core. Prefork's children are unsafe beside the threads
that metrics and database keep, and when one dies it is the parent that decides what the broker hears; in solo a killed worker is a closed
connection, after which the broker hands the message to the next. SQL runs in the database's own thread, so that a signal's exception can
never fall into a commit.
"""

from __future__ import annotations

import gc
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from celery import signals

from services.kit import bus, keys, logs, vitals
from services.kit.config import ConfigError, own_name
from services.kit.database import Database, migrate
from services.kit.database_watch import DatabaseWatch
from services.kit.errors import UnavailableError
from services.kit.keys import RoleKeys
from services.kit.letterbox import Letterbox
from services.kit.listener import Listener
from services.kit.messages import Author, Reader
from services.kit.metrics import MetricsServer, limit_counter, new_registry
from services.kit.publisher import Publisher
from services.kit.roles import Role
from services.kit.supervise import Supervisor
from services.kit.tls import server_tls
from services.settlement import engine
from services.settlement.batch import Step
from services.settlement.config import SCHEMA, Settings, WorkerSettings
from services.settlement.jobs import APPLY_ITEMS, Jobs
from services.settlement.metrics import Waiting, WorkerMetrics
from services.settlement.tasks import Settler, published, register

log = logs.get(__name__)

MIGRATIONS: Final = Path(__file__).parent / "migrations"
_GC_THRESHOLD: Final = 50_000
"""A batch makes some ten thousand objects that live as long as it does and are in no cycle: the collector looks at none of them in vain."""


class Workplace:
    """What a worker works with, whichever kind it is: keys, database, metrics, and the way out through the broker."""

    def __init__(
        self, settings: Settings, own: RoleKeys, database: Database, registry: Any, supervisor: Supervisor, step: Step = lambda _: None
    ) -> None:
        metrics = WorkerMetrics(registry)
        self.publisher = Publisher(settings.broker_url, supervisor)
        author = Author(own.key, own.installation, f"worker-{own_name()}")
        self.settler = Settler(
            database=database,
            publish=published(self.publisher, author),
            metrics=metrics,
            batch_seconds=settings.batch_seconds,
            step=step,
        )
        self.jobs = Jobs(Letterbox("items", Reader(own.trust).items, self.publisher, registry), metrics)


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
        vitals.export_info(registry, Role.WORKER)
        watch = DatabaseWatch(settings.database_url, SCHEMA, registry, supervisor, [Waiting()])
        stack.callback(watch.close)
        place = Workplace(settings, own, database, registry, supervisor, step)
        stack.callback(place.publisher.close)
        exported = _export(settings, registry, supervisor)
        stack.callback(exported.stop)
        log.info("worker_started", metrics_port=exported.port)
        app = engine.celery_app(settings.broker_url)
        register(app, place.settler)
        # Celery sets up its own logging unless somebody says that it is done.
        signals.setup_logging.connect(_logging_is_set_up, weak=False)
        tune()
        status = engine.run(app, settings.broker_url, place.jobs, supervisor, f"settlement-{os.getpid()}@%h")
    log.info("worker_stopped", status=status)
    return status


def tune() -> None:
    """Set the interpreter up for a process that settles batches, when all is loaded."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD)


def _export(settings: WorkerSettings, registry: Any, supervisor: Supervisor) -> MetricsServer:
    try:
        tls = server_tls(settings, registry)
        return MetricsServer(registry, settings.host, settings.metrics_port, tls, supervisor, limit_counter(registry))
    except OSError as error:
        raise ConfigError(f"metrics_port: the worker cannot listen on {settings.host}:{settings.metrics_port}: {error.strerror}") from None


def _logging_is_set_up(**_: Any) -> None:
    engine.quiet()


class EmbeddedWorker:
    """A thread that takes settlement jobs from the memory transport and runs the same Celery task. What a job raises it survives."""

    def __init__(self, broker_url: str, settler: Settler, jobs: Jobs, supervisor: Supervisor) -> None:
        assert bus.is_memory(broker_url)
        self._jobs = jobs
        self._app = engine.celery_app(broker_url)
        register(self._app, settler)
        self._listener = Listener(
            broker_url, bus.settlement_queue(broker_url), self._receive, supervisor, "settlement-worker", idle=jobs.idle
        )

    def start(self) -> None:
        """Begin."""
        with logs.of_service("worker", own_name()):
            self._listener.start()

    def stop(self) -> None:
        """End after the job at hand. Messages that are left are hints: their senders send them again."""
        self._listener.stop()

    def _receive(self, message: Any) -> None:
        job = self._jobs.take(message)
        if job is None:
            return
        try:
            self._app.tasks[APPLY_ITEMS](**job.arguments())
        except UnavailableError:
            log.warning("job_put_off")
        except Exception:
            # One bad message must not stop the others.
            log.exception("job_failed")
        finally:
            message.ack()
            self._jobs.done()
