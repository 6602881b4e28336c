"""A player's switch `auto_pass`: every claim of the seat is passed at once, but what the rules force."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from games.happy_sichuan.greedy_bot import TwoSuitBot
from games.verify import Verifier
from services.kit import rpc
from services.table import store, switches
from services.table.attach import view_of
from services.table.rows import SERVER_PLAYED, Kind, Row
from tests.table.client import Client
from tests.table.examples import Room
from tests.table.minds import Bots
from tests.table.play import PLAYERS, seated, state, until
from tests.table.staged import Script, dealt, follow, played, stack
from tests.table.test_course import check, rows_and_pictures
from tests.table.test_duel import Duel
from tests.table.test_metrics import scrape, value
from tests.table.world import Rules, World
from xuezhan.api.table.v1 import table_pb2 as pb


async def switch(client: Client, seat: int, *, on: bool = True, action_id: int = 5) -> pb.Answer:
    """Turn the switch of a seat and return the answer."""
    before = len(client.answers)
    await client.send(pb.Input(seat_ref=seat, auto_pass=pb.AutoPass(on=on, action_id=action_id)))
    await client.until(lambda: any(answer.action_id == action_id for answer in client.answers[before:]))
    return next(answer for answer in client.answers[before:] if answer.action_id == action_id)


async def journal(w: World) -> list[Row]:
    rows: list[Row] = (await w.hall.database.run(store.read_journal, ["t"]))["t"]
    return rows


def claims(client: Client, seat: int) -> list[pb.Offer]:
    """The claims that a seat was offered."""
    return [offer for offer in client.of("offer", seat) if offer.mahjong.from_seat_plus_one]


async def test_claims_are_passed_by_the_server_and_turns_are_asked(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(base=1))
    async with w.client() as client:
        await seated(w, client)
        assert (await switch(client, 0)).refused == ""
        assert (await switch(client, 2)).refused == ""
        await client.play(random.Random(4), lambda: bool(client.of("table_closed", 0)))
        assert not claims(client, 0)
        assert not claims(client, 2)
        assert claims(client, 1)
        assert client.of("offer", 0), "its own turns"
        assert not [answer for answer in client.answers if answer.refused not in {"", "stale"}]
        for ref in range(4):
            numbers = client.numbers(ref)
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    acts = [row for row in await journal(w) if row.kind is Kind.ACT]
    passed = [row for row in acts if row.seat in {0, 2} and json.loads(row.body)[0] == "pass"]
    assert passed
    assert {row.auto for row in passed} == {SERVER_PLAYED}
    async with w.stub() as stub:
        answer = await stub.GetRecord(pb.GetRecordRequest(table_id="t"), metadata=rpc.metadata(w.reader_token()))
    record = json.loads(answer.records[0])
    assert Verifier().check(record) == {"ok": True}
    assert all(action.get("auto") for action in record["actions"] if action["do"] == "pass" and action["seat"] in {0, 2})


ROOM = Room(game="happy_sichuan", room="open", base=5)


def scripts(may_pass: bool) -> Script:
    """A hand up to a discard on which one seat may, or must, win."""
    for number in range(3000):
        found = played(ROOM.rules(), number, Bots(number, [TwoSuitBot] * 4))
        hand = dealt(ROOM.rules(), number)
        for place, step in enumerate(found.steps):
            question = hand.question
            offer = hand.offers[question.order[0]] if question is not None and len(question.order) == 1 else None
            if offer is not None and offer.win and offer.may_pass is may_pass:
                return found._replace(steps=found.steps[:place])
            hand.apply(step.action)
    raise AssertionError("no hand goes so")


@pytest.mark.parametrize("may_pass", [True, False])
async def test_a_win_is_passed_too_unless_the_rules_force_it(
    world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, may_pass: bool
) -> None:
    """必胡: on the last four tiles whoever can win must. Switched on with the claim open, which is answered at once."""
    script = scripts(may_pass)
    stack(monkeypatch, script)
    w = await world(rules=ROOM)
    async with w.client() as client:
        await client.attach_all(await w.open(*PLAYERS, table_id="t", room=ROOM.id))
        await follow(client, script)
        course = w.hall.find("t").course
        (seat,) = course.hand.question.order
        wins = len(course.hand.seats[seat].wins)
        await client.until(lambda: client.offers[seat].mahjong.may_win)
        assert (await switch(client, seat)).refused == ""
        await until(lambda: any(row.kind is Kind.AUTO_PASS for row in w.hall.find("t").rows) or not w.hall.find("t").in_flight)
        assert len(course.hand.seats[seat].wins) == wins + (not may_pass)
        rows = await journal(w)
        acted = next(row for row in reversed(rows) if row.seat == seat and row.kind is Kind.ACT)
        assert (json.loads(acted.body)[0], acted.auto) == ("pass" if may_pass else "win", SERVER_PLAYED)


async def test_it_is_off_again_at_the_end_of_the_hand_or_when_it_is_switched_off(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(hands=2))
    async with w.client() as client:
        await seated(w, client)
        course = w.hall.find("t").course
        await switch(client, 0)
        await switch(client, 1, action_id=6)
        assert course.auto_pass == 3
        await switch(client, 1, on=False, action_id=7)
        assert course.auto_pass == 1
        await client.play(random.Random(1), lambda: len(client.of("dealt", 0)) == 2)
        assert course.auto_pass == 0
        assert not view_of(w.hall.find("t"), 0).auto_pass


def others(table: Any) -> list[pb.View]:
    """What all but seat 0 see, without the time that they have."""
    views = [view_of(table, no) for no in (1, 2, 3, None)]
    for view in views:
        view.offer.time_left_ms = 0
    return views


async def test_only_its_own_player_sees_that_it_is_on(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client, w.client() as again:
        opened = await seated(w, client)
        table = w.hall.find("t")
        await client.until(lambda: all(client.up_to(seat) == table.outlet.counts[seat] for seat in range(4)))
        views, counts, events = others(table), list(table.outlet.counts), len(client.events)
        assert (await switch(client, 0)).refused == ""
        assert others(table) == views
        await client.caught_up()
        assert (list(table.outlet.counts), len(client.events)) == (counts, events)
        await again.attach_all(opened)
        await again.until(lambda: len(again.of("view")) == 4)
        assert {ref: event.attached.auto_pass for ref, _, event in again.events if event.HasField("attached")} == {
            seat: seat == 0 for seat in range(4)
        }
        assert [again.of("view", seat)[0].auto_pass for seat in range(4)] == [True, False, False, False]


async def test_where_it_means_nothing_it_is_refused_and_nothing_changes(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel())
    async with w.client() as client:
        opened = await w.open("ann", "bob", table_id="t", room="crazy_duel/beginner")
        await client.attach_all(opened)
        await client.until(lambda: bool(client.offers))
        before = state(w, "t")
        answer = await switch(client, 0)
        assert (answer.refused, answer.detail) == ("not_offered", "auto_pass: this game does not have it")
        assert state(w, "t") == before


async def test_it_is_for_a_hand_being_played(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        opened = await w.open(*PLAYERS, table_id="t")
        await client.attach(0, opened.tokens[0].token)
        await client.wait_for("view", 0)
        assert (await switch(client, 0)).refused == "hand_over"
        assert (await switch(client, 0, action_id=0)).refused == "malformed"


async def test_it_outlives_a_crash_and_its_id_is_known_afterwards(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        opened = await seated(w, client)
        await switch(client, 0)
        await switch(client, 1, action_id=6)
        await switch(client, 1, on=False, action_id=7)
    await w.crash()
    await w.start()
    async with w.client() as client:
        await client.attach_all(opened)
        await client.wait_for("view", 3)
        assert w.hall.find("t").course.auto_pass == 1
        assert (await switch(client, 1, action_id=6)).refused == ""
        assert w.hall.find("t").course.auto_pass == 1


async def test_every_prefix_of_its_journal_replays_to_what_it_was(world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    w = await world(rules=Rules(hands=2))
    rng = random.Random(11)

    async def hand(client: Any) -> None:
        await switch(client, 1)
        await switch(client, 2, action_id=6)
        await client.play(rng, lambda: len(client.of("discarded", 0)) > 12)
        await switch(client, 1, on=False, action_id=7)
        await client.play(rng, lambda: bool(client.of("table_closed", 0)))

    rows, pictures = await rows_and_pictures(w, monkeypatch, hand)
    assert [row.seat for row in rows if row.kind is Kind.AUTO_PASS] == [1, 2, 1]
    check(w, rows, pictures)


@dataclass
class Slow(Rules):
    """A room whose bots think for long."""

    pause: int = 20_000


@pytest.mark.parametrize("who", ["bot", "on_auto", "auto_pass"])
async def test_a_claim_that_the_server_answers_is_answered_with_the_discard(world: Callable[..., Any], who: str) -> None:
    """Whatever a bot's pause is: no claim of such a seat is ever open, and it is counted as what it is."""
    w = await world(rules=Slow(), options={"auto_pause_ms": 10_000})
    w.hall.bots._random = random.Random(1)
    async with w.client() as client:
        opened = await w.open("ann", "bob", None if who == "bot" else "cem", "dee", table_id="t")
        await client.attach_all(opened)
        await client.until(lambda: 0 in client.offers)
        table = w.hall.find("t")
        if who == "auto_pass":
            assert (await switch(client, 2)).refused == ""
        elif who == "on_auto":
            await client.send(pb.Input(seat_ref=2, leave=pb.Leave()))
            await client.wait_for("seat_changed", 0)
        open_claims: list[int] = []

        def over() -> bool:
            if w.hall.find("t") is None:
                return True
            if not table.in_flight and not table.rows and table.course.hand.offers[2] is not None:
                open_claims.extend([1] * switches.claims_open(table.course))
                # Its turn. Nobody waits for a bot's or an absent player's pause here.
                table.deadlines.answers[2] = 0.0
                table.rest()
            return False

        await client.play(random.Random(2), over, answers=lambda ref, _offer: ref != 2)
        assert not open_claims
        figures = await asyncio.to_thread(scrape, w)
        why = {"bot": "", "on_auto": "on_auto", "auto_pass": "auto_pass"}[who]
        assert not why or value(figures, "timers_total", game="crazy_xuezhan", tier="mayou", why=why) > 0
    rows = await journal(w)
    claimed = [row for row in rows if row.kind is Kind.ACT and row.seat == 2 and json.loads(row.body)[0] in {"pass", "pung", "win"}]
    assert claimed


async def to_a_claim_of(w: World, client: Client, seat: int, rng: random.Random) -> Any:
    """Play until a seat is asked about another's tile; it does not answer. None: the hand ended first."""
    table = w.hall.find("t")

    def asked() -> bool:
        hand = table.course.hand
        return hand is None or hand.over or (switches.claims_open(table.course) and hand.offers[seat] is not None)

    await client.play(rng, asked, answers=lambda ref, offer: ref != seat or not offer.mahjong.from_seat_plus_one)
    await until(lambda: not table.in_flight and not table.rows)
    assert not table.course.hand.over, "choose another seed"
    return table


async def test_who_goes_while_a_claim_is_open_is_answered_for_at_once(world: Callable[..., Any]) -> None:
    """Not after the pause of the server: that would be a time of its own."""
    w = await world(options={"auto_pause_ms": 10_000})
    async with w.client() as client:
        await seated(w, client)
        table = await to_a_claim_of(w, client, 2, random.Random(1))
        await client.send(pb.Input(seat_ref=2, leave=pb.Leave()))
        await client.wait_for("seat_changed", 0)
        assert not switches.claims_open(table.course) or table.course.hand.offers[2] is None
        rows = await journal(w)
        assert [(row.kind, row.seat, row.auto) for row in rows[-2:]] == [(Kind.SEAT, 2, 0), (Kind.ACT, 2, SERVER_PLAYED)]


async def test_a_claim_that_a_bot_was_left_to_think_about_is_answered_when_the_table_is_taken_up(
    world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a server of the release before, which stopped meanwhile."""
    w = await world(rules=Slow())
    w.hall.bots._random = random.Random(1)
    async with w.client() as client:
        opened = await w.open("ann", "bob", None, "dee", table_id="t")
        await client.attach_all(opened)
        await client.until(lambda: 0 in client.offers)
        with monkeypatch.context() as before:
            before.setattr(switches, "claims_for", lambda _course, _seat: False)
            table, rng = w.hall.find("t"), random.Random(2)

            def asked() -> bool:
                if not table.in_flight and not table.rows and table.course.hand.offers[2] is not None:
                    if switches.claims_open(table.course):
                        return True
                    table.deadlines.answers[2] = 0.0
                    table.rest()
                return False

            await client.play(rng, asked)
            await w.crash()
    await w.start()
    table = w.hall.find("t")
    await until(lambda: not table.in_flight and not table.rows)
    assert table.course.hand.offers[2] is None or not switches.claims_open(table.course)
    async with w.client() as client:
        await client.attach_all(opened)
        seen = table.head
        await client.play(rng, lambda: table.head > seen + 3)
