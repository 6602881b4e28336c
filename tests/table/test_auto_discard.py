"""自动摸打: the server throws what a seat draws where nothing else is possible, and asks it everything else (docs/rules/kaxinwu.md)."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest

from games.verify import Verifier
from services.kit import rpc
from services.table import store
from services.table.attach import view_of
from services.table.rows import SEAT_ACTED, SERVER_PLAYED, Kind, Row
from tests.table.client import Client
from tests.table.play import Gate, seated, state, until
from tests.table.test_course import check, rows_and_pictures
from tests.table.test_metrics import scrape, value
from tests.table.world import Rules, World
from xuezhan.api.table.v1 import table_pb2 as pb


@dataclass
class Room(Rules):
    """A room of 血战卡心五."""

    def text(self) -> str:
        return super().text().replace("crazy_xuezhan", "kaxinwu").replace("mayou", "coins")

    @property
    def room_id(self) -> str:
        return "kaxinwu/coins"


@dataclass
class Table(Room):
    """A table of 血战卡心五 for points, without a timer."""

    def text(self) -> str:
        return super().text().replace("base = 1", "base = 0")


def throws(offer: pb.Offer) -> bool:
    """Whether nothing but a discard is possible, the drawn tile among others, as a client can tell."""
    choices = offer.mahjong
    return not (choices.from_seat_plus_one or choices.kongs or choices.may_win) and choices.tile in choices.discards


def asks(*auto: int) -> Callable[[int, pb.Offer], bool]:
    """Whether an offer is one that its player answers; those of the seats `auto` leave what they draw to the server."""
    return lambda ref, offer: ref not in auto or not throws(offer)


async def journal(w: World, table_id: str = "t") -> list[Row]:
    rows: list[Row] = (await w.hall.database.run(store.read_journal, [table_id]))[table_id]
    return rows


async def opened(w: World, client: Client) -> tuple[pb.OpenTableResponse, int]:
    """Open a table, attach all, and wait for the first offer; the dealer's seat."""
    opened = await w.open("ann", "bob", "cem", "dee", table_id="t")
    await client.attach_all(opened)
    await client.until(lambda: bool(client.offers))
    return opened, next(iter(client.offers))


async def test_the_server_throws_what_is_drawn_and_asks_everything_else(world: Callable[..., Any]) -> None:
    """Eight hands of two seats that are switched on: the server throws where nothing can be chosen, the rest their players answer."""
    w = await world(rules=Table(turn=0, hands=8))
    rng = random.Random(7)
    async with w.client() as client:
        await opened(w, client)
        for hand in range(1, 9):
            await client.until(lambda hand=hand: len(client.of("dealt", 0)) == hand)
            answers = [await client.auto_discard(seat, on=True) for seat in (0, 2)]
            assert [answer.refused for answer in answers] == ["", ""]
            await client.play(rng, lambda hand=hand: len(client.of("hand_over", 0)) == hand, answers=asks(0, 2))
        await client.wait_for("table_closed", 0)
        assert not client.of("seat_changed"), "it is not 托管"
        offers = [offer for seat in (0, 2) for offer in client.of("offer", seat)]
    acts = [row for row in await journal(w) if row.kind is Kind.ACT]
    mine = [row for row in acts if row.seat in {0, 2}]
    by_server = [row for row in mine if row.auto == SERVER_PLAYED]
    thrown = [row for row in by_server if json.loads(row.body)[0] == "discard"]
    own = [json.loads(row.body)[0] for row in mine if row.auto == SEAT_ACTED]
    assert len(thrown) >= sum(map(throws, offers)) > 30, "and those of hands that are locked, which are nobody's choice"
    assert 0 < len(own) <= sum(not throws(offer) for offer in offers)
    assert {"pung", "pass", "discard"} <= set(own)
    assert len(by_server) + len(own) == len(mine), "no time ran out"


async def test_a_record_of_it_is_as_good_as_any(world: Callable[..., Any]) -> None:
    """All four are switched on: one who could make a kong all the time would have a choice all the time."""
    w = await world(rules=Room())
    async with w.client() as client:
        await opened(w, client)
        for seat in range(4):
            assert (await client.auto_discard(seat, on=True)).refused == ""
        await client.play(random.Random(1), lambda: bool(client.of("table_closed", 0)), answers=asks(0, 1, 2, 3))
    async with w.stub() as stub:
        answer = await stub.GetRecord(pb.GetRecordRequest(table_id="t"), metadata=rpc.metadata(w.reader_token()))
    (record,) = map(json.loads, answer.records)
    assert Verifier().check(record) == {"ok": True}
    assert any(action.get("auto") for action in record["actions"])


async def test_it_throws_the_tile_that_was_drawn_after_the_pause_of_the_server(world: Callable[..., Any]) -> None:
    """Clients can show the draw, and the player may still answer themselves."""
    w = await world(rules=Room(), options={"auto_pause_ms": 200})
    loop = asyncio.get_running_loop()
    async with w.client() as client:
        _, dealer = await opened(w, client)
        drawn = client.offers[dealer].mahjong.tile
        begun = loop.time()
        await client.auto_discard(dealer, on=True)
        (thrown,) = await client.wait_for("discarded", 0)
        assert (thrown.seat, thrown.tile) == (dealer, drawn)
        assert loop.time() - begun >= 0.19


async def test_within_the_pause_the_player_may_throw_another_tile(world: Callable[..., Any]) -> None:
    w = await world(rules=Room(), options={"auto_pause_ms": 10_000})
    async with w.client() as client:
        _, dealer = await opened(w, client)
        await client.auto_discard(dealer, on=True)
        offer = client.offers[dealer]
        other = next(tile for tile in offer.mahjong.discards if tile != offer.mahjong.tile)
        assert (await client.act(dealer, pb.Act(decision=offer.decision, do=pb.DO_DISCARD, tile=other))).refused == ""
        assert (await client.wait_for("discarded", 0))[0].tile == other
        assert w.hall.find("t").course.auto_discard == 1 << dealer, "and it stays on"


async def test_it_asks_who_can_win(world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """With a choice the player has all their time."""
    w = await world(rules=Room(turn=30))
    async with w.client() as client:
        _, dealer = await opened(w, client)
        offer = w.hall.find("t").course.hand.offers[dealer]
        monkeypatch.setattr(offer, "win", True)
        await client.auto_discard(dealer, on=True)
        table = w.hall.find("t")
        assert table.deadlines.answers[dealer] > w.hall.now() + 25
        assert not client.of("discarded", 0)


async def test_switched_off_the_player_has_the_time_he_would_have_had(world: Callable[..., Any]) -> None:
    """And no more: who switches to and fro gains nothing."""
    w = await world(rules=Room(turn=30), options={"auto_pause_ms": 5_000})
    async with w.client() as client:
        _, dealer = await opened(w, client)
        table = w.hall.find("t")
        before = table.deadlines.answers[dealer]
        for _ in range(3):
            await client.auto_discard(dealer, on=True)
            assert table.deadlines.answers[dealer] < w.hall.now() + 6
            await client.auto_discard(dealer, on=False)
        assert table.deadlines.answers[dealer] == pytest.approx(before)
        await client.listen(0.05)
        assert not client.of("discarded", 0)


@pytest.mark.parametrize("slow", [False, True], ids=["at_once", "while_a_row_is_being_stored"])
async def test_who_switches_all_the_time_waits_for_it_themselves(world: Callable[..., Any], slow: bool) -> None:
    w = await world(rules=Room(), options={"auto_pause_ms": 10_000})
    loop = asyncio.get_running_loop()
    async with w.client() as client:
        _, dealer = await opened(w, client)
        gate = Gate(w) if slow else None
        begun = loop.time()
        for number in range(1, 9):
            await client.send(pb.Input(seat_ref=dealer, auto_discard=pb.AutoDiscard(on=bool(number % 2), action_id=number)))
        if gate is not None:
            seat = w.hall.find("t").seats[dealer]
            await until(lambda: seat.waiting == 7)
            gate.let_go()
            begun = loop.time()
        await client.until(lambda: len(client.answers) == 8)
        await client.auto_discard(dealer, on=True)
        assert loop.time() - begun > 0.3


async def test_a_game_without_it_says_so_and_nothing_changes(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        before = state(w, "t")
        answer = await client.auto_discard(0, on=True)
        assert (answer.refused, answer.detail) == ("not_offered", "auto_discard: this game does not have it")
        assert state(w, "t") == before


async def test_it_is_for_a_hand_being_played(world: Callable[..., Any]) -> None:
    w = await world(rules=Room())
    async with w.client() as client:
        tokens = (await w.open("ann", "bob", "cem", "dee", table_id="t")).tokens
        await client.attach(0, tokens[0].token)
        await client.wait_for("view", 0)
        await until(lambda: w.hall.find("t").course.phase == "gathering" and not w.hall.find("t").in_flight)
        before = state(w, "t")
        answer = await client.auto_discard(0, on=True)
        assert (answer.refused, answer.detail) == ("hand_over", "auto_discard: no hand is being played")
        assert state(w, "t") == before


async def test_it_needs_an_id_and_an_attached_seat(world: Callable[..., Any]) -> None:
    w = await world(rules=Room())
    async with w.client() as client:
        await opened(w, client)
        assert (await client.auto_discard(0, on=True, action_id=0)).refused == "malformed"
        assert (await client.auto_discard(9, on=True, action_id=5)).refused == "not_attached"
        assert w.hall.find("t").course.auto_discard == 0


async def test_the_same_id_again_gets_the_same_answer_and_switches_nothing(world: Callable[..., Any]) -> None:
    """An input that was sent again late must not undo what came after it; not after a crash either."""
    w = await world(rules=Room(), options={"auto_pause_ms": 10_000})
    async with w.client() as client:
        opened_, dealer = await opened(w, client)
        for on, action_id in ((True, 1 << 63 | 1), (False, 2), (True, 1 << 63 | 1)):
            assert (await client.auto_discard(dealer, on=on, action_id=action_id)).refused == ""
        assert w.hall.find("t").course.auto_discard == 0
        rows = [row for row in await journal(w) if row.kind is Kind.AUTO_DISCARD]
        assert [(row.seat, row.body) for row in rows] == [(dealer, '{"on":true}'), (dealer, '{"on":false}')]
    await w.crash()
    await w.start()
    async with w.client() as client:
        await client.attach_all(opened_)
        await client.wait_for("view", dealer)
        assert (await client.auto_discard(dealer, on=True, action_id=1 << 63 | 1)).refused == ""
        assert w.hall.find("t").course.auto_discard == 0


async def test_an_id_that_changed_nothing_is_known_after_a_crash_too(world: Callable[..., Any]) -> None:
    w = await world(rules=Room(), options={"auto_pause_ms": 10_000})
    async with w.client() as client:
        opened_, dealer = await opened(w, client)
        for on, action_id in ((True, 1), (True, 2), (False, 3)):
            assert (await client.auto_discard(dealer, on=on, action_id=action_id)).refused == ""
    await w.crash()
    await w.start()
    async with w.client() as client:
        await client.attach_all(opened_)
        await client.wait_for("view", dealer)
        assert (await client.auto_discard(dealer, on=True, action_id=2)).refused == ""
        assert w.hall.find("t").course.auto_discard == 0


async def test_it_is_still_on_after_a_crash_and_goes_on_by_itself(world: Callable[..., Any]) -> None:
    w = await world(rules=Room(turn=30), options={"auto_pause_ms": 10_000})
    async with w.client() as client:
        opened_, dealer = await opened(w, client)
        await client.auto_discard(dealer, on=True)
        before = view_of(w.hall.find("t"), dealer)
    await w.crash()
    await w.start(auto_pause_ms=300)
    async with w.client() as client:
        await client.attach_all(opened_)
        view = (await client.wait_for("view", dealer))[0]
        for one in (before, view):
            one.offer.time_left_ms = 0
        assert view == before
        assert view.auto_discard
        assert client.of("attached", dealer)[0].auto_discard
        assert (await client.wait_for("discarded", 0))[0].seat == dealer


async def test_nobody_else_is_told(world: Callable[..., Any]) -> None:
    """No event, no number, no view, no list differs; only its own player sees it when they come back."""
    w = await world(rules=Room(), options={"auto_pause_ms": 10_000})
    async with w.client() as client, w.client() as again, w.stub() as stub:
        opened_, dealer = await opened(w, client)
        table, token = w.hall.find("t"), rpc.metadata(w.viewer_token())
        await client.until(lambda: all(client.up_to(seat) == table.outlet.counts[seat] for seat in range(4)))
        listed = await stub.ListTables(pb.ListTablesRequest(), metadata=token)
        others = [no for no in (0, 1, 2, 3, None) if no != dealer]
        views, counts, events = [view_of(table, no) for no in others], list(table.outlet.counts), len(client.events)
        assert (await client.auto_discard(dealer, on=True)).refused == ""
        assert [view_of(table, no) for no in others] == views
        assert (list(table.outlet.counts), len(client.events)) == (counts, events)
        for one in (listed, after := await stub.ListTables(pb.ListTablesRequest(), metadata=token)):
            one.tables[0].age_seconds = 0
        assert after == listed
        await again.attach_all(opened_)
        await again.until(lambda: len(again.of("view")) == 4)
        told = {ref: event.attached.auto_discard for ref, _, event in again.events if event.HasField("attached")}
        seen = {ref: event.view.auto_discard for ref, _, event in again.events if event.HasField("view")}
        assert told == seen == {seat: seat == dealer for seat in range(4)}


async def test_the_outcome_of_its_discards_waits_for_the_claim_window_as_of_any(world: Callable[..., Any]) -> None:
    """Played without a pause by four that are switched on: what follows a discard is shown no earlier, whoever could claim."""
    window = 0.08
    w = await world(rules=Room(window=int(window * 1000)))
    loop = asyncio.get_running_loop()
    at: list[tuple[str, float]] = []
    async with w.client() as client:
        await opened(w, client)
        for seat in range(4):
            await client.auto_discard(seat, on=True)
        seen = len(client.events)

        def watched() -> bool:
            nonlocal seen
            for ref, _, event in client.events[seen:]:
                if ref == 0 and event.WhichOneof("what") in {"drew", "discarded", "melded", "won"}:
                    at.append((str(event.WhichOneof("what")), loop.time()))
            seen = len(client.events)
            return len(at) > 16

        await client.play(random.Random(2), watched, answers=asks(0, 1, 2, 3))
    waits = [later - time for (what, time), (_, later) in pairwise(at) if what == "discarded"]
    assert len(waits) > 4
    assert min(waits) > window - 0.02


async def test_it_is_not_the_server_playing_for_them(world: Callable[..., Any]) -> None:
    """Not counted as 托管, no absence at the hand's end: the next hand begins; and it is counted under its own name."""
    w = await world(rules=Room(hands=2))
    async with w.client() as client:
        _, dealer = await opened(w, client)
        await client.auto_discard(dealer, on=True)
        await client.wait_for("discarded", 0)
        course = w.hall.find("t").course
        assert (course.on_auto, course.leaving, course.missed) == (0, 0, [0] * 4)
        figures = await asyncio.to_thread(scrape, w)
        labels = {"game": "kaxinwu", "tier": "coins"}
        assert value(figures, "seats_on_auto", **labels) == 0
        assert value(figures, "timers_total", **labels, why="auto_discard") >= 1
        assert value(figures, "timers_total", **labels, why="on_auto") == value(figures, "timers_total", **labels, why="time_ran_out") == 0
        await client.play(random.Random(5), lambda: len(client.of("dealt", 0)) == 2, answers=asks(dealer))


async def test_it_neither_ends_nor_begins_being_played_or_leaving(world: Callable[..., Any]) -> None:
    w = await world(rules=Room(), options={"auto_pause_ms": 10_000})
    async with w.client() as client:
        _, dealer = await opened(w, client)
        other = (dealer + 1) % 4
        await client.send(pb.Input(seat_ref=other, leave=pb.Leave()))
        await client.wait_for("seat_changed", 0)
        assert (await client.auto_discard(other, on=True)).refused == ""
        course = w.hall.find("t").course
        assert (course.on_auto, course.leaving, course.auto_discard) == (1 << other,) * 3
        await client.send(pb.Input(seat_ref=other, resume=pb.Resume()))
        await client.wait_for("seat_changed", 0, count=2)
        assert (course.on_auto, course.leaving, course.auto_discard) == (0, 0, 1 << other)


async def test_a_timer_that_is_missed_where_there_is_a_choice_counts_on_beside_it(world: Callable[..., Any]) -> None:
    """What the server throws in between is no answer of the player."""
    w = await world(rules=Room())
    async with w.client() as client:
        _, dealer = await opened(w, client)
        w.hall.find("t").course.missed[dealer] = 1
        await client.auto_discard(dealer, on=True)
        await client.wait_for("discarded", 0)
        assert w.hall.find("t").course.missed[dealer] == 1


async def test_it_ends_with_the_hand(world: Callable[..., Any]) -> None:
    """Who sits there in the next one, whoever it is, switches it on for themselves."""
    w = await world(rules=Room(hands=2))
    rng = random.Random(3)
    async with w.client() as client:
        await opened(w, client)
        for seat in range(4):
            await client.auto_discard(seat, on=True)
        await client.play(rng, lambda: bool(client.of("hand_over", 0)), answers=asks(0, 1, 2, 3))
        await client.until(lambda: len(client.of("dealt", 0)) == 2)
        table = w.hall.find("t")
        await until(lambda: any(offer is not None for offer in table.course.hand.offers) and not table.rows)
        assert table.course.auto_discard == 0
        assert not any(view_of(table, seat).auto_discard for seat in range(4))
        discarded = len(client.of("discarded", 0))
        await client.listen(0.1)
        assert len(client.of("discarded", 0)) == discarded


async def test_every_prefix_of_its_journal_replays_to_what_it_was(world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    w = await world(rules=Room(hands=2))
    rng = random.Random(11)

    async def hand(client: Any) -> None:
        await client.auto_discard(1, on=True)
        await client.auto_discard(2, on=True)
        await client.play(rng, lambda: len(client.of("discarded", 0)) > 12, answers=asks(1, 2))
        await client.auto_discard(1, on=False)
        await client.play(rng, lambda: bool(client.of("hand_over", 0)), answers=asks(2))
        await client.play(rng, lambda: bool(client.of("table_closed", 0)))

    monkeypatch.setattr("tests.table.test_course.seated", opened)
    rows, pictures = await rows_and_pictures(w, monkeypatch, hand)
    assert [row.seat for row in rows if row.kind is Kind.AUTO_DISCARD] == [1, 2, 1]
    check(w, rows, pictures)
