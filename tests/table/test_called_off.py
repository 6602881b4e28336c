"""Hands that are called off: published for one of a few reasons, with all that their deal needs and all that was done."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from games.verify import Verifier
from services.table import store, store_records
from services.table.ending import CalledOff
from services.table.rows import Kind
from tests.table.play import PLAYERS, until
from tests.table.shuffling import come, committed, deal_signed, given, hash_of, played, reveal, sit
from tests.table.test_duel import Duel, Duelist, items, records
from xuezhan.api.table.v1 import table_pb2 as pb

BOTH = {seat: hash_of(seat, 1) for seat in (0, 1)}


def call_off(w: Any, why: CalledOff = CalledOff.OPERATOR, by: str = "op-7") -> None:
    table = w.hall.find("t")
    table.send(partial(table.call_off, why, by))


async def closed(w: Any) -> None:
    await until(lambda: w.hall.open and w.hall.find("t") is None)


async def test_an_operator_calls_a_hand_off_and_everybody_is_told_who_did_it(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(hands=3, contribution=60))
    async with w.client() as client:
        await sit(w, client, BOTH)
        shown = await committed(client, 1)
        for seat in (0, 1):
            await reveal(client, seat, given(seat, 1))
        table = Duelist(w, client)
        await table.dealt(1)
        await table.lead()
        await table.skip()
        call_off(w)
        for seat in (0, 1):
            (over,) = await client.wait_for("hand_over", seat)
            assert (over.hand, over.called_off, over.called_off_by) == (1, "operator", "op-7")
            assert hashlib.sha256(over.seed).digest() == shown.commitment
            assert list(over.contributions) == [given(0, 1), given(1, 1)]
            assert (await client.wait_for("table_closed", seat))[0].reason == "called_off_operator"
        dealt = deal_signed(client, 1)
        assert dealt is not None
    (record,) = await records(w)
    assert (record["called_off"], record["called_off_by"]) == ("operator", "op-7")
    assert [action["do"] for action in record["actions"]] == ["play", "pass"]
    assert len(record["times"]) == 2
    assert "result" not in record
    assert record["deal"] == hashlib.sha256(dealt.signed.statement.encode()).hexdigest()
    assert Verifier().check(record) == {"ok": True}
    assert [item["kind"] for item in items(w, "stage", "close")] == ["close"]


async def test_a_hand_called_off_while_its_bytes_are_awaited_has_a_record(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(contribution=60))
    async with w.client() as client:
        await sit(w, client, BOTH)
        shown = await committed(client, 1)
        await reveal(client, 1, given(1, 1))
        await client.wait_for("contribution_revealed", 0)
        call_off(w)
        (over,) = await client.wait_for("hand_over", 0)
        assert over.called_off == "operator"
        assert hashlib.sha256(over.seed).digest() == shown.commitment
        await client.wait_for("table_closed", 0)
    (record,) = await records(w)
    assert record["contributions"] == [None, given(1, 1).hex()]
    assert record["contribution_hashes"] == [hash_of(0, 1).hex(), hash_of(1, 1).hex()]
    assert record["commit"] == hashlib.sha256(shown.signed.statement.encode()).hexdigest()
    assert (record["deal"], record["actions"], record["times"], record["withheld"]) == (None, [], [], [])
    assert "wall" not in record
    assert Verifier().check(record) == {"ok": True}


async def test_answers_that_nothing_has_come_of_yet_are_in_the_record(world: Callable[..., Any]) -> None:
    """They were accepted; a player's receipt for one must not contradict the record."""
    w = await world()
    async with w.client() as client:
        await client.attach_all(await w.open(*PLAYERS, table_id="t"))
        await client.until(lambda: len(client.offers) == 4)
        for seat in (2, 1):
            act = pb.Act(decision=client.offers[seat].decision, do=pb.DO_VOID, suit=1)  # type: ignore[arg-type]
            assert (await client.act(seat, act)).refused == ""
        call_off(w)
        await client.wait_for("table_closed", 0)
    (record,) = await records(w)
    assert [(action["seat"], action["do"]) for action in record["actions"]] == [(1, "void"), (2, "void")]
    assert Verifier().check(record) == {"ok": True}


async def spoil(w: Any, kind: Kind, change: str) -> None:
    """Change the first row of a kind in the database, as a damaged disk would."""
    statement = f"UPDATE journal SET {change} WHERE seq = (SELECT min(seq) FROM journal WHERE kind = '{kind}')"
    await w.hall.database.run(lambda connection: connection.exec_driver_sql(statement))


async def begun(w: Any, client: Any) -> tuple[pb.OpenTableResponse, pb.HandCommitted]:
    """A hand with both players' bytes, and two actions."""
    opened = await sit(w, client, BOTH)
    shown = await committed(client, 1)
    for seat in (0, 1):
        await reveal(client, seat, given(seat, 1))
    table = Duelist(w, client)
    await table.dealt(1)
    await table.lead()
    await table.skip()
    return opened, shown


async def test_a_hand_whose_journal_cannot_be_played_again_is_called_off_with_all_that_was_accepted(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(contribution=60))
    async with w.client() as client:
        opened, shown = await begun(w, client)
    w.settlement.silent = True
    await spoil(w, Kind.ACT, "digest = 'other'")
    await w.crash()
    await w.start()
    async with w.client() as client:
        await come(client, opened)
        over = (await client.wait_for("view", 0))[0].over
        assert (over.hand, over.called_off, over.called_off_by) == (1, "replay_failed", "")
        assert hashlib.sha256(over.seed).digest() == shown.commitment
        w.settlement.silent = False
        await client.wait_for("table_closed", 0)
    (record,) = await records(w)
    assert record["called_off"] == "replay_failed"
    assert [action["do"] for action in record["actions"]] == ["play", "pass"]
    assert record["seed"] == over.seed.hex()
    assert record["contributions"] == [given(0, 1).hex(), given(1, 1).hex()]


async def test_a_hand_of_rules_that_the_server_does_not_have_is_called_off(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(contribution=60))
    async with w.client() as client:
        await begun(w, client)
    await spoil(w, Kind.DEAL, "body = replace(body, 'crazy_duel/1', 'crazy_duel/0')")
    await w.crash()
    await w.start()
    await closed(w)
    (record,) = await records(w)
    assert (record["called_off"], record["rules"]) == ("rules_unknown", "crazy_duel/0")
    assert [action["do"] for action in record["actions"]] == ["play", "pass"]
    assert record["deal"] is not None
    assert "wall" not in record


async def test_a_hand_whose_deal_key_is_lost_is_called_off_without_its_seed(
    world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from services.table import shuffle

    w = await world(rules=Duel(contribution=60))
    async with w.client() as client:
        _, shown = await begun(w, client)
    monkeypatch.setattr(shuffle, "seed", lambda *_: None)
    await w.crash()
    await w.start()
    await closed(w)
    (record,) = await records(w)
    assert (record["called_off"], record["seed"], record["commitment"]) == ("deal_key_lost", None, shown.commitment.hex())
    assert record["commit"] == hashlib.sha256(shown.signed.statement.encode()).hexdigest()


async def test_a_table_that_fails_between_two_hands_does_not_call_off_the_one_that_is_over(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(hands=2, contribution=0, rest=60))
    async with w.client() as client:
        await sit(w, client)
        await played(w, client, 1)
        await until(lambda: w.hall.find("t").course.phase == "gathering" and not w.hall.find("t").in_flight)
        before = client.of("hand_over", 0)[0].seed
    await spoil(w, Kind.ACT, "seat = 1 - seat")
    await w.crash()
    await w.start()
    await closed(w)
    (record,) = await records(w)
    assert record["hand"] == 1
    assert "called_off" not in record
    assert record["seed"] == before.hex()
    (row,) = [row for row in (await w.hall.database.run(store.read_journal, ["t"]))["t"] if row.kind is Kind.CALLED_OFF]
    assert json.loads(row.body)["ended"] is None


async def test_coins_that_do_not_settle_call_off_no_hand(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(hands=2, contribution=0))
    async with w.client() as client:
        await sit(w, client)
        await committed(client, 1)
        w.settlement.silent = True
        w.hall.settle_seconds = 0.3
        await played(w, client, 1)
        table = w.hall.find("t")
        await until(lambda: table.course.phase == "settling")
        w.settlement.silent = False
        assert (await client.wait_for("table_closed", 0))[0].reason == "called_off_settlement_stuck"
        assert [over.called_off for over in client.of("hand_over", 0)] == [""]
    assert [record.get("called_off") for record in await records(w)] == [None]


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
@pytest.mark.parametrize("dealt", [False, True])
async def test_a_server_killed_after_it_called_a_hand_off_still_publishes_that(
    world: Callable[..., Any], request: pytest.FixtureRequest, database: str, dealt: bool
) -> None:
    url = request.getfixturevalue("postgres").new_database("table") if database == "postgres" else ""
    w = await world(rules=Duel(contribution=60), database_url=url)
    w.hall.archive._build = lambda _ends: []
    async with w.client() as client:
        if dealt:
            opened, shown = await begun(w, client)
        else:
            opened = await sit(w, client, BOTH)
            shown = await committed(client, 1)
        w.settlement.silent = True
        call_off(w)
        (over,) = await client.wait_for("hand_over", 0)
        number = client.numbers(0)[-1]
    assert (await w.hall.database.run(store_records.read, "t", 0)) == [(1, None)]
    await w.crash()
    await w.start()
    async with w.client() as client:
        await client.attach(0, opened.tokens[0].token, last_number=number)
        await client.attach(1, opened.tokens[1].token)
        view = (await client.wait_for("view", 1))[0]
        assert view.over == over
        w.settlement.silent = False
        await client.wait_for("table_closed", 0)
        assert client.numbers(0)[-1] == number + 1
    (record,) = await records(w)
    assert record["called_off"] == "operator"
    assert record["called_off_by"] == "op-7"
    assert len(record["actions"]) == (2 if dealt else 0)
    assert record["commitment"] == shown.commitment.hex()
    assert Verifier().check(record) == {"ok": True}


async def test_who_comes_when_the_hand_is_over_still_sees_how_it_ended(world: Callable[..., Any]) -> None:
    """After a restart too, when no event is kept any more; not once the next hand has begun."""
    w = await world(rules=Duel(hands=2, contribution=0, rest=0.5))
    async with w.client() as client:
        opened = await sit(w, client)
        await committed(client, 1)
        w.settlement.silent = True
        await played(w, client, 1)
        (over,) = client.of("hand_over", 0)
    await w.crash()
    await w.start()
    async with w.client() as client:
        await come(client, opened)
        view = (await client.wait_for("view", 0))[0]
        assert view.over == over
        w.settlement.silent = False
        await committed(client, 2)
        await client.send(pb.Input(seat_ref=0, resync=pb.Resync()))
        await client.until(lambda: client.of("view", 0)[-1].committed.hand == 2)
        assert not client.of("view", 0)[-1].HasField("over")


def test_reasons_are_those_of_the_contract() -> None:
    """A reason is never a free text: players, records and operators read these names."""
    contract = (Path(__file__).parents[2] / "protos/xuezhan/api/table/v1/table.proto").read_text("utf-8")
    said = contract[contract.index("Set when the hand was called off") : contract.index("string called_off = 7")]
    assert set(said.split('"')[1::2]) == {str(why) for why in CalledOff}
