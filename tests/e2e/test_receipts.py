"""What players keep of their hands agrees with the signed records of a real server, also when it is killed meanwhile."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import json_lines, xuezhan
from tests.e2e.installation import Embedded, figure
from tests.support.process import wait_until
from xuezhan.cli.load.plan import Plan
from xuezhan.cli.load.run import LoadRun
from xuezhan.cli.where import find

pytestmark = pytest.mark.timeout(300)
GAMES = ("crazy_xuezhan", "happy_sichuan", "kaxinwu", "crazy_duel")


def played(up: Embedded, kept: Path, *, hands: int, kills: int) -> tuple[dict[str, Any], list[list[dict[str, Any]]]]:
    """The report of a load run over all games, whose players keep their receipts, and the records of its tables."""
    addresses = (up.addresses[part] for part in ("matchmaking", "table", "settlement"))
    where = find(up.folder / "data", up.keys, *addresses)

    async def load() -> tuple[dict[str, Any], list[str]]:
        run = LoadRun(Plan(GAMES, (), 12, hands, "kept", bots="greedy", leave=0.01), where)
        found = await run.run()
        run._clients[0].receipts.save(kept)
        return found, list(run.tally.tables)

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(lambda: asyncio.run(load()))
        for number in range(kills):
            wait_until(lambda: (figure(up.metrics["table"], "xuezhan_table_actions_total") or 0) > 300, seconds=90, what="300 actions")
            assert not running.done(), f"the load is over before kill number {number + 1}"
            up.process.kill()
            up.start()
        found, tables = running.result()
    return found, up.records(tables)


@pytest.mark.parametrize(
    ("hands", "kills"),
    [(3, 0), (3, 1), pytest.param(30, 14, marks=[pytest.mark.drill, pytest.mark.timeout(900)])],
    ids=["", "killed", "14"],
)
def test_the_records_of_a_server_agree_with_what_every_player_kept(tmp_path: Path, hands: int, kills: int) -> None:
    kept = tmp_path / "kept.jsonl"
    with Embedded(tmp_path) as up:
        found, tables = played(up, kept, hands=hands, kills=kills)
    assert (found["errors"], found["faults"]) == ([], {})
    lines = [json.loads(line) for line in kept.read_text().splitlines()]
    assert len({(line["table"], line["hand"]) for line in lines if "seed" in line}) >= found["hands"] // 2
    (key,) = (up.keys / "table" / "records" / "public").glob("*.pem")
    records = [record for table in tables for record in table]
    ran = xuezhan("verify-record", "--key", key, "--receipts", kept, stdin=json_lines(records))
    assert [line for line in ran.lines if line.get("ok") is not True] == []
    assert ran.status == 0
    assert {line["signed"] for line in ran.lines} == {"yes"}
    players = [record["players"] for record in records]
    assert sum(line["entropy"] for line in ran.lines) > 0.9 * sum(players), (
        "a player's bytes are in every hand, not only in a table's first"
    )
