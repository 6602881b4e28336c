"""The table service: builds its parts, starts and ends them (services.kit.bootstrap.Service)."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from prometheus_client import CollectorRegistry

from games.registry import versions
from services.kit import keys, logs, parent
from services.kit.database import Database, migrate
from services.kit.database_watch import DatabaseWatch
from services.kit.errors import ServiceError
from services.kit.letterbox import Letterbox
from services.kit.messages import Author, OutcomesText, Reader
from services.kit.part_tokens import OwnToken
from services.kit.publisher import Publisher
from services.kit.roles import Role
from services.kit.rooms import Rooms, load_rooms
from services.kit.supervise import Supervisor
from services.kit.tls import connector
from services.table import recovery, store_keys
from services.table.config import SAFE_LEASE_SECONDS, TableSettings
from services.table.hall import Hall
from services.table.handover import HandOver
from services.table.lease import Lease
from services.table.live import Live, Outbox
from services.table.metrics import TableMetrics
from services.table.ownership import Ownership
from services.table.relay import Inbox, Relay
from services.table.servicer import FULL_NAME, TableServicer
from services.table.siblings import TablePeers
from services.table.signer import Signer

log = logs.get(__name__)

SCHEMA: Final = "table"
_SCRIPTS: Final = Path(__file__).parent / "migrations"
_GC_THRESHOLDS: Final = (1_000, 10, 4_000)
"""Tables let go of themselves when they are over, so there is next to nothing for the collector of cycles. It looks often at what is new,
since everybody waits while it looks: a millisecond, and 4 ms at the second figure. A look at everything takes 0.1 s with two thousand
tables, so it comes about once an hour under full load.
"""
_DRAIN_SECONDS: Final = 5.0


class TableService:
    """One table server."""

    full_names: Sequence[str] = (FULL_NAME,)

    def __init__(
        self,
        settings: TableSettings,
        hall: Hall,
        peers: TablePeers,
        letterbox: Letterbox[OutcomesText],
        supervisor: Supervisor,
        watch: DatabaseWatch,
    ) -> None:
        self.hall = hall
        self._watch = watch
        self._letterbox = letterbox
        self._supervisor = supervisor
        self._settings = settings
        self._ownership = Ownership(hall)
        self._hand_over = HandOver(hall, peers.take_tables)
        self._draining: asyncio.Task[None] | None = None
        self._stopping = False
        self._peers = peers
        self._servicer = TableServicer(hall, self._ownership, self._begin_to_drain)
        self._inbox: Inbox | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def register(self, server: Any) -> None:
        """Add the servicer."""
        self._servicer.register(server)

    async def begin(self, address: str) -> None:
        """Claim the lease, take up the tables, and begin to play."""
        hall = self.hall
        hall.address = address
        _tune()
        if (descriptor := self._settings.parent_fd) is not None:
            self._start("parent", lambda: parent.follow(descriptor, self._hand_over.announce), lambda: True)
        await hall.lease.claim(address)
        hall.open = True
        self._start("lease", lambda: hall.lease.keep(hall.live, self._lease_lost))
        self._start("relay", hall.relay.run)
        self._start("archive", hall.archive.run)
        self._start("late_seats", self._ownership.answer_late)
        await self._ownership.take_own()
        self._start("ownership", self._ownership.run)
        # Beside play: it takes as long as there is work from before.
        self._start("archive_of_before", hall.archive.catch_up, lambda: True)
        self._inbox = Inbox(
            self._settings.broker_url, self._settings.server_name, self._letterbox, hall.outcome, self._supervisor, hall.metrics.workers.set
        )
        self._inbox.start()

    def _start(self, what: str, work: Callable[[], Awaitable[None]], may_end: Callable[[], bool] = lambda: False) -> None:
        task = asyncio.create_task(self._supervisor.task(what, work, may_end))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _lease_lost(self) -> None:
        self.hall.silence()
        await self.hall.lease.claim(self.hall.address)
        self.hall.open = True
        # Beside the renewals: reading many tables takes longer than a lease.
        self._ownership.look()

    def _begin_to_drain(self) -> None:
        """Hand the tables over, if that has not begun; as soon as there is a server that takes them."""
        if self._draining is None or self._draining.done():
            work = self._supervisor.task("drain", lambda: self._hand_over.run(patient=not self._stopping), lambda: True)
            self._draining = asyncio.create_task(work)

    async def drain(self) -> None:
        """Hand the tables over to the other servers, as far as they take them. Store what is under way; end the streams."""
        hall = self.hall
        hall.lease.draining = self._stopping = True
        self._hand_over.hurry()
        if hall.open and not hall.database.is_sqlite:
            self._begin_to_drain()
        if self._draining is not None:
            # What is under way is not broken off before its time is up: a batch half handed over would stand still.
            await asyncio.wait([self._draining], timeout=self._settings.drain_seconds)
            self._draining.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._draining
        hall.end_streams("draining", "this server is stopping; come back")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_SECONDS):
                await hall.journal.idle()

    async def end(self) -> None:
        """Stop the background work and give the lease back."""
        hall = self.hall
        hall.open = False
        hall.timers.close()
        if self._inbox is not None:
            await self._inbox.stop()
        for task in list(self._tasks):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, ServiceError):
                await task
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_SECONDS):
                await hall.journal.idle()
        await hall.lease.release()
        await self._peers.close()
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._watch.close()
        self.hall.journal.close()
        self.hall.relay.close()
        self.hall.lease.close()
        self.hall.database.close()


def _tune() -> None:
    """Set the interpreter up for a process that plays thousands of tables."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLDS)


def _prepare(rooms: Rooms) -> None:
    for room in rooms:
        room.rules().prepare()


def warn_of_short_lease(settings: TableSettings) -> None:
    """Log a lease that a statement at the database may outlast; tests have shorter ones, in development."""
    if settings.lease_seconds < SAFE_LEASE_SECONDS and not settings.development:
        log.warning("lease_too_short", lease_seconds=settings.lease_seconds, least=SAFE_LEASE_SECONDS)


async def build(settings: TableSettings, registry: CollectorRegistry, supervisor: Supervisor) -> TableService:
    """Make a table server: rooms, secrets, database (migrated), and everything that plays."""
    warn_of_short_lease(settings)
    rooms = load_rooms(settings.rooms_file)
    await asyncio.to_thread(_prepare, rooms)
    own = keys.load_table(settings.secrets)
    database = Database(settings.database_url, SCHEMA, supervisor=supervisor)
    try:
        await asyncio.to_thread(migrate, database, _SCRIPTS)
        await database.run(store_keys.check, own)
    except BaseException:
        await asyncio.to_thread(database.close)
        raise
    metrics = TableMetrics(registry)
    # On SQLite there is one thread a file.
    leases = database if database.is_sqlite else Database(settings.database_url, SCHEMA, 1, supervisor, "lease")
    lease = Lease(leases, settings.server_name, settings.max_tables, settings.lease_seconds, versions())
    signer = Signer(own.installation, own.records.signing())
    hall = Hall(settings, rooms, own, signer, database, lease, metrics)
    hall.rebuild = partial(recovery.rebuild, hall)
    publisher = Publisher(settings.broker_url, supervisor)
    author = Author(own.key, own.installation, settings.server_name)
    hall.relay = Relay(database, publisher, author, metrics, settings.resend_seconds, supervisor)
    registry.register(Live(hall))
    watch = DatabaseWatch(settings.database_url, SCHEMA, registry, supervisor, [Outbox()])
    letterbox = Letterbox("outcomes", Reader(own.trust, settings.server_name).outcomes, publisher, registry)
    peers = TablePeers(OwnToken(own, Role.TABLE), connector(settings.ca_file))
    return TableService(settings, hall, peers, letterbox, supervisor, watch)
