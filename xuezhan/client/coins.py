"""What players own: balances, statements, deposits and withdrawals."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Callable
from typing import Any, Final

from grpc import aio

from xuezhan.api.settlement.v1 import settlement_pb2 as pb
from xuezhan.api.settlement.v1.settlement_pb2_grpc import SettlementServiceStub
from xuezhan.client.channels import Channels
from xuezhan.client.errors import from_rpc

PAGE: Final = 1000


class Coins:
    """The settlement service. A player's token reads their own coins, an operator's everybody's; a cashier's also moves them in and out.

    `addresses`: host:port, or several separated by commas; the one that answered last is asked first.
    """

    def __init__(self, channels: Channels, addresses: str) -> None:
        self._channels = channels
        self._stubs = deque(channels.stub(SettlementServiceStub, address.strip()) for address in addresses.split(","))

    def _at_any(self, method: str) -> Callable[..., Any]:
        """Return a call of a method that passes over addresses that do not answer."""

        async def ask(request: Any, **how: Any) -> Any:
            for left in reversed(range(len(self._stubs))):
                stub = self._stubs[0]
                try:
                    return await getattr(stub, method)(request, **how)
                except aio.AioRpcError as error:
                    if not from_rpc(error).passing:
                        raise
                    if self._stubs[0] is stub:
                        self._stubs.rotate(-1)
                    if not left:
                        raise
            raise AssertionError("unreachable")

        return ask

    async def balance(self, token: str, player: str) -> pb.GetBalanceResponse:
        """Return wallet and stakes."""
        answer: pb.GetBalanceResponse = await self._channels.call(self._at_any("GetBalance"), pb.GetBalanceRequest(player_id=player), token)
        return answer

    async def deposit(self, token: str, player: str, coins: int, key: str, reason: str = "") -> pb.DepositResponse:
        """Put coins into a wallet, once a key. Callers: cashiers."""
        request = pb.DepositRequest(player_id=player, coins=coins, key=key, reason=reason)
        answer: pb.DepositResponse = await self._channels.call(self._at_any("Deposit"), request, token)
        return answer

    async def withdraw(self, token: str, player: str, coins: int, key: str, reason: str = "") -> pb.WithdrawResponse:
        """Take coins out of a wallet, once a key. Callers: cashiers."""
        request = pb.WithdrawRequest(player_id=player, coins=coins, key=key, reason=reason)
        answer: pb.WithdrawResponse = await self._channels.call(self._at_any("Withdraw"), request, token)
        return answer

    async def statement_pages(
        self, token: str, player: str, table_id: str = "", page: int = PAGE
    ) -> AsyncGenerator[pb.GetStatementResponse, None]:
        """Yield the statement a page at a time, newest first."""
        request = pb.GetStatementRequest(player_id=player, page_size=page, table_id=table_id)
        while True:
            answer: pb.GetStatementResponse = await self._channels.call(self._at_any("GetStatement"), request, token)
            yield answer
            if not answer.next_page_token:
                return
            request.page_token = answer.next_page_token
