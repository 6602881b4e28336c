"""The load generator for the bare server: a stream a player, the bytes made beforehand, the seats of a table in turn."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final

import uvloop
from grpc import aio

from bench import processes
from bench.bare_server import METHOD, SERVICE
from bench.crowd import SEATS
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.api.table.v1.mahjong_pb2 import TILE_5M

_CHANNELS: Final = 4
_MESSAGE: Final = pb.Input(seat_ref=77, act=pb.Act(decision=12, action_id=1 << 62, do=pb.DO_DISCARD, tile=TILE_5M)).SerializeToString()
"""As long as an act is on the way to the table server."""


class BareLoad:
    """One message in flight a table: whoever's turn it is sends when they have heard the one before."""

    def __init__(self, address: str, tables: int) -> None:
        self.heard = 0
        self._tables = tables
        options = (("grpc.use_local_subchannel_pool", 1),)
        self._channels = [aio.insecure_channel(address, options=options) for _ in range(_CHANNELS)]
        self._calls: list[Any] = []
        self._going = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Open all streams; every table begins when it is told to go."""
        calls = self._calls
        for table in range(self._tables):
            for seat in range(SEATS):
                method: Any = self._channels[len(calls) % _CHANNELS].stream_stream(f"/{SERVICE}/{METHOD}")
                calls.append(method(metadata=(("table", str(table)), ("seat", str(seat)))))
        for call in calls:
            await call.wait_for_connection()
        # A connection is there before its handler runs.
        await asyncio.sleep(0.5)

    async def _play(self, call: Any, seat: int) -> None:
        heard = 0
        while await call.read() is not aio.EOF:
            heard += 1
            self.heard += 1
            if heard % SEATS == seat:
                await self._going.wait()
                await call.write(_MESSAGE)

    async def top(self, seconds: float) -> dict[str, Any]:
        """Let all tables go until told to hold, and count messages in: each is heard by the four of its table."""
        if not self._tasks:
            self._tasks = [asyncio.create_task(self._play(call, place % SEATS)) for place, call in enumerate(self._calls)]
            for call in self._calls[::SEATS]:
                await call.write(_MESSAGE)
        self._going.set()
        heard, started, cpu = self.heard, time.monotonic(), time.process_time()
        await asyncio.sleep(seconds)
        elapsed = time.monotonic() - started
        return {"seconds": elapsed, "accepted": (self.heard - heard) / SEATS, "cpu": time.process_time() - cpu}

    async def hold(self) -> dict[str, Any]:
        """Let no table go on."""
        self._going.clear()
        return {}


async def run(address: str, tables: int) -> None:
    """Generate load until the parent goes."""
    load = BareLoad(address, tables)
    await load.start()
    await processes.serve({}, {"top": load.top, "hold": load.hold})


def main() -> None:
    """Run as a child of the bench."""
    uvloop.run(run(**processes.begin()))


if __name__ == "__main__":
    main()
