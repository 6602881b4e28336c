"""What a hand of 疯狂对杀 is worth, its rooms, ratings and titles."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from games import payout
from games.crazy_duel.options import OPTIONS, STAKES
from games.crazy_duel.score import ESCAPE_IN_COINS, ESCAPE_RATED, LARGEST, basic, times
from games.crazy_duel.titles import TITLES, title_of
from games.hand import Claim
from games.option_table import OptionError
from games.options import resolve
from games.registry import ruleset
from games.score import score_line, waits_line
from games.simulate import simulate
from games.verify import Verifier


@pytest.mark.parametrize(
    ("left", "name", "score"),
    [
        (1, "小杀", 1),
        (5, "小杀", 1),
        (6, "大杀", 2),
        (10, "大杀", 2),
        (11, "狂杀", 3),
        (20, "狂杀", 3),
        (21, "通杀", 4),
        (25, "通杀", 4),
    ],
)
def test_the_basic_score_is_by_what_the_loser_still_holds(left: int, name: str, score: int) -> None:
    assert (basic(left).name, basic(left).score) == (name, score)


@pytest.mark.parametrize(("stars", "by"), [(0, 1), (4, 1), (5, 1), (6, 2), (7, 4), (8, 6), (9, 8), (10, 12), (11, 16), (12, 20)])
def test_times_is_by_the_most_stars_the_winner_played(stars: int, by: int) -> None:
    assert times(stars) == by


def test_the_check_of_the_source_four_times_six_times_a_hundred_is_2400() -> None:
    """N 100, the winner's best bomb 8 stars, the loser holds 24."""
    multiple = basic(24).score * times(8)
    stakes = STAKES["beginner"]
    assert payout.stage(stakes.n, [stakes.lock, stakes.lock], [Claim(1, 0, multiple)]).moves == ((1, 0, 2400),)


@pytest.mark.parametrize(
    ("room", "name", "n", "amount"),
    [
        ("beginner", "初级场", 100, 10_000),
        ("intermediate", "中级场", 500, 50_000),
        ("advanced", "高级场", 2_000, 200_000),
        ("expert", "专家场", 10_000, 1_000_000),
        ("xuezhan", "血战场", 50_000, 5_000_000),
    ],
)
def test_each_coin_room_locks_what_can_be_lost_there_by_play_or_escape(room: str, name: str, n: int, amount: int) -> None:
    assert OPTIONS.room(room).name == name
    assert STAKES[room] == (n, amount, amount, amount)
    rules = ruleset("crazy_duel", {"room": room})
    assert rules.base == n
    assert rules.largest_claim == ESCAPE_IN_COINS
    # The largest loss by play, 4 × 20 × N, is within the lock; an escape costs exactly it.
    assert LARGEST * n <= STAKES[room].largest_loss
    assert ESCAPE_IN_COINS * n == STAKES[room].largest_escape


def test_in_the_rating_room_no_coins_move_and_an_escape_costs_the_largest_score() -> None:
    rules = ruleset("crazy_duel", {"room": "rating"})
    assert OPTIONS.room("rating").name == "普通场"
    assert rules.base == 0
    assert ESCAPE_RATED == rules.largest_claim == 4 * 20


def test_whether_a_room_is_rated_is_an_option_by_default_the_rooms() -> None:
    assert resolve("crazy_duel", {}) == {"rated": False, "room": "beginner"}
    assert [room.id for room in OPTIONS.rooms] == ["rating", *STAKES]
    assert {room.id: resolve("crazy_duel", {"room": room.id})["rated"] for room in OPTIONS.rooms} == {
        "rating": True,
        **dict.fromkeys(STAKES, False),
    }
    with pytest.raises(OptionError, match="cap"):
        resolve("crazy_duel", {"cap": "4"})


@pytest.mark.parametrize(
    ("options", "base", "escape"),
    [
        ({"room": "harbour"}, 100, 100),
        ({"room": "harbour", "rated": "true"}, 0, 80),
        ({"room": "expert", "rated": True}, 0, 80),
        ({"room": "rating", "rated": False}, 100, 100),
    ],
)
def test_what_an_escape_costs_depends_on_whether_the_room_is_rated_and_not_on_its_id(
    options: dict[str, Any], base: int, escape: int
) -> None:
    rules = ruleset("crazy_duel", options)
    assert (rules.base, rules.largest_claim) == (base, escape)
    (record,) = simulate("crazy_duel", 1, "harbour", options, leave=1.0)
    assert [stage["claims"][0][2] for stage in record["stages"]] == [escape]
    assert Verifier().check(json.loads(json.dumps(record))) == {"ok": True}


@pytest.mark.parametrize(("room", "escape"), [("rating", 80), ("beginner", 100)])
def test_a_record_from_before_the_option_means_what_its_room_meant(room: str, escape: int) -> None:
    (record,) = simulate("crazy_duel", 1, "before", {"room": room}, leave=1.0)
    assert record["options"].pop("rated") == (room == "rating")
    assert record["points"] in ([escape, -escape], [-escape, escape])
    assert Verifier().check(json.loads(json.dumps(record))) == {"ok": True}


@pytest.mark.parametrize(
    ("rating", "title"),
    [
        (0, "小星"),
        (99, "小星"),
        (100, "一星"),
        (200, "二星"),
        (500, "三星"),
        (900, "四星"),
        (1500, "五星"),
        (2500, "六星"),
        (4000, "七星"),
        (6000, "八星"),
        (10000, "九星"),
        (16000, "十星"),
        (25000, "十一星"),
        (35000, "十二星"),
        (49999, "十二星"),
        (50000, "小杀"),
        (80000, "大杀"),
        (150000, "狂杀"),
        (250000, "通杀"),
        (499999, "通杀"),
        (500000, "杀神"),
        (10**9, "杀神"),
    ],
)
def test_titles_are_by_rating(rating: int, title: str) -> None:
    assert title_of(rating) == title
    assert len(TITLES) == 18


@pytest.mark.parametrize("answer", [score_line, waits_line])
def test_there_are_no_tiles_to_score_or_wait_for(answer: Callable[..., dict[str, Any]]) -> None:
    with pytest.raises(OptionError, match="game: 'crazy_duel' is not one of crazy_xuezhan"):
        answer("crazy_duel", {}, {"concealed": "1112345678999m", "tile": "1m"})
