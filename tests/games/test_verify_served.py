"""Verifying what only records of a server have: hashes, who withheld, times, hands called off, and records of earlier releases."""

from __future__ import annotations

import copy
import hashlib
import json
from random import Random
from typing import Any

import pytest

from games.bots import bot
from games.hand import Action, Setup
from games.record import Recorder, undealt
from games.registry import ruleset
from games.simulate import play, simulate
from games.verify import Verifier, entropy

Record = dict[str, Any]
GOOD = {"ok": True}
BYTES = (bytes([1] * 16), None, bytes([3] * 16), None)
HASHES = [hashlib.sha256(given).hexdigest() if given else None for given in BYTES]
SEED = bytes(range(32))
MONEY = [10**6] * 4


def check(record: Record) -> dict[str, Any]:
    return Verifier().check(json.loads(json.dumps(record)))


def played(game: str, share: float = 1.0, why: str = "", seed: bytes = SEED) -> Record:
    """A hand as a server records it, to its end or called off after a share of its actions."""
    rules = ruleset(game, {})
    setup = Setup("t-1", 1, seed, BYTES[: rules.players])
    whole = Recorder(rules, setup)
    play(whole, [bot(game, "greedy", Random(seat)) for seat in range(rules.players)], Random(0))
    if not why:
        record, times = whole.record(2, MONEY[: rules.players]), len(whole.actions)
    else:
        part = Recorder(rules, setup)
        for action in whole.actions[: int(share * len(whole.actions))]:
            part.apply(action)
        record, times = part.called_off(2, MONEY[: rules.players], why), len(part.actions)
    return served(record, times)


def with_stages(game: str, why: str) -> Record:
    """A hand that was called off late, after stages."""
    return next(hand for seed in range(50) if (hand := played(game, 0.97, why, bytes([seed] * 32)))["stages"])


def served(record: Record, times: int, hashes: list[str | None] | None = None, withheld: list[int] | None = None) -> Record:
    """Add what a server adds."""
    return json.loads(  # type: ignore[no-any-return]
        json.dumps(
            record
            | {
                "type": "xuezhan/record/1",
                "installation": "00112233445566ff",
                "seats": ["ann", None, "cem", None][: record["players"]],
                "contribution_hashes": (hashes or HASHES)[: record["players"]],
                "withheld": withheld or [],
                "times": list(range(times)),
                "commit": "11" * 32,
                "deal": "22" * 32,
            }
        )
    )


RECORD = played("crazy_xuezhan")


@pytest.mark.parametrize("game", ["crazy_xuezhan", "happy_sichuan", "kaxinwu", "crazy_duel"])
def test_what_a_server_records_verifies_whether_it_was_played_to_its_end_or_called_off(game: str) -> None:
    assert check(played(game)) == GOOD
    for share in (0.0, 0.3, 0.99):
        record = played(game, share, "operator")
        assert check(record) == GOOD, share
        assert "result" not in record


def test_bytes_count_as_entropy_and_null_does_not() -> None:
    assert entropy(RECORD) == {"entropy": 2, "withheld": []}
    assert entropy(next(simulate("crazy_duel", 1, "s"))) == {"entropy": 0, "withheld": []}


def test_bytes_that_are_not_those_behind_their_hash_are_found() -> None:
    for hashes in ([HASHES[2], None, HASHES[2], None], [None, None, HASHES[2], None]):
        answer = check({**RECORD, "contribution_hashes": hashes})
        assert answer == {"ok": False, "at": None, "why": "contributions: the bytes of seat 0 are not those behind its hash"}


def test_a_seat_that_committed_and_did_not_reveal_must_be_named_as_having_withheld_and_no_other() -> None:
    hashes = [*HASHES[:3], "33" * 32]
    assert check({**RECORD, "contribution_hashes": hashes, "withheld": [3]}) == GOOD
    assert check({**RECORD, "contribution_hashes": hashes, "withheld": []})["why"] == "withheld: the record has another"
    assert check({**RECORD, "withheld": [1]})["why"] == "withheld: the record has another"
    bare = {name: value for name, value in RECORD.items() if name not in {"contribution_hashes", "type"}}
    assert check({**bare, "withheld": [1]}) == GOOD
    assert check({**bare, "withheld": [0]})["why"] == "withheld: a seat whose bytes are there"


@pytest.mark.parametrize("times", [[], [-1], [1.5], None, "now", [True]])
def test_times_are_one_whole_number_an_action(times: Any) -> None:
    answer = check({**RECORD, "times": times})
    assert (answer["ok"], answer["at"]) == (False, len(RECORD["actions"]))
    assert answer["why"].startswith("times")


def test_times_need_not_ascend() -> None:
    assert check({**RECORD, "times": RECORD["times"][::-1]}) == GOOD


@pytest.mark.parametrize("name", ["installation", "seats", "contribution_hashes", "withheld", "times", "commit", "deal"])
def test_a_record_of_this_type_has_every_field_of_it(name: str) -> None:
    assert check({key: value for key, value in RECORD.items() if key != name}) == {"error": f"{name}: missing"}


def test_a_record_of_another_type_is_an_error() -> None:
    assert check({**RECORD, "type": "xuezhan/record/2"}) == {"error": "type: not xuezhan/record/1"}
    assert check({**RECORD, "contribution_hashes": [None]}) == {"error": "contribution_hashes: not one a seat"}


def test_a_false_result_is_found_whether_or_not_the_record_names_its_rules() -> None:
    for record in (RECORD, {name: value for name, value in RECORD.items() if name != "rules"}):
        false: list[Any] = [{**record["result"], "left": 99}, {"note": "won by another"}, "x", *([{}, None] if "rules" in record else [])]
        for wrong in false:
            answer = check({**record, "result": wrong})
            assert answer == {"ok": False, "at": len(record["actions"]), "why": "result: the record has another"}


def test_a_hand_that_was_over_cannot_have_been_called_off() -> None:
    record = {name: value for name, value in RECORD.items() if name != "result"} | {"called_off": "operator"}
    assert check(record)["why"] == "the hand was over, and is said to have been called off"


@pytest.mark.parametrize("part", ["stages", "coins", "actions", "points", "wall"])
def test_a_change_to_the_record_of_a_hand_called_off_is_found(part: str) -> None:
    record = with_stages("kaxinwu", "replay_failed")
    assert record[part]
    changed = copy.deepcopy(record)
    changed[part] = changed[part][1:]
    assert check(changed)["ok"] is False


def test_a_pool_that_is_paid_although_the_hand_was_called_off_is_found() -> None:
    record = with_stages("happy_sichuan", "operator")
    assert check({**record, "coins": [{"policy": "pooled"}]})["why"] == "coins: 1 payouts, not 0"


def not_dealt(**changes: Any) -> dict[str, Any]:
    rules = ruleset("crazy_xuezhan", {})
    record = undealt(rules, Setup("t-1", 1, SEED, BYTES), 2, MONEY, "operator")
    return check(served(record, 0, [*HASHES[:3], "33" * 32]) | {"deal": None} | changes)


def test_a_hand_called_off_before_its_deal_verifies_by_its_seed_and_bytes() -> None:
    assert not_dealt() == GOOD
    assert not_dealt(seed="11" * 32)["why"] == "commitment: the record has another"
    assert not_dealt(actions=[{"seat": 0, "do": "pass"}])["why"] == "actions: the record has another"
    assert not_dealt(withheld=[3])["why"] == "withheld: the record has another"
    assert not_dealt(contributions=[None] * 3) == {"error": "contributions: 3 of 4 seats"}


def test_a_hand_that_was_dealt_and_cannot_be_dealt_again_verifies_by_what_is_known_of_it() -> None:
    known = {
        "deal": "22" * 32,
        "withheld": [3],
        "actions": [{"seat": 0, "do": "pass"}],
        "times": [5],
        "called_off": "deal_key_lost",
        "seed": None,
    }
    assert not_dealt(**known) == GOOD
    assert not_dealt(**known | {"rules": "crazy_xuezhan/99", "called_off": "rules_unknown", "seed": SEED.hex()}) == GOOD
    assert not_dealt(**known | {"withheld": []})["why"] == "withheld: the record has another"
    assert not_dealt(**known | {"coins": [{}]})["why"] == "coins: the record has another"


def test_a_lost_seed_is_null_and_only_where_nothing_was_dealt() -> None:
    assert not_dealt(seed=None, called_off="deal_key_lost") == GOOD
    assert check({**played("crazy_xuezhan", 0.5, "operator"), "seed": None})["error"].startswith("seed")
    assert check({**RECORD, "seed": None})["error"].startswith("seed")


BARE = {
    "game": "kaxinwu",
    "table": "t-9",
    "hand": 3,
    "seed": SEED.hex(),
    "commitment": hashlib.sha256(SEED).hexdigest(),
    "contributions": [None] * 4,
    "seats": ["ann", None, None, None],
    "called_off": "unplayable",
}


def test_what_earlier_releases_kept_of_a_hand_called_off_verifies_by_its_seed() -> None:
    assert check(BARE) == GOOD
    assert check({**BARE, "seed": "11" * 32})["why"] == "commitment: the record has another"
    assert check({**BARE, "seed": 5})["error"].startswith("seed")


def test_a_record_of_an_earlier_release_verifies_as_it_is() -> None:
    new = {"type", "installation", "contribution_hashes", "withheld", "times", "commit", "deal"}
    assert check({name: value for name, value in RECORD.items() if name not in new}) == GOOD


def test_actions_that_do_not_belong_to_a_hand_called_off_are_found() -> None:
    record = played("crazy_xuezhan", 0.5, "operator")
    action = Action(0, record["actions"][0]["do"])
    answer = check({**record, "actions": [*record["actions"], {"seat": action.seat, "do": "void", "suit": "m"}], "times": []})
    assert (answer["ok"], answer["at"]) == (False, len(record["actions"]))
