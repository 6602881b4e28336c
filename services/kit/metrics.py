"""Metrics for Prometheus: one registry a service, exported on the service's own port.

Names stand in the source in full, as they are scraped, with base units and the prefix of what exports them: `xuezhan_table_`,
`xuezhan_matchmaking_`, `xuezhan_settlement_`, or `xuezhan_part_` for what every part has. Labels are bounded: game, tier (room id), reason,
kind, result, method, code. Never a player, table, host or exception text.
"""

from __future__ import annotations

import socket
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable
from threading import Event
from typing import TYPE_CHECKING, Any, Final
from wsgiref.simple_server import WSGIRequestHandler, make_server

from prometheus_client import (
    CollectorRegistry,
    Counter,
    GCCollector,
    Histogram,
    Metric,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    make_wsgi_app,
)
from prometheus_client.core import HistogramMetricFamily
from prometheus_client.registry import Collector

from services.kit.bounded_server import BoundedServer
from services.kit.supervise import Supervisor

if TYPE_CHECKING:
    from services.kit.tls import ServerTls

_POLL_SECONDS: Final = 0.05
"""How long stopping may take; the library's half a second is felt."""
_PEER_SECONDS: Final = 10
"""How long a scraper may be silent."""
LATENCY_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class RpcMetrics:
    """What every gRPC server counts, under the names that dashboards for gRPC expect."""

    def __init__(self, registry: CollectorRegistry) -> None:
        labels = ("grpc_service", "grpc_method")
        self.started = Counter("grpc_server_started_total", "RPCs begun.", labels, registry=registry)
        self.handled = Counter("grpc_server_handled_total", "RPCs ended, by code.", (*labels, "grpc_code"), registry=registry)
        self.seconds = Histogram("grpc_server_handling_seconds", "Time of unary RPCs.", labels, registry=registry, buckets=LATENCY_BUCKETS)
        self.count_limited = limit_counter(registry)


def limit_counter(registry: CollectorRegistry) -> Callable[[str], None]:
    """Return what counts what was refused, closed or answered late because of a limit, by the limit's name."""
    text = "What was refused, closed or answered late because of a limit."
    limited = Counter("xuezhan_part_limited_total", text, ("limit",), registry=registry)
    return lambda limit: limited.labels(limit).inc()


def new_registry() -> CollectorRegistry:
    """Return a registry with the process's own figures in it."""
    # A series more for each counter and histogram, which tells no more than the start of the process.
    disable_created_metrics()  # type: ignore[no-untyped-call]
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    return registry


class LoopHistogram(Collector):
    """A histogram of seconds without a lock, for what is counted very often: from one event loop alone."""

    def __init__(self, name: str, text: str) -> None:
        self._name, self._text = name, text
        self._counts = [0] * (len(LATENCY_BUCKETS) + 1)
        self._sum = 0.0

    def observe(self, seconds: float) -> None:
        """Count a time."""
        self._counts[bisect_left(LATENCY_BUCKETS, seconds)] += 1
        self._sum += seconds

    def collect(self) -> Iterable[Metric]:
        """Return what was counted."""
        total, buckets = 0, []
        for bound, count in zip((*map(str, LATENCY_BUCKETS), "+Inf"), self._counts, strict=True):
            total += count
            buckets.append((bound, total))
        family = HistogramMetricFamily(self._name, self._text)
        family.add_metric([], buckets, self._sum)
        yield family


class MetricsServer:
    """Exports one registry over HTTP, or HTTPS, until stopped. Start it after any fork. Raises OSError when the port is taken."""

    def __init__(
        self,
        registry: CollectorRegistry,
        host: str,
        port: int,
        tls: ServerTls | None = None,
        supervisor: Supervisor | None = None,
        counted: Callable[[str], None] = lambda _limit: None,
    ) -> None:
        """`counted` is told of each request that was answered late because its address asks too often."""
        kind = _SixServer if ":" in host else _Server
        self._server = make_server(host, port, make_wsgi_app(registry), kind, _SilentHandler)
        self._server.tls, self._server.counted = tls, counted
        self._stop = Event()
        self.port: int = self._server.server_port
        self._thread = (supervisor or Supervisor()).thread("metrics", lambda: self._server.serve_forever(_POLL_SECONDS), self._stop)

    def stop(self) -> None:
        """Close the port."""
        self._stop.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)


class _Server(BoundedServer):
    tls: ServerTls | None = None

    def get_request(self) -> tuple[Any, Any]:
        """Accept a connection; its handshake is made on its own thread, so that nobody who is slow at it keeps others waiting."""
        accepted, address = super().get_request()
        if self.tls is not None:
            accepted = self.tls.context().wrap_socket(accepted, server_side=True, do_handshake_on_connect=False)
        return accepted, address

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a peer that hung up, was silent for too long or did not speak TLS."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _SixServer(_Server):
    address_family = socket.AF_INET6


class _SilentHandler(WSGIRequestHandler):
    timeout = _PEER_SECONDS

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base
        """Log no scrapes."""
