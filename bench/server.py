"""A table server as it is built for production, in a process on one core, with a settlement that answers at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest import mock

import uvloop

from bench import processes
from bench.sampling import Sampler
from bench.stand_in import StandIn
from bench.timed import CHECKS, COUNTS, METRICS, Timed, left_out
from services.kit import logs, make_keys
from services.kit.bootstrap import Running
from services.table.config import TableSettings
from services.table.core import TableCore
from services.table.server import TableService, build

ROOM: Final = "crazy_xuezhan/mayou"
LONG_ROOM: Final = "crazy_xuezhan/dashi"
"""Its tables play eight hands, not one."""
BROKER: Final = "memory://"
_ROOMS: Final = """
[all]
base = 1
turn_seconds = 3600
claim_window_ms = 0
contribution_seconds = 60

[[room]]
game = "crazy_xuezhan"
id = "mayou"
name = "麻友"

[[room]]
game = "crazy_xuezhan"
id = "dashi"
name = "大师"
hands = 8
break_seconds = 0
"""
_BOT_ROOM: Final = """
[[room]]
game = "{}"
id = "{}"
name = "bots"
players = {}
bots = {{ pause_ms = 0 }}
"""
BOT_ROOMS: Final = (("crazy_xuezhan", "dianfeng", 4), ("happy_sichuan", "open", 4), ("kaxinwu", "coins", 4), ("crazy_duel", "beginner", 2))
"""A room of every game, in which bots answer at once: game, room, players."""


class Served(NamedTuple):
    """The service in this process, and when each table was last frozen to be handed over."""

    service: TableService
    frozen: dict[str, float]

    async def tables(self) -> dict[str, Any]:
        """Return how many tables are live here, and how many rows their journals have."""
        tables = self.service.hall.tables.values()
        return {"tables": len(tables), "rows": sum(table.head for table in tables)}

    async def drain(self) -> dict[str, Any]:
        """Hand all tables over, as a server does that is stopped; when each stood still, on the monotonic clock."""
        freeze = TableCore.freeze

        def noted(table: TableCore) -> None:
            self.frozen[table.id] = time.monotonic()
            freeze(table)

        with mock.patch.object(TableCore, "freeze", noted):
            await self.service.drain()
        return {"frozen": self.frozen}


def _answering(do: Callable[[], dict[str, Any] | None]) -> Callable[[], Awaitable[dict[str, Any]]]:
    async def answer() -> dict[str, Any]:
        return do() or {}

    return answer


async def run(folder: Path, database_url: str, server_name: str, secrets: Path | None, lease_seconds: float) -> None:
    """Serve until the parent goes. `secrets`: those that it shares with other servers; None: it makes its own."""
    rooms = folder / "rooms.toml"
    rooms.write_text(_ROOMS + "".join(_BOT_ROOM.format(*room) for room in BOT_ROOMS), "utf-8")
    if secrets is None:
        secrets = folder / "secrets"
        make_keys.make(secrets, development=True)
    settings = TableSettings(
        database_url=database_url,
        broker_url=BROKER,
        secrets=secrets,
        development=True,
        rooms_file=rooms,
        server_name=server_name,
        port=0,
        metrics_port=0,
        log_level="warning",
        lease_seconds=lease_seconds,
    )
    logs.configure("warning")
    stand_in = StandIn(BROKER, secrets)
    running = Running("table", settings)
    services: list[TableService] = []

    async def built(*given: Any) -> TableService:
        services.append(await build(*given))
        return services[0]

    await running.start(built)
    served = Served(services[0], {})
    stand_in.start()
    durable = (services[0].hall.metrics, "durable")
    sampler, checks, metrics, counts = Sampler(), Timed(CHECKS), Timed([*METRICS, durable]), ExitStack()
    ready = {"address": running.address, "secrets": str(secrets), "room": ROOM}
    handlers: processes.Handlers = {
        "profile_begin": _answering(sampler.begin),
        "profile_end": _answering(sampler.end),
        "checks_begin": _answering(checks.begin),
        "checks_end": _answering(checks.end),
        "metrics_at": _answering(lambda: {"address": f"127.0.0.1:{running.metrics_port}"}),
        "metrics_begin": _answering(metrics.begin),
        "metrics_end": _answering(metrics.end),
        "counts_off": _answering(lambda: counts.enter_context(left_out([*COUNTS, durable]))),
        "counts_on": _answering(counts.close),
        "tables": served.tables,
        "drain": served.drain,
    }
    try:
        await processes.serve(ready, handlers)
    finally:
        await running.stop()
        await asyncio.to_thread(stand_in.stop)


def main() -> None:
    """Run as a child of the bench."""
    given = processes.begin()
    secrets = Path(given["secrets"]) if given["secrets"] else None
    uvloop.run(run(Path(given["folder"]), given["database_url"], given["server_name"], secrets, given["lease_seconds"]))


if __name__ == "__main__":
    main()
