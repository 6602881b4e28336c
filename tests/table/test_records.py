"""Hand records: signed, stored once, and given out byte for byte."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from games.verify import Verifier
from services.kit import rpc
from services.kit.errors import ServiceError, UnavailableError
from services.table import archive, store, store_records
from services.table import records as building
from services.table.rows import Kind
from tests.table.play import PLAYERS, seated, until
from tests.table.shuffling import committed, deal_signed, given, hash_of, played, reveal, sit, turn_record_key
from tests.table.test_duel import Duel
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import signed


async def texts(w: Any, hand: int = 0, table: str = "t") -> list[str]:
    async with w.stub() as stub:
        request = pb.GetRecordRequest(table_id=table, hand=hand)
        return list((await rpc.call(stub.GetRecord, request, w.reader_token())).records)


async def stored(w: Any) -> dict[int, str | None]:
    return dict(await w.hall.database.run(store_records.read, "t", 0))


async def test_a_record_says_what_was_committed_to_and_is_signed(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(contribution=2))
    async with w.client() as client:
        await sit(w, client, {seat: hash_of(seat, 1) for seat in (0, 1)})
        shown = await committed(client, 1)
        await reveal(client, 0, given(0, 1))
        await played(w, client, 1)
        dealt = deal_signed(client, 1)
        assert dealt is not None
    (text,) = await texts(w)
    record = signed.read(text)
    signature = record.pop("signature")
    assert signature["key_id"] == w.hall.signer.key.key_id
    assert w.hall.signer.key.public.verifies(signed.canonical(record), bytes.fromhex(signature["value"]))
    wanted = {
        "type": "xuezhan/record/1",
        "installation": w.hall.signer.installation,
        "commit": hashlib.sha256(shown.signed.statement.encode()).hexdigest(),
        "deal": hashlib.sha256(dealt.signed.statement.encode()).hexdigest(),
        "contribution_hashes": [hash_of(0, 1).hex(), hash_of(1, 1).hex()],
        "contributions": [given(0, 1).hex(), None],
        "withheld": [1],
        "seats": ["ann", "bob"],
        "money": list(shown.money),
        "base": 100,
    }
    assert {name: record[name] for name in wanted} == wanted
    assert len(record["times"]) == len(record["actions"])
    assert Verifier().check(record) == {"ok": True}


async def test_the_record_of_each_game_is_canonical_and_verifies(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        await client.play(random.Random(1), lambda: bool(client.of("table_closed", 0)))
    (text,) = await texts(w)
    record = signed.read(text)
    assert text.encode() == signed.canonical(record)
    assert Verifier().check(record) == {"ok": True}


async def test_a_record_is_given_out_byte_for_byte_under_another_key_too(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(hands=2))
    key = w.hall.signer.key.key_id
    async with w.client() as client:
        await sit(w, client)
        await played(w, client, 1)
        first = await texts(w)
    turn_record_key(w)
    await w.crash()
    await w.start()
    assert w.hall.signer.key.key_id != key
    assert await texts(w) == first
    assert json.loads(first[0])["signature"]["key_id"] == key


async def test_a_record_waits_for_no_settlement(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel())
    async with w.client() as client:
        await sit(w, client)
        await committed(client, 1)
        w.settlement.silent = True
        await played(w, client, 1)
        (text,) = await texts(w, 1)
    record = json.loads(text)
    assert record["coins"][0]["after"] != record["money"]
    assert Verifier().check(record) == {"ok": True}


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
async def test_a_record_that_a_crash_kept_from_being_stored_is_built_at_the_next_start(
    world: Callable[..., Any], request: pytest.FixtureRequest, database: str
) -> None:
    """The same, but for the key that is in use then, whether its table has closed meanwhile or not."""
    url = request.getfixturevalue("postgres").new_database("table") if database == "postgres" else ""
    w = await world(rules=Duel(hands=2, contribution=2), database_url=url)
    made: list[str] = []
    build = w.hall.archive._build

    def kept(ends: Any) -> Any:
        made.extend(text for _, _, text in build(ends))
        return []

    w.hall.archive._build = kept
    async with w.client() as client:
        await sit(w, client, {0: hash_of(0, 1)})
        await committed(client, 1)
        await reveal(client, 0, given(0, 1))
        await played(w, client, 1)
        await played(w, client, 2)
        await client.wait_for("table_closed", 0)
    await until(lambda: len(made) == 2)
    assert await stored(w) == {1: None, 2: None}
    turn_record_key(w)
    await w.crash()
    await w.start()
    again = await texts(w)
    assert len(again) == 2
    for before, after in zip(map(json.loads, made), map(json.loads, again), strict=True):
        assert before.pop("signature")["key_id"] != after.pop("signature")["key_id"]
        assert before == after


async def test_a_hand_is_due_from_the_row_that_ends_it(world: Callable[..., Any]) -> None:
    """Neither earlier nor later: else a crash would leave a hand without record, or a record without its hand."""
    w = await world(rules=Duel())
    w.hall.archive._build = lambda _ends: []
    async with w.client() as client:
        await sit(w, client)
        await committed(client, 1)
        w.settlement.silent = True
        table = w.hall.find("t")
        await client.until(lambda: bool(client.offers))
        assert await stored(w) == {}
        await played(w, client, 1)
        assert await stored(w) == {1: None}
        assert table.course.finished == 1


async def test_times_are_in_the_journal_and_in_the_record(world: Callable[..., Any]) -> None:
    """So that a player can be shown whether their time ran out."""
    w = await world(rules=Duel(turn=0.4, contribution=0))
    began = w.hall.unix_ms()
    async with w.client() as client:
        await sit(w, client)
        await client.wait_for("table_closed", 0, seconds=60)
    (text,) = await texts(w)
    record = json.loads(text)
    rows = (await w.hall.database.run(store.read_journal, ["t"]))["t"]
    assert all(began <= row.at <= w.hall.unix_ms() for row in rows if row.at is not None)
    assert [row.at for row in rows] == sorted(row.at for row in rows if row.at is not None)
    (dealt,) = [row.at for row in rows if row.kind is Kind.DEAL]
    assert record["times"] == [row.at - dealt for row in rows if row.kind is Kind.ACT]
    ran_out = [at for at, action in zip(record["times"], record["actions"], strict=True) if action.get("auto")][:2]
    assert all(390 <= later - earlier <= 3_000 for earlier, later in pairwise([0, *ran_out]))


async def test_records_are_refused_until_the_hand_is_over(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(hands=2))

    async def refused(hand: int) -> str:
        with pytest.raises(ServiceError) as error:
            await texts(w, hand)
        return error.value.reason

    async with w.client() as client:
        await sit(w, client)
        await committed(client, 1)
        assert [await refused(hand) for hand in (0, 1, 2)] == ["not_over", "not_over", "no_such_hand"]
        await played(w, client, 1)
        assert len(await texts(w, 1)) == 1
        await committed(client, 2)
        assert [await refused(hand) for hand in (2, 3)] == ["not_over", "no_such_hand"]
        await played(w, client, 2)
        await until(lambda: w.hall.find("t") is None)
    assert [json.loads(text)["hand"] for text in await texts(w)] == [1, 2]
    assert await refused(3) == "no_such_hand"


async def test_a_record_that_cannot_be_built_raises_an_alarm_and_keeps_no_other_back(
    world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "_LEFT_SECONDS", 0.02)
    w = await world(rules=Duel(hands=2))
    build, look = building.text, w.hall.archive._build_what_is_left
    looks: list[None] = []

    async def looked() -> None:
        looks.append(await look())

    def broken(end: Any, signer: Any) -> str:
        if end.number == 1:
            raise RuntimeError("a fault of ours")
        return build(end, signer)

    monkeypatch.setattr(building, "text", broken)
    async with w.client() as client:
        await sit(w, client)
        await played(w, client, 1)
        await played(w, client, 2)
        assert json.loads((await texts(w, 2))[0])["hand"] == 2
    # Nor does it alarm anew whenever it is looked for what is due.
    w.hall.archive._build_what_is_left = looked
    await until(lambda: len(looks) > 3)
    assert w.hall.metrics.alarms.labels("record_not_built")._value.get() == 1
    assert (await stored(w))[1] is None


async def test_records_are_stored_when_the_database_answers_again(world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    w = await world(rules=Duel())
    store_all, tries = store_records.store, []

    def away(*args: Any) -> None:
        tries.append(1)
        if len(tries) < 3:
            raise UnavailableError("database", "away")
        store_all(*args)

    monkeypatch.setattr(store_records, "store", away)
    async with w.client() as client:
        await sit(w, client)
        await played(w, client, 1)
        assert len(await texts(w)) == 1
    assert len(tries) == 3


async def test_coins_that_differ_from_the_rules_raise_an_alarm_and_change_no_record(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel())
    apply = w.settlement._apply

    def lie(table: str, seq: int, body: dict[str, Any]) -> dict[str, Any]:
        outcome = apply(table, seq, body)
        for move in outcome.get("moves", []):
            move["coins"] += 1
        return outcome  # type: ignore[no-any-return]

    w.settlement._apply = lie
    async with w.client() as client:
        await sit(w, client)
        await played(w, client, 1)
        await client.wait_for("table_closed", 0)
    assert w.hall.metrics.alarms.labels("coins_differ_from_rules")._value.get() == 1
    assert Verifier().check(json.loads((await texts(w))[0])) == {"ok": True}


async def test_many_hands_that_end_together_all_have_their_records(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel())
    tables = [f"t{number}" for number in range(30)]
    async with w.client() as client:
        for number, table in enumerate(tables):
            opened = await w.open("ann", "bob", table_id=table, room="crazy_duel/beginner")
            await client.attach_all(opened, 2 * number)
        await client.until(lambda: len(client.offers) >= len(tables))
        acts = [pb.Input(seat_ref=ref, act=pb.Act(do=pb.DO_LEAVE, action_id=1)) for ref in list(client.offers)[: len(tables)]]
        await client.send(*acts)
        await client.until(lambda: len(client.of("hand_over")) >= len(tables))
    found = [json.loads((await texts(w, 1, table))[0]) for table in tables]
    verifier = Verifier()
    assert [verifier.check(record) for record in found] == [{"ok": True}] * len(tables)


async def test_a_player_may_ask_at_once_when_a_hand_is_over(world: Callable[..., Any]) -> None:
    """The record may take a moment: it is waited for, not refused."""
    w = await world(rules=Duel())
    build = w.hall.archive._build

    def slow(ends: Any) -> Any:
        import time

        time.sleep(0.5)
        return build(ends)

    w.hall.archive._build = slow
    async with w.client() as client:
        await sit(w, client)
        await played(w, client, 1)
        assert (await stored(w))[1] is None
        assert len(await texts(w, 1)) == 1


async def test_a_player_may_ask_while_their_table_closes(world: Callable[..., Any]) -> None:
    """Its row was read while it was live, and it is gone when the row is looked at: the record is waited for all the same."""
    w = await world(rules=Duel())
    run = w.hall.database.run
    asked, closed = asyncio.Event(), asyncio.Event()

    async def held(work: Callable[..., Any], *args: Any) -> Any:
        if work is store_records.store:
            await asyncio.wait_for(closed.wait(), 5)
        found = await run(work, *args)
        if work is store.find_table:
            asked.set()
            await until(lambda: w.hall.find("t") is None)
            asyncio.get_running_loop().call_later(0.2, closed.set)
        return found

    async with w.client() as client:
        await sit(w, client)
        await committed(client, 1)
        w.settlement.silent = True
        w.hall.database.run = held
        await played(w, client, 1)
        reading = asyncio.create_task(texts(w))
        await asked.wait()
        w.settlement.silent = False
        assert len(await reading) == 1


async def test_an_order_of_answers_in_the_record_does_not_mix_up_their_times(world: Callable[..., Any]) -> None:
    """Answers to one question stand in seat order: their times need not ascend."""
    w = await world()
    async with w.client() as client:
        await w.open(*PLAYERS, table_id="t")
        opened = await w.open(*PLAYERS, table_id="t")
        await client.attach_all(opened)
        await client.until(lambda: len(client.offers) == 4)
        for seat in (3, 2, 1, 0):
            await asyncio.sleep(0.02)
            act = pb.Act(decision=client.offers[seat].decision, do=pb.DO_VOID, suit=1)  # type: ignore[arg-type]
            assert (await client.act(seat, act)).refused == ""
        await come_again(client)
        await client.play(random.Random(1), lambda: bool(client.of("table_closed", 0)))
    record = json.loads((await texts(w))[0])
    voids = [(action["seat"], at) for action, at in zip(record["actions"], record["times"], strict=True) if action["do"] == "void"]
    assert [seat for seat, _ in voids] == [0, 1, 2, 3]
    assert [at for _, at in voids] == sorted((at for _, at in voids), reverse=True)


async def come_again(client: Any) -> None:
    """Wait for what follows on the voids."""
    await client.wait_for("voids_shown", 0)
