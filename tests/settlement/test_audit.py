"""Where coins went, as operators and auditors are told: totals, transfers, flows. On SQLite and PostgreSQL."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from services.kit import items
from services.kit.errors import FailedPreconditionError, InvalidArgumentError
from services.settlement import operate, stakes, store, store_audit, store_frozen, wallets
from services.settlement.store_audit import By, Flow, Which
from tests.settlement.world import CLOSE, LOCKED, NOW, POOLED, ROOM, TERMS, World, stage_body

ALWAYS = Which(0, NOW + 1)


@pytest.fixture
def played(world: World) -> World:
    """A table where bob paid ann 30 coins and cat 10, whatever else was owed; dan's money was never touched."""
    world.deposit(ann=5000, bob=5000, cat=5000, dan=5000)
    table = world.table("t", "ann", "bob", "cat", "dan")
    world.send(table.item(stage_body((1, 0, 3), (1, 2, 1))), table.item(CLOSE))
    return world


def test_totals_of_all_kinds_are_zero_together(played: World) -> None:
    found = {total.kind: (total.accounts, total.coins) for total in played.run(store_audit.totals)}
    assert found["wallet"] == (4, 20_000)
    assert found["escrow"] == (4, 0)
    assert found["outside"] == (1, -20_000)
    assert sum(coins for _, coins in found.values()) == 0


def test_a_table_is_told_from_its_stakes_to_their_return(played: World) -> None:
    found = played.run(store_audit.transfers, ALWAYS, "t", 0, 100)
    assert [(one.cause, one.item, one.payer, one.payee, one.coins) for one in found if one.cause not in {"stake", "returned"}] == [
        ("win", 2, "bob", "ann", 30),
        ("win", 2, "bob", "cat", 10),
    ]
    assert sorted(one.payer for one in found if one.cause == "stake") == ["ann", "bob", "cat", "dan"]
    assert {one.payer_kind for one in found if one.cause == "returned"} == {"escrow"}


def test_a_tables_transfers_are_looked_for_no_later_than_it_closed(world: World) -> None:
    world.deposit(ann=5000, bob=5000, cat=5000, dan=5000)
    table = world.table("t", "ann", "bob", "cat", "dan")
    begun, ended = world.run(store_audit.lived, "t")
    assert (begun < NOW, ended) == (True, 0)
    world.send(table.item(CLOSE))
    assert world.run(store_audit.lived, "t")[1] > NOW
    found = world.run(store_audit.transfers, Which(*world.run(store_audit.lived, "t")), "t", 0, 100)
    assert sorted(one.cause for one in found) == ["returned"] * 4 + ["stake"] * 4
    assert world.run(store_audit.lived, "nowhere") == (0, 0)


def test_transfers_come_in_pages_and_of_a_player_or_between_two(played: World) -> None:
    everything = played.run(store_audit.transfers, ALWAYS, "", 0, 100)
    first = played.run(store_audit.transfers, ALWAYS, "", 0, 3)
    rest = played.run(store_audit.transfers, ALWAYS, "", first[-1].id, 100)
    assert first + rest == everything
    between = played.run(store_audit.transfers, Which(0, NOW + 1, "ann", "bob"), "", 0, 100)
    assert [(one.payer, one.payee, one.coins) for one in between] == [("bob", "ann", 30)]
    of_cat = played.run(store_audit.transfers, Which(0, NOW + 1, "cat"), "", 0, 100)
    assert [(one.cause, one.payer, one.payee) for one in of_cat] == [
        ("deposit", "outside", "cat"),
        ("stake", "cat", "cat"),
        ("win", "bob", "cat"),
        ("returned", "cat", "cat"),
    ]
    assert played.run(store_audit.transfers, Which(NOW + 1, NOW + 2), "", 0, 100) == []


def test_flows_are_summed_by_cause_room_or_pair(played: World) -> None:
    by_cause, more = played.run(store_audit.flows, By.CAUSE, ALWAYS)
    assert {flow.cause: (flow.transfers, flow.coins) for flow in by_cause} | {"stake": 0, "returned": 0} == {
        "deposit": (4, 20_000),
        "win": (2, 40),
        "stake": 0,
        "returned": 0,
    }
    assert not more
    by_room, _ = played.run(store_audit.flows, By.ROOM, ALWAYS)
    assert Flow("win", ROOM, "", "", 2, 40) in by_room
    assert {flow.room for flow in by_room if flow.cause == "deposit"} == {""}
    by_pair, _ = played.run(store_audit.flows, By.PAIR, ALWAYS)
    assert [flow for flow in by_pair if flow.cause == "win"] == [Flow("win", "", "bob", "ann", 1, 30), Flow("win", "", "bob", "cat", 1, 10)]
    assert {flow.cause for flow in by_pair} == {"win", "deposit"}, "not between a player's own accounts"
    assert played.run(store_audit.flows, By.PAIR, Which(0, NOW + 1, "ann", "bob"))[0] == [Flow("win", "", "bob", "ann", 1, 30)]


def test_coins_that_two_players_moved_through_the_pool_of_a_hand_are_found(world: World) -> None:
    world.deposit(ann=5000, bob=5000, cat=5000, dan=5000)
    table = world.table("t", "ann", "bob", "cat", "dan", terms=POOLED)
    rate = POOLED.base
    table.settle(items.HandEndBody(hand=1, points=[3, -2, -1, 0], rate=rate))
    table.settle(items.HandEndBody(hand=2, points=[0, -1, 0, 1], rate=rate))
    between = Which(0, NOW + 1, "ann", "bob")
    found = world.run(store_audit.transfers, between, "", 0, 100)
    assert [(one.payer, one.payee, one.coins, one.hand) for one in found] == [("bob", "pool", 2 * rate, 1), ("pool", "ann", 3 * rate, 1)]
    assert world.run(store_audit.flows, By.PAIR, between)[0] == [
        Flow("hand", "", "pool", "ann", 1, 3 * rate),
        Flow("hand", "", "bob", "pool", 1, 2 * rate),
    ]
    assert world.run(store_audit.transfers, Which(0, NOW + 1, "bob", "cat"), "", 0, 100) == [], "both paid"
    assert world.run(store_audit.transfers, Which(0, NOW + 1, "ann", "dan"), "", 0, 100) == [], "both were paid, in other hands"
    assert world.run(store_audit.transfers, Which(0, NOW, "ann", "bob"), "", 0, 100) == []


def test_coins_that_a_player_who_left_put_into_the_pool_of_a_hand_are_found(world: World) -> None:
    world.deposit(ann=5000, bob=5000, cat=5000, dan=5000)
    table = world.table("t", "ann", "bob", "cat", "dan", terms=POOLED)
    table.settle(items.LeftBody(seat=1, hand=1, rate=POOLED.base, points=-40))
    table.hand_end(40, -40, 0, 0)
    found = world.run(store_audit.transfers, Which(0, NOW + 1, "ann", "bob"), "", 0, 100)
    assert [(one.payer, one.payee, one.coins) for one in found] == [("bob", "pool", 200), ("pool", "ann", 200)]


def test_the_largest_flows_come_first_and_that_there_are_more_is_said(played: World, monkeypatch: Any) -> None:
    monkeypatch.setattr(store_audit, "MOST_FLOWS", 1)
    found, more = played.run(store_audit.flows, By.PAIR, Which(0, NOW + 1, "bob"))
    assert ([flow.coins for flow in found], more) == ([5000], True)


def test_a_question_that_takes_too_long_is_given_up_and_says_so(postgres_database: Any, monkeypatch: Any) -> None:
    world = World(postgres_database)
    monkeypatch.setattr(store_audit, "MOST_SECONDS", 0.05)
    monkeypatch.setattr(store_audit, "_conditions", lambda _which: [sa.text("pg_sleep(5) IS NOT NULL")])
    world.deposit(ann=1)
    with pytest.raises(InvalidArgumentError) as refused:
        world.run(store_audit.flows, By.CAUSE, ALWAYS)
    assert refused.value.reason == "too_much"
    assert world.run(store_audit.totals), "the next question is answered"


def test_a_player_who_is_frozen_withdraws_nothing_and_gets_no_seat_until_it_is_lifted(world: World) -> None:
    world.deposit(ann=5000, bob=5000)
    assert world.run(operate.set_frozen, "ann", True, "olga (finance)", "case 4711", NOW)
    assert not world.run(operate.set_frozen, "ann", True, "olga (finance)", "again", NOW)
    request = wallets.Request(wallets.Way.WITHDRAW, "ann", 10, "out", "")
    assert world.run(wallets.move, request, NOW).refused == "frozen"
    world.deposit(ann=1)
    assert world.run(wallets.balance, "ann").frozen
    seats = [stakes.Seat(0, "ann"), stakes.Seat(1, "bob"), stakes.Seat(2, None), stakes.Seat(3, None)]
    held = world.run(stakes.hold, "m", TERMS, seats, NOW)
    assert [answer for _, answer, _ in held.seats] == ["frozen", "not_held", "not_held", "not_held"]
    assert world.run(operate.set_frozen, "ann", False, "olga (finance)", "cleared", NOW)
    assert world.run(wallets.move, request, NOW) == wallets.Moved(4991, repeated=False)
    assert world.run(stakes.hold, "m", TERMS, seats, NOW).held
    assert [(act.action, act.player, act.who, act.why) for act in world.run(operate.acts)] == [
        ("unfreeze", "ann", "olga (finance)", "cleared"),
        ("freeze", "ann", "olga (finance)", "case 4711"),
    ]


def test_a_hand_of_a_player_who_is_frozen_meanwhile_is_settled(world: World) -> None:
    world.deposit(ann=5000, bob=5000, cat=5000, dan=5000)
    table = world.table("t", "ann", "bob", "cat", "dan")
    world.run(operate.set_frozen, "ann", True, "olga (finance)", "case 4711", NOW)
    world.send(table.item(stage_body((1, 0, 3))), table.item(CLOSE))
    assert world.wallets("ann", "bob") == [5030, 4970]
    assert world.run(store_frozen.frozen, ["ann", "bob"]) == {"ann"}


def test_a_player_who_is_frozen_makes_up_no_stake_between_hands_until_it_is_lifted(world: World) -> None:
    world.deposit(ann=5000, bob=5000)
    table = world.table("t", "ann", "bob", terms=LOCKED)
    table.stage((0, 1, 40))
    world.run(operate.set_frozen, "ann", True, "olga (finance)", "case 4711", NOW)
    assert table.settle(items.TopUpBody(seat=0)).reason == "frozen"
    assert world.wallets("ann") == [4000]
    world.run(operate.set_frozen, "ann", False, "olga (finance)", "cleared", NOW)
    assert table.settle(items.TopUpBody(seat=0)).money == [1000, 1400]


def test_an_act_without_a_reason_is_refused_and_nothing_is_recorded(world: World) -> None:
    for who, why in (("", "why"), ("olga", " "), ("olga", "x" * 501), ("ol\nga", "why")):
        with pytest.raises(InvalidArgumentError):
            world.run(operate.set_frozen, "ann", True, who, why, NOW)
    assert world.run(operate.acts) == []
    assert world.run(lambda connection: connection.scalar(sa.select(sa.func.count()).select_from(store.frozen_players))) == 0


def test_an_item_that_is_not_the_next_cannot_be_voided(world: World) -> None:
    world.deposit(ann=5000, bob=5000, cat=5000, dan=5000)
    world.table("t", "ann", "bob", "cat", "dan")
    with pytest.raises(FailedPreconditionError, match="not the next"):
        world.run(operate.void_item, "t", 5, "olga", "why", NOW)
