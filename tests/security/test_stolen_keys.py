"""What each stolen folder of keys can do, tried; docs/security.md says what came of it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from grpc import aio

from services.kit import items, keys, rpc
from services.kit.messages import Author, BadMessageError, Reader
from services.kit.roles import Role
from tests.security.place import OTHER, REFUSED, Place, somewhere
from tests.security.thief import Thief, record_key
from tests.support.page import agrees, table
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as mm
from xuezhan.api.matchmaking.v1.matchmaking_pb2_grpc import MatchmakingServiceStub
from xuezhan.api.settlement.v1 import settlement_pb2 as st
from xuezhan.api.settlement.v1.settlement_pb2_grpc import SettlementServiceStub
from xuezhan.api.table.v1 import table_pb2 as tb
from xuezhan.api.table.v1.table_pb2_grpc import TableServiceStub

pytestmark = pytest.mark.timeout(300)

FOUR = [f"load-m-{seat}" for seat in range(4)]
ROOM = "crazy_xuezhan/mayou"
LOGINS = "players' logins (the studio's key)"
OLD = "`keys.json` of an earlier version"
STOLEN = [*Role, LOGINS, OLD]


class Attack:
    """What a thief tries at a running installation."""

    def __init__(self, place: Place, stolen: Path, name: str) -> None:
        self.place = place
        self.stolen = stolen
        self.name = name
        self.thief = Thief(stolen, keys.load(place.up.keys, Role.VIEWER).installation)

    async def mint_coins(self) -> bool:
        """Put coins into a wallet."""
        request = st.DepositRequest(player_id=OTHER, coins=1, key=f"stolen {self.name}")
        return await self._any("settlement", SettlementServiceStub, "Deposit", request, self.thief.as_parts(Role.SETTLEMENT))

    async def take_coins_out(self) -> bool:
        """Take coins out of anybody's wallet."""
        request = st.WithdrawRequest(player_id=FOUR[0], coins=1, key=f"stolen {self.name}")
        return await self._any("settlement", SettlementServiceStub, "Withdraw", request, self.thief.as_parts(Role.SETTLEMENT))

    async def be_any_player(self) -> bool:
        """Queue as somebody."""
        request = mm.CreateTicketRequest(room_id="nowhere/at_all")
        return await self._any("matchmaking", MatchmakingServiceStub, "CreateTicket", request, self.thief.as_player(FOUR[1]))

    async def play_any_seat(self) -> bool:
        """Attach to a seat whose player did not give their token away."""
        async with aio.insecure_channel(self.place.up.addresses["table"]) as channel:
            for token in self.thief.as_seat(self.place.table, 0, FOUR[0]):
                call: Any = TableServiceStub(channel).Play(metadata=somewhere())
                await call.write(tb.PlayRequest(inputs=[tb.Input(seat_ref=1, attach=tb.Attach(token=token))]))
                event = (await call.read()).events[0]
                call.cancel()
                if event.detached.code not in REFUSED:
                    return True
        return False

    async def seat_anybody(self) -> bool:
        """Hold the stakes of four players who did not queue, and open a table for them."""
        match = f"stolen-{self.name}"
        seats = [st.StakeSeat(seat=seat, player_id=player) for seat, player in enumerate(FOUR)]
        hold = st.HoldStakesRequest(match_id=match, room_id=ROOM, seats=seats)
        held = await self._any("settlement", SettlementServiceStub, "HoldStakes", hold, self.thief.as_parts(Role.SETTLEMENT))
        given = [tb.SeatAssignment(player_id=player) for player in FOUR]
        opening = tb.OpenTableRequest(table_id=match, room_id=ROOM, seats=given)
        opened = await self._any("table", TableServiceStub, "OpenTable", opening, self.thief.as_parts(Role.TABLE))
        assert held == opened
        return opened

    async def settle_a_table(self) -> bool:
        """Sign an item that a worker believes: coins go from seat to seat as it says."""
        reader = Reader(keys.load(self.place.up.keys, Role.WORKER).trust)
        item = items.Item(table="t", seq=1, body=items.canonical(items.CloseBody(reason="stolen")))
        return any(_believed(reader.items, author.items([item])) for author in self._authors())

    async def tell_of_coins(self) -> bool:
        """Sign an outcome that a table server believes: its players see coins that nobody moved."""
        reader = Reader(keys.load(self.place.up.keys, Role.TABLE).trust, "table-1")
        told = items.TableOutcome(table="t", through=1, items=[])
        sent = (message for author in self._authors() for message in author.outcomes("table-1", [told]))
        return any(_believed(reader.outcomes, message) for message in sent)

    def _authors(self) -> Iterator[Author]:
        return (Author(key, self.thief.installation, "thief") for key in self.thief.keys)

    async def sign_records(self) -> bool:
        """Sign a hand that was never played, as if it had been."""
        return record_key(self.stolen)

    async def read_anybodys_coins(self) -> bool:
        """Read a statement, or a balance alone."""
        tokens = [*self.thief.as_parts(Role.SETTLEMENT), *self.thief.as_player(FOUR[0])]
        statement, balance = st.GetStatementRequest(player_id=FOUR[0]), st.GetBalanceRequest(player_id=FOUR[0])
        return await self._any("settlement", SettlementServiceStub, "GetStatement", statement, iter(tokens)) or await self._any(
            "settlement", SettlementServiceStub, "GetBalance", balance, iter(tokens)
        )

    async def read_any_record(self) -> bool:
        """Read a finished hand, everybody's tiles included."""
        request = tb.GetRecordRequest(table_id=self.place.table)
        tokens = [*self.thief.as_parts(Role.TABLE), *self.thief.as_player(FOUR[0])]
        return await self._any("table", TableServiceStub, "GetRecord", request, iter(tokens))

    async def _any(self, server: str, stub: Any, method: str, request: Any, tokens: Iterator[str]) -> bool:
        """Whether any of the tokens lets the call through."""
        async with aio.insecure_channel(self.place.up.addresses[server]) as channel:
            call = getattr(stub(channel), method)
            for token in tokens:
                try:
                    await call(request, metadata=(*somewhere(), *rpc.metadata(token)), timeout=10)
                except aio.AioRpcError as error:
                    code = error.code().name
                    assert code not in {"UNAVAILABLE", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED"}, "it says nothing about the key"
                    if code in REFUSED:
                        continue
                return True
        return False


def _believed(read: Callable[[bytes], object], message: bytes) -> bool:
    try:
        read(message)
    except BadMessageError:
        return False
    return True


ATTACKS: dict[str, Callable[[Attack], Awaitable[bool]]] = {
    "mint coins": Attack.mint_coins,
    "take coins out": Attack.take_coins_out,
    "be any player": Attack.be_any_player,
    "play any seat": Attack.play_any_seat,
    "seat anybody, with their stakes": Attack.seat_anybody,
    "settle tables as it likes": Attack.settle_a_table,
    "tell tables of coins that did not move": Attack.tell_of_coins,
    "sign records": Attack.sign_records,
    "read anybody's coins": Attack.read_anybodys_coins,
    "read any record": Attack.read_any_record,
}
MAY: dict[str, set[str]] = {
    Role.CASHIER: {"mint coins", "take coins out", "read anybody's coins"},
    Role.MATCHMAKING: {"seat anybody, with their stakes", "read anybody's coins"},
    Role.TABLE: {"play any seat", "settle tables as it likes", "sign records"},
    Role.SETTLEMENT: set(),
    Role.WORKER: {"tell tables of coins that did not move"},
    Role.GATEWAY: set(),
    Role.VIEWER: {"read anybody's coins", "read any record"},
    Role.OPERATOR: {"read anybody's coins", "read any record"},
    Role.FINANCE: {"mint coins", "take coins out", "read anybody's coins", "read any record"},
    Role.AUDITOR: {"read any record"},
    LOGINS: {"be any player", "read anybody's coins", "read any record"},
    OLD: set(),
}


def where(place: Place, name: str) -> Path:
    """What was stolen."""
    if name == OLD:
        return place.up.keys / "keys.json.divided"
    return place.up.keys / (keys.DEVELOPMENT if name == LOGINS else name)


def tried(place: Place, name: str, folder: Path) -> set[str]:
    stolen = where(place, name)
    copy = folder / f"stolen-{stolen.name}"
    (shutil.copytree if stolen.is_dir() else shutil.copy)(stolen, copy)
    attack = Attack(place, copy, stolen.name)

    async def all_of_them() -> set[str]:
        return {what for what, attempt in ATTACKS.items() if await attempt(attack)}

    return asyncio.run(all_of_them())


@pytest.mark.parametrize("name", STOLEN)
def test_a_stolen_key_can_do_what_its_role_may_and_nothing_else(place: Place, tmp_path: Path, name: str) -> None:
    assert tried(place, name, tmp_path) == MAY[name]


def test_no_key_but_the_cashiers_and_finances_mints_a_coin() -> None:
    assert {name for name, may in MAY.items() if "mint coins" in may} == {Role.CASHIER, Role.FINANCE}


def test_the_page_on_security_says_so() -> None:
    rows = [[f"`{name}`" if name in set(Role) else name, *("yes" if what in MAY[name] else "" for what in ATTACKS)] for name in STOLEN]
    agrees("docs/security.md", "stolen keys", table(["stolen", *ATTACKS], rows))


def test_up_divides_the_file_of_an_earlier_version_and_says_so(place: Place) -> None:
    said = [line for line in place.up.process.output().splitlines() if "divided" in line]
    assert said == [
        f"{place.up.keys}/keys.json: divided: the deal keys are the table servers' alone now, all others are new; kept as keys.json.divided"
    ]
    assert keys.load_table(place.up.keys).deal.current == "k1"
