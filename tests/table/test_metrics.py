"""What a scrape shows of tables that were played."""

from __future__ import annotations

import random
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from services.kit import rpc
from services.kit.errors import InvalidArgumentError
from services.table import store
from services.table.rows import Kind
from tests.table.play import seated, until
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb

ROOM = {"game": "crazy_xuezhan", "tier": "mayou"}


def scrape(w: Any) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    with urllib.request.urlopen(f"http://127.0.0.1:{w.running.metrics_port}/metrics", timeout=5) as answer:
        families = text_string_to_metric_families(answer.read().decode())
        return {(s.name, tuple(sorted(s.labels.items()))): s.value for family in families for s in family.samples}


def value(figures: Any, name: str, **labels: str) -> float:
    found: float = figures.get((f"xuezhan_table_{name}", tuple(sorted(labels.items()))), 0.0)
    return found


async def test_the_counters_of_a_hand_equal_its_journal(world: Callable[..., Any]) -> None:
    import asyncio

    w = await world()
    async with w.client() as client:
        await seated(w, client)
        live = await asyncio.to_thread(scrape, w)
        assert value(live, "tables", **ROOM) == 1
        assert value(live, "seats", **ROOM) == 4
        await client.act(0, pb.Act(decision=1, action_id=3, do=pb.DO_WIN))
        await client.act(0, pb.Act(decision=9, action_id=4, do=pb.DO_VOID, suit=mj.SUIT_M))
        await client.play(random.Random(1), lambda: bool(client.of("table_closed", 0)))
        await until(lambda: w.hall.find("t") is None)
        accepted = sum(not answer.refused for answer in client.answers)
    figures = await asyncio.to_thread(scrape, w)
    rows = (await w.hall.database.run(store.read_journal, ["t"]))["t"]
    assert value(figures, "actions_total", **ROOM) == sum(row.kind is Kind.ACT for row in rows)
    assert value(figures, "hands_total", end="played", **ROOM) == 1
    assert value(figures, "refusals_total", reason="not_offered", **ROOM) == 1
    assert value(figures, "refusals_total", reason="stale", **ROOM) >= 1
    assert value(figures, "action_durable_seconds_count") == accepted
    assert value(figures, "action_durable_seconds_bucket", le="+Inf") == accepted
    assert value(figures, "journal_batch_rows_sum") == len(rows)
    assert value(figures, "tables", **ROOM) == 0
    assert value(figures, "oldest_item_seconds") == 0


async def test_lists_come_in_pages_and_by_room(world: Callable[..., Any]) -> None:
    w = await world(settles=False)
    for number in range(5):
        await w.open(f"a{number}", f"b{number}", None, None, table_id=f"t{number}")
    async with w.stub() as stub:
        token = w.viewer_token()
        first = await rpc.call(stub.ListTables, pb.ListTablesRequest(page_size=3), token)
        assert [table.table_id for table in first.tables] == ["t0", "t1", "t2"]
        assert first.tables[0].seats[0].player_id == "a0"
        rest = await rpc.call(stub.ListTables, pb.ListTablesRequest(page_size=3, page_token=first.next_page_token), token)
        assert ([table.table_id for table in rest.tables], rest.next_page_token) == (["t3", "t4"], "")
        for none in ("t 2", "../t", "x" * 65):
            with pytest.raises(InvalidArgumentError) as refused:
                await rpc.call(stub.ListTables, pb.ListTablesRequest(page_token=none), token)
            assert refused.value.reason == "page_token"
        of_room = await rpc.call(stub.ListTables, pb.ListTablesRequest(room_id="crazy_xuezhan/mayou"), token)
        assert len(of_room.tables) == 5
