"""A seat that changes hands, with the real ledger: stakes, statements, and who deals."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from games.verify import Verifier
from services.kit import rpc
from tests.table.ledger import ledger
from tests.table.play import PLAYERS, until
from tests.table.world import Rules, World
from xuezhan.api.settlement.v1 import settlement_pb2 as st
from xuezhan.api.table.v1 import table_pb2 as pb

ROOM = "happy_sichuan/single"
SINGLE = """
[[room]]
game = "happy_sichuan"
id = "single"
name = "普通场"
base = 1
lock = 6_000
hands = 3
break_seconds = 0.5
refill_seconds = 60
claim_window_ms = 0
"""


@dataclass
class Single(Rules):
    """A room of 欢乐麻将 where the first win ends the hand, for three hands."""

    def text(self) -> str:
        return SINGLE


async def test_who_joins_brings_a_stake_of_their_own_and_the_dealer_is_drawn_again(world: Callable[..., Any]) -> None:
    w: World = await world(rules=Single(), settles=False)
    async with ledger(w) as books, w.client() as client:
        await books.seat(ROOM, *PLAYERS)
        await client.attach_all(await w.open(*PLAYERS, table_id="t", room=ROOM))
        await client.play(random.Random(1), lambda: client.of("hand_over", 0) != [])
        await client.send(pb.Input(seat_ref=2, leave=pb.Leave()))
        await client.until(lambda: client.of("detached", 2) != [])
        await until(lambda: "t" in w.hall.vacant)
        assert (await w.take(2, "eve", "h0", room=ROOM)).state == pb.SEAT_STATE_REFUSED, "no stake is held for eve"
        left = await books.balance("cem")
        assert (left.match_id, left.at_stake) == ("", 0), "they have their stake back, and may queue again"
        await books._call(books.stub.Deposit, st.DepositRequest(player_id="eve", coins=30_000, key="d-eve", reason="test"))
        seats = [st.StakeSeat(seat=2, player_id="eve")]
        assert (await books._call(books.stub.HoldStakes, st.HoldStakesRequest(match_id="h", room_id=ROOM, seats=seats))).held
        answer = await w.take(2, "eve", "h", room=ROOM)
        assert answer.state == pb.SEAT_STATE_SEATED
        assert (await books.balance("eve")).match_id == "t"
        del client.offers[2]
        await client.attach(2, answer.token.token)
        await client.play(random.Random(2), lambda: client.of("table_closed", 0) != [])
        await until(lambda: w.hall.find("t") is None)
        lines = [*await books.statement("eve"), *await books.statement("cem")]
        assert {line.table_id for line in lines} <= {"t", "h"}
        async with w.stub() as tables:
            texts = (await rpc.call(tables.GetRecord, pb.GetRecordRequest(table_id="t"), w.reader_token())).records
        owned = {player: (await books.balance(player)).wallet for player in (*PLAYERS, "eve")}
    hands = [json.loads(text) for text in texts]
    assert [hand["seats"][2] for hand in hands] == ["cem", "eve", "eve"]
    assert [hand["dealer_from"] for hand in hands] == ["draw", "draw", "before"]
    verifier = Verifier()
    assert [verifier.check(hand) for hand in hands] == [{"ok": True}] * 3
    change: dict[str, int] = dict.fromkeys(owned, 0)
    for hand in hands:
        for player, coins in zip(hand["seats"], hand["coins"][0]["change"], strict=True):
            change[player] += coins
    assert {player: coins - 30_000 for player, coins in owned.items()} == change
    # A record cannot pass for one where the same players sat: then the dealer would have been carried over.
    verifier = Verifier()
    verifier.check(hands[1])
    assert verifier.check({**hands[2], "seats": hands[0]["seats"]})["ok"] is False
