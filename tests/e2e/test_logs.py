"""The logs of an installation: one filter tells a player's whole way, and every line says who wrote it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.e2e.installation import Embedded, report

STEPS = ("ticket_made", "matched", "stake_held", "seated", "attached", "hand_over", "left", "settled")


def lines(log: str) -> list[dict[str, Any]]:
    """The lines of a log; what else was written between them is left out."""
    return [json.loads(line) for line in log.splitlines() if line.startswith("{")]


def test_the_lines_of_one_player_tell_their_way_in_order_and_no_line_is_without_its_service(tmp_path: Path) -> None:
    with Embedded(tmp_path, "--fast", "--log-level", "info") as up:
        with up.load("--tables", 2, "--hands", 1, "--run", "way") as load:
            assert report(load, seconds=120)["ok"]
        up.process.terminate()
        written = lines(up.process.output())
    for number in range(8):
        way = [line for line in written if line.get("player") == f"load-way-{number}"]
        assert [line["event"] for line in way if line["event"] in STEPS] == list(STEPS), way
        assert len(way) <= len(STEPS) + 2, "a line a step, not one an action"
        (match,) = {line["match"] for line in way if "match" in line}
        by = {line["event"]: line for line in way}
        assert by["ticket_made"]["request"]
        assert by["stake_held"]["request"] != by["ticket_made"]["request"]
        assert (by["hand_over"]["hand"], by["left"]["reason"]) == (1, "finished")
        assert by["settled"]["coins"] > 0
        hold = next(line for line in written if line["event"] == "seated" and line["match"] == match)
        assert hold["request"] == by["stake_held"]["request"], "the saga that seats them is one request"
        roles = [line["service"].partition("/")[0] for line in way if line["event"] in STEPS]
        assert roles == ["matchmaking", "matchmaking", "settlement", "matchmaking", "table", "table", "table", "worker"]
    assert {line["service"].partition("/")[0] for line in written} == {"matchmaking", "table", "settlement", "worker"}
    assert [line for line in written if not line.get("service")] == []
