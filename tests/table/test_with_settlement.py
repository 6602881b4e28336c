"""Table and ledger together, on the memory transport: what a hand owes is what the wallets show."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from grpc import aio

from games.verify import Verifier
from services.kit import rpc
from services.kit.bootstrap import Running
from services.kit.roles import Role
from services.settlement import check
from services.settlement.config import Settings
from services.settlement.server import build
from tests.table.play import PLAYERS, until
from tests.table.world import ROOM, World
from xuezhan.api.settlement.v1 import settlement_pb2 as st
from xuezhan.api.settlement.v1 import settlement_pb2_grpc
from xuezhan.api.table.v1 import table_pb2 as pb

COINS = 5_000


async def settlement(w: World) -> tuple[Running, Any]:
    """Start the real settlement beside the table server."""
    settings = Settings(
        database_url=f"sqlite:///{w.folder}/settlement.db",
        broker_url=w.broker_url,
        secrets=w.keys.folder,
        development=True,
        rooms_file=w.rooms_file,
        port=0,
        metrics_port=0,
        reflection=False,
    )
    running = Running("settlement", settings)
    await running.start(build)
    return running, aio.insecure_channel(running.address)


@pytest.mark.parametrize("held", [True, False])
async def test_a_hands_coins_are_in_the_wallets_and_in_its_record(world: Callable[..., Any], held: bool) -> None:
    """Without held stakes the table is called off and nothing moves."""
    w = await world(settles=False)
    ledger, channel = await settlement(w)
    try:
        stub = settlement_pb2_grpc.SettlementServiceStub(channel)
        token, cashier = w.keys.part(Role.MATCHMAKING, Role.SETTLEMENT), w.keys.part(Role.CASHIER, Role.SETTLEMENT)
        for player in PLAYERS:
            await rpc.call(stub.Deposit, st.DepositRequest(player_id=player, coins=COINS, key=f"d-{player}", reason="test"), cashier)
        if held:
            seats = [st.StakeSeat(seat=seat, player_id=player) for seat, player in enumerate(PLAYERS)]
            answer = await rpc.call(stub.HoldStakes, st.HoldStakesRequest(match_id="t", room_id=ROOM, seats=seats), token)
            assert answer.held
        async with w.client() as client:
            await client.attach_all(await w.open(*PLAYERS, table_id="t"))
            await client.play(random.Random(1), lambda: bool(client.of("table_closed", 0) or client.of("detached", 0)))
            await until(lambda: w.hall.find("t") is None)
        wallets = [(await rpc.call(stub.GetBalance, st.GetBalanceRequest(player_id=player), token)).wallet for player in PLAYERS]
        assert check.check_database(f"sqlite:///{w.folder}/settlement.db") == []
        if not held:
            assert wallets == [COINS] * 4
            assert (await w.open(*PLAYERS, table_id="t")).state == pb.TABLE_STATE_CALLED_OFF
            return
        async with w.stub() as tables:
            (text,) = (await rpc.call(tables.GetRecord, pb.GetRecordRequest(table_id="t"), w.reader_token())).records
        record = json.loads(text)
        assert Verifier().check(record) == {"ok": True}
        assert wallets == (record["coins"][-1]["after"] if record["coins"] else record["money"])
    finally:
        await channel.close()
        await ledger.stop()
