"""A player who asks to leave while others are asked leaves when they have answered: on the wire, in the journal, in the record."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from games.happy_sichuan.greedy_bot import TwoSuitBot
from games.happy_sichuan.rules import FirstHappySichuan
from games.registry import GAMES, ruleset
from games.verify import Verifier
from services.kit import rpc
from tests.table.client import Client
from tests.table.examples import Room
from tests.table.minds import Bots
from tests.table.play import PLAYERS, until
from tests.table.staged import Script, follow, stack, up_to_a_win
from tests.table.world import World
from xuezhan.api.table.v1 import table_pb2 as pb

ROOM = Room(game="happy_sichuan", room="open", base=5)


@pytest.fixture(scope="module")
def script() -> Script:
    """A hand up to the discard on which one seat may win and nobody else is asked, long before the last four."""
    return up_to_a_win(ROOM.rules(), lambda number: Bots(number, [TwoSuitBot] * 4))


class Played:
    """The hand at a real table, up to the discard on which one seat may win."""

    def __init__(self, w: World, client: Client) -> None:
        self.w = w
        self.client = client
        self.discarder = self.winner = -1

    async def to_the_discard(self, script: Script) -> Played:
        await self.client.attach_all(await self.w.open(*PLAYERS, table_id="t", room=ROOM.id))
        await follow(self.client, script)
        course = self.w.hall.find("t").course
        await self.client.until(lambda: course.hand.question is not None)
        self.discarder, (self.winner,) = course.hand.question.source, course.hand.question.order
        await self.client.until(lambda: self.client.offers[self.winner].mahjong.may_pass)
        return self

    async def win(self) -> None:
        decision = self.client.offers[self.winner].decision
        assert (await self.client.act(self.winner, pb.Act(decision=decision, do=pb.DO_WIN))).refused == ""

    async def record(self) -> dict[str, Any]:
        async with self.w.stub() as tables:
            request = pb.GetRecordRequest(table_id="t")
            (text,) = (await rpc.call(tables.GetRecord, request, self.w.reader_token())).records
        record: dict[str, Any] = json.loads(text)
        assert Verifier().check(record) == {"ok": True}
        return record


async def asked_to_leave(w: World, client: Client, seat: int, by: str) -> None:
    """Let a seat ask to leave, until the table has it stored."""
    table = w.hall.find("t")
    if by == "act":
        assert (await client.act(seat, pb.Act(do=pb.DO_LEAVE))).refused == ""
        assert (await client.act(seat, pb.Act(do=pb.DO_LEAVE))).refused == "not_offered", "it is leaving already"
    else:
        await client.send(pb.Input(seat_ref=seat, leave=pb.Leave()), pb.Input(seat_ref=seat, leave=pb.Leave()))
    await until(lambda: table.course.going == [seat] and not (table.rows or table.in_flight))
    assert not table.course.hand.over


@pytest.mark.parametrize("by", ["act", "leave"])
async def test_a_discarder_who_leaves_before_the_answer_pays_the_win_first(
    world: Callable[..., Any], script: Script, by: str, monkeypatch: Any
) -> None:
    stack(monkeypatch, script)
    w = await world(rules=ROOM)
    async with w.client() as client:
        at = await Played(w, client).to_the_discard(script)
        await asked_to_leave(w, client, at.discarder, by)
        await at.win()
        await client.wait_for("hand_over", at.winner)
        await client.wait_for("table_closed", at.winner)
        record = await at.record()
        assert [stage["cause"] for stage in record["stages"]] == ["win", "escape"]
        assert record["actions"][-2:] == [{"seat": at.winner, "do": "win"}, {"seat": at.discarder, "do": "leave"}]
        assert (record["rules"], record["result"]["ended"]) == ("happy_sichuan/2", "escape")


async def test_a_leave_outlives_the_server_until_the_others_have_answered(
    world: Callable[..., Any], script: Script, monkeypatch: Any
) -> None:
    stack(monkeypatch, script)
    w = await world(rules=ROOM)
    async with w.client() as client:
        at = await Played(w, client).to_the_discard(script)
        await asked_to_leave(w, client, at.discarder, "act")
        tokens = await w.open(*PLAYERS, table_id="t", room=ROOM.id)
        await w.crash()
    await w.start()
    async with w.client() as client:
        at.client = client
        await client.attach_all(tokens)
        await client.until(lambda: at.winner in client.offers)
        assert w.hall.find("t").course.going == [at.discarder]
        await at.win()
        await client.wait_for("table_closed", at.winner)
        assert (await at.record())["actions"][-1] == {"seat": at.discarder, "do": "leave"}


async def test_a_seat_that_is_asked_passes_when_it_leaves(world: Callable[..., Any], script: Script, monkeypatch: Any) -> None:
    stack(monkeypatch, script)
    w = await world(rules=ROOM)
    async with w.client() as client:
        at = await Played(w, client).to_the_discard(script)
        assert (await client.act(at.winner, pb.Act(do=pb.DO_LEAVE))).refused == ""
        await client.wait_for("table_closed", at.discarder)
        record = await at.record()
        assert record["actions"][-2:] == [{"seat": at.winner, "do": "pass", "auto": True}, {"seat": at.winner, "do": "leave"}]
        assert [stage["cause"] for stage in record["stages"]] == ["escape"]


async def test_a_hand_dealt_under_the_first_rules_is_played_on_and_recorded_under_them(
    world: Callable[..., Any], script: Script, monkeypatch: Any
) -> None:
    """The server of before is stopped in the middle of a hand; the one of today takes it up."""
    stack(monkeypatch, script)
    today = GAMES["happy_sichuan"]
    monkeypatch.setitem(GAMES, "happy_sichuan", today._replace(rules=FirstHappySichuan))
    ruleset.__globals__["_ruleset"].cache_clear()
    w = await world(rules=ROOM)
    async with w.client() as client:
        at = await Played(w, client).to_the_discard(script)
        tokens = await w.open(*PLAYERS, table_id="t", room=ROOM.id)
        await w.crash()
    monkeypatch.setitem(GAMES, "happy_sichuan", today)
    ruleset.__globals__["_ruleset"].cache_clear()
    await w.start()
    async with w.client() as client:
        at.client = client
        await client.attach_all(tokens)
        await client.until(lambda: at.winner in client.offers)
        assert (await client.act(at.discarder, pb.Act(do=pb.DO_LEAVE))).refused == ""
        await client.wait_for("table_closed", at.winner)
        record = await at.record()
        assert (record["rules"], record["actions"][-1]) == ("happy_sichuan/1", {"seat": at.discarder, "do": "leave"})
        assert [stage["cause"] for stage in record["stages"]] == ["escape"]
