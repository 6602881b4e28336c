"""An installation under load that a real Prometheus watches with the shipped rules, and what is heard of faults in it.

What each fault came to is kept in XUEZHAN_ALARMS_RESULTS, one JSON object a line, so that a drill that was cut short goes on, and so that
`python -m tests.e2e.alarms FILE...` can write the table of docs/alarms.md from one or more such files.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from tests.e2e.installation import Large, trace_lines
from tests.support.netns import Network
from tests.support.page import table
from tests.support.postgres import Postgres
from tests.support.process import Process, free_port, wait_until
from tests.support.prometheus import Prometheus
from tests.support.rabbitmq import RabbitMQ
from tests.support.source import ROOT

TABLES: Final = 40
THINK_SECONDS: Final = 2.0
GAMES: Final = "crazy_xuezhan,happy_sichuan,kaxinwu,crazy_duel"
HEARD_SECONDS: Final = 120
OVER_SECONDS: Final = 240
"""How long after the mend the last alert may go on: what waited is caught up meanwhile, and some rules look back two minutes."""
LINGER_SECONDS: Final = 20
"""How long a fault goes on after its alert: what follows from it is heard too."""
HOSTS: Final = ("table", "table-2", "matchmaking", "matchmaking-2", "settlement", "worker", "worker-2", "clients")
BLOCKS: Final = """
import signal, time
# A handler runs on the thread of the event loop.
signal.signal(signal.SIGUSR1, lambda *_: time.sleep(60))
"""
JOBS: Final = {"table": "table", "matchmaking": "matchmaking", "settlement": "settlement", "worker": "settlement-worker"}
RESULTS: Final = Path(os.environ.get("XUEZHAN_ALARMS_RESULTS", "/tmp/xuezhan-alarms.jsonl"))


@dataclass(frozen=True)
class Heard:
    """What came of a fault: the alert that was to come after so many seconds, others that fired too, and how long after the mend the last
    ended. `begun` and `mended`: Unix times.
    """

    fault: str
    alert: str
    seconds: float
    others: list[str]
    over_seconds: float
    begun: float
    mended: float
    players: str = ""


class Watched:
    """The installation, its load and its Prometheus."""

    def __init__(self, folder: Path, network: Network, rooms: Path) -> None:
        (folder / "site").mkdir()
        (folder / "site" / "sitecustomize.py").write_text(BLOCKS)
        self.folder, self.network = folder, network
        self.postgres = Postgres(network=(network.addresses["database"], network.range))
        self.rabbitmq = RabbitMQ(address=network.addresses["broker"], metrics=True)
        self._rooms = rooms
        self.traces = folder / "traces"

    def __enter__(self) -> Self:
        self.postgres.start()
        self.rabbitmq.start()
        blocked = {server: {"PYTHONPATH": str(self.folder / "site")} for server in ("table", "table-2")}
        self.large = Large(self.folder, self.postgres, self.rabbitmq, self._rooms, servers=2, network=self.network, environments=blocked)
        self.large.add("worker-2", "worker", free_port())
        port = free_port()
        self.large.add("matchmaking-2", "matchmaking", port)
        self.large.addresses["matchmaking"] += f",{self.network.addresses['matchmaking-2']}:{port}"
        self.large.__enter__()
        targets: dict[str, list[str]] = {}
        for part, address in self.large.metrics.items():
            targets.setdefault(JOBS[part.partition("-")[0]], []).append(address)
        targets["rabbitmq"] = [self.rabbitmq.metrics_address]
        rules = ROOT / "deploy" / "prometheus" / "rules"
        self.prometheus = Prometheus(targets, rules=rules, every="5s", paths={"rabbitmq": "/metrics/per-object"})
        self.prometheus.start()
        options = ("--tables", TABLES, "--hands", 10_000, "--think", THINK_SECONDS, "--timeout", 20_000, "--traces", self.traces)
        self.load: Process = self.large.load(*options, game=GAMES)
        self.load.start()
        self.large.play_until(self.load, 200, seconds=180)
        self.prometheus.wait_scraped()
        return self

    def __exit__(self, *_: object) -> None:
        self.network.heal()
        self.load.terminate()
        self.prometheus.__exit__()
        self.large.__exit__()
        self.rabbitmq.__exit__()
        self.postgres.__exit__()

    def firing(self) -> set[str]:
        """The alerts that fire now."""
        return {alert.name for alert in self.prometheus.alerts() if alert.firing}

    def quiet(self, seconds: float) -> None:
        """Wait until no alert fires or is about to, and players play."""
        wait_until(lambda: not self.prometheus.alerts(), seconds=seconds, what="no alert")
        self.large.play_until(self.load, 20, seconds=60)

    def during(self, seconds: float) -> set[str]:
        """The alerts that fire at any time within so many seconds."""
        found: set[str] = set()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found |= self.firing()
            assert self.load.running, f"the load run ended: {self.load.output()[-2000:]}"
            time.sleep(1)
        return found

    def cut_off(self, name: str) -> None:
        """Drop all packets between a host, or PostgreSQL or RabbitMQ, and everything else."""
        others = {*HOSTS, *(() if name in {"database", "broker"} else ("main", "database", "broker"))} - {name}
        for other in sorted(others):
            self.network.cut(name, other)

    def hear(self, fault: str, alert: str, may: Collection[str], act: Callable[[], None], mend: Callable[[], None]) -> Heard:
        """Let something fail, wait for the alert, mend it, and wait until all is well. An assertion where another alert is wrong."""
        self.quiet(OVER_SECONDS)
        begun, now = time.time(), time.monotonic()
        fired: set[str] = set()

        def heard() -> bool:
            fired.update(self.firing())
            return alert in fired

        try:
            act()
            wait_until(heard, seconds=HEARD_SECONDS, what=f"{alert} after {fault}; fired: {fired}")
            seconds = time.monotonic() - now
            fired |= self.during(LINGER_SECONDS)
        finally:
            mend()
        mended = time.time()
        back = time.monotonic()

        def over() -> bool:
            fired.update(self.firing())
            return not self.firing()

        wait_until(over, seconds=OVER_SECONDS, what=f"the end of all alerts after {fault}")
        others = fired - {alert}
        found = Heard(fault, alert, round(seconds, 1), sorted(others), round(time.monotonic() - back, 1), begun, mended)
        assert others <= set(may), f"{fault}: {sorted(others - set(may))} are wrong; {found}"
        return found


def keep(found: Heard) -> None:
    """Add what came of a fault to the results."""
    with RESULTS.open("a") as file:
        file.write(f"{json.dumps(found.__dict__)}\n")


def kept(fault: str) -> bool:
    """Whether a fault stands in the results already."""
    return RESULTS.exists() and any(json.loads(line)["fault"] == fault for line in RESULTS.read_text().splitlines())


def tell_players(traces: Path) -> None:
    """Add to the results what players saw of each fault: the longest wait for an answer of what they sent meanwhile."""
    answers = [line for _, lines in trace_lines(traces) for line in lines if "answer" in line]
    told = []
    for line in RESULTS.read_text().splitlines():
        found = json.loads(line)
        if not found["players"]:
            lasts = found["mended"] - found["begun"]
            waits = [one["waited"] for one in answers if found["begun"] - 5 <= one["sent"] <= found["mended"] + 30]
            found["players"] = f"{len(waits)} acts, the longest wait {max(waits, default=0.0):.1f} s (the fault lasted {lasts:.0f} s)"
        told.append(json.dumps(found))
    RESULTS.write_text("".join(f"{line}\n" for line in told))


def main(files: Sequence[str]) -> None:
    """Write the table of docs/alarms.md from files of results."""
    faults: dict[str, list[dict[str, Any]]] = {}
    for file in files:
        for line in Path(file).read_text().splitlines():
            found = json.loads(line)
            faults.setdefault(found["fault"], []).append(found)
    rows = [
        [
            fault,
            found[0]["alert"],
            ", ".join(f"{one['seconds']:.0f}" for one in found),
            ", ".join(sorted({name for one in found for name in one["others"]})) or "none",
            ", ".join(f"{one['over_seconds']:.0f}" for one in found),
            "; ".join(one["players"] for one in found),
        ]
        for fault, found in faults.items()
    ]
    heading = ["fault", "alert", "after, s", "other alerts, all true", "over after the mend, s", "what players saw"]
    where = f"{os.cpu_count()} cores, {platform.system()}"
    sys.stdout.write(f"Seen on {time.strftime('%Y-%m-%d', time.gmtime())}, {where}.\n\n{table(heading, rows)}")


if __name__ == "__main__":
    main(sys.argv[1:])
