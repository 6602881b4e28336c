"""Receipts: in memory or in a file, bounded, and in the notation of records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from xuezhan.api.table.v1 import cards_pb2 as cd
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import Receipts, acts
from xuezhan.client.receipts import act_words


def drew(left: int) -> mj.Drew:
    return mj.Drew(seat=1, tile=mj.TILE_5P, wall_left=left)


def test_receipts_in_a_file_are_there_at_once_and_behind_those_of_an_earlier_program(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    receipts = Receipts(path)
    receipts.shown("t", 1, 1, "ann", "drew", drew(9))
    assert len(path.read_text().splitlines()) == 1, "written before the program may be killed"
    receipts.close()
    receipts = Receipts(path)
    receipts.shown("t", 1, 1, "ann", "drew", drew(8))
    receipts.close()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0] == {"type": "xuezhan/seen/1", "table": "t", "hand": 1, "seat": 1, "draw": "5p", "left": 9}
    assert list(receipts.lines()) == [], "the file has them"
    receipts.shown("t", 1, 1, "ann", "drew", drew(7))
    assert len(path.read_text().splitlines()) == 2, "closed"


def test_receipts_in_memory_are_bounded_and_the_oldest_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xuezhan.client.receipts.MOST_LINES", 3)
    receipts = Receipts()
    for left in range(9, 0, -1):
        receipts.shown("t", 1, 1, "ann", "drew", drew(left))
    assert [json.loads(line)["left"] for line in receipts.lines()] == [3, 2, 1]
    receipts.save(tmp_path / "saved.jsonl")
    assert (tmp_path / "saved.jsonl").read_text().splitlines() == list(receipts.lines())


def test_a_statement_that_every_seat_is_shown_is_kept_once_as_it_was_received() -> None:
    receipts = Receipts()
    signed = pb.Signed(statement='{"a": "桌"}', signature=b"\x01" * 64, key_id="ab")
    for _ in range(4):
        receipts.statement(signed)
    (line,) = receipts.lines()
    assert json.loads(line) == {"key_id": "ab", "signature": "01" * 64, "statement": '{"a": "桌"}'}


def test_a_file_that_cannot_be_written_is_told_when_it_is_opened(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        Receipts(tmp_path / "nowhere" / "mine.jsonl")


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (acts.void(mj.SUIT_P), {"do": "void", "suit": "p"}),
        (acts.exchange([mj.TILE_1M, mj.TILE_1M, mj.TILE_9M]), {"do": "exchange", "tiles": ["1m", "1m", "9m"]}),
        (acts.discard(mj.TILE_5S), {"do": "discard", "tile": "5s"}),
        (acts.kong(mj.TILE_5S, mj.MELD_KIND_ADDED_KONG), {"do": "kong", "tile": "5s", "kind": "added_kong"}),
        (acts.pung(), {"do": "pung"}),
        (acts.win(), {"do": "win"}),
        (acts.skip(), {"do": "pass"}),
        (acts.leave(), {"do": "leave"}),
        (acts.play([cd.CARD_9S, cd.CARD_BIG_JOKER]), {"do": "play", "cards": ["9S", "W"]}),
        (acts.play([cd.CARD_9S], cd.PLAY_KIND_SINGLE), {"do": "play", "cards": ["9S"], "kind": "single"}),
    ],
    ids=lambda value: value.get("do", "") if isinstance(value, dict) else "",
)
def test_an_act_is_kept_in_the_notation_of_records(act: pb.Act, words: dict[str, object]) -> None:
    assert act_words(act) == words


def test_a_claim_is_kept_with_the_tile_that_it_is_about() -> None:
    receipts = Receipts()
    offer = pb.Offer(mahjong=mj.MahjongChoices(may_pung=True, tile=mj.TILE_3M, from_seat_plus_one=3))
    receipts.acted("t", 1, 0, "sent", acts.pung(), offer)
    receipts.acted("t", 1, 0, "accepted", acts.pung())
    receipts.elsewhere("t", 1, 0)
    sent, accepted, elsewhere = map(json.loads, receipts.lines())
    assert sent["sent"] == {"do": "pung", "on": "3m", "of": 2}
    assert accepted["accepted"] == {"do": "pung"}
    assert elsewhere["elsewhere"] is True
