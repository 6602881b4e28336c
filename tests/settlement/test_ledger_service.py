"""The ledger over gRPC: questions are checked, acts carry the name and the role of who did them, a check holds up nobody."""

from __future__ import annotations

from typing import Any

import pytest

from services.kit import rpc
from services.kit.errors import ServiceError
from services.kit.roles import Role
from services.settlement import check
from tests.settlement.desk import Desk
from xuezhan.api.settlement.v1 import ledger_pb2 as pb
from xuezhan.api.settlement.v1.ledger_pb2_grpc import LedgerServiceStub
from xuezhan.client import ClientError
from xuezhan.client import ledger as client_ledger
from xuezhan.client.channels import Channels


async def ask(desk: Desk, method: str, request: Any, role: Role = Role.AUDITOR) -> Any:
    return await rpc.call(getattr(LedgerServiceStub(desk.channel), method), request, desk.keys.part(role, Role.SETTLEMENT))


async def refusal(desk: Desk, method: str, request: Any, role: Role = Role.AUDITOR) -> str:
    with pytest.raises(ServiceError) as refused:
        await ask(desk, method, request, role)
    return refused.value.reason


async def checked(desk: Desk) -> list[pb.CheckLedgerResponse]:
    token = desk.keys.part(Role.AUDITOR, Role.SETTLEMENT)
    call = LedgerServiceStub(desk.channel).CheckLedger(pb.CheckLedgerRequest(), metadata=(("authorization", f"Bearer {token}"),))
    return [answer async for answer in call]


async def test_deposits_are_in_totals_transfers_and_flows(desk: Desk) -> None:
    await desk.deposit("ann", 70)
    await desk.deposit("bob", 30)
    totals = await ask(desk, "GetTotals", pb.GetTotalsRequest())
    assert {one.kind: one.coins for one in totals.kinds} == {"wallet": 100, "outside": -100, "house": 0}
    page = await ask(desk, "ListTransfers", pb.ListTransfersRequest(page_size=1))
    assert [(one.payer, one.payee, one.coins) for one in page.transfers] == [("outside", "ann", 70)]
    rest = await ask(desk, "ListTransfers", pb.ListTransfersRequest(page_size=1, page_token=page.next_page_token))
    assert ([one.payee for one in rest.transfers], rest.next_page_token) == (["bob"], "")
    flows = await ask(desk, "ListFlows", pb.ListFlowsRequest(by=pb.FLOWS_BY_PAIR, player_id="bob"))
    assert [(one.payer, one.payee, one.cause, one.coins) for one in flows.flows] == [("outside", "bob", "deposit", 30)]
    assert not (await ask(desk, "ListTransfers", pb.ListTransfersRequest(table_id="nowhere"))).transfers


@pytest.mark.parametrize(
    ("method", "request_", "reason"),
    [
        ("ListTransfers", pb.ListTransfersRequest(page_size=1001), "page_size"),
        ("ListTransfers", pb.ListTransfersRequest(page_token="x"), "page_token"),
        ("ListTransfers", pb.ListTransfersRequest(page_token="9" * 30), "page_token"),
        ("ListTransfers", pb.ListTransfersRequest(table_id="a b"), "table_id"),
        ("ListTransfers", pb.ListTransfersRequest(other_player_id="bob"), "player_id"),
        ("ListTransfers", pb.ListTransfersRequest(since=20, until=10), "until"),
        ("ListTransfers", pb.ListTransfersRequest(since=-1), "until"),
        ("ListFlows", pb.ListFlowsRequest(), "by"),
        ("ListFlows", pb.ListFlowsRequest(by=pb.FLOWS_BY_CAUSE, until=2**60), "until"),
        ("ListFlows", pb.ListFlowsRequest(by=pb.FLOWS_BY_CAUSE, player_id="a b"), "player_id"),
        ("ListActs", pb.ListActsRequest(page_size=1001), "page_size"),
        ("ListActs", pb.ListActsRequest(page_token="x"), "page_token"),
        ("ListDeadLetters", pb.ListDeadLettersRequest(page_size=1001), "page_size"),
    ],
)
async def test_a_field_that_cannot_be_used_is_named(desk: Desk, method: str, request_: Any, reason: str) -> None:
    assert await refusal(desk, method, request_) == reason


async def test_an_act_is_recorded_with_the_name_given_and_the_role_of_the_token(desk: Desk) -> None:
    request = pb.SetFrozenRequest(player_id="ann", frozen=True, who="olga", why="case 4711")
    first = await ask(desk, "SetFrozen", request, Role.FINANCE)
    assert (first.changed, first.unknown) == (True, True)
    await desk.deposit("ann", 70)
    assert not (await ask(desk, "SetFrozen", request, Role.FINANCE)).unknown
    assert not (await ask(desk, "SetFrozen", request, Role.FINANCE)).changed
    (act,) = (await ask(desk, "ListActs", pb.ListActsRequest())).acts
    assert (act.action, act.player_id, act.who, act.why) == ("freeze", "ann", "olga (finance)", "case 4711")
    assert await refusal(desk, "SetFrozen", pb.SetFrozenRequest(player_id="ann", who="olga"), Role.FINANCE) == "words"
    assert await refusal(desk, "SetFrozen", pb.SetFrozenRequest(player_id="ann", why="x"), Role.FINANCE) == "words"
    assert await refusal(desk, "ReplayItems", pb.ReplayItemsRequest(table_id="t", who="o", why="x"), Role.FINANCE) == "unknown_table"


async def test_a_check_tells_each_of_its_parts_and_one_is_made_at_a_time(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    await desk.deposit("ann", 70)
    found = await checked(desk)
    assert [(one.number, one.of) for one in found] == [(number, len(check.CHECKS)) for number in range(1, len(check.CHECKS) + 1)]
    assert [one.check for one in found] == [one.__name__ for one in check.CHECKS]
    assert not [finding for one in found for finding in one.findings]


async def test_every_act_is_found_page_by_page(desk: Desk) -> None:
    for number in range(3):
        request = pb.SetFrozenRequest(player_id=f"p{number}", frozen=True, who="olga", why="case 4711")
        await ask(desk, "SetFrozen", request, Role.FINANCE)
    first = await ask(desk, "ListActs", pb.ListActsRequest(page_size=2))
    assert [act.player_id for act in first.acts] == ["p2", "p1"]
    rest = await ask(desk, "ListActs", pb.ListActsRequest(page_size=2, page_token=first.next_page_token))
    assert ([act.player_id for act in rest.acts], rest.next_page_token) == (["p0"], "")


async def test_a_check_is_asked_for_elsewhere_when_the_first_server_is_away_and_more_acts_than_a_page_are_read(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await desk.deposit("ann", 70)
    monkeypatch.setattr(client_ledger, "PAGE", 1)
    for frozen in (True, False, True):
        request = pb.SetFrozenRequest(player_id="ann", frozen=frozen, who="olga", why="case 4711")
        await ask(desk, "SetFrozen", request, Role.FINANCE)
    channels = Channels(0, ca="")
    ledger = client_ledger.Ledger(channels, f"127.0.0.1:1,{desk.running.address}")
    token = desk.keys.part(Role.AUDITOR, Role.SETTLEMENT)
    assert len([made async for made in ledger.check(token)]) == len(check.CHECKS)
    assert [act.action for act in await ledger.acts(token, 2)] == ["freeze", "unfreeze"]
    assert [act.action for act in await ledger.acts(token, 9)] == ["freeze", "unfreeze", "freeze"]
    alone = client_ledger.Ledger(channels, "127.0.0.1:1")
    with pytest.raises(ClientError):
        [made async for made in alone.check(token)]
    await channels.close()
