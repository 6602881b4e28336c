"""Hands of 欢乐麻将 that were dealt under the first rules: they are played on, recorded and verified as they were."""

from __future__ import annotations

import json
from random import Random

import pytest

from games.bots import bot
from games.fields import FieldError
from games.hand import Action, Do, Setup
from games.record import Recorder
from games.registry import ruleset
from games.verify import Verifier
from tests.games.board import play, tiles
from tests.games.happy import FAR, HAPPY, JUNK, LONG, READY, board, causes, stage

FIRST = ruleset("happy_sichuan", {}, version="happy_sichuan/1")


def test_who_leaves_ends_the_hand_whatever_is_being_answered() -> None:
    hand = board(FAR, READY, JUNK, READY, wall="9p" + LONG, rules=FIRST)
    play(hand, "0 discard 9p", "1 win", "2 leave")
    assert (hand.ended, causes(hand)) == ("escape", ["escape"])
    assert not hand.seats[1].wins, "the win that was answered falls away with the one awaited"
    assert stage(hand, "escape") == [(2, 3, 16), (2, 0, 16), (2, 1, 16)]


def test_an_added_kong_that_could_be_robbed_is_not_made() -> None:
    hand = board("1357m2468p23s | pung 9p", READY, JUNK, JUNK, wall="9p" + LONG, rules=FIRST)
    play(hand, "0 kong 9p added", "2 leave")
    assert causes(hand) == ["escape"], "nothing is paid for it"
    assert tiles(hand, 0) == "1357m24689p23s", "the tile is still in the konger's hand"
    assert [meld.kind for meld in hand.seats[0].melds] == ["pung"]


def test_an_old_record_verifies_under_the_rules_that_it_names_and_not_under_those_of_today() -> None:
    recorder = next(found for found in map(until_undecided, range(1000)) if not found.hand.over)
    count = len(recorder.actions)
    recorder.apply(Action(0, Do.LEAVE))
    assert recorder.actions[count:] == [Action(0, Do.LEAVE)], "answers that fell away are not in it"
    record = json.loads(json.dumps(recorder.record(1, [1000] * 4)))
    assert Verifier().check(record) == {"ok": True}
    record["rules"] = HAPPY.version
    assert Verifier().check(record) == {"ok": False, "at": count, "why": "refused: not_offered, others are asked first"}


def test_a_version_that_there_never_was_is_named() -> None:
    with pytest.raises(FieldError, match=r"^rules: 'happy_sichuan/0' is not happy_sichuan/2$"):
        ruleset("happy_sichuan", {}, version="happy_sichuan/0")


def until_undecided(number: int) -> Recorder:
    """A hand played until one of two seats that are asked about the same tile has answered, or to its end."""
    recorder = Recorder(FIRST, Setup("t", number, bytes([number % 256, number // 256]) * 16, (None,) * 4))
    hand, mind = recorder.hand, bot("happy_sichuan", "greedy", Random(number))
    while not hand.over:
        question = hand.question
        if question is not None and question.answers:
            break
        recorder.apply(mind.choose(hand, next(who for who, offer in enumerate(hand.offers) if offer is not None)))
    return recorder
