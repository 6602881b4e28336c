"""Whole hands by bots: `xuezhan simulate`."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from games.bots import bot
from games.deal import commitment, simulated_seed
from games.fields import FieldError
from games.option_table import OptionError
from games.registry import GAMES, ruleset
from games.simulate import enough_for_anything, simulate
from games.verify import Verifier


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    return list(simulate("crazy_xuezhan", 30, "1"))


def test_the_same_arguments_give_the_same_bytes(records: list[dict[str, Any]]) -> None:
    again = simulate("crazy_xuezhan", 30, "1")
    assert [json.dumps(record) for record in records] == [json.dumps(record) for record in again]
    assert next(simulate("crazy_xuezhan", 1, "2")) != records[0]


def test_a_record_has_every_field_that_auditors_use(records: list[dict[str, Any]]) -> None:
    record = records[0]
    names = {"game", "options", "players", "table", "hand", "dealer", "dealer_from", "seed", "contributions", "commitment", "wall"}
    names |= {"actions", "stages", "points", "coins", "result", "shift"}
    assert names <= set(record)
    assert record["options"] == {"phases": "void_exchange", "cap": 4, "room": "mayou"}
    assert (record["game"], record["players"], record["table"], record["dealer_from"]) == ("crazy_xuezhan", 4, "simulate", "draw")
    assert record["contributions"] == [None] * 4
    assert record["seed"] == simulated_seed("1", 1).hex()
    assert record["commitment"] == commitment(simulated_seed("1", 1))
    assert len(record["wall"]) == 108
    assert record["shift"] in (1, 2, 3)


def test_hands_are_numbered_from_1(records: list[dict[str, Any]]) -> None:
    assert [record["hand"] for record in records] == list(range(1, 31))


def test_every_record_verifies(records: list[dict[str, Any]]) -> None:
    verifier = Verifier()
    assert [verifier.check(json.loads(json.dumps(record))) for record in records] == [{"ok": True}] * 30


def test_each_stage_is_paid_in_order_from_what_the_one_before_left(records: list[dict[str, Any]]) -> None:
    for record in records:
        assert [paid["claims"] for paid in record["coins"]] == [stage["claims"] for stage in record["stages"]]
        money = [10**9] * 4
        for paid in record["coins"]:
            assert (paid["policy"], paid["base"], paid["money"], paid["short"]) == ("stage", 1, money, [])
            money = paid["after"]
        assert [has - 10**9 for has in money] == record["points"]
        assert sum(record["points"]) == 0


def test_greedy_bots_win_and_random_bots_seldom(records: list[dict[str, Any]]) -> None:
    def wins(played: list[dict[str, Any]]) -> int:
        return sum(action["do"] == "win" for record in played for action in record["actions"])

    assert wins(records) > 5 * wins(list(simulate("crazy_xuezhan", 30, "1", bots="random"))) + 30


def test_a_seat_without_coins_plays_on_and_pays_what_it_has() -> None:
    records = list(simulate("crazy_xuezhan", 20, "1", money=3))
    assert any(paid["short"] for record in records for paid in record["coins"])
    assert all(min(paid["after"]) >= 0 for record in records for paid in record["coins"])
    assert [Verifier().check(record) for record in records] == [{"ok": True}] * 20


def test_leaving_has_no_meaning_within_a_hand_of_crazy_xuezhan() -> None:
    assert list(simulate("crazy_xuezhan", 2, "1", leave=0.5)) == list(simulate("crazy_xuezhan", 2, "1"))


def test_the_default_money_is_enough_for_anything() -> None:
    assert enough_for_anything(ruleset("crazy_xuezhan", {})) == 10**9
    assert enough_for_anything(ruleset("crazy_xuezhan", {"cap": 9})) == 12 * 10**9
    assert enough_for_anything(ruleset("crazy_xuezhan", {"cap": 15})) < 2**53


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"game": "mahjong"}, "game"),
        ({"hands": 0}, "hands"),
        ({"options": {"cap": "none"}}, "cap"),
        ({"options": {"room": "Lobby"}}, "room"),
        ({"options": {"speed": "1"}}, "speed"),
        ({"players": 3}, "players"),
        ({"bots": "clever"}, "bots"),
        ({"money": -1}, "money"),
        ({"leave": 1.5}, "leave"),
        ({"leave": float("nan")}, "leave"),
    ],
)
def test_an_argument_that_cannot_be_used_is_named_before_the_first_hand(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(FieldError, match=f"^{named}: "):
        simulate(**{"game": "crazy_xuezhan", "hands": 1, "seed": "1", **arguments})


def test_a_ruleset_is_shared_by_all_that_ask_for_the_same() -> None:
    assert ruleset("crazy_xuezhan", {"room": "dashi"}) is ruleset("crazy_xuezhan", {"room": "dashi"}, 4)
    assert ruleset("crazy_xuezhan", {"room": "dashi"}) is not ruleset("crazy_xuezhan", {})
    assert "crazy_xuezhan" in GAMES


def test_an_unknown_game_has_no_bots_either() -> None:
    with pytest.raises(OptionError, match="game"):
        bot("mahjong", "random", Random(0))
