"""While the outcome of a discard waits for the claim window, nothing else tells of it: no list, no record, no coins, no answer."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from games.happy_sichuan.greedy_bot import TwoSuitBot
from services.kit import rpc
from services.kit.errors import FailedPreconditionError
from tests.table.client import Client
from tests.table.examples import Room
from tests.table.minds import Bots
from tests.table.play import PLAYERS, Gate, seated, until
from tests.table.staged import Script, follow, stack, up_to_a_win
from tests.table.test_window import play_to_a_hold
from tests.table.world import Rules, World
from xuezhan.api.table.v1 import table_pb2 as pb


@dataclass
class Windowed(Room):
    """欢乐麻将 in which the first win ends the hand, with a claim window of a minute."""

    game: str = "happy_sichuan"
    room: str = "open"
    base: int = 5

    def __post_init__(self) -> None:
        self.options = {"mode": "single"}

    def text(self) -> str:
        return super().text().replace("claim_window_ms = 0", "claim_window_ms = 10_000")


ROOM = Windowed()


@pytest.fixture(scope="module")
def script() -> Script:
    """A hand up to the discard on which one seat may win, whose win ends it."""
    return up_to_a_win(ROOM.rules(), lambda number: Bots(number, [TwoSuitBot] * 4))


class Held:
    """The table with the winning answer stored, and its outcome held."""

    def __init__(self, w: World, client: Client) -> None:
        self.w = w
        self.client = client
        self.table: Any = None
        self.winner = -1

    async def to_the_win(self, script: Script) -> Held:
        """Play to the discard without waiting, and win on it within the window."""
        await self.client.attach_all(await self.w.open(*PLAYERS, table_id="t", room=ROOM.id))
        self.table = table = self.w.hall.find("t")
        table.outlet.window = lambda: 0.0
        await follow(self.client, script._replace(steps=script.steps[:-1]))
        last = script.steps[-1]
        table.outlet.window = lambda: 60.0
        await follow(self.client, script._replace(steps=[last]))
        await self.client.until(lambda: any(offer.mahjong.may_pass and offer.mahjong.may_win for offer in self.client.offers.values()))
        (self.winner,) = table.course.hand.question.order
        return self

    async def win(self) -> None:
        decision = self.client.offers[self.winner].decision
        await self.client.send(pb.Input(seat_ref=self.winner, act=pb.Act(decision=decision, action_id=7, do=pb.DO_WIN)))
        await until(lambda: self.table.course.hand.over and not self.table.in_flight and not self.table.rows)
        assert self.table.outlet.held is not None

    def show(self) -> None:
        """Let the window end."""
        self.table.deadlines.window = 0.0
        self.table.tick(self.w.hall.now())


async def test_no_list_record_or_coin_tells_of_an_outcome_that_is_held(
    world: Callable[..., Any], script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack(monkeypatch, script)
    w = await world(rules=ROOM)
    loop = asyncio.get_running_loop()
    async with w.client() as client, w.stub() as stub:
        token = w.reader_token()
        held = await Held(w, client).to_the_win(script)

        async def listed() -> pb.TableSummary:
            table: pb.TableSummary
            (table,) = (await rpc.call(stub.ListTables, pb.ListTablesRequest(), w.viewer_token())).tables
            table.age_seconds = 0
            return table

        before = await listed()
        await held.win()
        assert await listed() == before
        assert (before.phase, before.hand) == ("playing", 1)
        for hand in (0, 1):
            begun = loop.time()
            with pytest.raises(FailedPreconditionError) as early:
                await rpc.call(stub.GetRecord, pb.GetRecordRequest(table_id="t", hand=hand), token)
            assert early.value.reason == "not_over"
            assert loop.time() - begun < 1, "it is not even waited for"
        await client.listen(0.3)
        assert not client.of("won")
        assert [body["kind"] for _, _, body in w.settlement.items] == ["open"]
        held.show()
        await client.wait_for("hand_over", 0)
        assert (await rpc.call(stub.GetRecord, pb.GetRecordRequest(table_id="t", hand=1), token)).records
        await client.wait_for("table_closed", 0)
        assert [body["kind"] for _, _, body in w.settlement.items] == ["open", "hand_end", "close"]
        await until(lambda: w.hall.find("t") is None)


async def test_what_a_crash_keeps_from_being_shown_is_paid_and_recorded_all_the_same(
    world: Callable[..., Any], script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack(monkeypatch, script)
    w = await world(rules=ROOM)
    async with w.client() as client:
        held = await Held(w, client).to_the_win(script)
        await held.win()
    await w.crash()
    await w.start()
    await until(lambda: w.hall.find("t") is None)
    assert [body["kind"] for _, _, body in w.settlement.items] == ["open", "hand_end", "close"]
    async with w.stub() as stub:
        assert len((await rpc.call(stub.GetRecord, pb.GetRecordRequest(table_id="t"), w.reader_token())).records) == 1


async def test_a_table_that_is_read_again_while_an_outcome_is_held_loses_no_record(
    world: Callable[..., Any], script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack(monkeypatch, script)
    w = await world(rules=ROOM)
    async with w.client() as client:
        held = await Held(w, client).to_the_win(script)
        await held.win()
        w.hall.failed(held.table, RuntimeError("a fault of ours"))
        await until(lambda: [body["kind"] for _, _, body in w.settlement.items] == ["open", "hand_end", "close"])
    async with w.stub() as stub:
        assert len((await rpc.call(stub.GetRecord, pb.GetRecordRequest(table_id="t"), w.reader_token())).records) == 1


async def test_an_outcome_is_shown_at_the_windows_end_though_a_row_is_on_its_way(world: Callable[..., Any]) -> None:
    """How long the database takes for something else must not show."""
    w = await world(rules=Rules(window=10_000))
    async with w.client() as client:
        await seated(w, client)
        table = await play_to_a_hold(w, client, random.Random(9))
        await client.until(lambda: all(client.up_to(seat) == table.outlet.counts[seat] for seat in range(4)))
        assert not table.rows, "nobody is asked, or who was has answered"
        seen, gate = len(client.events), Gate(w)
        await client.send(pb.Input(seat_ref=0, leave=pb.Leave()))
        await until(gate.waiting.is_set)
        table.deadlines.window = 0.0
        table.tick(w.hall.now())
        await client.until(lambda: len(client.events) > seen)
        assert table.in_flight
        gate.let_go()
        await client.wait_for("seat_changed", 0)


async def test_an_input_too_many_is_answered_no_earlier_than_any_other(
    world: Callable[..., Any], script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would tell that a row is on its way, which may be somebody's answer."""
    stack(monkeypatch, script)
    w = await world(rules=ROOM)
    async with w.client() as client:
        held = await Held(w, client).to_the_win(script)
        other = (held.winner + 1) % 4
        gate = Gate(w)
        sending = asyncio.ensure_future(held.win())
        await until(gate.waiting.is_set)
        answers = len(client.answers)
        bad = [pb.Input(seat_ref=other, act=pb.Act(decision=99, action_id=number, do=pb.DO_PASS)) for number in range(1, 41)]
        await client.send(*bad)
        await client.listen(0.2)
        assert len(client.answers) == answers
        gate.let_go()
        await sending
        await client.listen(0.2)
        assert len(client.answers) == answers
        held.show()
        await client.until(lambda: len(client.answers) == answers + 41)
