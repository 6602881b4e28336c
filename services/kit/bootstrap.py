"""Starting and stopping a service: the same few steps for every one, alone in its process or beside the others.

A service builds its parts in `start`, registers its servicers, and gives them back in `stop`, in the reverse order. Nothing is built at
import.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from prometheus_client import CollectorRegistry

from services.kit import connections, identity, key_service, logs, part_service, vitals
from services.kit.admission import Admission
from services.kit.config import PortError, ServiceSettings
from services.kit.connections import Connections
from services.kit.key_service import KeyServicer
from services.kit.metrics import MetricsServer, RpcMetrics, new_registry
from services.kit.part_service import PartServicer
from services.kit.peers import Peers, networks
from services.kit.roles import Role
from services.kit.rpc import SERVER_OPTIONS, Edge
from services.kit.supervise import Supervisor
from services.kit.tls import ServerTls, server_tls

log = logs.get(__name__)

STOP_GRACE_SECONDS = 2.0


class Service(Protocol):
    """What a service's `server.py` provides."""

    full_names: Sequence[str]
    """The gRPC services it serves, for health and reflection."""

    def register(self, server: Any) -> None:
        """Add its servicers."""
        ...

    async def begin(self, address: str) -> None:
        """Start its background work; the server is listening on `address` (host:port as others reach it)."""
        ...

    async def drain(self) -> None:
        """Stop taking new work and end its streams, before the server stops."""
        ...

    async def end(self) -> None:
        """Stop its background work and close what it opened."""
        ...


Build = Callable[[Any, CollectorRegistry, Supervisor], Awaitable[Service]]
"""Makes a service from its settings; metrics go into the registry, and what serves in the background is the supervisor's."""


class Running:
    """A started service. Its name is that of its role."""

    def __init__(self, name: str, settings: ServiceSettings) -> None:
        self.name = name
        self.address = ""
        self.metrics_port = 0
        self._settings = settings
        self._stack = contextlib.AsyncExitStack()

    async def start(self, build: Build) -> None:
        """Build, listen, begin. Raises SecretsError, or PortError when the port is taken; whatever was started is stopped again."""
        with self._logging():
            try:
                await self._start(build)
            except BaseException:
                await self._stack.aclose()
                raise

    def _logging(self) -> Any:
        return logs.of_service(self.name, self._settings.process_name)

    async def _start(self, build: Build) -> None:
        settings = self._settings
        registry = new_registry()
        vitals.export_info(registry, self.name)
        supervisor = Supervisor(registry)
        own = identity.own_keys(settings, Role(self.name))
        callers = identity.callers(settings, own, registry)
        tls = server_tls(settings, registry)
        counts = RpcMetrics(registry)
        metrics = _metrics_server(registry, supervisor, settings, self.name, tls, counts.count_limited)
        self._stack.callback(metrics.stop)
        self.metrics_port = metrics.port
        service = await build(settings, registry, supervisor)
        self._stack.push_async_callback(service.end)
        admission = Admission(settings)
        server = aio.server(interceptors=[Edge(counts, callers, admission)], options=[*SERVER_OPTIONS, *connections.options(settings)])
        service.register(server)
        KeyServicer(own).register(server)
        PartServicer(Role(self.name), settings.process_name, registry, supervisor).register(server)
        checks = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(checks, server)
        # By itself it says that the server as a whole serves, before it does.
        await checks.set("", health_pb2.HealthCheckResponse.NOT_SERVING)
        if settings.reflects:
            names = (*service.full_names, key_service.FULL_NAME, part_service.FULL_NAME, health.SERVICE_NAME, reflection.SERVICE_NAME)
            reflection.enable_server_reflection(names, server)
        port = _listen(server, settings, self.name, tls)
        self.address = settings.advertise or f"{settings.host}:{port}"
        await server.start()
        self._stack.push_async_callback(server.stop, STOP_GRACE_SECONDS)
        peers = Peers(networks(settings.trusted_proxies))
        watched = Connections(port, settings.peer_connections, peers, counts.count_limited, admission.traffic)
        admission.hang_up = watched.hang_up
        watching = asyncio.create_task(supervisor.task("connections", watched.watch), name=f"{self.name}-connections")
        self._stack.callback(watching.cancel)
        # Not before: what it takes to be built keeps nobody waiting.
        self._stack.callback(vitals.LoopWatch(registry).close)
        await service.begin(self.address)
        health_told = _HealthTold(supervisor, checks, ("", *service.full_names))
        await health_told.begin()
        self._stack.push_async_callback(health_told.end)
        self._stack.push_async_callback(service.drain)
        self._stack.push_async_callback(checks.enter_graceful_shutdown)
        log.info("serving", address=self.address, metrics_port=self.metrics_port)

    async def stop(self) -> None:
        """Drain, stop listening, end."""
        with self._logging():
            await self._stack.aclose()
            log.info("stopped")


class _HealthTold:
    """Tells the health service whenever the supervisor says something else."""

    def __init__(self, supervisor: Supervisor, checks: Any, names: Sequence[str]) -> None:
        self._supervisor = supervisor
        self._checks = checks
        self._names = names
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        await self._tell()
        self._supervisor.listen(self._wake)
        self._task = asyncio.create_task(self._supervisor.task("health", self._follow))

    async def end(self) -> None:
        self._supervisor.forget(self._wake)
        assert self._task is not None
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    def _wake(self) -> None:
        self._loop.call_soon_threadsafe(self._changed.set)

    async def _follow(self) -> None:
        while True:
            await self._tell()
            await self._changed.wait()

    async def _tell(self) -> None:
        self._changed.clear()
        status = health_pb2.HealthCheckResponse
        for name in self._names:
            await self._checks.set(name, status.SERVING if self._supervisor.ready else status.NOT_SERVING)


def _metrics_server(
    registry: CollectorRegistry,
    supervisor: Supervisor,
    settings: ServiceSettings,
    name: str,
    tls: ServerTls | None,
    counted: Callable[[str], None],
) -> MetricsServer:
    try:
        return MetricsServer(registry, settings.host, settings.metrics_port, tls, supervisor, counted)
    except OSError as error:
        raise PortError(f"metrics_port: {name} cannot listen on {settings.host}:{settings.metrics_port}: {error.strerror}") from None


def _listen(server: Any, settings: ServiceSettings, name: str, tls: ServerTls | None) -> int:
    where = f"{settings.host}:{settings.port}"
    try:
        return int(server.add_insecure_port(where) if tls is None else server.add_secure_port(where, tls.credentials()))
    except RuntimeError:
        raise PortError(f"port: {name} cannot listen on {settings.host}:{settings.port}; is it running already?") from None


async def until_told_to_stop() -> None:
    """Wait for SIGINT or SIGTERM."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    try:
        await stop.wait()
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


async def serve(name: str, settings: ServiceSettings, build: Build) -> None:
    """Run one service until told to stop."""
    running = Running(name, settings)
    await running.start(build)
    try:
        await until_told_to_stop()
    finally:
        await running.stop()
