"""Compares what clients were sent with what the record allows: no tile, no number and no gap may tell more.

A trace line is what `xuezhan load --traces` writes. `audit` returns findings in words; none means that every seat was told exactly what the
model says.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import Any

from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message

from tests.secrecy import statements
from tests.secrecy.crazy import Crazy
from tests.secrecy.deals import ASKED, Told
from tests.secrecy.duels import told_duel
from tests.secrecy.happy import Happy
from tests.secrecy.kaxinwu import Teller
from xuezhan.api.table.v1 import cards_pb2 as cd
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb

AT_ANY_TIME = frozenset({"stage_settled", "seat_changed", "table_closed", "contribution_revealed"})
"""Public events whose moment depends on the settlement or on the players' clocks."""
MESSAGES: dict[str, type[Message]] = {
    "hand_committed": pb.HandCommitted,
    "dealt": mj.Dealt,
    "voids_shown": mj.VoidsShown,
    "exchanged": mj.Exchanged,
    "drew": mj.Drew,
    "discarded": mj.Discarded,
    "melded": mj.Melded,
    "kong_announced": mj.KongAnnounced,
    "kong_robbed": mj.KongRobbed,
    "won": mj.Won,
    "cards_dealt": cd.CardsDealt,
    "cards_played": cd.CardsPlayed,
    "cards_passed": cd.CardsPassed,
    "stage_claimed": pb.StageClaimed,
}


def audit(records: list[dict[str, Any]], lines: list[dict[str, Any]]) -> list[str]:
    """Audit one table: its records in order, and the trace lines of all its seats."""
    findings: list[str] = []
    by_seat: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        if "event" in line:
            by_seat[line["seat"]].append(line)
    expected = _expected(records)
    shared: list[list[list[str]]] = []
    for seat, events in sorted(by_seat.items()):
        say = Finder(findings, seat)
        _numbers(events, say)
        _views(events, seat, records, say)
        _sequence(events, expected[seat], say)
        shared.append(_shared(events))
    longest = [event for part in max(shared, key=lambda parts: sum(map(len, parts)), default=[]) for event in part]
    for seat, parts in zip(sorted(by_seat), shared, strict=True):
        if not _within(parts, longest):
            findings.append(f"seat {seat}: told other public events than its table mates")
    return findings


def _shared(events: list[dict[str, Any]]) -> list[list[str]]:
    """What a seat was told that all are told at the same time, in parts: between two a view stands for what the seat was not told."""
    parts: list[list[str]] = [[]]
    last = 0
    for event in events:
        if event["event"] == "view":
            number = event["what"].get("number", 0)
            if number > last:
                parts.append([])
            last = number
        elif event["number"]:
            last = event["number"]
            if event["event"] in AT_ANY_TIME:
                parts[-1].append(json.dumps([event["event"], event["what"]], sort_keys=True))
    return parts


def _within(parts: list[list[str]], longest: list[str]) -> bool:
    """Whether the parts are of what the seat with the most was told: the first from the beginning, the others in order."""
    place = 0
    for number, part in enumerate(parts):
        last = place if number == 0 else len(longest) - len(part)
        places = [at for at in range(place, last + 1) if longest[at : at + len(part)] == part]
        if not places:
            return False
        place = places[0] + len(part)
    return True


def _expected(records: list[dict[str, Any]]) -> dict[int, list[Told]]:
    """What each seat may be told of all hands; decisions are counted on from hand to hand."""
    expected: dict[int, list[Told]] = defaultdict(list)
    before: Counter[int] = Counter()
    for record in records:
        told, offered = _model(record)
        for seat in range(record["players"]):
            count = 0
            for name, what in told[seat]:
                if name == ASKED:
                    count = what.get("decision", count + 1)
                    expected[seat].append((name, {**what, "decision": before[seat] + count}))
                else:
                    expected[seat].append((name, what))
            before[seat] += offered.get(seat, count)
    return expected


def _model(record: dict[str, Any]) -> tuple[Any, Counter[int]]:
    """What each seat may be told of a hand, and how many offers it had, where some are answered without asking."""
    if record["game"] == "crazy_duel":
        return told_duel(record), Counter()
    if record["game"] == "kaxinwu":
        teller = Teller(record)
        return teller.run(), teller.offered
    return {"crazy_xuezhan": Crazy, "happy_sichuan": Happy}[record["game"]](record).run(), Counter()


class Finder:
    """Collects findings about one seat."""

    def __init__(self, findings: list[str], seat: int) -> None:
        self.findings = findings
        self.seat = seat

    def __call__(self, finding: str) -> None:
        self.findings.append(f"seat {self.seat}: {finding}")

    def unless(self, finding: str) -> None:
        """Note a finding if there is one."""
        if finding:
            self(finding)


def _numbers(events: list[dict[str, Any]], say: Finder) -> None:
    last = None
    for event in events:
        if event["event"] == "view":
            last = event["what"].get("number", 0)
        elif event["number"]:
            if last is not None and event["number"] != last + 1:
                say(f"number {event['number']} follows {last}: a gap tells that something was hidden")
            last = event["number"]


def _views(events: list[dict[str, Any]], seat: int, records: list[dict[str, Any]], say: Finder) -> None:
    for event in events:
        if event["event"] != "view":
            continue
        _statements(event["what"], {record["hand"]: record for record in records}, say)
        if event["what"].get("cards", {}).get("hands") and event["what"]["cards"].get("turn_plus_one"):
            say("a view shows the cards of all before the end")
        view = event["what"].get("mahjong", {})
        for other, shown in enumerate(view.get("seats", [])):
            if other != seat and shown.get("concealed") and view.get("phase") != "over":
                say(f"a view shows the concealed tiles of seat {other}")


def _statements(view: dict[str, Any], records: dict[int, dict[str, Any]], say: Finder) -> None:
    """A view repeats the statements, and shows the end of a hand that is over alone."""
    committed, over = view.get("committed", {}), view.get("over")
    record = records.get(committed.get("hand", 0))
    if record is not None:
        say.unless(statements.differs(committed["signed"], statements.commitment(record), record["commit"]))
        if "deal_signed" in view:
            say.unless(statements.differs(view["deal_signed"]["signed"], statements.deal(record), record["deal"]))
    if over is not None and (over["hand"] != committed.get("hand") or not (_is_over(view) or "called_off" in (record or {}))):
        say("a view shows the end of a hand that is not over")


def _is_over(view: dict[str, Any]) -> bool:
    """Whether a view shows a hand that is over."""
    if "cards" in view:
        return not view["cards"].get("turn_plus_one")
    return "mahjong" in view and view["mahjong"].get("phase") == "over"


def _sequence(events: list[dict[str, Any]], expected: list[Told], say: Finder) -> None:
    place, last, skippable = 0, 0, 0
    for event in events:
        if event["event"] == "view":
            # A view stands for all that happened before it: that many events at most are not told one by one.
            skippable += event["what"].get("number", 0) - last
            last = event["what"].get("number", 0)
        elif event["number"]:
            last = event["number"]
            if event["event"] in AT_ANY_TIME:
                continue
            differences = [_difference(event, expected, place + skip) for skip in range(skippable + 1)]
            if "" not in differences:
                say(f"event {event['number']}: {differences[0]}")
                return
            place, skippable = place + differences.index("") + 1, 0


def _difference(event: dict[str, Any], expected: list[Told], place: int) -> str:
    if place >= len(expected):
        return f"told {event['event']} after the last thing it may be told"
    name, what = expected[place]
    if (ASKED if event["event"] == "offer" else event["event"]) != name:
        return f"told {event['event']} {event['what']} where {name} {what} is due"
    return _offer(event["what"], what) if name == ASKED else _differs(name, event["what"], what)


def _offer(offer: dict[str, Any], asked: dict[str, Any]) -> str:
    if offer["decision"] != asked["decision"]:
        return f"asked under number {offer['decision']}, where {asked['decision']} is due"
    if asked["kind"] == "cards":
        beaten = offer["cards"].get("to_beat", {}).get("cards", [])
        return "" if beaten == asked["to_beat"] else f"asked to beat {beaten}, where {asked} is due"
    choices = offer.get("mahjong", {})
    kind = (
        "void"
        if "void_suits" in choices
        else "exchange"
        if "exchange_from" in choices
        else "claim"
        if "from_seat_plus_one" in choices
        else "turn"
    )
    if kind != asked["kind"]:
        return f"asked for {kind}, where {asked['kind']} is due"
    if kind == "claim" and (choices["tile"], choices["from_seat_plus_one"]) != (asked["tile"], asked["source"] + 1):
        return f"asked about {choices}, where {asked} is due"
    return ""


def _differs(name: str, actual: dict[str, Any], expected: dict[str, Any]) -> str:
    if name == "hand_over":
        mine = {"hand": actual["hand"], "points": [int(points) for points in actual["points"]], "concealed": actual["concealed"]}
        return "" if mine == expected else f"told {mine}, where {expected} is due"
    actual, expected = dict(actual), {key: value for key, value in expected.items() if value not in ("", [])}
    record = expected.pop("record", {})
    if name == "deal_signed":
        return statements.differs(actual["signed"], statements.deal(record), record["deal"])
    if name == "hand_committed":
        if stated := statements.differs(actual.pop("signed"), statements.commitment(record), record["commit"]):
            return stated
        if json.loads(actual.pop("options")) != expected.pop("options"):
            return "other options"
        actual.pop("contribution_hashes", None)
        expected.pop("contribution_hashes", None)
    if name == "cards_played":
        actual["play"] = {"cards": actual["play"]["cards"]}
    kind = MESSAGES[name]
    told_message, due = ParseDict(actual, kind()), ParseDict(expected, kind())
    return "" if told_message == due else f"told {told_message}, where {due} is due"
