"""Whole installations, as processes that tests start, kill and start again: all in one (`xuezhan up`), or every part alone on PostgreSQL
and RabbitMQ.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from prometheus_client.parser import text_string_to_metric_families

from services.kit.roles import Role
from tests.cli.command import XUEZHAN, Ran, xuezhan
from tests.support.keyring import Keyring
from tests.support.netns import Network
from tests.support.postgres import Postgres
from tests.support.process import Process, free_port, wait_until
from tests.support.rabbitmq import RabbitMQ
from tests.support.users import Users
from xuezhan.client.channels import Channels
from xuezhan.client.tables import Tables

START_SECONDS = 60
FEW_HANDS = 20
FAST_ROOMS = Path("services/kit/rooms_fast.toml").resolve()


def free_base() -> int:
    """A port base of which `up` can use every port."""
    return free_port(range(10_000, 19_000, 400), (100, 101, 200, 201, 300, 301))


def figure(address: str, name: str, ca: Path | None = None) -> float | None:
    """The sum of a metric's series that a part serves now, with TLS where a CA is given; None when it does not answer."""
    context = None if ca is None else ssl.create_default_context(cafile=str(ca))
    try:
        with urllib.request.urlopen(f"http{'s' if ca else ''}://{address}/metrics", timeout=5, context=context) as answer:
            text = answer.read().decode()
    except OSError:
        return None
    return sum(sample.value for family in text_string_to_metric_families(text) for sample in family.samples if sample.name == name)


class Installation:
    """What both kinds share: the commands that find them, and load runs beside them."""

    metrics: dict[str, str]
    """Where each part serves its metrics."""
    ca: Path | None = None
    """Who signed the certificates of its ports; None: they do without."""

    def __init__(self, folder: Path, addresses: dict[str, str], keys: Path) -> None:
        self.folder = folder
        self.addresses = addresses
        self.keys = keys

    def where(self) -> list[str]:
        """The options with which a command finds this installation."""
        return [
            *("--matchmaking", self.addresses["matchmaking"]),
            *("--table", self.addresses["table"]),
            *("--settlement", self.addresses["settlement"]),
            *("--secrets", str(self.keys)),
        ]

    @property
    def keyring(self) -> Keyring:
        """Its keys, which are there once it has started."""
        return Keyring(self.keys)

    def ledger_check(self) -> Ran:
        """Run `xuezhan ledger check`."""
        raise NotImplementedError

    def load(self, *options: object, game: str = "crazy_xuezhan") -> Process:
        """A load run, not yet started; its report is the last line of its output."""
        command: list[Path | str] = [XUEZHAN, "load", "--game", game, "--json", *map(str, options), *self.where()]
        return Process(command, log=self.folder / f"load-{free_port()}.log")

    def play_until(self, load: Process, actions: int, *, seconds: float = 90) -> None:
        """Start a load run (unless it runs) and wait until the table server has taken so many actions more."""

        def taken() -> float:
            servers = [address for part, address in self.metrics.items() if part.startswith("table")]
            return sum(figure(address, "xuezhan_table_actions_total", self.ca) or 0 for address in servers)

        def played() -> bool:
            assert load.running, f"the load run ended too early: {load.output()[-2000:]}"
            return taken() >= before + actions

        before = taken()

        wait_until(played, seconds=seconds, what=f"{actions} actions")

    def bots(self) -> float:
        """How many seats were given to bots: a room fills a table with them where seating is slow."""
        replicas = [address for part, address in self.metrics.items() if part.startswith("matchmaking")]
        counts = [figure(address, "xuezhan_matchmaking_bots_total", self.ca) for address in replicas]
        assert None not in counts, counts
        return sum(count or 0 for count in counts)

    def records(self, tables: Sequence[str]) -> list[list[dict[str, Any]]]:
        """The records of each table's finished hands."""
        token = self.keyring.part(Role.AUDITOR, Role.TABLE)
        return asyncio.run(_records(self.addresses["table"].partition(",")[0], token, tables))


async def _records(address: str, token: str, tables: Sequence[str]) -> list[list[dict[str, Any]]]:
    channels = Channels()
    try:
        server = Tables(channels, address)
        return [await server.records(token, table) for table in tables]
    finally:
        await channels.close()


def report(load: Process, *, seconds: float) -> dict[str, Any]:
    """Wait for a load run to end and return its report, whatever its exit status."""
    load.wait(seconds=seconds)
    lines = [line for line in load.output().splitlines() if line.startswith("{")]
    assert lines, load.output()[-3000:]
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def assert_whole(found: dict[str, Any], *, hands: int, bots: float = 0) -> None:
    """Nothing went wrong, nothing is missing, and coins did move: among these players alone, unless `bots` had seats too."""
    assert found["errors"] == [], found["errors"]
    assert found["hands"] == hands
    assert found["records_checked"] == hands
    assert (found["records_wrong"], found["acknowledged_missing"]) == (0, 0)
    assert found["coins"]["mismatches"] == 0
    assert bots or found["coins"]["before"] == found["coins"]["after"]
    # Of a few hands all may end without a win.
    assert hands < FEW_HANDS or found["coins"]["wallets_changed"] > 0
    assert found["ok"]


class Embedded(Installation):
    """`xuezhan up --fast`."""

    def __init__(self, folder: Path, *options: object) -> None:
        base = free_base()
        ports = {"matchmaking": base + 100, "table": base + 200, "settlement": base + 300}
        super().__init__(folder, {name: f"127.0.0.1:{port}" for name, port in ports.items()}, folder / "data.secrets")
        self.metrics = {name: f"127.0.0.1:{port + 1}" for name, port in ports.items()}
        command = [XUEZHAN, "up", "--data", folder / "data", "--port-base", base, *(options or ("--fast",))]
        self.process = Process([str(part) for part in command], log=folder / "up.log")

    def start(self) -> None:
        """Start it and wait until it serves."""
        before = self.process.output().count("xuezhan is up") if self.process.log.exists() else 0
        self.process.start()
        self.process.wait_ready(lambda: self.process.output().count("xuezhan is up") > before, seconds=START_SECONDS)

    def ledger_check(self) -> Ran:
        """Run `xuezhan ledger check` on its data folder."""
        return xuezhan("ledger", "check", "--data", self.folder / "data")

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()


class Large(Installation):
    """Matchmaking, table servers, settlement and a worker, each its own process with its own user, on PostgreSQL and RabbitMQ.

    The table servers are `table`, `table-2`, `table-3`, ... With a network each runs on the host of its name, load runs on `clients`, and
    everything else is here: under `main`, PostgreSQL under `database` and RabbitMQ under `broker`.
    """

    PARTS = ("settlement", "worker", "table", "matchmaking")

    def __init__(
        self,
        folder: Path,
        postgres: Postgres,
        rabbitmq: RabbitMQ,
        rooms: Path,
        *,
        tls: bool = False,
        database: str = "",
        broker: str = "",
        keys: Path | None = None,
        servers: int = 1,
        network: Network | None = None,
        seeds: Sequence[str] = (),
        environments: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        """Set it up as deploy/README.md says, with TLS if asked. `database`, `broker` and `keys`: of one that was there before. `seeds`:
        where matchmaking looks for table servers besides, as under a name whose addresses change. `environments`: what is added to the
        environment of parts, by name.
        """
        self._environments = environments or {}
        self.servers = ("table", *(f"table-{number}" for number in range(2, servers + 1)))
        self.order = ("settlement", "worker", *self.servers, "matchmaking")
        ports = {part: free_port() for part in self.order}
        self._network = network
        database, broker = database or postgres.new_database("e2e"), broker or rabbitmq.new_vhost()
        if network is not None:
            broker = broker.replace("127.0.0.1", network.addresses["broker"])
        users = Users(keys or folder / "secrets", postgres, database, broker, host=self._host("database"))
        keys = users.secrets
        addresses = {part: f"{self._host(part)}:{port}" for part, port in ports.items() if part != "worker"}
        addresses["table"] = ",".join(addresses[part] for part in self.servers)
        super().__init__(folder, addresses, keys)
        if tls:
            made = xuezhan("certificates", "--secrets", keys)
            assert made.status == 0, made.err
            self.ca = keys / "ca.pem"
        users.write()
        users.make()
        users.make_at_broker(rabbitmq)
        self.database = users.url("owner")
        migrated = xuezhan("migrate", "--database-url", self.database, "--user-prefix", users.prefix)
        assert migrated.status == 0, migrated.err
        self.metrics = {}
        self.idle: dict[str, float] = {}
        """What a table server has of its own when it does nothing (tests.e2e.held), once that is known."""
        self.parts: dict[str, Process] = {}
        self._environment = {
            "XUEZHAN_DEVELOPMENT": "1",
            "XUEZHAN_ROOMS_FILE": str(rooms),
            "XUEZHAN_SETTLEMENT_ADDRESS": self.addresses["settlement"],
            "XUEZHAN_TABLE_ADDRESSES": ",".join((self.addresses["table"], *seeds)),
            "XUEZHAN_LOG_LEVEL": "warning",
        }
        for name in self.order:
            part, _, number = name.partition("-")
            self.add(name, part, ports[name], *(("--server-name", name) if number else ()))

    def add(self, name: str, part: str, port: int, *options: str) -> None:
        """Set up a process of a part, which `start` starts under its name."""
        metrics = free_port()
        self.metrics[name] = f"{self._host(name)}:{metrics}"
        listen = [] if part == "worker" else ["--port", port]
        command = [str(word) for word in (XUEZHAN, "serve", part, *listen, "--metrics-port", metrics, *options)]
        # Its own folder, as on a machine of its own.
        environment = {**self._environment, "XUEZHAN_SECRETS": str(self.keys / part), "XUEZHAN_HOST": self._host(name)}
        environment |= self._environments.get(name, {})
        self.parts[name] = Process(self._on(name, command), log=self.folder / f"{name}.log", env=environment)

    def load(self, *options: object, game: str = "crazy_xuezhan") -> Process:
        """A load run, as of every installation, on the host `clients`."""
        load = super().load(*options, game=game)
        load.command = [str(word) for word in self._on("clients", load.command)]
        return load

    def _host(self, name: str) -> str:
        """The address of a part, of PostgreSQL or of RabbitMQ."""
        if self._network is None:
            return "127.0.0.1"
        return self._network.addresses.get(name) or self._network.addresses["main"]

    def _on(self, name: str, command: Sequence[str | Path]) -> Sequence[str | Path]:
        """A command on the host of a part, or of clients."""
        if self._network is None or name not in self._network.addresses:
            return command
        return self._network.command(name, command)

    def start(self, part: str) -> None:
        """Start one part and wait until it answers."""
        self.parts[part].start()
        self.parts[part].wait_ready(
            lambda: figure(self.metrics[part], "process_start_time_seconds", self.ca) is not None, seconds=START_SECONDS
        )

    def kill(self, part: str) -> None:
        """Kill one part as when its machine is lost."""
        self.parts[part].kill()

    def ledger_check(self) -> Ran:
        """Run `xuezhan ledger check` on its database."""
        return xuezhan("ledger", "check", "--database-url", self.database)

    def __enter__(self) -> Self:
        try:
            for part in self.parts:
                self.start(part)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for part in reversed(self.parts.values()):
            part.terminate()


def trace_lines(folder: Path) -> Sequence[tuple[str, list[dict[str, Any]]]]:
    """The traces of a load run: table id and its lines."""
    return [(file.stem, [json.loads(line) for line in file.read_text().splitlines()]) for file in sorted(folder.glob("*.jsonl"))]
