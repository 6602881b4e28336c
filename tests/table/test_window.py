"""The claim window: when an outcome is shown tells nobody whether a claim was possible."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

from games.mahjong.offers import ClaimOffer
from services.table.answers import MAX_UNANSWERED
from services.table.seats import Reply
from tests.table.client import Client, any_act
from tests.table.play import seated, until
from tests.table.test_metrics import scrape, value
from tests.table.world import Rules
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb

WINDOW = 0.12
OUTCOMES = {"drew", "melded", "won", "hand_over", "kong_announced"}


async def discard_and_time(w: Any, client: Client, rng: random.Random) -> tuple[float, bool]:
    """Play until the outcome of a discard is shown; how long after the discard was sent, and whether anybody was asked."""
    loop = asyncio.get_running_loop()
    hand = w.hall.find("t").course.hand

    async def answer(seat: int, act: pb.Act | None = None) -> pb.Act:
        number = hand.offers[seat].number
        await client.until(lambda: client.offers[seat].decision == number)
        act = act or any_act(client.offers[seat], rng)
        act.decision = number
        assert (await client.act(seat, act)).refused == ""
        return act

    sent, seen, do = 0.0, 0, 0
    while do != pb.DO_DISCARD:
        sent, seen = loop.time(), len(client.of("discarded", 0))
        do = (await answer(next(seat for seat, offer in enumerate(hand.offers) if offer is not None))).do
    asked = [seat for seat, offer in enumerate(hand.offers) if isinstance(offer, ClaimOffer)]
    for seat in asked:
        if hand.offers[seat] is not None:
            await answer(seat, pb.Act(do=pb.DO_PASS if hand.offers[seat].may_pass else pb.DO_WIN))

    def outcome() -> bool:
        kinds = [event.WhichOneof("what") for ref, _, event in reversed(client.events) if ref == 0]
        return kinds.count("discarded") > seen and not OUTCOMES.isdisjoint(kinds[: kinds.index("discarded")])

    await client.until(outcome)
    return loop.time() - sent, bool(asked)


async def test_the_outcome_of_every_discard_takes_as_long_whether_or_not_anybody_was_asked(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(window=int(WINDOW * 1000)))
    rng = random.Random(4)
    async with w.client() as client:
        await seated(w, client)
        for ref in range(4):
            await client.act(ref, any_act(client.offers[ref], rng))
        times = [await discard_and_time(w, client, rng) for _ in range(10)]
    assert all(seconds >= WINDOW for seconds, _ in times), times
    assert not all(asked for _, asked in times)


async def test_the_window_is_in_no_figure_of_how_long_an_action_takes(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(window=600))
    rng = random.Random(4)
    async with w.client() as client:
        await seated(w, client)
        for ref in range(4):
            await client.act(ref, any_act(client.offers[ref], rng))
        while not (await discard_and_time(w, client, rng))[1]:
            pass
    figures = await asyncio.to_thread(scrape, w)
    # The answers to claims came when the window was over.
    assert value(figures, "action_durable_seconds_count") > 5
    assert value(figures, "action_durable_seconds_bucket", le="0.5") == value(figures, "action_durable_seconds_count")


async def play_to_a_hold(w: Any, client: Client, rng: random.Random) -> Any:
    """Play until the outcome of a discard is being held back."""
    table = w.hall.find("t")
    async with asyncio.timeout(30):
        while all(isinstance(waiting, Reply) for waiting in table.outlet.held or ()):
            for ref, offer in list(client.offers.items()):
                if table.course.hand.offers[ref] is not None:
                    act = any_act(offer, rng)
                    act.action_id = rng.getrandbits(60) | 1
                    await client.send(pb.Input(seat_ref=ref, act=act))
            await client.listen(0.01)
    return table


async def test_while_an_outcome_is_held_nobody_can_find_out_by_asking(world: Callable[..., Any]) -> None:
    """Neither by a view, nor by guessing the number of the offer to come, nor by an answer to an offer that is gone."""
    w = await world(rules=Rules(window=10_000))
    async with w.client() as client:
        await seated(w, client)
        table = await play_to_a_hold(w, client, random.Random(9))
        await client.until(lambda: all(client.up_to(seat) == table.outlet.counts[seat] for seat in range(4)))
        events, answers = len(client.events), len(client.answers)
        next_seat = table.course.hand.turn
        offer = table.course.hand.offers[next_seat]
        guess = table.course.base[next_seat] + (offer.number if offer is not None else 1)
        await client.send(
            pb.Input(seat_ref=next_seat, act=pb.Act(decision=guess, action_id=77, do=pb.DO_DISCARD, tile=mj.TILE_1M)),
            pb.Input(seat_ref=0, resync=pb.Resync()),
        )
        await client.listen(0.15)
        assert table.outlet.held is not None
        assert len(client.answers) == answers
        assert len(client.events) == events
        table.tick(table.deadlines.window)
        await client.until(lambda: any(answer.action_id == 77 for answer in client.answers))
        assert next(answer.refused for answer in client.answers if answer.action_id == 77) in {"not_your_turn", "stale"}
        view = (await client.wait_for("view", 0, count=2))[-1]
        assert view.number > max(number for ref, number, _ in client.events[:events] if ref == 0)


async def test_offers_to_claim_are_not_held(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(window=3000))
    rng = random.Random(21)
    async with w.client() as client:
        await seated(w, client)
        for ref in range(4):
            await client.act(ref, any_act(client.offers[ref], rng))
        table = w.hall.find("t")
        table.outlet.window = lambda: 0.01
        async with asyncio.timeout(30):
            while not any(e.offer.mahjong.from_seat_plus_one for _, _, e in client.events if e.WhichOneof("what") == "offer"):
                for ref, offer in list(client.offers.items()):
                    if table.course.hand.offers[ref] is not None and not offer.mahjong.from_seat_plus_one:
                        table.outlet.window = lambda: 5.0 if any(table.course.hand.offers) else 0.01
                        act = any_act(offer, rng)
                        await client.send(pb.Input(seat_ref=ref, act=act))
                await client.listen(0.01)
                if table.outlet.held is not None and not any(
                    offer is not None and table.course.base[no] + offer.number == table.outlet.shown_decisions[no]
                    for no, offer in enumerate(table.course.hand.offers)
                ):
                    table.deadlines.window = 0
                    table.tick(w.hall.now())
        assert table.outlet.held is not None


async def test_whoever_asks_again_and_again_while_an_outcome_is_held_is_shown_one_view(world: Callable[..., Any]) -> None:
    """Views that wait would all be made at one moment, and stop every table of the server."""
    w = await world(rules=Rules(window=800))
    async with w.client() as client, w.client() as greedy:
        opened = await seated(w, client)
        table = await play_to_a_hold(w, client, random.Random(9))
        attach = pb.Input(seat_ref=0, attach=pb.Attach(token=opened.tokens[3].token))
        await greedy.send(attach, attach, *(pb.Input(seat_ref=0, resync=pb.Resync(last_number=number)) for number in range(200, -1, -1)))
        await until(lambda: table.later)
        assert table.outlet.held is not None
        assert len(table.later) == 1
        await greedy.wait_for("view", 0)
        # It asked for a full view too, and is heard again after it has waited for all that.
        assert (await greedy.act(0, pb.Act(decision=9999, do=pb.DO_WIN))).refused
        assert len(greedy.of("attached", 0)) == len(greedy.of("view", 0)) == 1


async def test_whoever_sends_refused_acts_while_an_outcome_is_held_is_read_more_slowly(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(window=5000))
    loop = asyncio.get_running_loop()
    async with w.client() as client:
        await seated(w, client)
        table = await play_to_a_hold(w, client, random.Random(9))
        await client.send(*(pb.Input(seat_ref=0, act=pb.Act(action_id=number, do=pb.DO_WIN)) for number in range(1, 1001)))
        await until(lambda: len(table.seats[0].pending) == MAX_UNANSWERED)
        begun = loop.time()
        await client.send(pb.Input(seat_ref=3, detach=pb.Detach()))
        await until(lambda: table.seats[3].stream is None)
        assert loop.time() - begun > 0.3
