"""Everything in one process: the three services and a settlement worker, on SQLite and an in-process broker."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import click

from services.kit import make_keys
from services.kit.bootstrap import Running
from services.kit.config import ConfigError, TlsSettings
from services.kit.private_files import write_private
from services.matchmaking.config import Settings as MatchmakingSettings
from services.matchmaking.server import build as build_matchmaking
from services.settlement.config import Settings as SettlementSettings
from services.settlement.server import build as build_settlement
from services.table.config import TableSettings
from services.table.server import build as build_table
from xuezhan.cli.data_folder import usable
from xuezhan.cli.where import RUNNING, Installation, find, secrets_beside

BROKER: Final = "memory://localhost/"


@dataclass(frozen=True)
class Ports:
    """Where the parts listen; 0 takes free ports."""

    matchmaking: int
    table: int
    settlement: int

    @classmethod
    def of(cls, base: int) -> Ports:
        """Return the usual ports from a base: base + 100, 200, 300; metrics are one above each."""
        return cls(base + 100, base + 200, base + 300) if base else cls(0, 0, 0)


def _tls() -> dict[str, Path | None]:
    """Return the TLS settings of all parts: all of them, or none, whatever XUEZHAN_CA_FILE says of another installation."""
    tls = TlsSettings()
    if tls.tls_certificate_file is not None and tls.ca_file is None:
        raise ConfigError("ca_file: it is not set; with tls_certificate_file the parts reach one another by TLS, too")
    if tls.tls_certificate_file is None:
        return dict.fromkeys(TlsSettings.model_fields)
    return tls.model_dump()


class Embedded:
    """All parts of an installation, started together. `where` is how commands reach it, once started."""

    def __init__(self, data: Path, *, host: str, ports: Ports, rooms_file: Path | None, log_level: str) -> None:
        self.data = data
        self.where: Installation | None = None
        self.metrics: dict[str, str] = {}
        """host:port by part."""
        self._ports = ports
        self._secrets = secrets_beside(data)
        self._common: dict[str, Any] = {
            "host": host,
            "advertise": "",
            "broker_url": BROKER,
            "secrets": self._secrets,
            "development": True,
            "rooms_file": rooms_file,
            "log_level": log_level,
        }
        self._ca_file = ""
        self._stack = contextlib.AsyncExitStack()

    async def start(self) -> Installation:
        """Start everything. Raises CommandError, ConfigError, SecretsError or UnavailableError; what was started is stopped again."""
        try:
            return await self._start()
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Stop everything, the last started first. Nothing is lost: what is under way goes on at the next start."""
        # A folder that became read-only keeps the file; everything is stopped nonetheless.
        with contextlib.suppress(OSError):
            (self.data / RUNNING).unlink()
        await self._stack.aclose()

    async def _start(self) -> Installation:
        if (self.data / "table.db").exists() and not self._secrets.exists():
            raise ConfigError(f"secrets: {self._secrets} is gone, but not what its keys are for: put it back, or delete {self.data} too")
        made = make_keys.make(self._secrets, development=True, old=(self._secrets / make_keys.OLD,))
        if made.divided:
            click.echo(made.divided, err=True)
        tls = _tls()
        self._common |= tls
        self._ca_file = "" if tls["ca_file"] is None else str(tls["ca_file"].resolve())
        settlement = await self._run(
            "settlement",
            SettlementSettings(**self._settings("settlement", self._ports.settlement)),
            build_settlement,
        )
        table = await self._run(
            "table",
            TableSettings(**self._settings("table", self._ports.table), settlement_address=settlement.address),
            build_table,
        )
        matchmaking = await self._run(
            "matchmaking",
            MatchmakingSettings(
                **self._settings("matchmaking", self._ports.matchmaking),
                settlement_address=settlement.address,
                table_addresses=table.address,
            ),
            build_matchmaking,
        )
        addresses = {"matchmaking": matchmaking.address, "table": table.address, "settlement": settlement.address}
        with usable(self.data):
            running = {**addresses, "ca_file": self._ca_file, "metrics": self.metrics, "process": os.getpid()}
            write_private(self.data / RUNNING, json.dumps(running))
        self.where = replace(find(self.data, self._secrets, **addresses), ca_file=self._ca_file)
        return self.where

    def _settings(self, name: str, port: int) -> dict[str, Any]:
        return {
            **self._common,
            "port": port,
            "metrics_port": port and port + 1,
            "database_url": f"sqlite:///{self.data.resolve() / name}.db",
        }

    async def _run(self, name: str, settings: Any, build: Any) -> Running:
        running = Running(name, settings)
        await running.start(build)
        self._stack.push_async_callback(running.stop)
        self.metrics[name] = f"{settings.host}:{running.metrics_port}"
        return running
