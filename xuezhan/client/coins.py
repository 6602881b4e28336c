"""What players own: balances, statements, deposits and withdrawals."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Final

from xuezhan.api.settlement.v1 import settlement_pb2 as pb
from xuezhan.api.settlement.v1.settlement_pb2_grpc import SettlementServiceStub
from xuezhan.client.channels import AnyOf, Channels

PAGE: Final = 1000


class Coins:
    """The settlement service. A player's token reads their own coins, an operator's everybody's; a cashier's also moves them in and out.

    `addresses`: host:port, or several separated by commas; the one that answered last is asked first.
    """

    def __init__(self, channels: Channels, addresses: str) -> None:
        self._channels = channels
        self._any = AnyOf(channels, SettlementServiceStub, addresses)

    async def balance(self, token: str, player: str) -> pb.GetBalanceResponse:
        """Return wallet and stakes."""
        answer: pb.GetBalanceResponse = await self._channels.call(
            self._any.call("GetBalance"), pb.GetBalanceRequest(player_id=player), token
        )
        return answer

    async def deposit(self, token: str, player: str, coins: int, key: str, reason: str = "") -> pb.DepositResponse:
        """Put coins into a wallet, once a key. Callers: cashiers."""
        request = pb.DepositRequest(player_id=player, coins=coins, key=key, reason=reason)
        answer: pb.DepositResponse = await self._channels.call(self._any.call("Deposit"), request, token)
        return answer

    async def withdraw(self, token: str, player: str, coins: int, key: str, reason: str = "") -> pb.WithdrawResponse:
        """Take coins out of a wallet, once a key. Callers: cashiers."""
        request = pb.WithdrawRequest(player_id=player, coins=coins, key=key, reason=reason)
        answer: pb.WithdrawResponse = await self._channels.call(self._any.call("Withdraw"), request, token)
        return answer

    async def statement_pages(
        self, token: str, player: str, table_id: str = "", page: int = PAGE
    ) -> AsyncGenerator[pb.GetStatementResponse, None]:
        """Yield the statement a page at a time, newest first."""
        request = pb.GetStatementRequest(player_id=player, page_size=page, table_id=table_id)
        while True:
            answer: pb.GetStatementResponse = await self._channels.call(self._any.call("GetStatement"), request, token)
            yield answer
            if not answer.next_page_token:
                return
            request.page_token = answer.next_page_token
