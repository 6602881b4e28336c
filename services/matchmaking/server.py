"""Matchmaking as a service: its parts put together."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry

from services.kit import keys
from services.kit.database import Database, migrate
from services.kit.database_watch import DatabaseWatch
from services.kit.keys import RoleKeys
from services.kit.part_tokens import OwnToken
from services.kit.roles import Role
from services.kit.rooms import Rooms, load_rooms
from services.kit.supervise import Supervisor
from services.kit.tls import connector
from services.matchmaking.clock import DatabaseClock
from services.matchmaking.config import Settings
from services.matchmaking.desk import Desk
from services.matchmaking.lease import RoomLeases
from services.matchmaking.loop import Loop
from services.matchmaking.metrics import Metrics
from services.matchmaking.seating import Parts
from services.matchmaking.servicer import RoomServicer, Servicer
from services.matchmaking.settlement import Settlement
from services.matchmaking.table_servers import TableServers
from services.matchmaking.watch import Board
from xuezhan.api.matchmaking.v1.matchmaking_pb2 import DESCRIPTOR
from xuezhan.api.matchmaking.v1.matchmaking_pb2_grpc import add_MatchmakingServiceServicer_to_server, add_RoomServiceServicer_to_server

MIGRATIONS = Path(__file__).parent / "migrations"
SCHEMA = "matchmaking"
STOP_SECONDS = 2.0


class MatchmakingService:
    """The running parts of one process."""

    full_names: Sequence[str] = [DESCRIPTOR.services_by_name[name].full_name for name in ("MatchmakingService", "RoomService")]

    def __init__(self, settings: Settings, parts: Parts, rooms: Rooms, supervisor: Supervisor, watch: DatabaseWatch) -> None:
        self._parts = parts
        self._watch = watch
        self._loop = Loop(parts, rooms, RoomLeases(parts.replica), settings.retention_seconds, supervisor)
        desk = Desk(parts, rooms, self._loop, settings.max_waiting)
        self._room_servicer = RoomServicer(desk)
        self._servicer = Servicer(desk, parts.board, self._loop.seating.book, rooms, parts.clock)

    def register(self, server: Any) -> None:
        """Add the servicers."""
        add_MatchmakingServiceServicer_to_server(self._servicer, server)
        add_RoomServiceServicer_to_server(self._room_servicer, server)

    async def begin(self, _address: str) -> None:
        """Start the loop."""
        self._loop.start()

    async def drain(self) -> None:
        """End the watches; tickets stay, and their followers come back to another replica or after the restart."""
        self._parts.board.close()

    async def end(self) -> None:
        """Stop the loop, let the steps under way end, close everything."""
        await self._loop.stop(STOP_SECONDS)
        await self._parts.settlement.close()
        await self._parts.tables.close()
        await asyncio.to_thread(self._watch.close)
        await asyncio.to_thread(self._parts.database.close)


async def build(settings: Settings, registry: CollectorRegistry, supervisor: Supervisor) -> MatchmakingService:
    """Make the service. Raises ConfigError, SecretsError or UnavailableError (the database)."""
    rooms = load_rooms(settings.rooms_file)
    own = keys.load(settings.secrets, Role.MATCHMAKING)
    parts = await make_parts(settings, registry, own, supervisor)
    watch = DatabaseWatch(settings.database_url, SCHEMA, registry, supervisor)
    return MatchmakingService(settings, parts, rooms, supervisor, watch)


async def make_parts(settings: Settings, registry: CollectorRegistry, own: RoleKeys, supervisor: Supervisor) -> Parts:
    """Make what the saga works with; the database is brought up to date."""
    connect = connector(settings.ca_file)
    database = Database(settings.database_url, SCHEMA, supervisor=supervisor)
    await asyncio.to_thread(migrate, database, MIGRATIONS)
    clock = DatabaseClock()
    await database.run(clock.read)
    metrics = Metrics(registry)
    return Parts(
        database=database,
        settlement=Settlement(settings.settlements, OwnToken(own, Role.SETTLEMENT), connect),
        tables=TableServers(settings.servers, OwnToken(own, Role.TABLE), connect),
        board=Board(metrics, settings.max_watchers),
        metrics=metrics,
        limits=settings.limits,
        clock=clock,
        replica=secrets.token_hex(8),
    )
