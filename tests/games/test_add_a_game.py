"""A game is one package and one entry in games/registry.py: shown with tests/games/quick_xuezhan.py, entered for the time of a test."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from games.crazy_xuezhan import fans
from games.crazy_xuezhan.rules import PLAYERS
from games.registry import GAMES, Game, ruleset
from games.score import valued, waits_line
from games.simulate import simulate
from games.verify import Verifier
from services.kit import rpc
from tests.games import quick_xuezhan
from tests.games.mahjong_conformance import MahjongConformance
from tests.games.quick_xuezhan import OPTIONS, QuickXuezhan
from tests.table.play import until
from tests.table.world import Rules, World
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.cli.load.plan import named

SOURCE = Path(quick_xuezhan.__file__).read_text("utf-8")
ENTRY = Game(OPTIONS, QuickXuezhan, (PLAYERS,), valuer=fans.valuer)
"""What stands in the list of games/registry.py."""


@pytest.fixture(autouse=True)
def entered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enter the game, and do nothing else."""
    monkeypatch.setitem(GAMES, OPTIONS.game, ENTRY)


class TestQuickXuezhan(MahjongConformance):
    """It keeps what every game keeps."""

    rules = ENTRY.rules(OPTIONS.resolve({}), PLAYERS)


@pytest.fixture
def records() -> list[dict[str, Any]]:
    """Hands as `xuezhan simulate` writes them."""
    return [json.loads(json.dumps(record)) for record in simulate("quick_xuezhan", 30, "add a game")]


def test_what_is_simulated_is_verified(records: list[dict[str, Any]]) -> None:
    verifier = Verifier()
    assert [verifier.check(record) for record in records] == [{"ok": True}] * 30


def test_four_void_suits_are_named_and_nothing_is_exchanged(records: list[dict[str, Any]]) -> None:
    for record in records:
        does = [action["do"] for action in record["actions"]]
        assert does[:4] == ["void"] * 4
        assert not {"void", "exchange"} & {*does[4:]}


def test_no_claim_is_larger_than_three_fans(records: list[dict[str, Any]]) -> None:
    multiples = [multiple for record in records for stage in record["stages"] for *_, multiple in stage["claims"]]
    assert max(multiples) == 1000
    assert ruleset("quick_xuezhan", {"cap": 2}).largest_claim == 100


def test_its_hands_are_valued_on_their_own() -> None:
    seven_pairs = {"concealed": "1122334455667m"}
    assert waits_line("quick_xuezhan", {}, seven_pairs)["waits"][-1]["multiple"] == 10_000
    assert waits_line("quick_xuezhan", {"room": "quick"}, seven_pairs)["waits"][-1]["multiple"] == 1000
    assert valued()[-1] == "quick_xuezhan"


def test_load_runs_can_play_it() -> None:
    assert named(["quick_xuezhan"]) == ("quick_xuezhan",)


class Quick(Rules):
    """A room of the game, as a studio would write it."""

    def text(self) -> str:
        return super().text().replace('"crazy_xuezhan"', '"quick_xuezhan"').replace('"mayou"', '"quick"')


async def test_a_table_of_bots_plays_it_to_the_end(tmp_path: Path) -> None:
    async with World(tmp_path, rules=Quick()) as w, w.stub() as stub:
        await w.open(None, None, None, None, table_id="t", room="quick_xuezhan/quick")
        await until(lambda: w.hall.find("t") is None, 60)
        answer = await stub.GetRecord(pb.GetRecordRequest(table_id="t"), metadata=rpc.metadata(w.reader_token()))
    record = json.loads(answer.records[0])
    assert record["rules"] == "quick_xuezhan/1"
    assert Verifier().check(record) == {"ok": True}


def imported(source: str) -> Iterator[str]:
    """The modules that a source imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None
            yield node.module


def test_the_game_is_under_60_lines() -> None:
    assert len(SOURCE.splitlines()) < 60


def test_the_game_imports_rules_and_nothing_that_needs_an_entry_of_its_own() -> None:
    """What the list is made from cannot ask the list; whatever else a game must not import, its arrows forbid."""
    modules = set(imported(SOURCE))
    assert {module.partition(".")[0] for module in modules} == {"__future__", "typing", "games"}
    assert not modules & {"games.registry", "games.options", "games.bots", "games.score", "games.simulate", "games.verify"}
