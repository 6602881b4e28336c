"""A caller of a running settlement server."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

import grpc
from grpc import aio
from sqlalchemy.engine import make_url

from services.kit import rpc
from services.kit.bootstrap import Running
from services.kit.errors import ServiceError
from services.kit.roles import Role
from services.kit.rpc import CODES
from services.settlement import check, findings
from tests.support.keyring import Keyring
from xuezhan.api.settlement.v1 import settlement_pb2 as pb
from xuezhan.api.settlement.v1.settlement_pb2_grpc import SettlementServiceStub


@dataclass(slots=True)
class Desk:
    """Calls as the role that may, unless told otherwise."""

    channel: Any
    keys: Keyring
    running: Running
    database_url: str

    async def ask(self, method: str, request: Any, token: str | None = None) -> Any:
        stub = SettlementServiceStub(self.channel)
        role = Role.CASHIER if method in {"Deposit", "Withdraw", "GetStatement"} else Role.MATCHMAKING
        return await rpc.call(getattr(stub, method), request, self.keys.part(role, Role.SETTLEMENT) if token is None else token)

    async def refusal(self, method: str, request: Any, token: str | None = None) -> tuple[str, str, str]:
        """The gRPC code, reason and message of a call that must be refused."""
        try:
            answer = await self.ask(method, request, token)
        except ServiceError as error:
            return CODES[type(error)].name, error.reason, error.message
        raise AssertionError(f"{method} answered {answer}")

    async def without_token(self, method: str, request: Any) -> grpc.StatusCode:
        try:
            await getattr(SettlementServiceStub(self.channel), method)(request)
        except aio.AioRpcError as error:
            return error.code()
        raise AssertionError(f"{method} needs no token")

    def player_token(self, player: str) -> str:
        return self.keys.player(player)

    async def deposit(self, player: str, coins: int, key: str = "") -> Any:
        return await self.ask("Deposit", pb.DepositRequest(player_id=player, coins=coins, key=key or f"{player} {coins}"))

    async def wallet(self, player: str) -> int:
        answer = await self.ask("GetBalance", pb.GetBalanceRequest(player_id=player))
        return int(answer.wallet)

    def everything(self) -> dict[str, list[Any]]:
        """All rows of all tables, read past the server: two that are equal mean that nothing happened."""
        with sqlite3.connect(make_url(self.database_url).database or "") as connection:
            names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
            rows = {name: sorted(connection.execute(f"SELECT * FROM {name}").fetchall(), key=repr) for name in names}
        connection.close()
        return rows

    @staticmethod
    def findings(database_url: str) -> list[findings.Finding]:
        return check.check_database(database_url)
