"""A hand from the opening of its table to its record."""

import gc
import json
import random
import weakref
from collections.abc import Callable
from typing import Any

from services.kit import rpc
from tests.table.play import until
from tests.table.world import ROOM
from xuezhan.api.table.v1 import table_pb2 as pb


async def test_a_table_of_players_is_dealt_played_settled_and_closed(world: Callable[..., Any]) -> None:
    """Four players over one stream play a hand to its end; its record is there afterwards."""
    w = await world()
    opened = await w.open("ann", "bob", "cem", "dee", table_id="first")
    async with w.client() as client:
        await client.attach_all(opened)
        await client.play(random.Random(1), lambda: bool(client.of("table_closed", 0)))
        for ref in range(4):
            numbers = client.numbers(ref)
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert not [answer for answer in client.answers if answer.refused not in {"", "stale"}]
        (over,) = client.of("hand_over", 0)
        assert sum(over.points) == 0
    async with w.stub() as stub:
        answer = await stub.GetRecord(pb.GetRecordRequest(table_id="first"), metadata=rpc.metadata(w.reader_token()))
    record = json.loads(answer.records[0])
    assert record["table"] == "first"
    assert record["seed"] == over.seed.hex()
    assert opened.tokens[0].player_id == "ann"
    assert ROOM.startswith(record["game"])


async def test_a_table_of_bots_plays_itself_to_the_end(world: Callable[..., Any]) -> None:
    """Nobody is attached; the bots play, the coins settle, the table closes."""
    w = await world()
    async with w.client():
        await w.open(None, None, None, None, table_id="bots")
        course = w.hall.find("bots").course
        await until(lambda: w.hall.find("bots") is None, 20)
        assert course.phase == "closed"


async def test_a_table_that_is_over_leaves_nothing_behind(world: Callable[..., Any]) -> None:
    """Not even for the collector of cycles: it is gone at once."""
    w = await world()
    async with w.client() as client:
        opened = await w.open("ann", "bob", "cem", "dee", table_id="t")
        await client.attach_all(opened)
        await client.wait_for("attached", 3)
        table = w.hall.find("t")
        kept = [weakref.ref(table), weakref.ref(table.course), weakref.ref(table.outlet), weakref.ref(table.seats[0])]
        del table
        gc.disable()
        try:
            await client.play(random.Random(1), lambda: bool(client.of("table_closed", 0)))
            await until(lambda: w.hall.find("t") is None)
            await until(lambda: not any(one() for one in kept[1:]))
        finally:
            gc.enable()
        assert not w.hall.tables
