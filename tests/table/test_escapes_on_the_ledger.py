"""Escapes and locked amounts on the real ledger, as a player's statement tells them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.table.ledger import ledger
from tests.table.test_duel import Duel, Duelist
from tests.table.world import Rules
from xuezhan.api.settlement.v1 import settlement_pb2 as st
from xuezhan.api.table.v1 import table_pb2 as pb

HAPPY = """
[[room]]
game = "happy_sichuan"
id = "open"
name = "不封顶"
base = 5
entry = 50
claim_window_ms = 0
"""


@dataclass
class Happy(Rules):
    """A room of 欢乐麻将."""

    def text(self) -> str:
        return HAPPY


async def test_a_duel_locks_makes_up_and_charges_an_escape_from_what_is_locked(world: Callable[..., Any]) -> None:
    """Nothing beyond the lock is ever at stake: the largest escape charge is all of it."""
    w = await world(rules=Duel(hands=10), settles=False)
    async with ledger(w) as coins, w.client() as client:
        await coins.seat("crazy_duel/beginner", "ann", "bob")
        assert (await coins.balance("ann")).at_stake == 10_000
        table = Duelist(w, client)
        winner = await table.sit("ann", "bob")
        loser = 1 - winner
        await table.play()
        await table.dealt(2)
        assert (await coins.balance(("ann", "bob")[loser])).at_stake == 10_000
        await client.send(pb.Input(seat_ref=loser, leave=pb.Leave()))
        await client.wait_for("table_closed", 0)
        lines = await coins.statement(("ann", "bob")[loser])
        assert [(line.cause, line.multiple, line.coins, line.balance_after) for line in lines] == [
            ("stake", 0, 0, 30_000),
            ("showdown", 4, -400, 29_600),
            ("top_up", 0, 0, 29_600),
            ("escape", 100, -10_000, 19_600),
        ]
        assert {line.table_id for line in lines} == {"t"}
        assert (await coins.balance(("ann", "bob")[winner])).wallet == 40_400


async def test_a_rated_hand_changes_the_rating_and_no_coin(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(room="rating", base=0, lock=0, rated="true"), settles=False)
    async with ledger(w) as coins, w.client() as client:
        await coins.seat("crazy_duel/rating", "ann", "bob")
        table = Duelist(w, client)
        winner = await table.sit("ann", "bob")
        await table.play()
        await client.wait_for("table_closed", 0)
        (settled,) = client.of("stage_settled", 0)
        assert settled.ratings[winner] == 4
        assert list(settled.titles) == ["小星", "小星"]
        found = await coins.balance(("ann", "bob")[winner])
        assert (found.wallet, list(found.ratings)) == (30_000, [st.Rating(game="crazy_duel", points=4, title="小星")])


async def test_an_escape_from_happy_sichuan_stands_in_the_line_of_its_hand(world: Callable[..., Any]) -> None:
    w = await world(rules=Happy(), settles=False)
    players = ("ann", "bob", "cem", "dee")
    async with ledger(w) as coins, w.client() as client:
        await coins.seat("happy_sichuan/open", *players)
        await client.attach_all(await w.open(*players, table_id="t", room="happy_sichuan/open"))
        await client.until(lambda: bool(client.offers))
        await client.send(pb.Input(seat_ref=2, leave=pb.Leave()))
        (over,) = await client.wait_for("hand_over", 0)
        await client.wait_for("table_closed", 0)
        lines = await coins.statement("cem")
        (hand,) = [line for line in lines if line.cause == "hand"]
        assert over.points[2] < 0
        assert (hand.coins, hand.text) == (5 * over.points[2], f"escape {over.points[2]}")
        assert sum(over.points) == 0
