"""Options and rooms as data."""

from __future__ import annotations

import json

import pytest

from games.option_table import Choice, Flag, Option, OptionError, OptionTable, Room, Whole
from games.options import asked_cap, resolve
from games.registry import GAMES, ruleset
from games.simulate import simulate
from games.verify import Verifier


@pytest.mark.parametrize(("room", "cap"), [("mayou", 4), ("dashi", 4), ("dianfeng", 5), ("wangzhe", 6)])
def test_each_room_of_crazy_xuezhan_has_its_cap(room: str, cap: int) -> None:
    assert resolve("crazy_xuezhan", {"room": room}) == {"phases": "void_exchange", "cap": cap, "room": room}


def test_by_default_the_room_is_mayou_and_the_void_suit_is_chosen_first() -> None:
    assert resolve("crazy_xuezhan", {}) == {"phases": "void_exchange", "cap": 4, "room": "mayou"}


def test_an_option_that_is_given_goes_before_the_room() -> None:
    given = {"phases": "exchange_void", "cap": "7", "room": "wangzhe"}
    assert resolve("crazy_xuezhan", given) == {"phases": "exchange_void", "cap": 7, "room": "wangzhe"}
    assert resolve("crazy_xuezhan", {"cap": 7})["cap"] == 7


@pytest.mark.parametrize("null", [None, "null"])
def test_null_stands_for_the_default(null: object) -> None:
    assert resolve("crazy_xuezhan", {"cap": null, "room": null, "phases": null}) == resolve("crazy_xuezhan", {})


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"cap": 0}, "cap: 0 is not a whole number from 1 to 15"),
        ({"cap": "0"}, "cap: '0' is not a whole number from 1 to 15"),
        ({"cap": 16}, "cap: 16 is not a whole number from 1 to 15"),
        ({"cap": "-1"}, "cap: '-1' is not a whole number from 1 to 15"),
        ({"cap": True}, "cap: True is not a whole number from 1 to 15"),
        ({"cap": 4.0}, r"cap: 4\.0 is not a whole number from 1 to 15"),
        ({"cap": "four"}, "cap: 'four' is not a whole number from 1 to 15"),
        ({"cap": "٤"}, "cap: '٤' is not a whole number from 1 to 15"),
        ({"cap": "9" * 5000}, "cap: '9{59}… is not a whole number from 1 to 15"),
        ({"cap": "04"}, "cap: '04' is not a whole number from 1 to 15"),
        ({"cap": ""}, "cap: '' is not a whole number from 1 to 15"),
        ({"phases": "void"}, "phases: 'void' is not one of void_exchange, exchange_void"),
        ({"phases": 1}, "phases: 1 is not one of void_exchange, exchange_void"),
        ({"room": "No Where"}, "room: 'No Where' is not 1 to 32 of the characters a-z 0-9 _"),
        ({"room": "x" * 33}, f"room: '{'x' * 33}' is not 1 to 32 of the characters a-z 0-9 _"),
        ({"room": "wide\n"}, r"room: 'wide\\n' is not 1 to 32 of the characters a-z 0-9 _"),
        ({"room": ["mayou"]}, r"room: \['mayou'\] is not 1 to 32 of the characters a-z 0-9 _"),
        ({"mode": "single"}, "mode: crazy_xuezhan has no such option; it has cap, phases, room"),
    ],
)
def test_an_option_that_cannot_be_used_is_named(given: dict[str, object], error: str) -> None:
    with pytest.raises(OptionError, match=f"^{error}$") as caught:
        resolve("crazy_xuezhan", given)
    assert caught.value.option in given


def test_a_room_that_a_rooms_file_adds_has_what_the_default_room_has_unless_options_say_otherwise() -> None:
    assert resolve("crazy_xuezhan", {"room": "harbour"}) == {"phases": "void_exchange", "cap": 4, "room": "harbour"}
    assert resolve("crazy_xuezhan", {"room": "harbour", "cap": 9})["cap"] == 9
    assert resolve("happy_sichuan", {"room": "harbour"}) == {"mode": "xuezhan", "cap": None, "kong_draw_fan": 1, "room": "harbour"}
    assert resolve("crazy_duel", {"room": "harbour"}) == {"rated": False, "room": "harbour"}
    assert ruleset("kaxinwu", {"room": "harbour"}).base == 1
    assert asked_cap("crazy_xuezhan", {"room": "harbour"}) == 4
    assert asked_cap("happy_sichuan", {"room": "harbour"}) is None


@pytest.mark.parametrize("game", list(GAMES))
def test_a_hand_in_a_room_that_a_rooms_file_adds_is_simulated_and_its_record_verifies(game: str) -> None:
    (record,) = simulate(game, 1, "harbour", {"room": "harbour"})
    assert record["options"]["room"] == "harbour"
    assert Verifier().check(json.loads(json.dumps(record))) == {"ok": True}


def test_an_unknown_game_is_named() -> None:
    with pytest.raises(OptionError, match=r"^game: 'riichi' is not one of crazy_xuezhan"):
        resolve("riichi", {})


def test_a_hand_valued_on_its_own_has_a_cap_only_if_cap_or_room_is_given() -> None:
    assert asked_cap("crazy_xuezhan", {}) is None
    assert asked_cap("crazy_xuezhan", {"phases": "exchange_void"}) is None
    assert asked_cap("crazy_xuezhan", {"cap": "null", "room": None}) is None
    assert asked_cap("crazy_xuezhan", {"cap": "3"}) == 3
    assert asked_cap("crazy_xuezhan", {"room": "wangzhe"}) == 6
    assert asked_cap("crazy_xuezhan", {"room": "wangzhe", "cap": "null"}) == 6
    assert asked_cap("crazy_xuezhan", {"room": "wangzhe", "cap": 2}) == 2


ANY = OptionTable(
    game="any",
    options=(
        Option("cap", Whole(1, 9, null=True)),
        Option("strict", Flag(), default=False),
        Option("mode", Choice(("long", "short")), "long"),
    ),
    rooms=(Room("open", "不封顶"), Room("three", "三番场", {"cap": 3, "strict": True})),
    default_room="open",
)


def test_where_null_is_a_value_it_goes_before_the_room_too() -> None:
    assert ANY.resolve({"room": "three"}) == {"cap": 3, "strict": True, "mode": "long", "room": "three"}
    assert ANY.resolve({"room": "three", "cap": "null"})["cap"] is None
    assert ANY.resolve({})["cap"] is None


def test_a_flag_is_true_or_false_and_nothing_else() -> None:
    assert [ANY.resolve({"strict": value})["strict"] for value in (True, "true", False, "false", None)] == [True, True, False, False, False]
    for value in (1, 0, "yes", "True", ""):
        with pytest.raises(OptionError, match=r"strict: .* is neither true nor false"):
            ANY.resolve({"strict": value})


def test_which_options_came_after_the_first_release_is_known() -> None:
    assert {name: set(game.options.added) for name, game in GAMES.items() if game.options.added} == {"crazy_duel": {"rated"}}
