"""The whole ledger, for operators and auditors."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Final

from grpc import aio

from xuezhan.api.settlement.v1 import ledger_pb2 as pb
from xuezhan.api.settlement.v1.ledger_pb2_grpc import LedgerServiceStub
from xuezhan.client.channels import AnyOf, Channels, is_away, metadata
from xuezhan.client.errors import from_rpc

PAGE: Final = 1000
_SECONDS: Final = 30.0
"""Questions about the whole ledger take longer than others."""
_CHECK_SECONDS: Final = 3600.0


class Ledger:
    """The ledger at the settlement service. An operator's or auditor's token reads; only that of finance changes something.

    `addresses`: host:port, or several separated by commas; the one that answered last is asked first.
    """

    def __init__(self, channels: Channels, addresses: str) -> None:
        self._channels = channels
        self._any = AnyOf(channels, LedgerServiceStub, addresses)

    async def totals(self, token: str) -> Sequence[pb.KindTotal]:
        """Return the coins of all accounts of each kind."""
        answer: pb.GetTotalsResponse = await self._ask("GetTotals", pb.GetTotalsRequest(), token)
        return answer.kinds

    async def transfers(self, token: str, request: pb.ListTransfersRequest) -> AsyncGenerator[pb.Transfer, None]:
        """Yield all transfers that are asked for, oldest first."""
        asked = pb.ListTransfersRequest()
        asked.CopyFrom(request)
        asked.page_size = PAGE
        while True:
            answer: pb.ListTransfersResponse = await self._ask("ListTransfers", asked, token)
            for transfer in answer.transfers:
                yield transfer
            if not answer.next_page_token:
                return
            asked.page_token = answer.next_page_token

    async def flows(self, token: str, request: pb.ListFlowsRequest) -> pb.ListFlowsResponse:
        """Return sums of transfers, the largest first."""
        answer: pb.ListFlowsResponse = await self._ask("ListFlows", request, token)
        return answer

    async def check(self, token: str, held_seconds: int = 0) -> AsyncGenerator[pb.CheckLedgerResponse, None]:
        """Yield what each check of the ledger finds. Raises ClientError when it cannot be made."""
        request = pb.CheckLedgerRequest(held_seconds=held_seconds)
        for others in reversed(range(len(self._any))):
            stub = self._any.first
            call = stub.CheckLedger(request, timeout=_CHECK_SECONDS, metadata=metadata(token))
            heard = False
            try:
                async for answer in call:
                    heard = True
                    yield answer
            except aio.AioRpcError as failure:
                error = from_rpc(failure)
            else:
                return
            finally:
                call.cancel()
            # A check that has begun is not begun again elsewhere: its findings would be told twice.
            if heard or not others or not is_away(error):
                raise error
            self._any.failed(stub)

    async def acts(self, token: str, most: int) -> Sequence[pb.Act]:
        """Return what operators did, the latest first."""
        acts: list[pb.Act] = []
        page = ""
        while len(acts) < most:
            request = pb.ListActsRequest(page_size=min(most - len(acts), PAGE), page_token=page)
            answer: pb.ListActsResponse = await self._ask("ListActs", request, token)
            acts += answer.acts
            page = answer.next_page_token
            if not page:
                break
        return acts

    async def dead_letters(self, token: str, most: int, *, resolved: bool = False) -> Sequence[pb.DeadLetter]:
        """Return items that could not be settled, the latest first; those dealt with only when asked for."""
        request = pb.ListDeadLettersRequest(page_size=most, resolved=resolved)
        answer: pb.ListDeadLettersResponse = await self._ask("ListDeadLetters", request, token)
        return answer.letters

    async def replay(self, token: str, table_id: str, who: str, why: str) -> Sequence[pb.SettledItem]:
        """Let a stuck table go on; returns what is settled now."""
        request = pb.ReplayItemsRequest(table_id=table_id, who=who, why=why)
        answer: pb.ReplayItemsResponse = await self._ask("ReplayItems", request, token)
        return answer.settled

    async def void(self, token: str, table_id: str, item: int, who: str, why: str) -> Sequence[pb.SettledItem]:
        """Let a table's next item count as refused; returns what is settled now."""
        request = pb.VoidItemRequest(table_id=table_id, item=item, who=who, why=why)
        answer: pb.VoidItemResponse = await self._ask("VoidItem", request, token)
        return answer.settled

    async def set_frozen(self, token: str, player: str, who: str, why: str, *, frozen: bool) -> pb.SetFrozenResponse:
        """Freeze a player, or lift that; returns whether it changed anything, and whether no coin was ever theirs."""
        request = pb.SetFrozenRequest(player_id=player, frozen=frozen, who=who, why=why)
        answer: pb.SetFrozenResponse = await self._ask("SetFrozen", request, token)
        return answer

    async def _ask(self, method: str, request: Any, token: str) -> Any:
        return await self._channels.call(self._any.call(method), request, token, _SECONDS)
