"""A process that another one looks after: they share a socket, by which it is told to drain, and notices that the other has gone."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import Awaitable, Callable
from typing import Final

from services.kit import logs

log = logs.get(__name__)

VARIABLE: Final = "XUEZHAN_PARENT_FD"
"""Environment: the file descriptor of the socket."""
DRAIN: Final = b"drain\n"
DRAINS: Final = b"drains\n"


async def follow(descriptor: int, announce: Callable[[], Awaitable[None]]) -> None:
    """Do what the parent says: `announce` that this process drains. Stop this process, as SIGTERM would, when the parent has gone.

    However the socket ends, and whatever the announcement does meanwhile, this process is stopped.
    """
    reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=descriptor))
    announcing: set[asyncio.Task[None]] = set()
    try:
        # A parent that was killed leaves what it has not read, which resets the socket. ValueError: a line that no parent sends.
        with contextlib.suppress(OSError, ValueError):
            while line := await reader.readline():
                if line == DRAIN:
                    announcing.add(asyncio.create_task(_announce(announce, writer), name="announce"))
    finally:
        for task in announcing:
            task.cancel()
        await asyncio.gather(*announcing, return_exceptions=True)
        writer.close()
    log.error("parent_gone")
    os.kill(os.getpid(), signal.SIGTERM)


async def _announce(announce: Callable[[], Awaitable[None]], writer: asyncio.StreamWriter) -> None:
    try:
        await announce()
    except Exception:
        # The parent waits for a while only.
        log.exception("announcement_failed")
        return
    with contextlib.suppress(OSError):
        writer.write(DRAINS)
        await writer.drain()
