"""A service for tests of what every service does: it notes what is done with it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from services.kit.bootstrap import Running
from services.kit.config import ServiceSettings
from tests.support.keyring import Keyring
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api
from xuezhan.api.matchmaking.v1 import matchmaking_pb2_grpc as stubs

NAME = "xuezhan.api.matchmaking.v1.MatchmakingService"
_FOLDER = TemporaryDirectory(prefix="xuezhan-probe-")


@cache
def keyring() -> Keyring:
    """The keys of every probe."""
    return Keyring(Path(_FOLDER.name) / "secrets")


class Probe(stubs.MatchmakingServiceServicer):
    """A service that notes what is done with it."""

    full_names: Sequence[str] = [NAME]

    def __init__(self, fails: str = "") -> None:
        self.fails = fails
        self.log: list[str] = []
        self.address = ""
        self.drained = asyncio.Event()
        self.supervisor: Any = None

    def register(self, server: Any) -> None:
        stubs.add_MatchmakingServiceServicer_to_server(self, server)

    async def begin(self, address: str) -> None:
        self.address = address
        self._note("begin")

    async def drain(self) -> None:
        self.drained.set()
        self._note("drain")

    async def end(self) -> None:
        self._note("end")

    def _note(self, what: str) -> None:
        self.log.append(what)
        if what == self.fails:
            raise RuntimeError(what)

    async def WatchTicket(self, request: Any, context: Any) -> None:  # type: ignore[override]  # noqa: N802
        await context.write(api.WatchTicketResponse())
        await self.drained.wait()
        self.log.append("stream over")

    async def ListRooms(self, request: Any, context: Any) -> Any:  # noqa: N802
        return api.ListRoomsResponse()

    async def CreateTicket(self, request: Any, context: Any) -> Any:  # noqa: N802
        raise NotImplementedError

    async def CancelTicket(self, request: Any, context: Any) -> Any:  # noqa: N802
        raise NotImplementedError

    async def GetActiveTicket(self, request: Any, context: Any) -> Any:  # noqa: N802
        raise NotImplementedError


def settings(**changes: Any) -> ServiceSettings:
    return ServiceSettings(**{"database_url": "sqlite://", "secrets": keyring().folder, "development": True, **changes})


async def start(probe: Probe, **changes: Any) -> Running:
    async def build(_settings: Any, _registry: Any, supervisor: Any) -> Probe:
        probe.supervisor = supervisor
        return probe

    running = Running("matchmaking", settings(**changes))
    await running.start(build)
    return running
