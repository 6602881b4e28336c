"""Items: what they do to the coins at a table, once and in order, and what is done about those that cannot be."""

import json
from collections.abc import Callable

import pytest
from pydantic import BaseModel

from services.kit import items
from services.kit.errors import FailedPreconditionError, ServiceError
from services.kit.items import MAX_COINS, Item, ShortRow
from services.settlement import bounds, operate, store_items, wallets
from tests.settlement.world import CLOSE, NOW, TableLine, World, open_body, stage_body


@pytest.fixture
def table(world: World) -> TableLine:
    world.deposit(ann=5000, bob=5000, cat=5000, dan=5000)
    return world.table("t", "ann", "bob", "cat", "dan")


def coins(outcome: items.ItemOutcome) -> list[int]:
    return [move.coins for move in outcome.moves]


def test_a_stage_pays_every_claim_its_multiple_times_the_base(table: TableLine) -> None:
    outcome = table.stage((0, 1, 10), (2, 1, 10), (3, 1, 1))
    assert coins(outcome) == [100, 100, 10]
    assert outcome.money == [4900, 5210, 4900, 4990]


def test_who_cannot_pay_in_full_shares_what_they_have_and_what_is_short_is_told(world: World) -> None:
    world.deposit(ann=2000, bob=2000, cat=1003, dan=2000)
    table = world.table("t", "ann", "bob", "cat", "dan")
    outcome = table.stage((2, 0, 100), (2, 3, 1000))
    assert coins(outcome) == [91, 912]
    assert outcome.short == [ShortRow(seat=2, owed=11_000, paid=1003)]
    assert world.count("xuezhan_settlement_coins_short_total", game="crazy_xuezhan", tier="mayou") == 11_000 - 1003


def test_a_player_without_coins_plays_on_and_pays_nothing(table: TableLine) -> None:
    table.stage((0, 1, 1000))
    assert coins(table.stage((0, 1, 7))) == [0]
    assert table.stage((1, 0, 7)).money == [70, 9930, 5000, 5000]


def test_the_end_of_the_table_brings_every_stake_home_and_frees_the_players(table: TableLine) -> None:
    table.stage((0, 1, 10))
    assert table.close().money == [0, 0, 0, 0]
    assert table.world.wallets("ann", "bob", "cat", "dan") == [4900, 5100, 5000, 5000]
    assert table.world.hold("next", "ann", "bob", "cat", "dan").held


def test_a_winner_who_leaves_has_their_coins_and_may_sit_elsewhere_while_the_hand_goes_on(table: TableLine) -> None:
    table.stage((0, 1, 10))
    assert table.left(1).money == [4900, 0, 5000, 5000]
    assert table.world.run(wallets.balance, "bob") == wallets.Balance(wallet=5100, at_stake=0, match="")
    assert table.world.hold("next", "bob", None).held
    table.stage((0, 2, 10))
    table.close()
    assert table.world.wallets("ann", "cat") == [4800, 5100]


def test_what_is_paid_to_one_who_left_goes_on_to_their_wallet(table: TableLine) -> None:
    table.left(1)
    table.stage((0, 1, 10))
    assert table.world.wallet("bob") == 5100


def test_bots_win_and_lose_the_coins_of_the_house(world: World) -> None:
    world.deposit(ann=2000)
    table = world.table("t", "ann", None, None)
    table.stage((0, 1, 10), (2, 0, 30))
    table.close()
    assert world.wallet("ann") == 2200


REFUSED: list[tuple[BaseModel, str]] = [
    (stage_body((0, 4, 1)), "unknown_seat"),
    (stage_body((5, 0, 1)), "unknown_seat"),
    (stage_body((1, 1, 1)), "claims"),
    (stage_body((1, 0, MAX_COINS)), "too_large"),
    (items.LeftBody(seat=4), "not_seated"),
    (items.LeftBody(seat=0, rate=10, points=-3), "policy"),
    (items.HandEndBody(hand=1, rate=10, points=[1, -1, 0, 0]), "policy"),
    (items.HandEndBody(hand=1, rating=[1, -1, 0, 0]), "rating"),
    (items.TopUpBody(seat=5), "not_seated"),
    (items.JoinBody(seat=0, player="eve", hold="h"), "seat_taken"),
    (items.JoinBody(seat=4, player="eve", hold="h"), "unknown_match"),
    (open_body("ann", "bob", "cat", "dan"), "already_open"),
]


def test_an_item_that_cannot_be_carried_out_is_refused_and_the_next_goes_on(table: TableLine) -> None:
    for body, reason in REFUSED:
        outcome = table.settle(body)
        assert (outcome.result, outcome.reason, outcome.money) == ("refused", reason, [5000] * 4)
    assert coins(table.stage((0, 1, 1))) == [10]
    assert table.world.count("xuezhan_settlement_items_total", game="crazy_xuezhan", tier="mayou", kind="stage", result="refused") == 4


def test_nothing_is_settled_at_a_table_that_is_closed_or_was_never_open(world: World) -> None:
    world.deposit(ann=5000, bob=5000)
    table = world.table("t", "ann", "bob")
    table.close()
    assert table.stage((0, 1, 1)).reason == "not_open"
    assert table.close().reason == "not_open"
    strange = TableLine(world, "strange")
    assert strange.open("ann", "bob").reason == "unknown_match"
    assert strange.stage((0, 1, 1)).reason == "not_open"


def test_items_settle_in_their_order_however_they_arrive(world: World) -> None:
    world.deposit(ann=5000, bob=5000)
    world.hold("t", "ann", "bob")
    table = TableLine(world, "t")
    first, second, third, fourth = (
        table.item(body) for body in (open_body("ann", "bob"), stage_body((0, 1, 300)), stage_body((1, 0, 600)), CLOSE)
    )
    assert world.send(fourth)["t"].through == 0
    assert world.send(second)["t"].through == 0
    told = world.send(first)["t"]
    assert (told.through, [row.seq for row in told.items]) == (2, [1, 2])
    assert world.send(third)["t"].through == 4
    assert world.wallets("ann", "bob") == [8000, 2000]


def test_the_same_item_again_moves_no_coins_and_its_outcome_is_told_again(table: TableLine) -> None:
    signed = table.item(stage_body((0, 1, 10)))
    first = table.world.send(signed)["t"]
    assert table.world.send(signed, signed)["t"] == first
    assert table.world.owned("ann") == 4900
    assert table.world.count("xuezhan_settlement_items_total", game="crazy_xuezhan", tier="mayou", kind="stage", result="applied") == 1


def test_the_same_item_from_the_next_owner_of_the_table_is_told_to_them(table: TableLine) -> None:
    table.world.send(table.item(stage_body((0, 1, 10))))
    table.world.send(table.item(stage_body((0, 1, 10)), seq=2), server="server-2")
    server, tables = table.world.messages[-1]
    assert (server, [row.seq for row in tables[0].items]) == ("server-2", [2])
    assert table.world.owned("ann") == 4900


def test_another_body_under_a_known_key_is_refused_and_alarmed(table: TableLine, caplog: pytest.LogCaptureFixture) -> None:
    table.stage((0, 1, 10))
    told = table.world.send(table.item(stage_body((0, 1, 999)), seq=2))["t"]
    assert (told.through, told.items) == (2, [])
    assert table.world.owned("ann") == 4900
    assert table.world.count("xuezhan_settlement_refused_total", reason="other_body") == 1
    assert "item_refused" in caplog.text
    assert [(letter.table, letter.seq, letter.reason) for letter in table.world.run(operate.dead_letters)] == [("t", 2, "other_body")]


STAGE = items.canonical(stage_body((0, 1, 10)))
SPOILED = [
    ("{}", "body"),
    ("not json", "body"),
    (json.dumps(json.loads(STAGE), indent=1), "body"),
    (STAGE.replace('"multiple":10', '"multiple":10.5'), "body"),
    (STAGE.replace('"multiple":10', '"multiple":10.0'), "body"),
    (STAGE.replace('"multiple":10', '"multiple":"10"'), "body"),
    (STAGE.replace('"multiple":10', '"multiple":-1'), "body"),
    (STAGE.replace('"multiple":10', '"multiple":1,"multiple":10'), "body"),
    (STAGE.replace('"multiple":10', f'"multiple":{2**53}'), "body"),
    (STAGE.replace('"multiple":10', '"multiple":NaN'), "body"),
    ("[" * 10_000, "body"),
    (items.canonical(stage_body((0, 1, 10), base=11)), "rate"),
    (items.canonical(stage_body((0, 1, 10), base=0)), "rate"),
]


def test_a_body_that_is_malformed_or_at_another_rate_is_not_stored_and_others_go_on(world: World) -> None:
    world.deposit(ann=50_000, bob=5000, cat=50_000, dan=5000)
    table, other = world.table("t", "ann", "bob"), world.table("other", "cat", "dan")
    for number, (body, reason) in enumerate(SPOILED, 1):
        before = world.count("xuezhan_settlement_refused_total", reason=reason)
        world.send(Item(table="t", seq=2, body=body), other.item(stage_body((0, 1, 10))))
        assert world.count("xuezhan_settlement_refused_total", reason=reason) == before + 1, body
        assert (world.owned("ann"), world.owned("cat")) == (50_000, 50_000 - 100 * number), body
    assert coins(table.stage((0, 1, 2))) == [20]


def test_a_table_that_cannot_go_on_is_stuck_and_the_others_of_the_batch_are_settled(world: World) -> None:
    table, other = _overfull_table(world), world.table("other", "cat", "dan")
    told = world.send(table.item(stage_body((0, 1, 1))), table.item(stage_body((1, 0, 100))), other.item(stage_body((0, 1, 10))))
    assert (told["t"].through, told["t"].stuck) == (2, True)
    assert (told["other"].through, told["other"].stuck) == (2, False)
    [letter] = world.run(operate.dead_letters)
    assert (letter.table, letter.seq, letter.reason) == ("t", 3, "LedgerError")
    assert world.count("xuezhan_settlement_stuck_total", reason="failed") == 1
    assert world.send(table.item(CLOSE))["t"].through == 2


def _overfull_table(world: World) -> TableLine:
    """A table where seat 0 has all that is exact but 15 coins: its stakes were held before the bound was asked at the hold."""
    world.deposit(ann=MAX_COINS - 15, bob=5000, cat=5000, dan=5000)
    with pytest.MonkeyPatch.context() as before:
        before.setattr(bounds, "too_rich", lambda *_: set())
        return world.table("t", "ann", "bob")


def test_an_operators_replay_tries_the_items_again_and_is_on_record(world: World) -> None:
    table = _overfull_table(world)
    world.send(table.item(stage_body((1, 0, 100))), table.item(CLOSE))
    with pytest.raises(FailedPreconditionError, match="more than"):
        world.run(operate.replay, "t", "olga", "tried again", NOW)
    report = world.run(operate.void_item, "t", 2, "olga", "ann is full", NOW)
    assert [(one.outcome.seq, one.outcome.result) for one in report.settled] == [(3, "applied")]
    assert world.wallets("ann", "bob") == [MAX_COINS - 15, 5000]
    assert world.run(operate.dead_letters) == []
    assert [(act.action, act.seq, act.who, act.why) for act in world.run(operate.acts)] == [("void-item", 2, "olga", "ann is full")]


def test_an_item_that_kills_its_workers_is_tried_alone_and_then_put_aside_while_others_go_on(world: World) -> None:
    world.deposit(ann=5000, bob=5000, cat=5000, dan=5000)
    table, other = world.table("t", "ann", "bob"), world.table("other", "cat", "dan")
    message = [other.item(stage_body((0, 1, 10))), table.item(stage_body((0, 1, 10)))]
    for redelivered in range(4):
        world.settler.step = _die_at(1 if redelivered < 2 else 2)
        with pytest.raises(KeyboardInterrupt):
            world.send(*message, redelivered=redelivered)
    world.settler.step = lambda _: None
    told = world.send(*message, redelivered=4)
    assert (told["other"].through, told["other"].stuck) == (2, False)
    assert (told["t"].through, told["t"].stuck) == (1, True)
    assert [(letter.table, letter.reason) for letter in world.run(operate.dead_letters)] == [("t", "kills_workers")]
    world.run(operate.replay, "t", "olga", "the worker was mended", NOW)
    assert (world.owned("ann"), world.owned("cat")) == (4900, 4900)


def _die_at(transaction: int) -> Callable[[str], None]:
    """A worker that dies in the n-th transaction of a message."""
    begun: list[str] = []

    def step(name: str) -> None:
        begun.extend([name] if name == "sifted" else [])
        if len(begun) == transaction:
            raise KeyboardInterrupt

    return step


def test_only_the_next_item_can_be_voided_never_a_close_and_only_by_somebody_for_a_reason(world: World) -> None:
    world.deposit(ann=5000, bob=5000)
    table = world.table("t", "ann", "bob")
    table.stage((0, 1, 10))
    world.send(table.item(stage_body((0, 1, 10)), seq=4))
    world.run(store_items.stick, "t", "for this test")
    world.send(table.item(CLOSE, seq=3))
    refused = [
        (("t", 2, "olga", "why"), "not_next"),
        (("t", 4, "olga", "why"), "not_next"),
        (("t", 3, "olga", "why"), "close"),
        (("t", 3, " ", "why"), "words"),
        (("t", 3, "olga", ""), "words"),
        (("u", 1, "olga", "why"), "unknown_table"),
    ]
    for args, reason in refused:
        with pytest.raises(ServiceError) as error:
            world.run(operate.void_item, *args, NOW)
        assert error.value.reason == reason
    assert world.run(operate.acts) == []
    world.run(operate.replay, "t", "olga", "it was a test", NOW)
    assert world.wallets("ann", "bob") == [4900, 5100]


def test_an_item_that_can_never_come_right_may_be_voided_before_it_came(world: World) -> None:
    world.deposit(ann=5000, bob=5000)
    table = world.table("t", "ann", "bob")
    wrong = table.item(stage_body((0, 1, 10), base=11))
    world.send(wrong, table.item(CLOSE))
    world.run(operate.void_item, "t", 2, "olga", "the room was changed", NOW)
    assert world.wallets("ann", "bob") == [5000, 5000]
    [row] = world.send(wrong)["t"].items
    assert (row.seq, row.result, row.reason) == (2, "refused", "void_by_operator")


def test_a_voided_open_gives_the_stakes_back(world: World) -> None:
    world.deposit(ann=5000, bob=5000)
    world.hold("t", "ann", "bob")
    world.run(operate.void_item, "t", 1, "olga", "never opened", NOW)
    assert world.wallets("ann", "bob") == [5000, 5000]
    assert TableLine(world, "t").open("ann", "bob").reason == "void_by_operator"
