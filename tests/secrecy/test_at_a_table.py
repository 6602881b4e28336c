"""What a real table tells its seats, in every form of the games that have many: who is asked, who is not, and what each hears."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from games.bots import bot
from games.hand import Action, Do
from services.kit import rpc
from tests.secrecy.audit import audit
from tests.table.client import Client
from tests.table.examples import Room
from tests.table.minds import Bots
from tests.table.play import PLAYERS, until
from tests.table.staged import Mind, Script, follow, played, stack
from tests.table.world import World
from xuezhan.api.table.v1 import table_pb2 as pb

Lines = list[dict[str, Any]]
HAPPY = Room(game="happy_sichuan", room="open")
SINGLE = Room(game="happy_sichuan", room="open", options={"mode": "single"})
KAXINWU = {
    8: (2, False, False),
    9: (2, True, True),
    37: (3, False, True),
    25: (3, True, False),
    48: (4, False, False),
    95: (4, True, True),
}
"""Nonces, and players, `three_suits`, `must_kong` of their tables: wins and kongs of locked hands, a robbed kong, a passed pung."""


def kaxinwu(number: int) -> Room:
    players, suits, must = KAXINWU[number]
    return Room(game="kaxinwu", room="coins", players=players, options={"three_suits": suits, "must_kong": must})


def bots(room: Room, leaving: Callable[[Any], list[int]] | None = None) -> Callable[[int], Mind]:
    """Players of whom some know the game."""
    kinds = ["greedy", "random", "greedy", "greedy"][: room.players]
    return lambda number: Bots(number, [partial(bot, room.game, kind) for kind in kinds], leaving)


def winners(hand: Any) -> list[int]:
    """Who has won goes."""
    return [seat for seat, place in enumerate(hand.seats) if place.out]


class Escaping:
    """Somebody escapes after so many answers, asked or not."""

    def __init__(self, mind: Mind, after: int, seat: int) -> None:
        self.mind = mind
        self.after = after
        self.seat = seat

    def __call__(self, hand: Any) -> Action:
        self.after -= 1
        return Action(self.seat, Do.LEAVE) if self.after < 0 and not hand.seats[self.seat].out else self.mind(hand)


class EscapingFromClaims(Escaping):
    """Somebody escapes while a win is awaited: the asked player (`asked`), or another; on a discard or on an added kong (`robbing`)."""

    def __init__(self, mind: Mind, *, asked: bool, robbing: bool) -> None:
        super().__init__(mind, 0, 0)
        self.asked = asked
        self.robbing = robbing
        self.gone = False

    def __call__(self, hand: Any) -> Action:
        question = hand.question
        awaited = [] if question is None else [seat for seat in question.order if hand.offers[seat] is not None]
        if not self.gone and question and question.robbing == self.robbing and any(question.offers[seat].win for seat in awaited):
            leaving = [seat for seat, place in enumerate(hand.seats) if not place.out and (seat in awaited) == self.asked]
            if leaving:
                self.gone = True
                return Action(leaving[0], Do.LEAVE)
        return self.mind(hand)


def traced(client: Client) -> Lines:
    """What a client was sent, as lines of a trace."""
    return [
        {"seat": ref, "number": number, "event": name, "what": MessageToDict(getattr(event, name), preserving_proto_field_name=True)}
        for ref, number, event in client.events
        if (name := event.WhichOneof("what"))
    ]


async def sit(room: Room, script: Script, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], Lines]:
    """Play a script at a table; return its record and all that its seats were sent."""
    stack(monkeypatch, script)
    gone = {step.action.seat for step in script.steps if step.action.do is Do.LEAVE}
    async with World(folder, rules=room) as w, w.client() as client:
        await client.attach_all(await w.open(*PLAYERS[: room.players], table_id="t", room=room.id))
        await follow(client, script)
        await client.wait_for("table_closed", next(seat for seat in range(room.players) if seat not in gone))
        await until(lambda: w.hall.find("t") is None)
        async with w.stub() as tables:
            (text,) = (await rpc.call(tables.GetRecord, pb.GetRecordRequest(table_id="t"), w.reader_token())).records
    return json.loads(text), traced(client)


@pytest.mark.parametrize("number", KAXINWU)
async def test_kaxinwu_tells_each_seat_what_its_player_may_know(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = kaxinwu(number)
    record, lines = await sit(room, played(room.rules(), number, bots(room)(number)), tmp_path, monkeypatch)
    assert audit([record], lines) == []


MINDS: dict[str, tuple[Room, int, Callable[[int], Mind]]] = {
    "to the end": (HAPPY, 14, bots(HAPPY)),
    "winners go": (HAPPY, 10, bots(HAPPY, winners)),
    "single": (SINGLE, 1, bots(SINGLE)),
    "an escape": (HAPPY, 1, lambda number: Escaping(bots(HAPPY)(number), 40, 2)),
    "an escape from a claim": (HAPPY, 1, lambda number: EscapingFromClaims(bots(HAPPY)(number), asked=True, robbing=False)),
    "an escape from another's claim": (HAPPY, 1, lambda number: EscapingFromClaims(bots(HAPPY)(number), asked=False, robbing=False)),
    "an escape while a kong may be robbed": (HAPPY, 203, lambda number: EscapingFromClaims(bots(HAPPY)(number), asked=False, robbing=True)),
}


@pytest.mark.parametrize("case", MINDS)
async def test_happy_sichuan_tells_each_seat_what_its_player_may_know(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room, number, mind = MINDS[case]
    record, lines = await sit(room, played(room.rules(), number, mind(number)), tmp_path, monkeypatch)
    assert audit([record], lines) == []
    assert (record["result"]["ended"] == "escape") == ("escape" in case)


async def test_an_offer_that_the_server_answers_itself_is_told_to_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A leak put in by hand, in order and under the right numbers: the winner is asked about the tile that they win again with."""
    room = kaxinwu(8)
    record, lines = await sit(room, played(room.rules(), 8, bots(room)(8)), tmp_path, monkeypatch)
    won = [at for at, line in enumerate(lines) if line["event"] == "won" and line["what"].get("seat", 0) == line["seat"]]
    place = next(at for at in won[1:] if lines[at]["what"]["how"] == "WIN_HOW_SELF_DRAW" and lines[at]["seat"] == lines[won[0]]["seat"])
    seat, what = lines[place]["seat"], lines[place]["what"]
    asked = [line["what"]["decision"] for line in lines[:place] if line["seat"] == seat and line["event"] == "offer"]
    offer = {"seat": seat, "number": lines[place]["number"], "event": "offer"}
    after = [{**line, "number": line["number"] + 1} if line["seat"] == seat and line["number"] else line for line in lines[place:]]
    for decision in range(asked[-1] + 1, asked[-1] + 30):
        leak = {**offer, "what": {"decision": decision, "mahjong": {"may_win": True, "tile": what["tile"]}}}
        assert audit([record], [*lines[:place], leak, *after]) != []


def _statements(lines: Lines, event: str, in_view: str) -> Lines:
    """What a trace holds of a kind of statement, as events or in views."""
    views = [line["what"][in_view]["signed"] for line in lines if line["event"] == "view" and in_view in line["what"]]
    return [line["what"]["signed"] for line in lines if line["event"] == event] + views


@pytest.mark.parametrize(("event", "in_view"), [("hand_committed", "committed"), ("deal_signed", "deal_signed")])
async def test_a_statement_that_says_more_than_it_may_is_found(
    event: str, in_view: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a leak put in by hand: the seed, or another seat's tiles."""
    room = kaxinwu(8)
    record, lines = await sit(room, played(room.rules(), 8, bots(room)(8)), tmp_path, monkeypatch)
    count = len(_statements(lines, event, in_view))
    assert count
    for place in range(count):
        for more in ({"seed": record["seed"]}, {"wall": record["wall"]}):
            doctored = copy.deepcopy(lines)
            signed = _statements(doctored, event, in_view)[place]
            signed["statement"] = json.dumps(json.loads(signed["statement"]) | more)
            assert audit([record], doctored) != []


async def test_the_end_of_a_hand_in_a_view_before_it_is_over_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = kaxinwu(8)
    record, lines = await sit(room, played(room.rules(), 8, bots(room)(8)), tmp_path, monkeypatch)
    views = [line["what"] for line in lines if line["event"] == "view"]
    assert views
    for place, view in enumerate(views):
        assert view.get("mahjong", {}).get("phase") != "over"
        doctored = copy.deepcopy(lines)
        shown = [line["what"] for line in doctored if line["event"] == "view"][place]
        shown["over"] = {"hand": 1, "seed": "AAAA"}
        assert audit([record], doctored) != []
