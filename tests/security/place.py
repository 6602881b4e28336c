"""A running installation to be attacked: a finished hand, a waiting ticket, and calls of every method with any token."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Self
from unittest.mock import patch

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import MethodDescriptor
from grpc import aio
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from services.kit import rpc
from services.kit.roles import Role
from tests.e2e.installation import Embedded, report
from xuezhan.api.keys.v1 import keys_pb2
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as mm
from xuezhan.api.matchmaking.v1.matchmaking_pb2_grpc import MatchmakingServiceStub
from xuezhan.api.part.v1 import part_pb2
from xuezhan.api.settlement.v1 import ledger_pb2
from xuezhan.api.settlement.v1 import settlement_pb2 as st
from xuezhan.api.settlement.v1.settlement_pb2_grpc import SettlementServiceStub
from xuezhan.api.table.v1 import table_pb2 as tb

PLAYER, OTHER = "load-m-0", "eve"
"""One who sat at the table and has the ticket, and one who did not."""
WAITS: Final = "crazy_duel/rating"
"""A room where a ticket waits for another player."""
CALLED: Final = {"matchmaking": Role.MATCHMAKING, "table": Role.TABLE, "settlement": Role.SETTLEMENT}
REFUSED: Final = {"UNAUTHENTICATED", "PERMISSION_DENIED"}
_MODULES: Final = (keys_pb2, part_pb2, ledger_pb2, health_pb2, reflection_pb2, mm, st, tb)
"""What describes the services; importing it is enough."""


_addresses = itertools.count(1)


class Place:
    """What the tests share."""

    def __init__(self, folder: Path) -> None:
        self.up = Embedded(folder)
        self.table = self.ticket = ""

    def __enter__(self) -> Self:
        """Start with the keys of an earlier version: they are divided."""
        folder = self.up.keys
        folder.mkdir(mode=0o700)
        old = {name: {"current": "k1", "keys": {"k1": secrets.token_hex(32)}} for name in ("tokens", "items", "deal")}
        (folder / "keys.json").touch(0o600)
        (folder / "keys.json").write_text(json.dumps(old))
        with patch.dict(os.environ, {"XUEZHAN_TRUSTED_PROXIES": "127.0.0.1"}):
            self.up.start()
        with self.up.load("--tables", 1, "--run", "m") as load:
            assert report(load, seconds=100)["ok"]
        asyncio.run(self._prepare())
        return self

    def __exit__(self, *_: object) -> None:
        self.up.process.terminate()

    async def _prepare(self) -> None:
        keys = self.up.keyring
        async with aio.insecure_channel(self.up.addresses["settlement"]) as channel:
            request = st.GetStatementRequest(player_id=PLAYER)
            lines = (await rpc.call(SettlementServiceStub(channel).GetStatement, request, keys.part(Role.VIEWER, Role.SETTLEMENT))).lines
            self.table = next(line.table_id for line in lines if line.table_id)
        async with aio.insecure_channel(self.up.addresses["matchmaking"]) as channel:
            stub = MatchmakingServiceStub(channel)
            made = await rpc.call(stub.CreateTicket, mm.CreateTicketRequest(room_id=WAITS, key="k"), keys.player(PLAYER))
            self.ticket = made.ticket.ticket_id

    def requests(self) -> Mapping[str, Mapping[str, Any]]:
        """What is asked about the player, by method. Whatever would change something is of no use otherwise."""
        return {
            "GetBalance": {"player_id": PLAYER},
            "GetStatement": {"player_id": PLAYER},
            "Deposit": {"player_id": PLAYER},
            "Withdraw": {"player_id": PLAYER},
            "CancelTicket": {"ticket_id": self.ticket},
            "WatchTicket": {"ticket_id": self.ticket},
            "GetRecord": {"table_id": self.table},
        }

    async def methods(self) -> list[tuple[str, MethodDescriptor]]:
        """Every method that a server offers, by what the servers themselves say: (server, method)."""
        found = []
        for server in CALLED:
            async with aio.insecure_channel(self.up.addresses[server]) as channel:
                stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)  # type: ignore[arg-type]
                call = stub.ServerReflectionInfo(timeout=10)
                await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
                await call.done_writing()
                names = sorted([one.name async for answer in call for one in answer.list_services_response.service])
            for name in names:
                found += [(server, method) for method in descriptor_pool.Default().FindServiceByName(name).methods]
        return found

    async def call(self, server: str, method: MethodDescriptor, token: str | None) -> str:
        """Call a method and return the code of its answer; a stream counts from its first message."""
        kind = message_factory.GetMessageClass(method.input_type)
        answer = message_factory.GetMessageClass(method.output_type)
        request = kind(**self.requests().get(method.name, {}))
        path = f"/{method.containing_service.full_name}/{method.name}"
        metadata = (*somewhere(), *(() if token is None else rpc.metadata(token)))
        async with aio.insecure_channel(self.up.addresses[server]) as channel:
            given: dict[str, Any] = {"request_serializer": kind.SerializeToString, "response_deserializer": answer.FromString}
            try:
                if method.client_streaming:
                    stream = channel.stream_stream(path, **given)(metadata=metadata, timeout=10)
                    await stream.write(_first(request))
                    await stream.read()
                    stream.cancel()
                elif method.server_streaming:
                    watch = channel.unary_stream(path, **given)(request, metadata=metadata, timeout=10)
                    await watch.read()
                    watch.cancel()
                else:
                    await channel.unary_unary(path, **given)(request, metadata=metadata, timeout=10)
            except aio.AioRpcError as error:
                return error.code().name
        return "OK"


def somewhere() -> tuple[tuple[str, str], ...]:
    """Metadata by which a call comes from an address of its own: what is tried here is keys, and not how often."""
    number = next(_addresses)
    return (("x-forwarded-for", f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"),)


def _first(request: Any) -> Any:
    """Something that a stream answers."""
    if isinstance(request, tb.PlayRequest):
        return tb.PlayRequest(inputs=[tb.Input(seat_ref=1, attach=tb.Attach(token="x"))])
    return reflection_pb2.ServerReflectionRequest(list_services="")


Token = Callable[[Role], str | None]
"""Makes a caller's token for the role that is called."""
