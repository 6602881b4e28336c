"""Whole hands of 血战卡心五: every record verifies, and plays the same for an auditor who knows the page alone (docs/rules/kaxinwu.md)."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from random import Random
from typing import Any

import pytest

from games.bots import bot
from games.hand import Action, Do, Setup
from games.record import Recorder
from games.registry import ruleset
from games.simulate import simulate
from games.verify import Verifier
from tests.games.kaxinwu_auditor import Auditor

Record = dict[str, Any]


def options(must_kong: bool, three_suits: bool) -> dict[str, object]:
    return {"must_kong": must_kong, "three_suits": three_suits}


SETS = list(itertools.product((2, 3, 4), (False, True), (False, True)))


class Chancer:
    """A bot that plays well, but passes a win or takes a pung now and then: what the others seldom do."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.greedy = bot("kaxinwu", "greedy", random)

    def choose(self, hand: Any, seat: int) -> Action:
        offer = hand.offers[seat]
        claim = hasattr(offer, "may_pass")
        if claim and offer.may_pass and self.random.random() < 0.5:
            return Action(seat, Do.PASS)
        if claim and offer.pung and self.random.random() < 0.5:
            return Action(seat, Do.PUNG)
        if not claim and offer.discards and self.random.random() < 0.5:
            return Action(seat, Do.DISCARD, offer.discards.bit_length() - 1 if offer.tile < 0 else offer.tile)
        return self.greedy.choose(hand, seat)


def chancy(number: int, players: int, must_kong: bool, three_suits: bool) -> Record:
    """The record of a hand of such bots, who answer in any order."""
    rules = ruleset("kaxinwu", options(must_kong, three_suits), players)
    recorder = Recorder(rules, Setup("chancy", number, bytes([number % 256, number // 256]) * 16, (None,) * players))
    random = Random(number)
    mind = Chancer(random)
    hand = recorder.hand
    while not hand.over:
        seat = random.choice([seat for seat, offer in enumerate(hand.offers) if offer is not None])
        recorder.apply(hand.default(seat) if hand.offers[seat].at_once else mind.choose(hand, seat))
    return recorder.record(1, [10**6] * players)


@pytest.fixture(scope="module")
def played() -> Counter[str]:
    """What happened in the hands that the auditor has played."""
    seen: Counter[str] = Counter()
    for number in range(150):
        record = chancy(number, *SETS[number % len(SETS)])
        assert Verifier().check(json.loads(json.dumps(record))) == {"ok": True}
        seen += Auditor(record).play()
    for players, must_kong, three_suits in SETS:
        for bots in ("random", "greedy"):
            for record in simulate("kaxinwu", 3, "audit", options(must_kong, three_suits), players, bots):
                seen += Auditor(record).play()
    return seen


def test_whole_hands_play_the_same_for_an_auditor_who_knows_the_page_alone(played: Counter[str]) -> None:
    assert sum(played.values()) > 2000


@pytest.mark.parametrize(
    "what",
    [
        "self_draw first",
        "self_draw again",
        "discard first",
        "discard again",
        "win passed before",
        "pung passed before",
        "direct_kong 1",
        "added_kong 1",
        "concealed_kong 1",
        "added_kong 2",
        "kong of 1",
        "kong of 3",
        "locked win of 1",
        "locked kong of 1",
        "pung of 3",
        "not ready",
    ],
)
def test_the_hands_audited_have_everything_in_them(played: Counter[str], what: str) -> None:
    assert played[what] > 0


@pytest.mark.parametrize(("players", "must_kong", "three_suits"), SETS)
@pytest.mark.parametrize("bots", ["random", "greedy"])
def test_every_record_verifies_and_its_points_add_up_to_zero(players: int, must_kong: bool, three_suits: bool, bots: str) -> None:
    verifier = Verifier()
    for record in simulate("kaxinwu", 12, "verify", options(must_kong, three_suits), players, bots):
        assert verifier.check(json.loads(json.dumps(record))) == {"ok": True}, record["hand"]
        assert sum(record["points"]) == 0


def test_every_cause_of_the_game_occurs() -> None:
    causes = {stage["cause"] for record in simulate("kaxinwu", 40, "causes", {}) for stage in record["stages"]}
    assert causes == {"win", "kong", "not_ready"}


def test_what_the_server_did_for_locked_hands_is_marked_in_the_record() -> None:
    (record,) = [record for record in simulate("kaxinwu", 12, "1", {}, 2) if record["hand"] == 12]
    won: set[int] = set()
    for action in record["actions"]:
        assert action.get("auto", False) == (action["seat"] in won and action["do"] != "kong") or action["do"] == "pass"
        won |= {action["seat"]} if action["do"] == "win" else set()
    assert won


def test_a_locked_hand_that_was_not_won_again_is_found_in_a_record() -> None:
    """Who leaves out an automatic win has another hand."""
    for record in simulate("kaxinwu", 12, "1", {}, 2):
        places = [at for at, action in enumerate(record["actions"]) if action["do"] == "win" and action.get("auto")]
        for at in places[:3]:
            less = {**record, "actions": record["actions"][:at] + record["actions"][at + 1 :]}
            assert Verifier().check(less)["ok"] is False


def test_coins_of_every_stage_are_limited_by_what_a_player_has() -> None:
    records = list(simulate("kaxinwu", 30, "1", {}, 4, money=5))
    assert any(paid["short"] for record in records for paid in record["coins"])
    assert all(min(paid["after"]) >= 0 for record in records for paid in record["coins"])
    verifier = Verifier()
    assert [verifier.check(record) for record in records] == [{"ok": True}] * 30
