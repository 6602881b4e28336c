"""Coins are asked for at any address of the settlement service that answers."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from grpc import StatusCode, aio

from tests.client.server import OPTIONS
from xuezhan.api.settlement.v1 import settlement_pb2 as pb
from xuezhan.client import Channels, ClientError
from xuezhan.client.coins import Coins


class Ledger:
    """Knows one wallet, or refuses."""

    def __init__(self, wallet: int) -> None:
        self.wallet = wallet
        self.asked = 0
        self.refuses: StatusCode | None = None

    async def start(self) -> str:
        self.server = aio.server(options=OPTIONS)
        get = grpc.unary_unary_rpc_method_handler(
            self.get_balance, pb.GetBalanceRequest.FromString, pb.GetBalanceResponse.SerializeToString
        )
        service = pb.DESCRIPTOR.services_by_name["SettlementService"].full_name
        self.server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {"GetBalance": get}),))
        port = self.server.add_insecure_port("127.0.0.1:0")
        await self.server.start()
        return f"127.0.0.1:{port}"

    async def get_balance(self, _request: Any, context: Any) -> Any:
        self.asked += 1
        if self.refuses is not None:
            await context.abort(self.refuses, "no")
        return pb.GetBalanceResponse(wallet=self.wallet)


async def test_another_address_is_asked_when_the_first_is_killed_and_stays_the_first_choice() -> None:
    first, second = Ledger(1), Ledger(2)
    coins = Coins(channels := Channels(patience_seconds=0), f"{await first.start()}, {await second.start()}")
    assert (await coins.balance("token", "anna")).wallet == 1
    await first.server.stop(None)
    assert [(await coins.balance("token", "anna")).wallet for _ in range(3)] == [2, 2, 2]
    await second.server.stop(None)
    with pytest.raises(ClientError, match="unavailable"):
        await coins.balance("token", "anna")
    await channels.close()


async def test_a_refusal_is_told_and_nobody_else_is_asked() -> None:
    first, second = Ledger(1), Ledger(2)
    first.refuses = StatusCode.PERMISSION_DENIED
    coins = Coins(channels := Channels(patience_seconds=0), f"{await first.start()},{await second.start()}")
    with pytest.raises(ClientError, match="permission_denied"):
        await coins.balance("token", "anna")
    assert (first.asked, second.asked) == (1, 0)
    await channels.close()
    for ledger in (first, second):
        await ledger.server.stop(None)
