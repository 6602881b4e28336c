"""A process that another one looks after: they share a socket, by which it is told to drain, and notices that the other has gone."""

from __future__ import annotations

import asyncio
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
    """Do what the parent says: `announce` that this process drains. Stop this process, as SIGTERM would, when the parent has gone."""
    reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=descriptor))
    try:
        while line := await reader.readline():
            if line == DRAIN:
                await announce()
                writer.write(DRAINS)
                await writer.drain()
    finally:
        writer.close()
    log.error("parent_gone")
    os.kill(os.getpid(), signal.SIGTERM)
