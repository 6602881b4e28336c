"""A server behind the edge, and a client of it."""

from __future__ import annotations

import asyncio
from typing import Any, Self

import pytest
from grpc import aio
from prometheus_client import CollectorRegistry

from services.kit import powers, rpc
from services.kit.admission import Admission
from services.kit.errors import ServiceError
from services.kit.limit_settings import LimitSettings
from services.kit.metrics import RpcMetrics
from services.kit.powers import Who
from services.kit.roles import Role
from tests.support.keyring import Keyring
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api
from xuezhan.api.matchmaking.v1 import matchmaking_pb2_grpc as stubs


class Echo(stubs.MatchmakingServiceServicer):
    """Does what the test says, unary and streaming."""

    def __init__(self) -> None:
        self.act: Any = None
        self.ended = asyncio.Event()

    async def ListRooms(self, request: Any, context: Any) -> Any:  # noqa: N802
        return await self.act(context)

    async def WatchTicket(self, request: Any, context: Any) -> None:  # type: ignore[override]  # noqa: N802
        try:
            await context.write(api.WatchTicketResponse())
            await self.act(context)
        finally:
            self.ended.set()

    async def CreateTicket(self, request: Any, context: Any) -> Any:  # noqa: N802
        raise NotImplementedError

    async def CancelTicket(self, request: Any, context: Any) -> Any:  # noqa: N802
        raise NotImplementedError

    async def GetActiveTicket(self, request: Any, context: Any) -> Any:  # noqa: N802
        raise NotImplementedError


class Edged:
    """A server behind the edge, and a client of it. Anybody may call, unless `let` says otherwise."""

    def __init__(self, keys: Keyring, monkeypatch: pytest.MonkeyPatch) -> None:
        self.keys = keys
        self.patch = monkeypatch
        self.let(ListRooms=Who(anybody=True), WatchTicket=Who(anybody=True))
        self.echo = Echo()
        self.registry = CollectorRegistry()

    def let(self, **methods: Who) -> None:
        """Say who may call what; before the method is called first."""
        self.patch.setitem(powers.SERVICES, "xuezhan.api.matchmaking.v1.MatchmakingService", methods)

    async def __aenter__(self) -> Self:
        edge = rpc.Edge(RpcMetrics(self.registry), self.keys.callers(Role.MATCHMAKING), Admission(LimitSettings()))
        self.server = aio.server(interceptors=[edge], options=rpc.SERVER_OPTIONS)
        stubs.add_MatchmakingServiceServicer_to_server(self.echo, self.server)
        port = self.server.add_insecure_port("127.0.0.1:0")
        await self.server.start()
        self.channel = aio.insecure_channel(f"127.0.0.1:{port}", options=rpc.CHANNEL_OPTIONS)
        self.stub: Any = stubs.MatchmakingServiceStub(self.channel)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.channel.close()
        await self.server.stop(None)

    async def unary(self, act: Any, token: str = "none", game: str = "") -> Any:
        self.echo.act = act
        return await rpc.call(self.stub.ListRooms, api.ListRoomsRequest(game=game), token)

    async def refused(self, act: Any) -> ServiceError:
        with pytest.raises(ServiceError) as caught:
            await self.unary(act)
        return caught.value

    async def counted(self, method: str, code: str) -> None:
        """Wait until one call has been counted, which happens after its answer."""
        async with asyncio.timeout(10):
            while self.count(method, code) != 1:  # noqa: ASYNC110 - it is counted without a word
                await asyncio.sleep(0.005)

    def count(self, method: str, code: str) -> float:
        labels = {"grpc_service": "xuezhan.api.matchmaking.v1.MatchmakingService", "grpc_method": method, "grpc_code": code}
        return self.registry.get_sample_value("grpc_server_handled_total", labels) or 0.0


def raising(error: Exception) -> Any:
    async def act(context: Any) -> Any:
        raise error

    return act
