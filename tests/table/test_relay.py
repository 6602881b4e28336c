"""Items go out until their outcome is in the journal; outcomes may come lost, twice or out of order."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from services.kit.items import TableOutcome
from services.table import relay, store
from tests.table.play import PLAYERS, seated, until
from tests.table.world import Rules


async def test_items_of_a_hand_come_in_order_without_a_gap(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        await client.play(random.Random(5), lambda: bool(client.of("table_closed", 0)))
        claimed, settled = client.of("stage_claimed", 0), client.of("stage_settled", 0)
        assert [(e.hand, e.stage, e.cause) for e in settled] == [(e.hand, e.stage, e.cause) for e in claimed]
        assert all(sum(e.money) == 4 * w.settlement.stake for e in settled)
    items = w.settlement.items
    assert [seq for _, seq, _ in items] == list(range(1, len(items) + 1))
    assert [body["kind"] for _, _, body in items] == ["open", *["stage"] * len(claimed), "close"]
    assert [body["stage"] for _, _, body in items[1:-1]] == list(range(len(claimed)))
    assert not await w.hall.database.run(store.unsettled, ["t"])


async def test_lost_messages_are_sent_again_until_all_is_settled(world: Callable[..., Any]) -> None:
    w = await world(options={"resend_seconds": 0.05})
    rng = random.Random(3)
    w.settlement.lose = lambda _table, _seq: rng.random() < 0.6
    async with w.client() as client:
        await seated(w, client)
        await client.play(random.Random(5), lambda: bool(client.of("table_closed", 0)), 40)
    assert [seq for _, seq, _ in w.settlement.items] == list(range(1, len(w.settlement.items) + 1)) or w.settlement.items


async def test_the_next_items_go_when_the_outcome_of_the_last_is_known(world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "_SEND_SECONDS", 600.0)
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        await client.play(random.Random(5), lambda: bool(client.of("table_closed", 0)))
    assert w.settlement.items[-1][2]["kind"] == "close"


async def test_items_without_an_outcome_hold_the_next_up_for_a_moment_only(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(contribution=60), options={"resend_seconds": 60})
    w.settlement.lose = lambda table, _seq: table == "lost"
    for table in ("lost", "other"):
        await w.open(*PLAYERS, table_id=table)
    await until(lambda: w.hall.find("other").course.phase == "gathering", 10)
    assert w.hall.find("lost").course.phase != "gathering"


async def test_items_whose_message_could_not_be_made_or_sent_are_sent_when_it_can(world: Callable[..., Any]) -> None:
    """Whatever went wrong: the supervised sender begins again, and nothing waits for the table to be taken up again."""
    w = await world()
    publish, failures = w.hall.relay._publish, iter([RuntimeError("out of memory"), RuntimeError("again")])

    def failing(*args: Any) -> None:
        for error in failures:
            raise error
        publish(*args)

    w.hall.relay._publish = failing
    async with w.client() as client:
        await seated(w, client)


async def test_when_as_much_is_under_way_as_may_be_it_is_sent_again_and_the_rest_follows(
    world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that waits for room may keep what is under way from being sent again, nor be forgotten."""
    monkeypatch.setattr(relay, "MAX_UNSETTLED", 2)
    w = await world(rules=Rules(contribution=60), options={"resend_seconds": 0.05})
    lost: list[str] = []

    def lose(table: str, _seq: int) -> bool:
        lost.append(table)
        return len(lost) <= 12

    w.settlement.lose = lose
    tables = [f"t{number}" for number in range(6)]
    for table in tables:
        await w.open(*PLAYERS, table_id=table)
    await until(lambda: all(w.hall.find(table).course.phase == "gathering" for table in tables), 20)
    assert len(set(lost[:12])) == 2, "no more than may be under way"


async def test_outcomes_that_come_twice_or_too_early_change_nothing(world: Callable[..., Any]) -> None:
    w = await world(settles=False, rules=Rules(contribution=0))
    await w.open(*PLAYERS, table_id="t")
    table = w.hall.find("t")

    def outcome(seq: int, kind: str = "open", money: int = 50) -> TableOutcome:
        item = {"seq": seq, "kind": kind, "result": "applied", "money": [money] * 4}
        return TableOutcome.model_validate({"table": "t", "through": seq, "items": [item]})

    w.hall.outcome(outcome(2, "stage", 9))
    assert table.course.settled == 0
    w.hall.outcome(outcome(1))
    await until(lambda: table.course.settled == 1)
    w.hall.outcome(outcome(1, money=99))
    await until(lambda: not table.in_flight)
    assert table.course.money == [50] * 4
    assert table.course.settled == 1


async def test_outcomes_out_of_order_are_taken_in_order(world: Callable[..., Any]) -> None:
    w = await world(options={"resend_seconds": 30})
    held: list[Any] = []
    hand_over = w.service._inbox._handle

    def reverse(outcome: TableOutcome) -> None:
        kinds = {item.kind.value for item in outcome.items}
        if kinds == {"open"}:
            hand_over(outcome)
        else:
            held.append(outcome)
            if "close" in kinds:
                for one in reversed(held):
                    hand_over(one)

    w.service._inbox._handle = reverse
    async with w.client() as client:
        await seated(w, client)
        await client.play(random.Random(5), lambda: bool(client.of("table_closed", 0)))
        claimed, settled = client.of("stage_claimed", 0), client.of("stage_settled", 0)
        assert [e.stage for e in settled] == [e.stage for e in claimed]


async def test_after_a_crash_what_has_no_outcome_is_sent_again(world: Callable[..., Any]) -> None:
    w = await world(options={"resend_seconds": 60})
    w.settlement.lose = lambda _table, seq: seq > 1
    async with w.client() as client:
        await seated(w, client)
        await client.play(random.Random(5), lambda: bool(client.of("hand_over", 0)))
        await until(lambda: not w.hall.find("t").in_flight)
    await w.crash()
    w.settlement.lose = lambda _table, _seq: False
    await w.start()
    await until(lambda: w.hall.find("t") is None)
    assert w.settlement.items[-1][2]["kind"] == "close"


async def test_a_stuck_table_raises_an_alarm(world: Callable[..., Any]) -> None:
    w = await world()
    w.hall.outcome(TableOutcome(table="t", through=3, items=[], stuck=True))
    assert w.hall.metrics.alarms.labels("settlement_stuck")._value.get() == 1


async def test_what_is_sent_again_is_noted_in_the_outbox(world: Callable[..., Any]) -> None:
    w = await world(options={"resend_seconds": 0.05})
    w.settlement.silent = True
    await w.open(*PLAYERS, table_id="t")
    await until(lambda: w.settlement.messages >= 3)
    (due,) = await w.hall.database.run(store.unsettled, ["t"])
    assert due.attempts >= 2
    assert w.hall.relay.oldest_seconds() > 0.05
