"""`verify-record` with keys and receipts: what it lets pass, and what not."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from services.kit.signing import SigningKey
from tests.cli.hand_of_four import KEY, HandOfFour, Json, digest, signed
from xuezhan.cli.audit.book import Book

HAND = HandOfFour()
STRANGER = SigningKey.generate()
FACTS = {"entropy": 4, "withheld": []}


# Signatures.


def test_a_record_says_whether_it_is_signed(audit: Any) -> None:
    assert audit(HAND.line()) == [{"ok": True, "signed": "yes", **FACTS}]
    assert audit(HAND.line(), key=False) == [{"ok": True, "signed": "unchecked", **FACTS}]
    assert audit(HAND.record, key=False) == [{"ok": True, "signed": "no", **FACTS}]


def test_with_a_key_what_is_unsigned_is_false(audit: Any) -> None:
    assert audit(HAND.record) == [{"ok": False, "at": None, "why": "unsigned", "proof": "claimed", "signed": "no", **FACTS}]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seats", ["eve", "bob", "cem", "dee"]),
        ("base", 3),
        ("money", [9999] * 4),
        ("result", {}),
        ("times", [0]),
        ("note", "x"),
    ],
)
def test_a_change_after_the_signature_is_found(audit: Any, name: str, value: Any) -> None:
    """Other names, base, money and result passed before, where the rest still fitted."""
    line = HAND.line() | {name: value}
    if name == "base":
        line["coins"] = []
    (answer,) = audit(line)
    assert answer["ok"] is False


def test_a_forged_first_hand_with_the_players_real_bytes_is_found_by_its_signature_and_by_the_receipts(audit: Any) -> None:
    forged = HandOfFour(seed=7)
    assert forged.record["contributions"] == HAND.record["contributions"]
    (answer,) = audit(forged.line(STRANGER))
    assert (answer["ok"], answer["why"], answer["signed"]) == (False, "signature: fits no key that was given", "no")
    (answer,) = audit(forged.record, receipts=HAND.receipts[:1], key=False)
    assert (answer["ok"], answer["why"]) == (False, "commit: not the statement that the players were shown")


@pytest.mark.parametrize(
    "signature",
    [
        None,
        "",
        {},
        {"key_id": KEY.key_id},
        {"key_id": KEY.key_id, "value": "zz"},
        {"key_id": KEY.key_id, "value": ""},
        {"key_id": 1, "value": ""},
    ],
)
def test_a_signature_that_is_none_is_no_signature(audit: Any, signature: Any) -> None:
    (answer,) = audit({**HAND.record, "signature": signature})
    assert (answer["ok"], answer["signed"]) == (False, "no")
    assert answer["why"].startswith("signature: ")


def test_a_statement_cannot_pass_for_a_record(audit: Any) -> None:
    record = {name: value for name, value in HAND.record.items() if name != "type"}
    hand = copy.copy(HAND)
    hand.record = record
    (answer,) = audit(hand.line())
    assert (answer["ok"], answer["why"]) == (False, "signature: not one of a record")


def test_numbers_that_no_signed_text_may_hold_are_found(audit: Any) -> None:
    for value in (1.0, 2**53, float("1e30")):
        (answer,) = audit(HAND.line() | {"note": value})
        assert (answer["ok"], answer["signed"]) == (False, "no")


# Receipts.


@pytest.mark.parametrize("game", ["crazy_xuezhan", "happy_sichuan", "kaxinwu", "crazy_duel"])
def test_a_record_that_everybody_remembers_so_is_true(audit: Any, game: str) -> None:
    for seed in range(1, 6):
        hand = HandOfFour(game, seed=seed)
        (answer,) = audit(hand.line(), receipts=hand.receipts)
        assert answer["ok"] is True, answer


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("seats", ["eve", "bob", "cem", "dee"], "seats: another than in the commit statement"),
        ("installation", "11" * 8, "installation: another than in the commit statement"),
        ("commit", "11" * 32, "commit: not the statement that the players were shown"),
        ("deal", "11" * 32, "deal: not the statement that the players were shown"),
    ],
)
def test_what_the_server_signed_afterwards_cannot_differ_from_its_statements(audit: Any, name: str, value: Any, why: str) -> None:
    (answer,) = audit(HAND.line(**{name: value}), receipts=HAND.receipts[:1])
    assert (answer["ok"], answer["signed"], answer["why"]) == (False, "yes", why)


def test_another_base_and_other_money_are_found_even_if_the_coins_fit_them(audit: Any) -> None:
    for base, money, why in ((3, [10_000] * 4, "base"), (2, [20_000] * 4, "money")):
        record = json.loads(json.dumps(HAND.recorder.record(base, money)))
        changes = {name: record[name] for name in ("base", "money", "coins")}
        assert audit(HAND.line(**changes))[0]["ok"] is True
        (answer,) = audit(HAND.line(**changes), receipts=HAND.receipts[:1])
        assert (answer["ok"], answer["why"]) == (False, f"{why}: another than in the commit statement")


def with_statement(hand: HandOfFour, **changes: Any) -> tuple[Json, list[Json]]:
    """A record that follows another commit statement, and a receipt of that."""
    commit = signed(hand.commit_said | changes)
    return hand.line(commit=digest(commit)), [commit]


@pytest.mark.parametrize(
    ("changes", "why"),
    [({"deck": "ps"}, "deck"), ({"rules": "crazy_xuezhan/0"}, "rules"), ({"game": "kaxinwu"}, "game"), ({"options": {}}, "options")],
)
def test_a_hand_that_was_not_played_as_it_was_announced_is_found(audit: Any, changes: Json, why: str) -> None:
    record, kept = with_statement(HAND, **changes)
    (answer,) = audit(record, receipts=[kept])
    assert (answer["ok"], answer["why"]) == (False, f"{why}: another than in the commit statement")


def changed(receipts: list[Json], name: str, change: Any) -> list[Json]:
    """Receipts in which the first line that has a name is changed."""
    found = copy.deepcopy(receipts)
    place = next(place for place, line in enumerate(found) if name in line)
    found[place][name] = change(found[place][name])
    return found


def other_tiles(tiles: list[str]) -> list[str]:
    return ["1m" if tiles[0] != "1m" else "2m", *tiles[1:]]


def test_tiles_draws_and_a_seed_that_a_player_was_shown_must_be_those_of_the_record(audit: Any) -> None:
    mine, wall = HAND.receipts[2], HAND.record["wall"]
    draw: Json = {"type": "xuezhan/seen/1", "table": "t-1", "hand": 1, "seat": 2, "draw": wall[60], "left": len(wall) - 61}
    assert audit(HAND.line(), receipts=[[*mine, draw]])[0]["ok"] is True
    for line, why in (
        (changed(mine, "tiles", other_tiles), "seat 2 was dealt other tiles"),
        (changed(mine, "seed", lambda _: "11" * 32), "seat 2 was shown another seed"),
        (changed(mine, "player", lambda _: "eve"), "seat 2 was played by another"),
        ([*mine, {**draw, "left": len(wall) - 62}], f"seat 2 drew {wall[60]}, not what the wall has there"),
        ([*mine, {**draw, "left": 500}], f"seat 2 drew {wall[60]}, not what the wall has there"),
    ):
        (answer,) = audit(HAND.line(), receipts=[line])
        assert (answer["ok"], answer["at"], answer["why"]) == (False, None, why) or wall[60] == wall[61]


def test_an_exchange_must_be_that_of_the_record(audit: Any) -> None:
    hand = next(hand for seed in range(1, 20) if (hand := HandOfFour(seed=seed)).record.get("shift"))
    gave = {action["seat"]: action["tiles"] for action in hand.record["actions"] if action["do"] == "exchange"}
    order, shift = sorted(gave), hand.record["shift"]
    me = order[0]
    seen: Json = {
        "type": "xuezhan/seen/1",
        "table": "t-1",
        "hand": 1,
        "seat": me,
        "gave": gave[me],
        "got": gave[order[-shift % len(order)]],
    }
    assert audit(hand.line(), receipts=[[seen]])[0]["ok"] is True
    assert audit(hand.line(), receipts=[[{**seen, "got": other_tiles(seen["got"])}]])[0]["why"] == f"seat {me} exchanged other tiles"


def own(hand: HandOfFour, seat: int, *does: str) -> int:
    """The place of a seat's last action of a kind."""
    return [at for at, action in enumerate(hand.record["actions"]) if action["seat"] == seat and action["do"] in does][-1]


def test_an_acknowledged_act_that_is_missing_is_found(audit: Any) -> None:
    mine: list[Json] = [*HAND.receipts[1], {**HAND.receipts[1][-1], "accepted": {"do": "discard", "tile": "9s"}}]
    del mine[-1]["seed"]
    (answer,) = audit(HAND.line(), receipts=[mine])
    assert (answer["ok"], answer["at"]) == (False, len(HAND.record["actions"]))
    assert answer["why"] == "seat 1 did discard 9s, which the server accepted and the record lacks"


def test_an_acknowledged_act_that_the_record_gives_to_the_server_is_found(audit: Any) -> None:
    actions = copy.deepcopy(HAND.record["actions"])
    actions[own(HAND, 1, "discard")]["auto"] = True
    (answer,) = audit(HAND.line(actions=actions), receipts=[HAND.receipts[1]])
    assert (answer["ok"], answer["why"].startswith("seat 1 did discard ")) == (False, True)


def test_an_act_that_its_player_did_not_make_is_found_at_its_place(audit: Any) -> None:
    at = own(HAND, 3, "discard")
    tile = HAND.record["actions"][at]["tile"]
    mine = [line for line in HAND.receipts[3] if {"do": "discard", "tile": tile} not in line.values()]
    (answer,) = audit(HAND.line(), receipts=[mine])
    assert (answer["ok"], answer["why"]) == (False, f"seat 3 did not do discard {tile}")
    assert HAND.record["actions"][answer["at"]] == {"seat": 3, "do": "discard", "tile": tile}
    actions = copy.deepcopy(HAND.record["actions"])
    for action in actions:
        if action["seat"] == 3 and action.get("tile") == tile:
            action["auto"] = True
    assert audit(HAND.line(actions=actions), receipts=[mine])[0]["ok"] is True, "the server may act for a seat"


def test_an_act_that_was_refused_was_not_made(audit: Any) -> None:
    mine = HAND.receipts[0]
    sent = next(line for line in mine if "sent" in line)
    (answer,) = audit(HAND.line(), receipts=[[*mine, {**{k: v for k, v in sent.items() if k != "sent"}, "refused": sent["sent"]}]])
    assert answer["why"].startswith("seat 0 did not do ")


@pytest.mark.parametrize("missing", ["tiles", "seed", "elsewhere"])
def test_receipts_that_are_not_of_the_whole_hand_accuse_nobody_of_acts_they_do_not_have(audit: Any, missing: str) -> None:
    """A program that was started in the middle, or stopped before the end, or was not the only one, knows not all that was done."""
    mine = [line for line in HAND.receipts[3] if "sent" not in line and missing not in line]
    if missing == "elsewhere":
        mine.append({**HAND.receipts[3][2], "elsewhere": True})
    assert audit(HAND.line(), receipts=[mine])[0]["ok"] is True


def won_on_a_discard(actions: list[Json]) -> int:
    """The place of a win right behind the discard that it is about, or 0."""
    return next((at for at in range(1, len(actions)) if (actions[at - 1]["do"], actions[at]["do"]) == ("discard", "win")), 0)


def test_a_claim_that_lost_to_a_win_may_be_missing_and_no_other(audit: Any) -> None:
    hand, found = next((hand, at) for seed in range(1, 200) if (at := won_on_a_discard((hand := HandOfFour(seed=seed)).record["actions"])))
    actions = hand.record["actions"]
    discard, winner = actions[found - 1], actions[found]["seat"]
    loser = next(seat for seat in range(4) if seat not in {winner, discard["seat"]})
    seen = {"type": "xuezhan/seen/1", "table": "t-1", "hand": 1, "seat": loser}
    lost = [{**seen, "sent": {"do": "pung", "on": discard["tile"], "of": discard["seat"]}}, {**seen, "accepted": {"do": "pung"}}]
    assert audit(hand.line(), receipts=[lost])[0]["ok"] is True
    other = [{**seen, "sent": {"do": "pung", "on": "1m", "of": winner}}, {**seen, "accepted": {"do": "pung"}}]
    (answer,) = audit(hand.line(), receipts=[other])
    assert answer["why"] == f"seat {loser} did pung, which the server accepted and the record lacks"


def test_an_answer_to_a_question_that_was_open_when_a_hand_was_called_off_may_be_missing(audit: Any) -> None:
    hand = HandOfFour()
    record = {name: value for name, value in hand.record.items() if name != "result"} | {"called_off": "operator"}
    record |= {"actions": [], "times": [], "stages": [], "coins": [], "points": [0] * 4}
    hand.record = record
    void = next(line for line in hand.receipts[0] if "accepted" in line)
    assert audit(hand.line(), receipts=[[void]])[0]["ok"] is True
    assert audit(hand.line(), receipts=[[void, void]])[0]["ok"] is False


def test_a_hand_that_players_were_dealt_is_not_one_that_was_called_off_before_its_deal(audit: Any) -> None:
    hand = HandOfFour()
    gone = {"result", "wall", "dealer", "dealer_from", "shift"}
    record = {name: value for name, value in hand.record.items() if name not in gone} | {"called_off": "operator"}
    record |= {"actions": [], "times": [], "stages": [], "coins": [], "points": [0] * 4, "deal": None}
    hand.record = record
    tiles = next(line for line in hand.receipts[0] if "tiles" in line)
    (answer,) = audit(hand.line(), receipts=[[tiles]])
    assert (answer["ok"], answer["why"]) == (False, "seat 0 was dealt a hand, and the record has none")
    assert audit(hand.line(deal="22" * 32), receipts=[[tiles]])[0]["ok"] is True, "dealt, and not known any more"


# What no record answers.


def test_a_commitment_without_its_record_is_told_at_the_end_and_proves_nothing_since_a_line_may_be_left_out(audit: Any) -> None:
    second = HandOfFour(number=2)
    answers = audit(HAND.line(), receipts=[HAND.receipts[0], second.receipts[1]])
    assert answers[0]["ok"] is True
    assert answers[1:] == [{"ok": False, "at": None, "why": "unpublished", "proof": "claimed", "table": "t-1", "hand": 2}]


def test_two_statements_or_records_for_one_hand_are_equivocation(audit: Any) -> None:
    other = signed(HAND.commit_said | {"commitment": "11" * 32})
    answers = audit(receipts=[[HAND.commit], [other]])
    assert [(one["why"], one.get("type"), one["table"], one["hand"]) for one in answers] == [
        ("unpublished", None, "t-1", 1),
        ("equivocation", "xuezhan/commit/1", "t-1", 1),
    ]
    answers = audit(HAND.line(), HAND.line(note="another"))
    assert [one.get("why") for one in answers] == [None, "hand: 1 was seen before", "equivocation"]
    assert audit(HAND.line(), HAND.line())[2:] == [], "the same twice is none"


def test_a_deal_that_follows_a_commitment_nobody_was_shown_is_equivocation(audit: Any) -> None:
    deal = signed(HAND.deal_said | {"commit": "11" * 32})
    whys = [one["why"] for one in audit(receipts=[[HAND.commit], [deal]])]
    assert whys == ["unpublished", "equivocation"]


def test_swapped_bytes_are_proven_by_the_statements_alone(audit: Any) -> None:
    deal = signed(HAND.deal_said | {"bytes": ["00" * 16, *HAND.deal_said["bytes"][1:]]})
    whys = [one["why"] for one in audit(receipts=[[HAND.commit, deal]])]
    assert whys == ["unpublished", "the bytes of seat 0 are not those behind its hash"]


def test_a_forged_receipt_accuses_nobody(audit: Any) -> None:
    forged = signed(HAND.commit_said | {"commitment": "11" * 32}, STRANGER)
    answers = audit(HAND.line(), receipts=[[HAND.commit, forged]])
    assert answers[0]["ok"] is True
    assert [sorted(answer) for answer in answers[1:]] == [["error"]]
    assert "line 2: signature: fits no key that was given" in answers[1]["error"]


@pytest.mark.parametrize(
    "line",
    [
        b"{\n", b"\xff\n", b"[]\n", b"{}\n", b'{"type":"xuezhan/seen/1"}\n', b'{"type":"xuezhan/seen/1","table":"t","hand":1,"seat":"x"}\n',
        b'{"a":1,"a":1}\n', b'{"statement":"{}"}\n', b'{"statement":5}\n', b" " * 100_000 + b"\n", b'{"statement":"{\\"table\\":1}"}\n',
        b'{"statement":"{\\"table\\":\\"t\\",\\"hand\\":1,\\"type\\":\\"x\\",\\"installation\\":\\"i\\"}"}\n',
        b'{"statement":"{\\"table\\":\\"t\\",\\"hand\\":1,\\"type\\":\\"xuezhan/commit/1\\",\\"installation\\":\\"i\\"}"}\n',
    ],
    ids=lambda line: str(line)[:30],
)  # fmt: skip
def test_a_line_of_receipts_that_cannot_be_used_is_told_and_the_others_count(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "receipts.jsonl"
    path.write_bytes(json.dumps(HAND.commit).encode() + b"\n" + line + json.dumps(HAND.deal).encode() + b"\n")
    book = Book({})
    book.load(path)
    assert len(book.errors) == 1
    assert book.errors[0].startswith(f"{path} line 2: ")
    assert [len(book.statements(("t-1", 1), kind)) for kind in ("xuezhan/commit/1", "xuezhan/deal/1")] == [1, 1]


def test_an_old_record_of_a_hand_called_off_is_compared_by_what_it_has(audit: Any) -> None:
    seed = HAND.record["seed"]
    bare = {name: HAND.record[name] for name in ("game", "table", "hand", "seed", "commitment", "contributions")} | {
        "called_off": "unplayable"
    }
    seen = {"type": "xuezhan/seen/1", "table": "t-1", "hand": 1, "seat": 0, "seed": seed}
    assert audit(bare, receipts=[[seen]], key=False)[0]["ok"] is True
