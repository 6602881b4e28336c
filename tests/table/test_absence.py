"""Players who do not answer, go, or come back: timers, 托管, leaving."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from functools import partial
from typing import Any

from games.bots import bot
from services.table import store
from services.table.rows import SERVER_PLAYED, TIME_RAN_OUT, Kind
from tests.table.client import act_of
from tests.table.play import PLAYERS, seated, until
from tests.table.world import Rules
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb


def rows_of(connection: Any, table_id: str) -> list[Any]:
    return store.read_journal(connection, [table_id])[table_id]


async def test_a_seat_that_does_not_answer_gets_the_default_marked_auto(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(turn=0.15))
    async with w.client() as client:
        await seated(w, client)
        await client.wait_for("voids_shown", 0)
        rows = await w.hall.database.run(rows_of, "t")
        voids = [row for row in rows if row.kind is Kind.ACT][:4]
        assert [(row.auto, row.action_id) for row in voids] == [(TIME_RAN_OUT, 0)] * 4
        assert '"void"' in voids[0].body


async def test_the_offer_says_how_much_time_is_left(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(turn=30))
    async with w.client() as client:
        await seated(w, client)
        assert 29_000 < client.offers[0].time_left_ms <= 30_000


async def test_a_room_without_a_timer_says_so_and_waits_for_its_idle_limit(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(turn=0, idle=0.3))
    async with w.client() as client:
        await seated(w, client)
        assert client.offers[0].time_left_ms == 0
        await client.wait_for("voids_shown", 0)


async def test_two_timers_in_a_row_put_a_seat_on_auto_until_it_speaks(world: Callable[..., Any]) -> None:
    """Shown to all; from then on the server answers at once; an act or Resume ends it."""
    w = await world(rules=Rules(turn=0.15))
    async with w.client() as client:
        await seated(w, client)
        changed = (await client.wait_for("seat_changed", 0, count=1))[0]
        assert changed.on_auto
        await until(lambda: w.hall.find("t").course.on_auto == 0b1111)
        await client.send(pb.Input(seat_ref=1, resume=pb.Resume()))
        await client.until(lambda: any(e.seat == 1 and not e.on_auto for e in client.of("seat_changed", 0)))
        rows = await w.hall.database.run(rows_of, "t")
        misses = {seat: [row.auto for row in rows if row.kind is Kind.ACT and row.seat == seat] for seat in range(4)}
        assert all(missed[:2] == [TIME_RAN_OUT] * 2 for missed in misses.values())
        assert all(set(misses[seat][2:3]) <= {SERVER_PLAYED} for seat in (0, 2, 3))


async def test_an_answer_in_time_forgets_the_timer_missed_before(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(turn=1))
    async with w.client() as client:
        await seated(w, client)
        await client.wait_for("voids_shown", 0)
        assert w.hall.find("t").course.missed == [1, 1, 1, 1]
        await client.until(lambda: any(offer.decision > 1 for offer in client.offers.values()))
        rng = random.Random(1)
        await client.play(rng, lambda: len(client.of("discarded", 0)) > 2)
        assert w.hall.find("t").course.on_auto == 0


async def test_a_disconnect_alone_changes_nothing(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
    await until(lambda: not w.hall.streams)
    table = w.hall.find("t")
    assert (table.course.on_auto, table.course.missed) == (0, [0, 0, 0, 0])
    assert all(offer is not None for offer in table.course.hand.offers)


async def test_a_table_whose_players_all_went_away_is_played_to_its_end(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(turn=0.02, contribution=0))
    await w.open(*PLAYERS, table_id="t")
    await until(lambda: w.hall.find("t") is None, 30)
    row = await w.hall.database.run(store.find_table, "t")
    assert row.state == "closed"


async def test_a_player_who_leaves_is_played_by_the_server_and_may_think_again(world: Callable[..., Any]) -> None:
    w = await world(options={"auto_pause_ms": 10_000})
    async with w.client() as client:
        await seated(w, client)
        await client.send(pb.Input(seat_ref=2, leave=pb.Leave()))
        (changed,) = await client.wait_for("seat_changed", 0)
        assert (changed.seat, changed.on_auto, changed.left) == (2, True, False)
        assert w.hall.find("t").course.leaving == 0b100
        assert (await client.act(2, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_S))).refused == ""
        assert w.hall.find("t").course.leaving == 0
        await client.until(lambda: client.of("seat_changed", 0)[-1].on_auto is False)


async def test_a_winner_who_leaves_is_let_go_with_their_coins_and_the_hand_goes_on(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        for first in range(0, 400, 10):
            await seated(w, client, f"t{first}", first)
            over = partial(client.of, "hand_over", first)
            await play_well(w, client, f"t{first}", first)
            if client.of("won", first) and not over():
                break
        won = first + client.of("won", first)[0].seat
        other = first + (client.of("won", first)[0].seat + 1) % 4
        await client.send(pb.Input(seat_ref=won, leave=pb.Leave()))
        assert (await client.wait_for("detached", won))[0].reason == "left"
        await client.until(lambda: [event.seat for event in client.of("seat_changed", other) if event.left] == [won - first])
        await until(lambda: any(body["kind"] == "left" for _, _, body in w.settlement.items))
        await client.play(random.Random(3), lambda: bool(client.of("table_closed", other)))
        kinds = [body["kind"] for table, _, body in w.settlement.items if table == f"t{first}"]
        assert kinds.index("left") < kinds.index("close") == len(kinds) - 1


async def play_well(w: Any, client: Any, table_id: str, first: int) -> None:
    """Play until somebody wins or the hand is over: each seat as the greedy bot would."""
    mind = bot("crazy_xuezhan", "greedy", random.Random(first))
    hand = w.hall.find(table_id).course.hand
    while not hand.over and not any(seat.wins for seat in hand.seats):
        seat = next(seat for seat, offer in enumerate(hand.offers) if offer is not None)
        number = hand.offers[seat].number
        await client.until(lambda ref=first + seat, number=number: client.offers[ref].decision == number)
        assert (await client.act(first + seat, act_of(mind.choose(hand, seat), number))).refused == ""
    await client.until(lambda: bool(client.of("won", first) or client.of("hand_over", first)))


async def test_bots_answer_after_the_rooms_pause(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(pause=300))
    loop = asyncio.get_running_loop()
    async with w.client() as client:
        opened = await w.open("ann", None, None, None, table_id="t")
        started = loop.time()
        await client.attach_all(opened)
        await client.until(lambda: 0 in client.offers)
        await client.act(0, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_S))
        await client.wait_for("voids_shown", 0)
        assert loop.time() - started >= 0.25
        assert client.of("attached", 0)[0].seats[1].bot


async def test_a_bot_that_chooses_what_is_not_legal_gets_the_default(world: Callable[..., Any]) -> None:
    from games.hand import Action, Do

    w = await world(rules=Rules(contribution=0))
    w.hall.bots.choose = lambda _course, seat: Action(seat, Do.DISCARD, 99)
    await w.open(None, None, None, None, table_id="t")
    await until(lambda: w.hall.find("t") is None, 20)


async def test_who_goes_and_comes_back_has_no_more_time_than_if_he_had_stayed(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(turn=0.6), options={"auto_pause_ms": 10_000})
    loop = asyncio.get_running_loop()
    async with w.client() as client:
        await seated(w, client)
        begun = loop.time()
        while not client.of("voids_shown", 0) and loop.time() < begun + 5:
            await client.send(pb.Input(seat_ref=2, leave=pb.Leave()), pb.Input(seat_ref=2, resume=pb.Resume()))
            await client.listen(0.1)
        assert client.of("voids_shown", 0)


async def test_going_again_and_again_is_told_and_stored_once(world: Callable[..., Any]) -> None:
    w = await world(options={"auto_pause_ms": 10_000})
    async with w.client() as client:
        await seated(w, client)
        await client.send(*(pb.Input(seat_ref=2, leave=pb.Leave()) for _ in range(10)))
        await client.act(0, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_S))
        assert len(client.of("seat_changed", 0)) == 1
        rows = await w.hall.database.run(rows_of, "t")
        assert len([row for row in rows if row.kind is Kind.SEAT]) == 1


async def test_who_goes_and_comes_all_the_time_waits_for_it_themselves(world: Callable[..., Any]) -> None:
    w = await world(options={"auto_pause_ms": 10_000})
    loop = asyncio.get_running_loop()
    async with w.client() as client:
        await seated(w, client)
        to_and_fro = (pb.Input(seat_ref=2, leave=pb.Leave()), pb.Input(seat_ref=2, resume=pb.Resume()))
        begun = loop.time()
        await client.send(*(to_and_fro * 10))
        await client.act(0, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_S))
        # What waits for a row being stored is paid for by what comes after it.
        await client.act(1, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_S))
        assert loop.time() - begun > 0.3
