"""An option that a game is given later leaves what was recorded before as it was (CONTRIBUTING.md, "Add a rule option")."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from games.option_table import Flag, Option, OptionTable, Room
from games.registry import GAMES, ruleset
from games.simulate import simulate
from games.verify import Verifier

GAME = GAMES["crazy_xuezhan"]


def with_option(option: Option) -> OptionTable:
    """The options of the game with one more, which its default room turns on."""
    first, *others = GAME.options.rooms
    rooms = (Room(first.id, first.name, {**first.sets, option.name: True}), *others)
    return replace(GAME.options, options=(*GAME.options.options, option), rooms=rooms)


def enter(monkeypatch: pytest.MonkeyPatch, *, added: bool) -> None:
    options = with_option(Option("kongs_earn", Flag(), default=False, added=added))
    monkeypatch.setitem(GAMES, "crazy_xuezhan", GAME._replace(options=options))


@pytest.fixture
def old() -> dict[str, Any]:
    """A record from before."""
    (record,) = simulate("crazy_xuezhan", 1, "add an option")
    return json.loads(json.dumps(record))  # type: ignore[no-any-return]


def test_an_old_record_means_what_it_meant(old: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    enter(monkeypatch, added=True)
    assert ruleset("crazy_xuezhan", {}).options["kongs_earn"] is True
    assert Verifier().check(old) == {"ok": True}
    assert "kongs_earn" not in old["options"]


def test_a_new_record_names_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    enter(monkeypatch, added=True)
    (record,) = simulate("crazy_xuezhan", 1, "add an option")
    assert record["options"]["kongs_earn"] is True
    assert Verifier().check(json.loads(json.dumps(record))) == {"ok": True}


def test_an_option_that_every_record_has_must_be_there(old: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    enter(monkeypatch, added=False)
    assert Verifier().check(old) == {"error": "options: not every option with its resolved value"}
