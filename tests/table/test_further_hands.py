"""Between two hands: everything is settled, stakes are locked anew, players may go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from services.table import store
from services.table.replay import replay
from tests.table.play import until
from tests.table.test_duel import Duel, Duelist, items, records
from tests.table.world import World
from xuezhan.api.table.v1 import table_pb2 as pb


async def locked(world: Callable[..., Any], **more: Any) -> World:
    """A room of three hands whose lock is what everybody brought."""
    w: World = await world(rules=Duel(hands=3, **more))
    w.settlement.stake = 10_000
    return w


async def test_stakes_are_made_up_to_the_lock_before_a_further_hand(world: Callable[..., Any]) -> None:
    """What a seat won stays with it: only who has less than the lock makes it up."""
    w = await locked(world)
    async with w.client() as client:
        table = Duelist(w, client)
        await table.sit("ann", "bob")
        for hand in (1, 2, 3):
            await table.dealt(hand)
            await table.play()
        await client.wait_for("table_closed", 0)
        assert [over.hand for over in client.of("hand_over", 0)] == [1, 2, 3]
        begun = [list(event.money) for event in client.of("hand_committed", 0)]
        shown = [list(event.money) for event in client.of("stage_settled", 0) if event.cause == "top_up"]
    played = await records(w)
    before = [record["money"] for record in played]
    after = [record["coins"][0]["after"] for record in played]
    assert before[0] == [10_000, 10_000]
    assert begun == before
    assert before[1:] == [[max(coins, 10_000) for coins in left] for left in after[:2]]
    assert min(after[0]) == 9_600
    short = [left for left in after[:2] if min(left) < 10_000]
    assert shown == [[max(coins, 10_000) for coins in left] for left in short]
    assert len(items(w, "top_up")) == len(short)


async def test_who_cannot_lock_again_ends_the_table(world: Callable[..., Any]) -> None:
    w = await locked(world)
    w.settlement.poor = True
    async with w.client() as client:
        table = Duelist(w, client)
        await table.sit("ann", "bob")
        await table.play()
        assert (await client.wait_for("table_closed", 0))[0].reason == "short"
        assert len(client.of("hand_over", 0)) == 1


async def test_who_goes_in_the_break_ends_the_table_at_once(world: Callable[..., Any]) -> None:
    w = await locked(world, rest=600)
    async with w.client() as client:
        table = Duelist(w, client)
        await table.sit("ann", "bob")
        await table.play()
        await client.until(lambda: "top_up" in [event.cause for event in client.of("stage_settled", 0)])
        await client.send(pb.Input(seat_ref=1, leave=pb.Leave()))
        assert (await client.wait_for("table_closed", 0))[0].reason == "left"
        assert client.of("seat_changed", 0) == [], "nothing was played for them"
    assert [item["kind"] for item in items(w, "stage", "top_up", "left", "close")] == ["stage", "top_up", "close"]


async def test_a_further_hand_waits_for_the_break_and_no_longer_for_anybody(world: Callable[..., Any]) -> None:
    w = await locked(world, rest=0.2, contribution=60)
    async with w.client() as client:
        table = Duelist(w, client)
        await table.sit("ann", "bob")
        await table.play()
        await table.dealt(2)


async def test_who_is_not_there_at_the_end_of_a_hand_plays_no_further_one(world: Callable[..., Any]) -> None:
    w = await locked(world, turn=0.05)
    async with w.client() as client:
        await Duelist(w, client).sit("ann", "bob")
        assert (await client.wait_for("table_closed", 0, seconds=30))[0].reason == "left"
        assert len(client.of("hand_over", 0)) == 1
        assert client.of("seat_changed", 0)[0].on_auto


async def test_the_journal_of_several_hands_with_top_ups_replays(world: Callable[..., Any]) -> None:
    w = await locked(world)
    async with w.client() as client:
        table = Duelist(w, client)
        await table.sit("ann", "bob")
        await table.play()
        await table.dealt(2)
        await table.lead()
        course = w.hall.find("t").course
        rows = (await w.hall.database.run(store.read_journal, ["t"]))["t"]
        again = replay("t", rows, w.hall.deal_keys)
        same = ("phase", "hand_no", "money", "items", "settled", "topped_up", "counts", "base")
        assert [getattr(again, name) for name in same] == [getattr(course, name) for name in same]
        await client.send(pb.Input(seat_ref=0, leave=pb.Leave()))
        await until(lambda: w.hall.find("t") is None)
