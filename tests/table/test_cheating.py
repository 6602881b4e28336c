"""Table servers that are patched to cheat: what each player's program notices, and what an auditor can prove from receipts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from games.hand import Setup
from services.table import handshake, handshake_plan
from services.table.course import Course
from services.table.ending import CalledOff
from tests.table.honest import Honest
from tests.table.world import Rules

FEW = 3
MANY = 100
HANDS = [FEW, pytest.param(MANY, marks=[pytest.mark.drill, pytest.mark.timeout(900)])]
VICTIM = 2


@pytest.fixture
async def honest(world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Honest]:
    # A server that waits for bytes it has thrown away only costs time here.
    monkeypatch.setattr(handshake_plan, "LEAST_SECONDS", 0.05)
    made = await world(rules=Rules(hands=1000, base=0, contribution=0.05))
    async with Honest(made) as players:
        yield players


async def test_a_server_that_keeps_its_word_is_found_to(honest: Honest, tmp_path: Path) -> None:
    await honest.play(FEW)
    assert [honest.faults(seat) for seat in range(4)] == [[], [], [], []]
    records = await honest.records()
    answers, rest = honest.audit(tmp_path, records, 0, 1, 2, 3)
    good = {"ok": True, "signed": "yes", "entropy": 4, "withheld": []}
    assert answers == [good] * len(records)
    # The hand that had just begun.
    assert [line["why"] for line in rest] == ["unpublished"] * len(rest)
    assert len(rest) <= 1


@pytest.mark.parametrize("hands", HANDS)
async def test_reveals_that_are_dropped_are_noticed_in_every_hand_and_cannot_be_proven(
    honest: Honest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hands: int
) -> None:
    """It drops the bytes of a seat when it does not like them, and so chooses between two deals."""
    reveal, dropped = handshake.reveal, list[tuple[str, int]]()

    def picky(table: Any, seat: Any, contribution: bytes) -> bool:
        if seat.no == VICTIM and table.course.hand_no % 4:
            dropped.append((table.id, table.course.hand_no))
            return True
        return reveal(table, seat, contribution)

    monkeypatch.setattr(handshake, "reveal", picky)
    await honest.play(hands * 4 // 3 + 1)
    over = set(honest.over)
    found = {(table, hand): name for table, hand, name in honest.faults(VICTIM) if (table, hand) in over}
    assert found == dict.fromkeys(over & set(dropped), "bytes_dropped")
    assert len(found) >= hands
    assert [honest.faults(seat) for seat in range(4) if seat != VICTIM] == [[], [], []]
    records = [json.loads(record) for record in await honest.records()]
    answers, _ = honest.audit(tmp_path, [json.dumps(record) for record in records], VICTIM)
    assert {answer["ok"] for answer in answers} == {True}
    withheld = {(record["table"], record["hand"]): answer["withheld"] for record, answer in zip(records, answers, strict=True)}
    assert {hand for hand, seats in withheld.items() if seats} >= set(found), "counting them is what an auditor can do"


@pytest.mark.parametrize("hands", HANDS)
async def test_another_deal_under_the_published_seed_is_noticed_by_all_and_its_record_is_false(
    honest: Honest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hands: int
) -> None:
    setup = Course.setup

    def other(course: Course) -> Setup:
        return Setup(course.table_id, course.hand_no, hashlib.sha256(course.seed).digest(), setup(course).contributions)

    monkeypatch.setattr(Course, "setup", other)
    await _all_notice(honest, hands, "other_deal")
    answers, _ = honest.audit(tmp_path, await honest.records())
    assert {(answer["ok"], answer["at"], answer["signed"]) for answer in answers} == {(False, None, "yes")}
    assert {answer["why"].partition(":")[0] for answer in answers} <= {"wall", "dealer", "shift"}


@pytest.mark.parametrize("hands", HANDS)
async def test_another_seed_than_the_one_committed_to_is_noticed_by_all_and_proven_by_any_receipts(
    honest: Honest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hands: int
) -> None:
    deal = Course.deal

    def other(course: Course, signed: Any, at: int) -> Any:
        course.seed = hashlib.sha256(course.seed).digest()
        course.committed = course.committed and course.committed._replace(commitment=hashlib.sha256(course.seed).digest())
        return deal(course, signed, at)

    monkeypatch.setattr(Course, "deal", other)
    await _all_notice(honest, hands, "other_deal")
    records = await honest.records()
    assert {answer["ok"] for answer in honest.audit(tmp_path, records)[0]} == {True}, "by itself the record fits"
    for seat in range(4):
        answers, _ = honest.audit(tmp_path, records, seat)
        why = "commitment: another than in the commit statement"
        assert {(answer["ok"], answer["signed"], answer["why"]) for answer in answers} == {(False, "yes", why)}


@pytest.mark.parametrize("hands", HANDS)
async def test_two_different_statements_are_noticed_by_who_was_lied_to_and_proven_by_two_receipts(
    honest: Honest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hands: int
) -> None:
    commit = Course.commit

    def two(course: Course, seed: bytes, hashes: Any, signed: Any) -> Any:
        (told,) = commit(course, seed, hashes, signed)
        said = json.loads(signed.text) | {"commitment": hashlib.sha256(b"another").hexdigest()}
        lie = told._replace(to=1 << VICTIM, commitment=bytes.fromhex(said["commitment"]), signed=honest.world.hall.signer.sign(said))
        return [told._replace(to=told.to & ~(1 << VICTIM)), lie]

    monkeypatch.setattr(Course, "commit", two)
    await honest.play(hands)
    over = set(honest.over)
    found = [(table, hand, name) for table, hand, name in honest.faults(VICTIM) if (table, hand) in over]
    assert sorted(found) == sorted((*hand, name) for hand in over for name in ("bad_statement", "other_deal"))
    assert [honest.faults(seat) for seat in range(4) if seat != VICTIM] == [[], [], []]
    _, rest = honest.audit(tmp_path, [], 0, VICTIM)
    twice = {(line["table"], line["hand"], line["type"]) for line in rest if line["why"] == "equivocation"}
    assert twice >= {(*hand, "xuezhan/commit/1") for hand in over}


@pytest.mark.parametrize("hands", HANDS)
async def test_hands_that_are_called_off_after_the_deal_was_seen_are_noticed_by_all_and_are_in_the_record(
    honest: Honest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hands: int
) -> None:
    deal = handshake._deal

    def picky(table: Any) -> None:
        deal(table)
        table.call_off(CalledOff.REPLAY_FAILED)

    monkeypatch.setattr(handshake, "_deal", picky)
    await _all_notice(honest, hands, "called_off")
    records = [json.loads(record) for record in await honest.records()]
    assert {record["called_off"] for record in records} == {"replay_failed"}
    answers, rest = honest.audit(tmp_path, [json.dumps(record) for record in records], *range(4))
    assert {answer["ok"] for answer in answers} == {True}, "what it was called off for is not provable"
    assert rest == []


@pytest.mark.parametrize("hands", HANDS)
async def test_hands_that_vanish_are_noticed_by_all_and_proven_to_be_missing(
    honest: Honest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hands: int
) -> None:
    """It says nothing of a hand that it does not like, and commits to the next."""
    commit, random = handshake._commit, Random(1)
    vanished: list[tuple[str, int]] = []

    def again(table: Any) -> None:
        commit(table)
        if random.random() < 0.5:
            vanished.append((table.id, table.course.hand_no))
            commit(table)

    monkeypatch.setattr(handshake, "_commit", again)
    await honest.play(hands)
    last = max(hand for _, hand in honest.over)
    missing = {(table, hand) for table, hand in vanished if hand < last}
    for seat in range(4):
        assert {(table, hand) for table, hand, name in honest.faults(seat) if name == "no_end"} >= missing, seat
    _, rest = honest.audit(tmp_path, await honest.records(), VICTIM)
    assert {(line["table"], line["hand"]) for line in rest if line["why"] == "unpublished"} >= missing
    assert missing or hands == FEW


async def _all_notice(honest: Honest, hands: int, name: str) -> None:
    """Every client has this fault in every hand, and no other."""
    await honest.play(hands)
    over = set(honest.over)
    for seat in range(4):
        found = [fault for fault in honest.faults(seat) if fault[:2] in over]
        assert sorted(found) == sorted((*hand, name) for hand in over), seat
