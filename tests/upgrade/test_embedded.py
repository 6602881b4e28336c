"""A data folder of release 0.1.0 is taken up by the present one: live hands go on, what is over stays as it was."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import XUEZHAN, json_lines, xuezhan
from tests.e2e.installation import START_SECONDS, free_base, report
from tests.support.process import Process
from tests.upgrade.old import GAMES, LIVE_TABLES, lay_data_folder, rows


def test_live_hands_go_on_and_coins_ratings_and_records_stay(tmp_path: Path) -> None:
    data = lay_data_folder(tmp_path)
    done = [table for (table,) in rows(data, "table", "SELECT id FROM tables WHERE state = 'closed'")]
    ratings = rows(data, "settlement", "SELECT player, points FROM ratings WHERE player LIKE 'load-done-%' ORDER BY player")
    assert len(done) == 4
    assert ratings
    up = Process([XUEZHAN, "up", "--fast", "--data", data, "--port-base", str(free_base())], log=tmp_path / "up.log")
    up.start()
    try:
        up.wait_ready(lambda: "xuezhan is up" in up.output(), seconds=START_SECONDS)

        records = [xuezhan("replay", table, "--data", data).lines for table in done]
        assert [len(of_table) for of_table in records] == [1, 1, 1, 1]
        verdicts = xuezhan("verify-record", stdin=json_lines([record for of_table in records for record in of_table]))
        assert [line["ok"] for line in verdicts.lines] == [True] * 4

        load = Process(_load_again(data), log=tmp_path / "load.log")
        load.start()
        found = report(load, seconds=110)
        assert found["errors"] == []
        assert found["hands"] == found["records_checked"] >= LIVE_TABLES
        assert (found["records_wrong"], found["acknowledged_missing"], found["coins"]["mismatches"]) == (0, 0, 0)
        assert found["ok"]
        assert xuezhan("ledger", "check", "--data", data).status == 0
    finally:
        up.terminate()
    assert rows(data, "settlement", "SELECT player, points FROM ratings WHERE player LIKE 'load-done-%' ORDER BY player") == ratings


def _load_again(data: Path) -> list[str | Path]:
    """The load run whose players were at the tables: they come back to them."""
    room = ["--room", "crazy_duel/rating", "--bots", "greedy"]
    return [XUEZHAN, "load", "--run", "live", "--game", GAMES, "--tables", str(LIVE_TABLES), *room, "--data", data, "--json"]
