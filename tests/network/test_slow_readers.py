"""Clients that read nothing, or one byte a second, and calls that are cancelled while what they asked for is being stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.network.players import NAMES, Party, assert_played_once, record
from tests.support.proxy import DOWN
from tests.table.play import Gate, until
from tests.table.world import Rules
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import Place


async def _never(proxy: Any) -> None:
    proxy.hold(DOWN)


async def _byte_by_byte(proxy: Any) -> None:
    proxy.chunk = 1
    proxy.delays[DOWN] = 1.0


@pytest.mark.parametrize("reads", [_never, _byte_by_byte])
async def test_a_client_that_does_not_read_harms_nobody_else(worlds: Callable[..., Any], reads: Callable[[Any], Any]) -> None:
    """It floods itself with views on top. The server plays its seat, the others' hand goes on, and what waits for it is bounded."""
    w, proxy = await worlds(rules=Rules(turn=0.3), options={"stream_bytes": 64 * 1024, "stream_events": 256})
    async with Party(w, f"127.0.0.1:{proxy.target}") as near:
        opened = await w.open(*NAMES)
        others = near.sit(opened, 1, 2, 3)
        async with w.client(address=proxy.address) as deaf:
            await deaf.attach(0, opened.tokens[0].token)
            await deaf.wait_for("attached")
            await reads(proxy)
            asking = asyncio.create_task(_ask_for_views(deaf))
            most = 0
            for player in others:
                while not player.over:
                    most = max(most, w.hall.pool.used)
                    player.changed.clear()
                    await asyncio.wait_for(player.changed.wait(), 30)
            asking.cancel()
            assert most < 512 * 1024
        proxy.break_all()
        assert_played_once(await record(w, opened.table_id), others)
        assert near.streams.broken == 0
    await until(lambda: not w.hall.streams)
    assert w.hall.pool.used == 0


async def _ask_for_views(client: Any) -> None:
    while True:
        await client.send(*(pb.Input(seat_ref=0, resync=pb.Resync()) for _ in range(50)))
        await asyncio.sleep(0.01)


async def test_a_program_that_ends_while_its_act_is_being_stored_finds_it_answered_when_it_comes_back(worlds: Callable[..., Any]) -> None:
    w, proxy = await worlds()
    opened = await w.open(*NAMES)
    async with Party(w, f"127.0.0.1:{proxy.target}") as near:
        others = near.sit(opened, 1, 2, 3)
        async with Party(w, proxy.address) as far:
            (ann,) = far.sit(opened, 0, waits_at=3)
            await ann.until(lambda: ann.offers == 3)
            gate = Gate(w)
            mine = ann.answer()
            await asyncio.to_thread(gate.waiting.wait, 10)
        await until(lambda: len(w.hall.streams) == 1)
        gate.let_go()
        async with Party(w, proxy.address) as again:
            (ann_again,) = again.sit(opened, 0, waits_at=1)
            await ann_again.until(lambda: ann_again.seat.attached)
            # The very same act, by its id: it was done, and is not done again.
            answer = await asyncio.wait_for(ann_again.seat.act(mine.act, mine.act.decision), 10)
            assert answer.refused == ""
            mine.answer = answer
            ann_again.acts = [*ann.acts, *ann_again.acts]
            ann_again.go_on()
            for player in (ann_again, *others):
                await player.until(player.done)
            assert_played_once(await record(w, opened.table_id), [ann_again, *others])


async def test_a_seat_whose_token_expires_on_its_open_stream_goes_on_with_a_fresh_one(worlds: Callable[..., Any]) -> None:
    """Its player notices nothing, and no other seat of the stream does."""
    w, proxy = await worlds(options={"seat_token_seconds": 2})
    opened = await w.open(*NAMES)
    fresh = 0

    async def relocate() -> Place:
        nonlocal fresh
        fresh += 1
        again = await w.open(*NAMES, table_id=opened.table_id)
        return Place(proxy.address, again.tokens[0].token, opened.table_id, 0)

    async with Party(w, proxy.address, relocate) as far, Party(w, f"127.0.0.1:{proxy.target}") as near:
        (ann,) = far.sit(opened, 0, waits_at=3)
        w.hall.settings = w.hall.settings.model_copy(update={"seat_token_seconds": 3600})
        again = await w.open(*NAMES, table_id=opened.table_id)
        others = near.sit(again, 1, 2, 3)
        await ann.until(lambda: "detached" in ann.names)
        await ann.until(lambda: ann.seat.attached and ann.offer is not None)
        ann.go_on()
        for player in (ann, *others):
            await player.until(player.done)
        assert fresh == 1
        assert far.streams.broken == near.streams.broken == 0
        assert_played_once(await record(w, opened.table_id), [ann, *others])
