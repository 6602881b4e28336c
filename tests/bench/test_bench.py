"""`make bench` runs and says everything it is to say. What it measures says nothing here: the machine is busy with tests."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.report import Row, table
from games.registry import GAMES
from games.score import valued
from tests.support.source import ROOT


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "bench", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_quick_run_of_the_rules_prints_a_row_for_every_game_and_writes_what_ran_on_what(tmp_path: Path) -> None:
    done = bench("rules", "--quick", "--json", str(tmp_path / "figures.json"))
    assert done.returncode == 0, done.stderr
    wanted = [f"{game}: random-bot hands" for game in GAMES]
    wanted += [f"{game}: full valuation of a win" for game in valued()]
    wanted += ["waits of a hand of 13", "crazy_duel: reading a play with four jokers"]
    assert [what for what in wanted if what not in done.stdout] == []
    written = json.loads((tmp_path / "figures.json").read_text())
    assert written["ran_on"]["packages"]["grpcio"] in done.stdout
    assert {row["what"] for row in written["rows"]} >= set(wanted)
    assert all(row["value"] > 0 for row in written["rows"] if row["value"] is not None)


def test_an_unknown_group_is_refused_with_the_groups_there_are() -> None:
    done = bench("speed")
    assert done.returncode == 2
    assert "speed: no such group; there are rules, table, moves, gateway, memory, flood, settlement, peers" in done.stderr


@pytest.mark.parametrize(
    ("row", "met"),
    [
        (Row("g", "w", 30, "hands/s", "them 1/s", 30, 25), True),
        (Row("g", "w", 30, "hands/s", "them 1/s", 20, 25), False),
        (Row("g", "w", 30, "us", target=50, at_most=True), True),
        (Row("g", "w", 60, "us", target=50, at_most=True), False),
        (Row("g", "w", 60, "us", "them 50 us", 1.2, 1.3, at_most=True), True),
        (Row("g", "w", 60, "us"), None),
        (Row("g", "w", None, "us", target=50), None),
    ],
)
def test_a_target_is_a_bound_on_the_ratio_or_on_the_value_where_there_is_none(row: Row, met: bool | None) -> None:
    assert row.met is met


def test_the_table_says_which_target_is_missed() -> None:
    shown = table([Row("g", "fast", 30, "/s", "them 1/s", 30, 25), Row("g", "slow", 2, "/s", "them 1/s", 2, 25, note="why")])
    _head, fast, slow, note = shown.splitlines()
    assert fast.split()[-1] == "yes"
    assert slow.split()[-1] == "NO"
    assert note.strip() == "(why)"
