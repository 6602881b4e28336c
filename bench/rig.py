"""A server and its load generator, a process and a core each, on data of their own."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

from bench import machine
from bench.processes import Child

SERVER_CORE: Final = machine.cores()[0]
LOAD_CORE: Final = machine.cores()[-1]
_names = count(1)


class Rig:
    """`load` loads `server`."""

    def __init__(self, server: Child, load: Child) -> None:
        self.server = server
        self.load = load

    def measured(self, do: str, warm: float, **given: Any) -> dict[str, Any]:
        """Let the generator measure something after a warm-up, and add what it cost the server: `server_cpu` in seconds."""
        if warm:
            self.load.ask(do, seconds=warm, **{name: value for name, value in given.items() if name != "seconds"})
        before = self.server.cpu_seconds()
        return self.load.ask(do, **given) | {"server_cpu": self.server.cpu_seconds() - before}


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """Make a folder for data that is gone afterwards."""
    made = Path(tempfile.mkdtemp(prefix="xuezhan-bench-"))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


@contextlib.contextmanager
def table_server(database_url: str = "", secrets: str = "", lease_seconds: float = 5.0) -> Iterator[Child]:
    """Start a table server; on SQLite unless a database is named. `secrets`: the folder of those that it shares with others."""
    with folder() as data:
        given = {
            "folder": str(data),
            "database_url": database_url or f"sqlite:///{data / 'table.db'}",
            "server_name": f"bench-{next(_names)}",
            "secrets": secrets,
            "lease_seconds": lease_seconds,
        }
        with Child("bench.server", SERVER_CORE, data / "log", **given) as server:
            yield server


@contextlib.contextmanager
def loaded(server: Child, tables: int, module: str = "bench.load", **given: Any) -> Iterator[Rig]:
    """Fill a table server with tables that have been dealt, and wait for a word to play them. `given`: what is not as the server says."""
    with folder() as data, Child(module, LOAD_CORE, data / "log", **{"tables": tables, **server.ready, **given}) as load:
        load.ask("dealt")
        yield Rig(server, load)


@contextlib.contextmanager
def bare(tables: int) -> Iterator[Rig]:
    """Start the bare server and its players."""
    with (
        folder() as data,
        Child("bench.bare_server", SERVER_CORE, data / "log") as server,
        Child("bench.bare_load", LOAD_CORE, data / "log", tables=tables, **server.ready) as load,
    ):
        yield Rig(server, load)


@contextlib.contextmanager
def on_core(core: int) -> Iterator[None]:
    """Keep this process, and what it starts, on one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
