"""The settlement service: its parts put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from prometheus_client import CollectorRegistry

from services.kit import bus, keys
from services.kit.database import Database, migrate
from services.kit.database_watch import DatabaseWatch
from services.kit.publisher import Publisher
from services.kit.roles import Role
from services.kit.rooms import load_rooms
from services.kit.supervise import Supervisor
from services.settlement.config import SCHEMA, Settings
from services.settlement.ledger_checks import LedgerChecked, LedgerChecks
from services.settlement.ledger_servicer import LedgerServicer
from services.settlement.metrics import Waiting
from services.settlement.servicer import Servicer
from services.settlement.worker import MIGRATIONS, EmbeddedWorker, Workplace
from xuezhan.api.settlement.v1 import ledger_pb2_grpc, settlement_pb2_grpc

FULL_NAME: Final = "xuezhan.api.settlement.v1.SettlementService"
LEDGER_NAME: Final = "xuezhan.api.settlement.v1.LedgerService"


class SettlementService:
    """The servicers, and on the memory transport the worker too, since nobody else could hear of a job."""

    full_names: Sequence[str] = (FULL_NAME, LEDGER_NAME)

    def __init__(
        self,
        database: Database,
        servicer: Servicer,
        ledger: LedgerServicer,
        watch: DatabaseWatch,
        checks: LedgerChecks,
        publisher: Publisher | None,
        worker: EmbeddedWorker | None,
    ) -> None:
        self.database = database
        self._watch = watch
        self._checks = checks
        self._servicer = servicer
        self._ledger = ledger
        self._publisher = publisher
        self._worker = worker

    def register(self, server: Any) -> None:
        """Add the servicers."""
        settlement_pb2_grpc.add_SettlementServiceServicer_to_server(self._servicer, server)
        ledger_pb2_grpc.add_LedgerServiceServicer_to_server(self._ledger, server)

    async def begin(self, _address: str) -> None:
        """Start the checks of the ledger, and the embedded worker."""
        self._checks.start()
        if self._worker is not None:
            self._worker.start()

    async def drain(self) -> None:
        """Nothing: calls are short, and a job at hand is ended by `end`."""

    async def end(self) -> None:
        """Stop the worker after its job and close the database."""
        self._checks.stop()
        self._watch.close()
        if self._worker is not None:
            self._worker.stop()
        if self._publisher is not None:
            self._publisher.close()
        self.database.close()


async def build(settings: Settings, registry: CollectorRegistry, supervisor: Supervisor) -> SettlementService:
    """Make the service. Raises ConfigError for rooms that cannot be used, SecretsError for keys."""
    rooms = load_rooms(settings.rooms_file)
    database = Database(settings.database_url, SCHEMA, settings.pool, supervisor)
    try:
        migrate(database, MIGRATIONS)
    except BaseException:
        database.close()
        raise
    watch = DatabaseWatch(settings.database_url, SCHEMA, registry, supervisor, [Waiting(), LedgerChecked()])
    checks = LedgerChecks(settings.database_url, database, settings.ledger_check_seconds, supervisor)
    publisher = worker = None
    # A large installation's service has no user at the broker: its workers are other processes.
    if bus.is_memory(settings.broker_url) and database.is_sqlite:
        place = Workplace(settings, keys.load(settings.secrets, Role.WORKER), database, registry, supervisor)
        publisher, worker = place.publisher, EmbeddedWorker(settings.broker_url, place.settler, place.jobs, supervisor)
    ledger = LedgerServicer(database, settings.database_url)
    return SettlementService(database, Servicer(database, rooms), ledger, watch, checks, publisher, worker)
