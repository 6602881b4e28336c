"""`serve table --processes N`: several table servers on one machine, kept alive by a process that only looks after them.

Law: a server never outlives this process, by whatever it ends; and all servers say that they drain before any of them is stopped, so that
none hands its tables to another that is about to go as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from services.kit import logs, parent
from services.kit.bootstrap import until_told_to_stop
from xuezhan.cli.errors import CommandError

log = logs.get(__name__)

_ANNOUNCE_SECONDS: Final = 5.0
_PAUSE_SECONDS: Final = 0.5
_LONGEST_PAUSE_SECONDS: Final = 30.0
_UNUSABLE: Final = 2
"""The exit status for a configuration that cannot be used."""
_WELL_SECONDS: Final = 60.0
"""A server that has run for so long is started again after the shortest pause."""


@dataclass
class Child:
    """One server: its command line, and its process while there is one."""

    name: str
    command: Sequence[str]
    process: asyncio.subprocess.Process | None = None
    reader: asyncio.StreamReader | None = None
    writer: asyncio.StreamWriter | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    async def start(self) -> None:
        """Start it, with a socket between us: it ends when the socket does. OSError where the system has no room for it."""
        ours, theirs = socket.socketpair()
        try:
            environment = {**os.environ, **self.environment, parent.VARIABLE: str(theirs.fileno())}
            self.process = await asyncio.create_subprocess_exec(
                *self.command, env=environment, pass_fds=[theirs.fileno()], start_new_session=True
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        self.reader, self.writer = await asyncio.open_connection(sock=ours)

    async def announce(self) -> None:
        """Let it say that it drains, in its row, and wait until it has."""
        if self.writer is None or self.reader is None or self.process is None or self.process.returncode is not None:
            return
        with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(_ANNOUNCE_SECONDS):
                self.writer.write(parent.DRAIN)
                await self.reader.readline()

    async def stop(self) -> None:
        """Stop it, and wait until it has handed its tables over."""
        if self.process is None or self.process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        await self.process.wait()


async def look_after(children: Sequence[Child]) -> int:
    """Run servers until told to stop; one that ends is started again. Returns the exit status."""
    keeping = [asyncio.create_task(_keep(child)) for child in children]
    stopped = asyncio.create_task(until_told_to_stop())
    await asyncio.wait([stopped, *keeping], return_when=asyncio.FIRST_COMPLETED)
    for task in (stopped, *keeping):
        task.cancel()
    ended = await asyncio.gather(*keeping, return_exceptions=True)
    await asyncio.gather(*(child.announce() for child in children))
    await asyncio.gather(*(child.stop() for child in children))
    for failure in ended:
        if isinstance(failure, Exception):
            # A fault of ours: not what a service manager may take for an orderly end.
            log.error("keeping_failed", error=repr(failure))
            return 1
    return next((status for status in ended if isinstance(status, int)), 0)


async def _keep(child: Child) -> int:
    """Start a server again whenever it ends or cannot be started; returns only its exit status when it cannot use its configuration."""
    pause = _PAUSE_SECONDS
    while True:
        begun = time.monotonic()
        try:
            await child.start()
        except OSError as error:
            log.warning("server_not_started", server=child.name, error=str(error), again_in_seconds=pause)
        else:
            assert child.process is not None
            status = await child.process.wait()
            if status == _UNUSABLE and pause == _PAUSE_SECONDS:
                return status
            if time.monotonic() - begun > _WELL_SECONDS:
                pause = _PAUSE_SECONDS
            log.error("server_ended", server=child.name, status=status, again_in_seconds=pause)
        await asyncio.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)


def children_of(count: int, given: Mapping[str, Any], settings: Any) -> list[Child]:
    """Return the servers NAME-0 to NAME-(count - 1), each with the ports of the settings plus its number.

    `given`: what the command line said. The ports for metrics follow those for calls where no other are given. CommandError where the
    address to advertise has no port to add the number to.
    """
    host, _, port = settings.advertise.rpartition(":")
    if settings.advertise and not (host and port.isdecimal()):
        raise CommandError(
            f"--processes: advertise: {settings.advertise!r} has no port: HOST:PORT is needed, each server adds its number", 2
        )
    metrics_port = settings.metrics_port if "metrics_port" in given or "XUEZHAN_METRICS_PORT" in os.environ else settings.port + count
    given, environment = _without_urls(given, settings)
    children = []
    for number in range(count):
        own = {
            **given,
            "server_name": f"{settings.server_name}-{number}",
            "port": settings.port + number,
            "metrics_port": metrics_port + number,
        }
        if settings.advertise:
            own["advertise"] = f"{host}:{int(port) + number}"
        options = [part for name, value in own.items() for part in (f"--{name.replace('_', '-')}", str(value))]
        command = [sys.executable, "-m", "xuezhan.cli", "serve", "table", *options]
        children.append(Child(own["server_name"], command, environment=environment))
    return children


def _without_urls(given: Mapping[str, Any], settings: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Return options for the servers' command lines, which `ps` shows, and in what environment they find URLs instead.

    Standard input is read once, by this process; files they read themselves.
    """
    options, environment = dict(given), dict[str, str]()
    for name in ("database_url", "broker_url"):
        file = getattr(settings, f"{name}_file")
        if options.pop(name, None) is not None or str(file) == "-":
            options.pop(f"{name}_file", None)
            environment[f"XUEZHAN_{name.upper()}"] = getattr(settings, name)
    return options, environment
