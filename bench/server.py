"""A table server as it is built for production, in a process on one core, with a settlement that answers at once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final

import uvloop

from bench import processes
from bench.sampling import Sampler
from bench.stand_in import StandIn
from services.kit import logs, make_keys
from services.kit.bootstrap import Running
from services.table.config import TableSettings
from services.table.server import build

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


async def run(folder: Path, database_url: str, server_name: str) -> None:
    """Serve until the parent goes."""
    rooms = folder / "rooms.toml"
    rooms.write_text(_ROOMS, "utf-8")
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
    )
    logs.configure("warning")
    stand_in = StandIn(BROKER, secrets)
    running = Running("table", settings)
    await running.start(build)
    stand_in.start()
    sampler = Sampler()

    async def profile_begin() -> dict[str, Any]:
        sampler.begin()
        return {}

    async def profile_end() -> dict[str, Any]:
        return sampler.end()

    ready = {"address": running.address, "secrets": str(secrets), "room": ROOM}
    try:
        await processes.serve(ready, {"profile_begin": profile_begin, "profile_end": profile_end})
    finally:
        await running.stop()
        await asyncio.to_thread(stand_in.stop)


def main() -> None:
    """Run as a child of the bench."""
    given = processes.begin()
    uvloop.run(run(Path(given["folder"]), given["database_url"], given["server_name"]))


if __name__ == "__main__":
    main()
