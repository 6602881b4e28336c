"""What a table server is measured against: grpc.aio with a stream a player that sends each message on to the four of its table.

No rules, nothing stored: what it costs to move messages in the usual way. It runs on the same event loop as the table server.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, Final

import grpc
import uvloop
from grpc import aio

from bench import processes
from xuezhan.api.table.v1 import table_pb2 as pb

SERVICE: Final = "bench.Bare"
METHOD: Final = "Play"
_OPTIONS: Final = (("grpc.max_concurrent_streams", 5000), ("grpc.so_reuseport", 0))


class Listener:
    """One player's stream: what waits for it, and the task that writes it."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._waiting: deque[pb.Input] = deque()
        self._wake = asyncio.Event()

    def put(self, message: pb.Input) -> None:
        """Queue a message."""
        self._waiting.append(message)
        if not self._wake.is_set():
            self._wake.set()

    async def write_all(self) -> None:
        """Write what is queued, one message after the other: a stream takes one write at a time."""
        while True:
            if not self._waiting:
                self._wake.clear()
                await self._wake.wait()
            await self._context.write(self._waiting.popleft())


class Bare:
    """The tables: each a dictionary of listeners by seat."""

    def __init__(self) -> None:
        self._tables: dict[str, dict[str, Listener]] = {}

    async def play(self, _requests: Any, context: Any) -> None:
        """Send what one player says to all of their table."""
        about = {key: str(value) for key, value in context.invocation_metadata()}
        seats = self._tables.setdefault(about["table"], {})
        listener = seats[about["seat"]] = Listener(context)
        writer = asyncio.create_task(listener.write_all())
        try:
            while (message := await context.read()) is not aio.EOF:
                for other in seats.values():
                    other.put(message)
        finally:
            writer.cancel()
            seats.pop(about["seat"], None)


async def run() -> None:
    """Serve until the parent goes."""
    server = aio.server(options=_OPTIONS)
    handler = grpc.stream_stream_rpc_method_handler(Bare().play, pb.Input.FromString, pb.Input.SerializeToString)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {METHOD: handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    await processes.serve({"address": f"127.0.0.1:{port}"}, {})
    await server.stop(0)


def main() -> None:
    """Run as a child of the bench."""
    processes.begin()
    uvloop.run(run())


if __name__ == "__main__":
    main()
