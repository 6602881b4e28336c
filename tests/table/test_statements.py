"""The signed statements about a hand: to the byte, the same for everybody and after any kill, and without a secret."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from services.kit import rpc
from services.table import shuffle, store
from services.table.rows import Kind
from tests.table.play import Gate, until
from tests.table.shuffling import (
    ROOM,
    come,
    commitment,
    committed,
    contribute,
    deal_signed,
    given,
    hash_of,
    played,
    read,
    reveal,
    sit,
    turn_record_key,
)
from tests.table.test_duel import Duel, records
from xuezhan.api.table.v1 import table_pb2 as pb

BOTH = {seat: hash_of(seat, 1) for seat in (0, 1)}


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


async def test_the_commitment_and_the_deal_are_stated_to_the_byte(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(contribution=2))
    key, installation = w.hall.signer.key.public, w.hall.signer.installation
    async with w.client() as client:
        before = w.hall.unix_ms()
        await sit(w, client, BOTH)
        shown = await committed(client, 1)
        await reveal(client, 1, given(1, 1))
        await client.until(lambda: deal_signed(client, 1) is not None)
        dealt = deal_signed(client, 1)
        assert dealt is not None
        stated = read(shown.signed, key)
        assert before <= stated.pop("at") <= w.hall.unix_ms()
        assert stated == {
            "type": "xuezhan/commit/1",
            "installation": installation,
            "table": "t",
            "hand": 1,
            "game": "crazy_duel",
            "rules": "crazy_duel/1",
            "options": {"rated": False, "room": "beginner"},
            "deck": "cards",
            "base": 100,
            "seats": ["ann", "bob"],
            "money": list(shown.money),
            "hashes": [hash_of(0, 1).hex(), hash_of(1, 1).hex()],
            "commitment": shown.commitment.hex(),
        }
        assert read(dealt.signed, key) == {
            "type": "xuezhan/deal/1",
            "installation": installation,
            "table": "t",
            "hand": 1,
            "commit": sha(shown.signed.statement),
            "bytes": [None, given(1, 1).hex()],
            "withheld": [0],
        }
        await client.wait_for("cards_dealt", 1)
        order = [event.WhichOneof("what") for ref, _, event in client.events if ref == 1]
        place = order.index("deal_signed")
        assert order[place - 1 : place + 2] == ["contribution_revealed", "deal_signed", "cards_dealt"]


async def test_a_bot_is_null_in_the_statements(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel())
    async with w.client() as client:
        opened = await w.open("ann", None, table_id="t", room=ROOM)
        await client.attach(0, opened.tokens[0].token, contribution_hash=hash_of(0, 1))
        shown = await committed(client, 1)
        await reveal(client, 0, given(0, 1))
        await client.until(lambda: deal_signed(client, 1) is not None)
        stated = json.loads(shown.signed.statement)
        assert (stated["seats"], stated["hashes"]) == (["ann", None], [hash_of(0, 1).hex(), None])
        dealt = deal_signed(client, 1)
        assert dealt is not None
        assert json.loads(dealt.signed.statement)["bytes"] == [given(0, 1).hex(), None]


async def test_a_mahjong_table_names_its_suits(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        opened = await w.open("ann", None, None, None, table_id="t")
        await client.attach(0, opened.tokens[0].token)
        stated = json.loads((await committed(client, 1)).signed.statement)
        assert (stated["deck"], stated["seats"]) == ("mps", ["ann", None, None, None])
        assert stated["options"] == {"cap": 4, "phases": "void_exchange", "room": "mayou"}


async def test_everybody_is_shown_the_same_bytes_whenever_they_come(world: Callable[..., Any]) -> None:
    """Events of both seats and of a watcher, and the views of who attaches, resyncs or watches late."""
    w = await world(rules=Duel(contribution=2))
    async with w.client() as client, w.client() as late, w.stub() as stub:
        await w.open("ann", "bob", table_id="t", room=ROOM)
        watch = stub.Watch(pb.WatchRequest(table_id="t"), metadata=rpc.metadata(w.viewer_token()))
        watched: list[pb.Event] = [(await watch.read()).events[0]]
        opened = await sit(w, client, BOTH)
        await committed(client, 1)
        await reveal(client, 0, given(0, 1))
        await client.until(lambda: deal_signed(client, 1) is not None and deal_signed(client, 1, 1) is not None)
        while not any(event.HasField("deal_signed") for event in watched):
            watched += (await watch.read()).events
        again = stub.Watch(pb.WatchRequest(table_id="t"), metadata=rpc.metadata(w.viewer_token()))
        view = (await again.read()).events[0].view
        await late.attach(1, opened.tokens[1].token)
        await late.wait_for("view", 1)
        await client.send(pb.Input(seat_ref=0, resync=pb.Resync()))
        await client.until(lambda: client.of("view", 0)[-1].HasField("deal_signed"))
        resync = client.of("view", 0)[-1]
        commits = [
            *(one.signed.SerializeToString() for seat in (0, 1) if (one := commitment(client, 1, seat)) is not None),
            *(event.hand_committed.signed.SerializeToString() for event in watched if event.HasField("hand_committed")),
            *(one.committed.signed.SerializeToString() for one in (view, late.of("view", 1)[0], resync)),
        ]
        deals = [
            *(dealt.signed.SerializeToString() for seat in (0, 1) if (dealt := deal_signed(client, 1, seat)) is not None),
            *(event.deal_signed.signed.SerializeToString() for event in watched if event.HasField("deal_signed")),
            *(one.deal_signed.signed.SerializeToString() for one in (view, late.of("view", 1)[0], resync)),
        ]
        assert (len(commits), len(set(commits))) == (6, 1)
        assert (len(deals), len(set(deals))) == (6, 1)


STEPS = ["committed", "one revealed", "dealt", "played", "over"]


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
@pytest.mark.parametrize("step", STEPS)
async def test_a_server_that_is_killed_says_the_same_again(
    world: Callable[..., Any], request: pytest.FixtureRequest, step: str, database: str
) -> None:
    """Between the commitment and the deal, between the deal and the end, and after it. Another record key is in use afterwards."""
    url = request.getfixturevalue("postgres").new_database("table") if database == "postgres" else ""
    w = await world(rules=Duel(contribution=60), database_url=url)
    key = w.hall.signer.key.public
    async with w.client() as client:
        opened = await sit(w, client, BOTH)
        shown = (await committed(client, 1)).signed
        if step != "committed":
            await reveal(client, 0, given(0, 1))
            await client.wait_for("contribution_revealed", 1)
        if step in STEPS[2:]:
            await reveal(client, 1, given(1, 1))
            await client.until(lambda: deal_signed(client, 1) is not None)
        if step in STEPS[3:]:
            w.settlement.silent = True
            await client.until(lambda: bool(client.offers))
            leader = next(iter(client.offers))
            first = next(seat for seat in (0, 1) if client.offers.get(seat))
            assert leader == first
        if step == "over":
            await played(w, client, 1)
        first_deal = deal_signed(client, 1)
        assert (first_deal is not None) == (step in STEPS[2:])
    turn_record_key(w)
    await w.crash()
    await w.start()
    assert w.hall.signer.key.key_id != key.key_id
    async with w.client() as client:
        await come(client, opened, {seat: hash_of(seat, 1) for seat in (0, 1)})
        again = (await committed(client, 1)).signed
        assert again == shown
        assert read(again, key)["hand"] == 1
        if step in STEPS[:2]:
            for seat in (0, 1):
                await reveal(client, seat, given(seat, 1))
            await client.until(lambda: deal_signed(client, 1) is not None)
        dealt = deal_signed(client, 1)
        assert dealt is not None
        if first_deal is not None:
            assert dealt == first_deal
        assert json.loads(dealt.signed.statement)["bytes"] == [given(0, 1).hex(), given(1, 1).hex()]
        w.settlement.silent = False
        if step == "over":
            view = client.of("view", 0)[0]
            assert (view.over.hand, view.over.called_off) == (1, "")
            assert hashlib.sha256(view.over.seed).digest() == view.committed.commitment
        else:
            await played(w, client, 1)
    (record,) = await records(w)
    assert (record["commit"], record["deal"]) == (sha(shown.statement), sha(dealt.signed.statement))
    assert (record["withheld"], record["installation"]) == ([], w.hall.signer.installation)


async def test_a_commitment_that_was_not_stored_was_never_shown(world: Callable[..., Any]) -> None:
    """The server is killed before: another one is made then, under the same number."""
    w = await world(rules=Duel(contribution=60))
    async with w.client() as client:
        opened = await w.open("ann", "bob", table_id="t", room=ROOM)
        await client.attach(0, opened.tokens[0].token, contribution_hash=hash_of(0, 1))
        await until(lambda: w.hall.find("t").course.phase == "gathering" and not w.hall.find("t").in_flight)
        gate = Gate(w)
        await client.attach(1, opened.tokens[1].token, contribution_hash=hash_of(1, 1))
        await asyncio.to_thread(gate.waiting.wait, 10)
        lost = w.hall.find("t").course.committed
        assert commitment(client, 1) is None

        def never(*_: Any) -> Any:
            raise OSError("killed")

        gate._append = never
        w.hall.journal._owns = lambda: False
        gate.let_go()
    await w.crash()
    await w.start()
    async with w.client() as client:
        await come(client, opened, BOTH)
        shown = await committed(client, 1)
        assert shown.commitment != lost.commitment
    rows = (await w.hall.database.run(store.read_journal, ["t"]))["t"]
    assert [json.loads(row.body)["hand"] for row in rows if row.kind is Kind.COMMIT] == [1]


async def test_hand_numbers_have_no_gaps_over_kills(world: Callable[..., Any]) -> None:
    w = await world(rules=Duel(hands=4, contribution=60))
    opened = None
    for hand in (1, 2, 3, 4):
        async with w.client() as client:
            opened = opened or await w.open("ann", "bob", table_id="t", room=ROOM)
            await come(client, opened, {seat: hash_of(seat, hand) for seat in (0, 1)})
            await committed(client, hand)
            for seat in (0, 1):
                await reveal(client, seat, given(seat, hand))
            w.settlement.silent = True
            await played(w, client, hand)
        if hand < 4:
            await w.crash()
            await w.start()
        w.settlement.silent = False
    assert [record["hand"] for record in await records(w)] == [1, 2, 3, 4]


async def test_the_seed_is_in_nothing_that_leaves_the_server_before_the_end(
    world: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    """Not in an event, a view, a statement, a row, a figure or a log line; nor is what it is made of shown to anybody."""
    w = await world(rules=Duel(contribution=60))
    async with w.client() as client, w.stub() as stub:
        opened = await sit(w, client, BOTH)
        await committed(client, 1)
        seed = w.hall.find("t").course.seed
        watch = stub.Watch(pb.WatchRequest(table_id="t"), metadata=rpc.metadata(w.viewer_token()))
        seen = [(await watch.read()).SerializeToString()]
        for seat in (0, 1):
            await reveal(client, seat, given(seat, 1))
        await client.until(lambda: deal_signed(client, 1) is not None)
        await come(client, opened, BOTH)
        seen += [event.SerializeToString() for _, _, event in client.events]
        seen.append((await asyncio.to_thread(metrics, w.running.metrics_port)).encode())
        seen.append("".join(capfd.readouterr()).encode())
        rows = (await w.hall.database.run(store.read_journal, ["t"]))["t"]
        nonce = next(json.loads(row.body)["nonce"] for row in rows if row.kind is Kind.COMMIT)
        assert shuffle.seed(w.hall.deal_keys, w.hall.deal_keys.current, "t", 1, nonce) == seed
        for data in seen:
            assert seed not in data
            assert seed.hex().encode() not in data
            assert nonce.encode() not in data
        stored = await w.hall.database.run(lambda connection: connection.connection.driver_connection.iterdump())
        assert seed.hex() not in "".join(stored)
        await played(w, client, 1)
        assert client.of("hand_over", 0)[0].seed == seed


def metrics(port: int) -> str:
    import urllib.request

    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        return answer.read().decode()  # type: ignore[no-any-return]


async def test_contributing_to_a_hand_tells_nobody_else(world: Callable[..., Any]) -> None:
    """Whether another player takes part is seen in the commitment, not before."""
    w = await world(rules=Duel(hands=2, contribution=60))
    async with w.client() as client, w.client() as other:
        opened = await w.open("ann", "bob", table_id="t", room=ROOM)
        await client.attach(0, opened.tokens[0].token)
        await other.attach(1, opened.tokens[1].token, contribution_hash=hash_of(1, 1))
        await committed(other, 1, 1)
        await committed(client, 1)
        before = client.numbers(0), len(client.events)
        for hand in (2, 3, 4):
            await contribute(other, 1, hash_of(1, hand))
        await client.send(pb.Input(seat_ref=0, resync=pb.Resync()))
        await client.wait_for("view", 0, 2)
        assert (client.numbers(0), len(client.events)) == (before[0], before[1] + 1)
