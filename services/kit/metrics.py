"""Metrics for Prometheus: one registry a service, exported on the service's own port.

Names carry the prefix `xuezhan_` and base units; labels are bounded: game, tier (room id), reason, kind, result, method, code. Never a
player, table, host or exception text.
"""

from __future__ import annotations

from threading import Thread
from typing import Final
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, Counter, GCCollector, Histogram, PlatformCollector, ProcessCollector, start_http_server

LATENCY_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class RpcMetrics:
    """What every gRPC server counts, under the names that dashboards for gRPC expect."""

    def __init__(self, registry: CollectorRegistry) -> None:
        labels = ("grpc_service", "grpc_method")
        self.started = Counter("grpc_server_started_total", "RPCs begun.", labels, registry=registry)
        self.handled = Counter("grpc_server_handled_total", "RPCs ended, by code.", (*labels, "grpc_code"), registry=registry)
        self.seconds = Histogram(
            "grpc_server_handling_seconds", "Time of unary RPCs.", labels, registry=registry, buckets=LATENCY_BUCKETS
        )


def new_registry() -> CollectorRegistry:
    """Return a registry with the process's own figures in it."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    return registry


class MetricsServer:
    """Exports one registry over HTTP until stopped. Start it after any fork."""

    def __init__(self, registry: CollectorRegistry, host: str, port: int) -> None:
        self._server: WSGIServer
        self._thread: Thread
        self._server, self._thread = start_http_server(port, addr=host, registry=registry)
        self.port: int = self._server.server_port

    def stop(self) -> None:
        """Close the port."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)
