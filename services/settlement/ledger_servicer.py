"""LedgerService: the whole ledger for operators and auditors, and what operators may do about it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar

from services.kit import logs, rpc
from services.kit.database import Database
from services.kit.errors import ExhaustedError, InvalidArgumentError, UnavailableError
from services.settlement import check, check_process, operate, store_audit
from services.settlement.batch import Report
from services.settlement.servicer import known_player, known_table
from services.settlement.store_audit import By, Which
from xuezhan.api.settlement.v1 import ledger_pb2 as pb
from xuezhan.api.settlement.v1.ledger_pb2_grpc import LedgerServiceServicer

log = logs.get(__name__)
T = TypeVar("T")

WEEK_SECONDS: Final = 7 * 86_400
_MOST: Final = 1000
_FEW: Final = 100
_WHO_CHARS: Final = 100
_LATEST: Final = 2**53
_BY: Final = {pb.FLOWS_BY_CAUSE: By.CAUSE, pb.FLOWS_BY_ROOM: By.ROOM, pb.FLOWS_BY_PAIR: By.PAIR}


class LedgerServicer(LedgerServiceServicer):
    """Answers operators and auditors. Questions about the whole ledger are answered one at a time, so that other calls have connections."""

    def __init__(self, database: Database, url: str, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._url = url
        self._clock = clock
        self._one = asyncio.Lock()
        self._checks = asyncio.Lock()

    async def GetTotals(self, _request: pb.GetTotalsRequest, _context: Any) -> pb.GetTotalsResponse:  # noqa: N802 - gRPC's name
        """Answer the coins of all accounts of each kind."""
        found = await self._ask(store_audit.totals)
        return pb.GetTotalsResponse(kinds=[pb.KindTotal(kind=kind, accounts=count, coins=coins) for kind, count, coins in found])

    async def ListTransfers(self, request: pb.ListTransfersRequest, _context: Any) -> pb.ListTransfersResponse:  # noqa: N802 - gRPC's name
        """Answer one page of transfers."""
        size = _size(request.page_size)
        after = _after(request.page_token)
        table = known_table("table_id", request.table_id) if request.table_id else ""
        which = self._which(request, *(await self._ask(store_audit.lived, table) if table else ()))
        found = await self._ask(store_audit.transfers, which, table, after, size + 1)
        more = len(found) > size
        del found[size:]
        return pb.ListTransfersResponse(
            transfers=[_transfer(transfer) for transfer in found], next_page_token=str(found[-1].id) if more else ""
        )

    async def ListFlows(self, request: pb.ListFlowsRequest, _context: Any) -> pb.ListFlowsResponse:  # noqa: N802 - gRPC's name
        """Answer sums of transfers."""
        if request.by not in _BY:
            raise InvalidArgumentError("by", "by: cause, room or pair")
        found, more = await self._ask(store_audit.flows, _BY[request.by], self._which(request))
        flows = [
            pb.Flow(cause=one.cause, room_id=one.room, payer=one.payer, payee=one.payee, transfers=one.transfers, coins=one.coins)
            for one in found
        ]
        return pb.ListFlowsResponse(flows=flows, more=more)

    async def CheckLedger(self, request: pb.CheckLedgerRequest, context: Any) -> None:  # type: ignore[override]  # noqa: N802
        """Prove the ledger in a process of its own."""
        if self._checks.locked():
            raise ExhaustedError("busy", "a check is being made for somebody else: try again in a minute")
        async with self._checks:
            pipe = asyncio.subprocess.PIPE
            process = await asyncio.create_subprocess_exec(*check_process.COMMAND, stdin=pipe, stdout=pipe)
            assert process.stdin is not None
            assert process.stdout is not None
            number = 0
            try:
                process.stdin.write(check_process.question(self._url, request.held_seconds or check.HELD_SECONDS).encode())
                process.stdin.close()
                async for line in process.stdout:
                    number += 1
                    await context.write(_checked(check_process.read(line.decode()), number))
                if await process.wait() or number < len(check.CHECKS):
                    raise UnavailableError("check_failed", "the check could not be made: see the log of settlement")
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()

    async def ListActs(self, request: pb.ListActsRequest, _context: Any) -> pb.ListActsResponse:  # noqa: N802 - gRPC's name
        """Answer what operators did."""
        size = _size(request.page_size)
        found = await self._database.run(operate.acts, size + 1, _after(request.page_token))
        more = len(found) > size
        del found[size:]
        return pb.ListActsResponse(
            acts=[
                pb.Act(at=act.at, action=act.action, table_id=act.table, item=act.seq, player_id=act.player, who=act.who, why=act.why)
                for act in found
            ],
            next_page_token=str(found[-1].id) if more else "",
        )

    async def ListDeadLetters(  # noqa: N802 - gRPC's name
        self, request: pb.ListDeadLettersRequest, _context: Any
    ) -> pb.ListDeadLettersResponse:
        """Answer what could not be settled."""
        size, resolved = _size(request.page_size), request.resolved
        found = await self._database.run(lambda connection: operate.dead_letters(connection, size, resolved=resolved))
        letters = [
            pb.DeadLetter(
                table_id=one.table,
                item=one.seq,
                reason=one.reason,
                detail=one.detail,
                times=one.times,
                first_at=one.first_at,
                last_at=one.last_at,
                resolution=one.resolution,
            )
            for one in found
        ]
        return pb.ListDeadLettersResponse(letters=letters)

    async def ReplayItems(self, request: pb.ReplayItemsRequest, _context: Any) -> pb.ReplayItemsResponse:  # noqa: N802 - gRPC's name
        """Let a stuck table go on."""
        table, who = known_table("table_id", request.table_id), _who(request.who)
        report = await self._database.run(operate.replay, table, who, request.why, self._now())
        log.warning("items_replayed", match=table, by=who)
        return pb.ReplayItemsResponse(settled=_settled(report))

    async def VoidItem(self, request: pb.VoidItemRequest, _context: Any) -> pb.VoidItemResponse:  # noqa: N802 - gRPC's name
        """Let an item count as refused."""
        table, who = known_table("table_id", request.table_id), _who(request.who)
        report = await self._database.run(operate.void_item, table, request.item, who, request.why, self._now())
        log.warning("item_voided", match=table, item=request.item, by=who)
        return pb.VoidItemResponse(settled=_settled(report))

    async def SetFrozen(self, request: pb.SetFrozenRequest, _context: Any) -> pb.SetFrozenResponse:  # noqa: N802 - gRPC's name
        """Freeze a player, or lift that."""
        player, who = known_player("player_id", request.player_id), _who(request.who)
        changed = await self._database.run(operate.set_frozen, player, request.frozen, who, request.why, self._now())
        if changed:
            log.warning("player_frozen" if request.frozen else "player_unfrozen", player=player, by=who)
        return pb.SetFrozenResponse(changed=changed, unknown=not await self._database.run(store_audit.is_known, player))

    async def _ask(self, work: Callable[..., T], *args: Any) -> T:
        async with self._one:
            return await self._database.run(work, *args)

    def _which(self, request: pb.ListTransfersRequest | pb.ListFlowsRequest, begun: int = 0, ended: int = 0) -> Which:
        player = known_player("player_id", request.player_id) if request.player_id else ""
        other = known_player("other_player_id", request.other_player_id) if request.other_player_id else ""
        if other and not player:
            raise InvalidArgumentError("player_id", "player_id: needed beside other_player_id")
        until = request.until or ended or self._now() + 1
        since = request.since or begun or max(0, until - WEEK_SECONDS)
        if not 0 <= since < until <= _LATEST:
            raise InvalidArgumentError("until", "until: later than since")
        return Which(since, until, player, other)

    def _now(self) -> int:
        return int(self._clock())


def _size(asked: int) -> int:
    if asked > _MOST:
        raise InvalidArgumentError("page_size", f"page_size: at most {_MOST}")
    return asked or _FEW


def _after(token: str) -> int:
    """Return the id that a page ended with; 0: there was none."""
    if token and not (token.isascii() and token.isdigit() and len(token) <= 18):
        raise InvalidArgumentError("page_token", "page_token: not one that a page gave")
    return int(token or 0)


def _who(name: str) -> str:
    """Return who acts: the name that was given, and the role whose token was shown."""
    if not name.strip() or len(name) > _WHO_CHARS or not name.isprintable():
        raise InvalidArgumentError("words", f"who: 1 to {_WHO_CHARS} printable characters are needed")
    return f"{name} ({rpc.caller().subject})"


def _transfer(one: store_audit.Transfer) -> pb.Transfer:
    return pb.Transfer(
        id=one.id,
        at=one.at,
        payer=one.payer,
        payee=one.payee,
        payer_kind=one.payer_kind,
        payee_kind=one.payee_kind,
        coins=one.coins,
        cause=one.cause,
        table_id=one.table,
        item=one.item,
        hand=one.hand,
        multiple=one.multiple,
        owed=one.owed,
        text=one.text,
    )


def _checked(one: check_process.Checked, number: int) -> pb.CheckLedgerResponse:
    findings = [pb.LedgerFinding(about=about, text=text) for about, text in one.findings]
    return pb.CheckLedgerResponse(check=one.check, number=number, of=len(check.CHECKS), findings=findings)


def _settled(report: Report) -> list[pb.SettledItem]:
    return [
        pb.SettledItem(item=one.outcome.seq, kind=one.outcome.kind, result=one.outcome.result, reason=one.outcome.reason or "")
        for one in report.settled
    ]
