"""The real settlement beside a table server, and what a player's statement tells."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from services.kit import rpc
from services.kit.roles import Role
from services.settlement import check
from tests.table.play import until
from tests.table.test_with_settlement import settlement
from tests.table.world import World
from xuezhan.api.settlement.v1 import settlement_pb2 as st
from xuezhan.api.settlement.v1 import settlement_pb2_grpc

BETWEEN_OWN_ACCOUNTS = frozenset({"stake", "top_up", "returned"})


class Line(NamedTuple):
    """What a line of a hand tells: `who` stands on the other side, `balance` is what the player owned after it."""

    cause: str
    who: str
    multiple: int
    coins: int
    owed: int
    balance: int
    text: str = ""


class Ledger:
    """The settlement's answers for the table `t`."""

    def __init__(self, w: World, stub: Any, address: str) -> None:
        self.w = w
        self.stub = stub
        self.address = address

    async def seat(self, room: str, *players: str) -> None:
        """Give each player 30,000 coins and hold their stake for the table."""
        await self.seat_with(room, dict.fromkeys(players, 30_000))

    async def seat_with(self, room: str, coins: Mapping[str, int]) -> None:
        """Give each player their coins and hold their stake for the table, in seat order."""
        for player, given in coins.items():
            await self._call(self.stub.Deposit, st.DepositRequest(player_id=player, coins=given, key=f"d-{player}", reason="test"))
        seats = [st.StakeSeat(seat=seat, player_id=player) for seat, player in enumerate(coins)]
        assert (await self._call(self.stub.HoldStakes, st.HoldStakesRequest(match_id="t", room_id=room, seats=seats))).held

    async def balance(self, player: str) -> st.GetBalanceResponse:
        answer: st.GetBalanceResponse = await self._call(self.stub.GetBalance, st.GetBalanceRequest(player_id=player))
        return answer

    async def statement(self, player: str) -> list[st.StatementLine]:
        """The lines, oldest first, without the deposit."""
        await until(lambda: self.w.hall.find("t") is None)
        return list(reversed((await self._statement(player)).lines))[1:]

    async def of_hand(self, player: str) -> list[Line]:
        """The lines of the one hand that was played, oldest first."""
        lines = [line for line in await self.statement(player) if line.cause not in BETWEEN_OWN_ACCOUNTS]
        assert {(line.table_id, line.hand) for line in lines} <= {("t", 1)}
        return [Line(line.cause, line.counterpart, line.multiple, line.coins, line.owed, line.balance_after, line.text) for line in lines]

    async def visit(self, player: str) -> st.Visit:
        """The figures of their visit to the table."""
        await until(lambda: self.w.hall.find("t") is None)
        (visit,) = (await self._statement(player)).visits
        return visit

    async def _statement(self, player: str) -> st.GetStatementResponse:
        answer: st.GetStatementResponse = await self._call(self.stub.GetStatement, st.GetStatementRequest(player_id=player))
        return answer

    async def _call(self, method: Any, request: Any) -> Any:
        role = Role.CASHIER if isinstance(request, st.DepositRequest | st.GetStatementRequest) else Role.MATCHMAKING
        return await rpc.call(method, request, self.w.keys.part(role, Role.SETTLEMENT))


@asynccontextmanager
async def ledger(w: World) -> AsyncIterator[Ledger]:
    """Run the settlement; at the end its books are audited."""
    running, channel = await settlement(w)
    try:
        yield Ledger(w, settlement_pb2_grpc.SettlementServiceStub(channel), running.address)
        assert check.check_database(f"sqlite:///{w.folder}/settlement.db") == []
    finally:
        await channel.close()
        await running.stop()
