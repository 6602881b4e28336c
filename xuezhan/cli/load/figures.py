"""What a load run exports for Prometheus: faults of fairness that its players have seen, which no server can tell of itself."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from prometheus_client import CollectorRegistry, Metric, start_http_server
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from xuezhan.cli.errors import CommandError
from xuezhan.cli.load.tally import Tally
from xuezhan.client import FaultName


class FairnessFaults(Collector):
    """The faults of all players together. Each begins at 0: of a counter that comes up at 1 nobody sees that it increased."""

    def __init__(self, tallies: Callable[[], Iterable[Tally]]) -> None:
        self._tallies = tallies

    def collect(self) -> Iterable[Metric]:
        """Count them."""
        found: Counter[str] = Counter()
        for tally in self._tallies():
            found.update(tally.faults)
        text = "What servers did to clients that they must not do, by what."
        family = CounterMetricFamily("xuezhan_client_fairness_faults_total", text, labels=("fault",))
        for name in FaultName:
            family.add_metric([name], found[name])
        yield family


@contextlib.contextmanager
def exported(port: int | None, tallies: Callable[[], Iterable[Tally]]) -> Iterator[None]:
    """Export the figures on a port of this machine meanwhile. Raises CommandError when it is taken."""
    if port is None:
        yield
        return
    registry = CollectorRegistry()
    registry.register(FairnessFaults(tallies))
    try:
        server, thread = start_http_server(port, "127.0.0.1", registry)
    except OSError as error:
        raise CommandError(f"--metrics-port: cannot listen on 127.0.0.1:{port}: {error.strerror}") from None
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
