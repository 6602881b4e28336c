"""The shuffle's handshake: committed before the deal, the players' bytes in it, provable afterwards."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from collections.abc import Callable
from typing import Any

from games.verify import Verifier
from services.kit import rpc
from tests.table.client import Client
from tests.table.play import PLAYERS, until
from tests.table.world import Rules
from xuezhan.api.table.v1 import table_pb2 as pb

BYTES = [bytes([seat]) * 16 for seat in range(4)]
HASHES = [hashlib.sha256(given).digest() for given in BYTES]


async def committed(w: Any, client: Client, hashes: dict[int, bytes]) -> pb.HandCommitted:
    opened = await w.open(*PLAYERS, table_id="t")
    for token in opened.tokens:
        await client.attach(token.seat, token.token, contribution_hash=hashes.get(token.seat, b""))
    await client.wait_for("attached", 3)
    await client.until(lambda: bool(client.of("hand_committed", 0) or client.of("view", 0)[-1].HasField("committed")))
    seen: list[pb.HandCommitted] = client.of("hand_committed", 0)
    found: pb.HandCommitted = seen[0] if seen else client.of("view", 0)[-1].committed
    return found


async def test_the_hand_is_dealt_with_the_bytes_that_the_players_showed(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        published = await committed(w, client, {0: HASHES[0], 2: HASHES[2]})
        assert list(published.contribution_hashes) == [HASHES[0], b"", HASHES[2], b""]
        assert not client.of("dealt")
        await client.send(pb.Input(seat_ref=0, reveal=pb.Reveal(contribution=BYTES[0])))
        await client.wait_for("contribution_revealed", 1)
        assert not client.of("dealt")
        await client.send(pb.Input(seat_ref=2, reveal=pb.Reveal(contribution=BYTES[2])))
        await client.wait_for("dealt", 0)
        assert [(e.seat, e.contribution) for e in client.of("contribution_revealed", 3)] == [(0, BYTES[0]), (2, BYTES[2])]
        await client.play(random.Random(1), lambda: bool(client.of("table_closed", 0)))
        (over,) = client.of("hand_over", 0)
        assert hashlib.sha256(over.seed).digest() == published.commitment
        assert list(over.contributions) == [BYTES[0], b"", BYTES[2], b""]
    async with w.stub() as stub:
        answer = await stub.GetRecord(pb.GetRecordRequest(table_id="t"), metadata=rpc.metadata(w.reader_token()))
    record = json.loads(answer.records[0])
    assert record["contributions"] == [BYTES[0].hex(), None, BYTES[2].hex(), None]
    assert Verifier().check(record) == {"ok": True}


async def test_bytes_that_do_not_fit_are_refused_and_those_withheld_are_named(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(contribution=2))
    async with w.client() as client:
        await committed(w, client, {0: HASHES[0], 1: HASHES[1]})
        for ref, given in ((0, BYTES[1]), (0, b"short"), (3, BYTES[3])):
            await client.send(pb.Input(seat_ref=ref, reveal=pb.Reveal(contribution=given)))
        await client.until(lambda: len(client.answers) == 3)
        assert {answer.refused for answer in client.answers} == {"malformed"}
        assert not client.of("dealt")
        await client.wait_for("dealt", 0)
        assert [(e.seat, e.contribution) for e in client.of("contribution_revealed", 2)] == [(0, b""), (1, b"")]
        # Too late now.
        await client.send(pb.Input(seat_ref=0, reveal=pb.Reveal(contribution=BYTES[0])))
        await client.until(lambda: len(client.answers) == 4)


async def test_without_a_hash_nobody_is_waited_for(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(contribution=60))
    async with w.client() as client:
        await committed(w, client, {})
        await client.until(lambda: 0 in client.offers, 5)


async def test_a_hash_of_another_size_counts_as_none(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        assert list((await committed(w, client, {0: b"xx"})).contribution_hashes) == [b""] * 4


async def test_players_who_do_not_come_are_waited_for_only_so_long(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(contribution=0.3))
    loop = asyncio.get_running_loop()
    started = loop.time()
    await w.open(*PLAYERS, table_id="t")
    await until(lambda: w.hall.find("t").course.hand is not None)
    assert loop.time() - started >= 0.3


async def test_nothing_is_dealt_before_the_stakes_are_bound(world: Callable[..., Any]) -> None:
    w = await world(rules=Rules(contribution=0), options={"resend_seconds": 0.1})
    w.settlement.silent = True
    async with w.client() as client:
        opened = await w.open(*PLAYERS, table_id="t")
        await client.attach_all(opened)
        await client.wait_for("view", 3)
        await until(lambda: w.settlement.messages >= 2)
        assert w.hall.find("t").course.hand_no == 0
        assert client.of("view", 0)[0].state == pb.TABLE_STATE_OPEN
        w.settlement.silent = False
        await client.wait_for("dealt", 0)


async def test_a_table_whose_stakes_cannot_be_bound_is_called_off(world: Callable[..., Any]) -> None:
    w = await world()
    w.settlement.refuse_open = True
    async with w.client() as client:
        opened = await w.open(*PLAYERS, table_id="t")
        assert opened.state == pb.TABLE_STATE_OPEN
        await client.attach_all(opened)
        await until(lambda: w.hall.find("t") is None)
        again = await w.open(*PLAYERS, table_id="t")
        assert again.state == pb.TABLE_STATE_CALLED_OFF
        await client.caught_up()
        assert not client.of("dealt")
        assert [body["kind"] for _, _, body in w.settlement.items] == ["open"]


async def test_the_seed_is_in_no_row_before_the_hand_is_over(world: Callable[..., Any]) -> None:
    from services.table import store

    w = await world(rules=Rules(contribution=0))
    await w.open(*PLAYERS, table_id="t")
    await until(lambda: w.hall.find("t").course.hand is not None and not w.hall.find("t").in_flight)
    rows = (await w.hall.database.run(store.read_journal, ["t"]))["t"]
    seed = w.hall.find("t").course.seed
    assert seed.hex() not in "".join(row.body for row in rows)
