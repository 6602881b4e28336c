"""What players own: balances, statements, deposits and withdrawals."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Final

from xuezhan.api.settlement.v1 import settlement_pb2 as pb
from xuezhan.api.settlement.v1.settlement_pb2_grpc import SettlementServiceStub
from xuezhan.client.channels import Channels

PAGE: Final = 1000


class Coins:
    """The settlement service. A player's token reads his own coins; a service's token reads everybody's and moves them in and out."""

    def __init__(self, channels: Channels, address: str) -> None:
        self._channels = channels
        self._stub = channels.stub(SettlementServiceStub, address)

    async def balance(self, token: str, player: str) -> pb.GetBalanceResponse:
        """Return wallet and stakes."""
        return await self._channels.call(self._stub.GetBalance, pb.GetBalanceRequest(player_id=player), token)

    async def deposit(self, token: str, player: str, coins: int, key: str, reason: str = "") -> pb.DepositResponse:
        """Put coins into a wallet, once a key. Callers: services."""
        request = pb.DepositRequest(player_id=player, coins=coins, key=key, reason=reason)
        return await self._channels.call(self._stub.Deposit, request, token)

    async def withdraw(self, token: str, player: str, coins: int, key: str, reason: str = "") -> pb.WithdrawResponse:
        """Take coins out of a wallet, once a key. Callers: services."""
        request = pb.WithdrawRequest(player_id=player, coins=coins, key=key, reason=reason)
        return await self._channels.call(self._stub.Withdraw, request, token)

    async def statement_pages(
        self, token: str, player: str, table_id: str = "", page: int = PAGE
    ) -> AsyncGenerator[pb.GetStatementResponse, None]:
        """Yield the statement a page at a time, newest first."""
        request = pb.GetStatementRequest(player_id=player, page_size=page, table_id=table_id)
        while True:
            answer = await self._channels.call(self._stub.GetStatement, request, token)
            yield answer
            if not answer.next_page_token:
                return
            request.page_token = answer.next_page_token
