"""Questions that people ask about coins, answered with commands alone over an installation that has played."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cli.command import Ran, xuezhan
from tests.e2e.installation import Embedded, assert_whole, report

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with Embedded(tmp_path_factory.mktemp("questions")) as installation:
        with installation.load("--tables", 4, "--hands", 1, "--bots", "greedy") as load:
            assert_whole(report(load, seconds=120), hands=4)
        yield installation


def asked(up: Embedded, *command: str) -> list[dict[str, Any]]:
    ran = xuezhan(*command, "--json", *up.where())
    assert ran.status == 0, ran.err
    return ran.lines


def told(up: Embedded, *command: str) -> Ran:
    return xuezhan(*command, *up.where())


def test_which_coins_moved_between_two_players_and_why_agrees_with_the_statements_of_both(up: Embedded) -> None:
    largest = next(flow for flow in asked(up, "ledger", "flows", "--by", "pair") if flow["cause"] != "deposit")
    payer, payee = largest["payer"], largest["payee"]
    between = asked(up, "ledger", "flows", "--by", "pair", "--player", payer, "--player", payee)
    net = sum(flow["coins"] if flow["payee"] == payee else -flow["coins"] for flow in between)
    each = asked(up, "ledger", "flows", "--by", "transfer", "--player", payer, "--player", payee, "--since", "1h")
    assert sum(one["coins"] if one["payee"] == payee else -one["coins"] for one in each) == net
    for player, other, sign in ((payee, payer, 1), (payer, payee, -1)):
        lines = asked(up, "statement", player)
        assert sum(line["coins"] for line in lines if line["counterpart"] == other) == sign * net
    of_table = asked(up, "ledger", "table", each[0]["table"])
    assert each[0] in of_table
    assert {one["cause"] for one in of_table} >= {"stake", "returned", each[0]["cause"]}


def test_all_kinds_of_accounts_are_zero_together_and_the_ledger_proves_right(up: Embedded) -> None:
    assert sum(kind["coins"] for kind in asked(up, "ledger", "totals")) == 0
    data = up.folder / "nothing here"
    ran = xuezhan("ledger", "check", "--data", data, *up.where())
    assert (ran.status, ran.out.partition("\t")[0]) == (0, "ok"), ran.err


def test_a_player_who_is_frozen_gets_no_coins_out_and_the_log_says_who_did_it_and_why(up: Embedded) -> None:
    assert told(up, "deposit", "mallory", "500", "--key", "in").status == 0
    misspelt = told(up, "player", "freeze", "malory", "--who", "olga", "--why", "case 4711")
    assert misspelt.err == "xuezhan: no coin was ever malory's: is this the right name?\n"
    assert told(up, "player", "freeze", "mallory", "--who", "olga", "--why", "case 4711").out == "mallory is frozen\n"
    refused = told(up, "withdraw", "mallory", "500", "--key", "out")
    assert (refused.status, "frozen" in refused.err) == (1, True)
    assert asked(up, "balance", "mallory")[0]["frozen"] is True
    assert told(up, "player", "unfreeze", "mallory", "--who", "olga", "--why", "cleared").out == "mallory is not frozen\n"
    assert told(up, "player", "unfreeze", "mallory", "--who", "olga", "--why", "cleared").out == "mallory was not frozen already\n"
    assert asked(up, "withdraw", "mallory", "500", "--key", "out")[0]["wallet"] == 0
    log = [(act["action"], act["player"], act["who"], act["why"]) for act in asked(up, "settlement", "log")]
    assert log == [
        ("unfreeze", "mallory", "olga (finance)", "cleared"),
        ("freeze", "mallory", "olga (finance)", "case 4711"),
        ("freeze", "malory", "olga (finance)", "case 4711"),
    ]


def test_whether_a_clock_ran_out_is_seen_from_who_acted_and_how_long_after(up: Embedded) -> None:
    moved = asked(up, "ledger", "flows", "--by", "transfer", "--since", "1h")
    table = next(one["table"] for one in moved if one["cause"] == "stake")
    (record,) = [json.loads(line) for line in told(up, "replay", table).out.splitlines()]
    heading, *lines = told(up, "replay", table, "--acts").out.splitlines()
    acts = [dict(zip(heading.split("\t"), line.split("\t"), strict=True)) for line in lines]
    assert [(int(act["seat"]), act["by"] == "server") for act in acts] == [
        (one["seat"], one.get("auto", False)) for one in record["actions"]
    ]
    assert all(float(act["after"]) >= 0 for act in acts)
    player = record["seats"][0]
    mine = told(up, "replay", table, "--acts", "--player", player).out.splitlines()[1:]
    assert len(mine) == sum(action["seat"] == 0 for action in record["actions"])


def test_what_cannot_be_answered_is_one_line_that_says_what_is_wrong(up: Embedded) -> None:
    assert told(up, "ledger", "table", "nowhere").err == "xuezhan: no coin was ever moved for table 'nowhere'\n"
    assert "is no moment" in told(up, "ledger", "flows", "--since", "yesterday").err
    assert "1 to 64 letters" in told(up, "ledger", "flows", "--player", "a b").err
    assert told(up, "ledger", "flows", "--player", "a", "--player", "b", "--player", "c").status == 2
    nothing = asked(up, "ledger", "flows", "--since", "2001-01-01", "--until", "2001-01-02")
    assert nothing == []
    unknown = told(up, "settlement", "replay", "nowhere", "--why", "a try")
    assert (unknown.status, "table: nowhere was never heard of" in unknown.err) == (1, True)
