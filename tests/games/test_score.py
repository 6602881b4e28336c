"""What `xuezhan score` and `xuezhan waits` answer to a line."""

from __future__ import annotations

from typing import Any

import pytest

from games.option_table import OptionError
from games.score import score_line, waits_line

GAME = "crazy_xuezhan"
WIN: dict[str, Any] = {"concealed": "123456789m1234p", "tile": "4p"}
KONGS: list[dict[str, str]] = [
    {"kind": "direct_kong", "tile": "1m"},
    {"kind": "added_kong", "tile": "2p"},
    {"kind": "concealed_kong", "tile": "8p"},
    {"kind": "direct_kong", "tile": "5m"},
]


def score(line: object, **options: object) -> dict[str, Any]:
    return score_line(GAME, options, line)


def waits(line: object, **options: object) -> dict[str, Any]:
    return waits_line(GAME, options, line)


def test_only_the_concealed_tiles_and_the_winning_tile_are_required() -> None:
    assert score(WIN) == {"win": True, "parts": [{"id": "standard", "name": "平胡", "fan": 0}], "fan": 0, "multiple": 1}


def test_every_field_of_a_win_is_heard() -> None:
    line = {
        "concealed": "5p",
        "melds": KONGS,
        "tile": "5p",
        "how": "self_draw",
        "kongs": 2,
        "last_tile": True,
        "first_draw": False,
        "dealer": True,
        "void": "s",
        "cap": 8,
        "comment": "fields that are not named are ignored",
    }
    assert score(line) == {
        "win": True,
        "parts": [
            {"id": "eighteen_arhats", "name": "十八罗汉", "fan": 6},
            {"id": "self_draw", "name": "自摸", "fan": 1},
            {"id": "kong_draw", "name": "杠上开花", "fan": 1},
            {"id": "last_draw", "name": "海底捞月", "fan": 1},
        ],
        "fan": 9,
        "multiple": 10**8,
    }


@pytest.mark.parametrize(("how", "fan"), [("self_draw", 1), ("discard", 0), ("robbed_kong", 1), (None, 0)])
def test_how_is_a_circumstance_and_null_is_none(how: str | None, fan: int) -> None:
    assert score(WIN | {"how": how})["fan"] == fan


def test_null_is_accepted_for_how_void_and_cap() -> None:
    assert score(WIN | {"how": None, "void": None, "cap": None}) == score(WIN)


def test_a_hand_that_does_not_win_says_why_and_void_suit_comes_first() -> None:
    assert score(WIN | {"tile": "5p"}) == {"win": False, "why": "no_shape"}
    assert score(WIN | {"void": "p"}) == {"win": False, "why": "void_suit"}
    assert score(WIN | {"void": "p", "tile": "5p"}) == {"win": False, "why": "void_suit"}
    assert score(WIN | {"void": "s"})["win"] is True
    assert score(WIN | {"tile": "1s", "void": "s"}) == {"win": False, "why": "void_suit"}, "the winning tile counts"
    pung = {"concealed": "123m123p5p", "melds": [{"kind": "pung", "tile": "9s"}, {"kind": "pung", "tile": "9m"}], "tile": "5p"}
    assert score(pung | {"void": "s"}) == {"win": False, "why": "void_suit"}, "melds count"


@pytest.mark.parametrize(
    ("options", "cap", "multiple"),
    [
        ({}, None, 10**6),
        ({"phases": "exchange_void"}, None, 10**6),
        ({"cap": "null"}, None, 10**6),
        ({"cap": "3"}, None, 10**3),
        ({"room": "dianfeng"}, None, 10**5),
        ({"room": "dianfeng", "cap": "2"}, None, 10**2),
        ({}, 1, 10),
        ({"room": "dianfeng"}, 1, 10),
        ({"cap": "1"}, 4, 10**4),
        ({}, 1000, 10**6),
    ],
)
def test_a_null_cap_is_no_cap_unless_the_option_cap_or_room_is_given(options: dict[str, object], cap: int | None, multiple: int) -> None:
    line = {"concealed": "5p", "melds": KONGS, "tile": "5p", "cap": cap}
    assert score(line, **options) | {"parts": []} == {"win": True, "parts": [], "fan": 6, "multiple": multiple}
    hand = {"concealed": "5p", "melds": KONGS, "cap": cap}
    assert waits(hand, **options) == {"ready": True, "waits": [{"tile": "5p", "fan": 6, "multiple": multiple}]}


def test_the_order_of_the_concealed_tiles_does_not_matter() -> None:
    assert score(WIN | {"concealed": "4p9m321p8765m4321m"}) == score(WIN)


def test_waits_are_listed_in_the_order_m_p_s_with_fan_and_multiple() -> None:
    assert waits({"concealed": "22334455p11s111m"}) == {
        "ready": True,
        "waits": [
            {"tile": "1m", "fan": 3, "multiple": 1000},  # 龙七对
            {"tile": "2p", "fan": 0, "multiple": 1},
            {"tile": "5p", "fan": 0, "multiple": 1},
            {"tile": "1s", "fan": 0, "multiple": 1},
        ],
    }
    assert [one["tile"] for one in waits({"concealed": "1113456666788s", "void": "m"})["waits"]] == ["2s", "5s", "7s", "8s"]


def test_a_hand_that_is_not_ready_has_no_waits() -> None:
    for line in (
        {"concealed": "1357m1357p13579s"},
        {"concealed": "123456789m1234p", "void": "p"},  # a void-suit tile is held
        {"concealed": "1111m222333p555p"},  # all four 1m are owned
        {"concealed": "1m", "melds": [{"kind": "pung", "tile": f"{rank}m"} for rank in (1, 2, 3, 4)]},
    ):
        assert waits(line) == {"ready": False, "waits": []}


def test_waits_of_the_void_suit_are_left_out() -> None:
    assert waits({"concealed": "123456789m11p22m", "void": "p"}) == {"ready": False, "waits": []}
    assert [one["tile"] for one in waits({"concealed": "123456789m11p22m", "void": "s"})["waits"]] == ["2m", "1p"]


PUNG = {"kind": "pung", "tile": "1p"}


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (None, "line: not a JSON object"),
        ([WIN], "line: not a JSON object"),
        ("", "line: not a JSON object"),
        ({"tile": "4p"}, "concealed: missing"),
        (WIN | {"concealed": None}, "concealed: None is not text"),
        (WIN | {"concealed": ["1m"]}, "concealed: ['1m'] is not text"),
        (WIN | {"concealed": "123456789m1234"}, "concealed: there is no suit after the last 4"),
        (WIN | {"concealed": "123456789m123z"}, "concealed: 'z' at character 14 is neither 1 to 9 nor a suit"),
        (WIN | {"concealed": "123456789m0123p"}, "concealed: '0' at character 11 is neither 1 to 9 nor a suit"),
        (WIN | {"concealed": "123456789mp"}, "concealed: 'p' at character 11 has no number before it"),
        (WIN | {"concealed": ""}, "concealed: 0 tiles with the melds, not 13"),
        (WIN | {"concealed": "123m"}, "concealed: 3 tiles with the melds, not 13"),
        (WIN | {"concealed": "123456789m123p"}, "concealed: 12 tiles with the melds, not 13"),
        (WIN | {"concealed": "123456789m12344p"}, "concealed: 14 tiles with the melds, not 13"),
        (WIN | {"melds": [PUNG]}, "concealed: 16 tiles with the melds, not 13"),
        (WIN | {"concealed": "11111m11223344p"}, "concealed: 5 of 1m with the melds and the winning tile"),
        (WIN | {"concealed": "111456789m111p5p", "melds": [PUNG | {"tile": "1m"}]}, "concealed: 16 tiles with the melds, not 13"),
        (WIN | {"concealed": "456789m112p5p", "melds": [PUNG]}, "concealed: 5 of 1p with the melds and the winning tile"),
        (
            WIN | {"concealed": "456789m123p5p", "melds": [PUNG | {"kind": "added_kong"}]},
            "concealed: 5 of 1p with the melds and the winning tile",
        ),
        (
            {"concealed": "1234m", "melds": [PUNG, PUNG, PUNG | {"tile": "3p"}], "tile": "1m"},
            "concealed: 6 of 1p with the melds and the winning tile",
        ),
        (WIN | {"concealed": "123456789m4444p"}, "concealed: 5 of 4p with the melds and the winning tile"),
        (WIN | {"melds": None}, "melds: not a list"),
        (WIN | {"melds": {}}, "melds: not a list"),
        (WIN | {"melds": [PUNG] * 5}, "melds: 5 of them, and a hand has 4 sets"),
        (WIN | {"melds": ["pung 1p"]}, "melds[0]: not a JSON object"),
        (WIN | {"melds": [PUNG, {"tile": "1p"}]}, "melds[1] kind: None is not one of pung, direct_kong, added_kong, concealed_kong"),
        (WIN | {"melds": [PUNG | {"kind": "chow"}]}, "melds[0] kind: 'chow' is not one of pung, direct_kong, added_kong, concealed_kong"),
        (WIN | {"melds": [{"kind": "pung"}]}, "melds[0] tile: None is not text"),
        (WIN | {"melds": [PUNG | {"tile": "1z"}]}, "melds[0] tile: unknown tile '1z'"),
        (WIN | {"melds": [PUNG | {"tile": 1}]}, "melds[0] tile: 1 is not text"),
        (WIN | {"void": "x"}, "void: unknown suit 'x'"),
        (WIN | {"void": ""}, "void: unknown suit ''"),
        (WIN | {"void": 0}, "void: 0 is not text"),
        (WIN | {"cap": 0}, "cap: 0 is below 1"),
        (WIN | {"cap": -3}, "cap: -3 is below 1"),
        (WIN | {"cap": True}, "cap: True is not a whole number"),
        (WIN | {"cap": "4"}, "cap: '4' is not a whole number"),
        (WIN | {"cap": 4.0}, "cap: 4.0 is not a whole number"),
    ],
)
def test_a_hand_that_cannot_lie_on_a_table_is_an_error_that_names_the_field(line: object, error: str) -> None:
    assert score(line) == {"error": error}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"tile": None}, "tile: None is not text"),
        ({"tile": "0p"}, "tile: unknown tile '0p'"),
        ({"tile": "44p"}, "tile: unknown tile '44p'"),
        ({"tile": ""}, "tile: unknown tile ''"),
        ({"tile": 13}, "tile: 13 is not text"),
        ({"tile": "x" * 1000}, f"tile: unknown tile '{'x' * 59}…"),
        ({"how": "draw"}, "how: 'draw' is not one of self_draw, discard, robbed_kong"),
        ({"how": ""}, "how: '' is not one of self_draw, discard, robbed_kong"),
        ({"how": True}, "how: True is not one of self_draw, discard, robbed_kong"),
        ({"kongs": -1}, "kongs: -1 is below 0"),
        ({"kongs": 5}, "kongs: 5 is above 4"),
        ({"kongs": True}, "kongs: True is not a whole number"),
        ({"kongs": None}, "kongs: None is not a whole number"),
        ({"kongs": 1.0}, "kongs: 1.0 is not a whole number"),
        ({"last_tile": 1}, "last_tile: 1 is neither true nor false"),
        ({"last_tile": None}, "last_tile: None is neither true nor false"),
        ({"first_draw": "false"}, "first_draw: 'false' is neither true nor false"),
        ({"dealer": 0}, "dealer: 0 is neither true nor false"),
    ],
)
def test_a_circumstance_that_cannot_be_used_is_an_error_that_names_the_field(change: dict[str, object], error: str) -> None:
    assert score(WIN | change) == {"error": error}


def test_a_missing_winning_tile_is_an_error() -> None:
    assert score({"concealed": "123456789m1234p"}) == {"error": "tile: missing"}


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("", "line: not a JSON object"),
        ({}, "concealed: missing"),
        ({"concealed": "123456789m12344p"}, "concealed: 14 tiles with the melds, not 13"),
        ({"concealed": "111112222m3333p"}, "concealed: 5 of 1m with the melds"),
        ({"concealed": "123456789m1234p", "melds": 0}, "melds: not a list"),
        ({"concealed": "123456789m1234p", "void": "q"}, "void: unknown suit 'q'"),
        ({"concealed": "123456789m1234p", "cap": 0}, "cap: 0 is below 1"),
    ],
)
def test_waits_refuse_a_hand_with_the_same_words(line: object, error: str) -> None:
    assert waits(line)["error"].startswith(error)


@pytest.mark.parametrize("answer", [score_line, waits_line])
def test_a_game_or_option_that_cannot_be_used_is_no_matter_of_one_line(answer: Any) -> None:
    for game, options in (("riichi", {}), ("crazy_duel", {}), (GAME, {"cap": "0"}), (GAME, {"mode": "single"}), (GAME, {"room": "X"})):
        with pytest.raises(OptionError):
            answer(game, options, WIN)


def test_a_line_is_left_as_it_was() -> None:
    line: dict[str, Any] = {"concealed": "5p", "melds": [dict(one) for one in KONGS], "tile": "5p"}
    before = {"concealed": "5p", "melds": [dict(one) for one in KONGS], "tile": "5p"}
    score(line)
    waits(line)
    assert line == before
