"""A load generator for a table server, in a process on one core.

`top`: every offer is answered at once. `paced`: so many acts a second, come what may (an open loop); an answer's delay counts from the
moment at which its act was to be sent, so a server that stalls is not let off.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from random import Random
from typing import Any, Final

import uvloop

from bench import processes
from bench.crowd import SEATS, Crowd
from xuezhan.client.stream import FLUSH_SECONDS

_TICK: Final = FLUSH_SECONDS
"""Acts that come due together go together, as the project's own client sends them; their delays count it in."""
_STALLED_SECONDS: Final = 180.0


class Load:
    """The commands of the generator."""

    def __init__(self, crowd: Crowd) -> None:
        self._crowd = crowd
        self._behind = 0.0

    def handlers(self) -> dict[str, Any]:
        """Return what can be asked for, by name."""
        return {"dealt": self.dealt, "top": self.top, "paced": self.paced, "hold": self.hold, "spread": self.spread}

    async def dealt(self) -> dict[str, Any]:
        """Wait until all tables have been dealt."""
        return await self._until(lambda: len(self._crowd.aside) >= self._crowd.tables * SEATS)

    async def _until(self, true: Any) -> dict[str, Any]:
        started = time.monotonic()
        while not true():
            if time.monotonic() - started > _STALLED_SECONDS:
                raise TimeoutError(f"not within {_STALLED_SECONDS} s; {len(self._crowd.aside)} offers laid aside")
            await asyncio.sleep(0.02)
        return {"seconds": time.monotonic() - started}

    async def top(self, seconds: float) -> dict[str, Any]:
        """Answer everything at once, from now until told to hold, and count what is accepted."""
        self._crowd.go()
        return await self._counted(seconds)

    async def paced(self, rate: float, seconds: float) -> dict[str, Any]:
        """Send so many acts a second."""
        pacer = asyncio.create_task(self._pace(rate))
        self._crowd.delays = []
        counted = await self._counted(seconds)
        delays = sorted(self._crowd.delays)
        self._crowd.delays = None
        pacer.cancel()
        return (
            counted | {f"p{part}_ms": delays[len(delays) * part // 100] / 1e6 for part in (50, 90, 99)} | {"behind_ms": self._behind * 1e3}
        )

    async def hold(self) -> dict[str, Any]:
        """Lay aside what is offered from now on."""
        self._crowd.eager = False
        return {}

    async def spread(self, most: int) -> dict[str, Any]:
        """Play on until the tables stand evenly between their first act and act number `most`."""
        random = Random(2)
        crowd = self._crowd
        crowd.quotas = [random.randrange(most) for _ in range(crowd.tables)]
        todo = sum(crowd.quotas)
        begun = crowd.accepted + sum(crowd.refused.values())
        crowd.go()
        done = last = 0
        idle = time.monotonic()
        # A table whose offers are all out lies still before its quota is used up only when it ends first and begins anew.
        while time.monotonic() - idle < 2.0:
            await asyncio.sleep(0.05)
            done = crowd.accepted + sum(crowd.refused.values()) - begun
            if done != last:
                last, idle = done, time.monotonic()
        crowd.eager, crowd.quotas = False, None
        # Those that lie longest stand at the beginning of their hands; what is measured next is to be a mixture.
        lying = list(crowd.aside)
        random.shuffle(lying)
        crowd.aside = deque(lying)
        return {"acts": done, "planned": todo}

    async def _pace(self, rate: float) -> None:
        gap = 1e9 / rate
        at = float(time.monotonic_ns())
        crowd = self._crowd
        self._behind = 0.0
        while True:
            now = time.monotonic_ns()
            while at <= now and crowd.answer_aside(int(at)):
                at += gap
            self._behind = max(self._behind, (now - at) / 1e9)
            await asyncio.sleep(_TICK)

    async def _counted(self, seconds: float) -> dict[str, Any]:
        crowd = self._crowd
        accepted, refused, hands = crowd.accepted, sum(crowd.refused.values()), crowd.hands
        started, cpu = time.monotonic(), time.process_time()
        await asyncio.sleep(seconds)
        elapsed = time.monotonic() - started
        return {
            "seconds": elapsed,
            "accepted": crowd.accepted - accepted,
            "refused": sum(crowd.refused.values()) - refused,
            "hands": crowd.hands - hands,
            "cpu": time.process_time() - cpu,
        }


async def run(address: str, secrets: str, room: str, tables: int) -> None:
    """Generate load until the parent goes."""
    crowd = Crowd(address, secrets, room, tables)
    await crowd.start()
    await processes.serve({}, Load(crowd).handlers())


def main() -> None:
    """Run as a child of the bench."""
    uvloop.run(run(**processes.begin()))


if __name__ == "__main__":
    main()
