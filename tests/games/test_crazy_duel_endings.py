"""How a hand of 疯狂对杀 ends and what it is worth: the showdown and the escape."""

from __future__ import annotations

from typing import Any

import pytest

from games.crazy_duel.cards import format_cards
from games.events import HandOver, StageClaimed
from games.hand import WATCHERS, Action, Claim, Do, Refusal, Stage
from tests.games.duel import RATING, RULES, lay, skip, table
from tests.games.naive_cards import cards


def test_the_hand_ends_the_moment_the_last_card_is_played() -> None:
    hand = table("9S 9H", "2S 2H 2C 2D")
    events = lay(hand, "9S 9H")
    stage = Stage("showdown", (Claim(1, 0, 1),))
    everyone = WATCHERS | 3
    assert events[1:] == [
        StageClaimed(everyone, stage),
        HandOver(everyone, "showdown", ((), cards("2S 2H 2C 2D")), (1, -1)),
    ]
    assert hand.over
    assert hand.offers == [None, None]
    assert hand.stages == [stage]
    assert hand.points() == [1, -1]
    assert hand.seat_done(0)
    assert hand.seat_done(1)


def many(count: int) -> str:
    return format_cards(range(count))


@pytest.mark.parametrize(("left", "score"), [(1, 1), (5, 1), (6, 2), (10, 2), (11, 3), (20, 3), (21, 4), (25, 4)])
def test_the_winner_gets_the_basic_score_of_what_the_loser_holds(left: int, score: int) -> None:
    hand = table("9S", many(left))
    lay(hand, "9S")
    assert hand.stages == [Stage("showdown", (Claim(1, 0, score),))]


def test_the_best_bomb_the_winner_played_multiplies_once() -> None:
    hand = table("9S 9S 9H 9H 9C 9C 10S 10S 10H 10H 10C 10C 10D KS", "JS QS AS 2S 2H")
    lay(hand, "9S 9S 9H 9H 9C 9C")  # 6 stars: 2
    skip(hand)
    lay(hand, "10S 10S 10H 10H 10C 10C 10D")  # 7 stars: 4
    skip(hand)
    lay(hand, "KS")
    assert hand.points() == [4, -4]
    assert hand.result() == {
        "ended": "showdown",
        "winner": 0,
        "loser": 1,
        "left": [0, 5],
        "multiple": 4,
        "basic": 1,
        "name": "小杀",
        "stars": 7,
        "times": 4,
    }


def test_a_bomb_that_was_led_counts_like_one_that_followed() -> None:
    led = table("9S 9S 9H 9H 9C 9C", "JS")
    lay(led, "9S 9S 9H 9H 9C 9C")
    followed = table("9S 9S 9H 9H 9C 9C", "JS QS", leads=1)
    lay(followed, "JS")
    lay(followed, "9S 9S 9H 9H 9C 9C")
    assert led.points() == followed.points() == [2, -2]


def test_a_bomb_played_as_the_last_play_counts() -> None:
    hand = table("9S w w W W", "JS")
    lay(hand, "w W w W 9S")  # five of a kind
    assert hand.points() == [1, -1]
    hand = table("w w W W", "JS")
    lay(hand, "w W w W")
    assert hand.points() == [4, -4]


@pytest.mark.parametrize(("jokers", "by"), [("w w W", 2), ("w w W W", 4)])
def test_three_and_four_jokers_count_as_six_and_seven_stars(jokers: str, by: int) -> None:
    hand = table(f"{jokers} 9S", "JS")
    lay(hand, jokers)
    skip(hand)
    lay(hand, "9S")
    assert hand.points() == [by, -by]


def test_the_losers_bombs_do_not_count() -> None:
    hand = table("w w W W 9S 9H", "JS")
    lay(hand, "w w W W")
    skip(hand)
    lay(hand, "9S")
    lay(hand, "JS")
    assert hand.points() == [-1, 1]


def test_jokers_played_as_a_row_are_no_bomb_for_times() -> None:
    hand = table("9S w w W W 10H", "JS")
    lay(hand, "9S w w W W", "straight")
    skip(hand)
    lay(hand, "10H")
    assert hand.points() == [1, -1]


def test_twelve_stars_against_a_full_hand_are_the_largest_score() -> None:
    hand = table("9S 9S 9H 9H 9C 9C 9D 9D w w W W", many(25))
    lay(hand, "9S 9S 9H 9H 9C 9C 9D 9D w w W W")
    assert hand.points() == [80, -80]


# Escape.


@pytest.mark.parametrize("escaper", [0, 1])
@pytest.mark.parametrize(("rules", "multiple"), [(RULES, 100), (RATING, 80)])
def test_either_seat_escapes_at_any_time_without_being_asked(escaper: int, rules: Any, multiple: int) -> None:
    for plays in range(3):
        hand = table("w w W 9S 9H", "9C 9C 9D 9D 10S 10S", rules=rules)
        for text in ("w w W",)[:plays]:
            lay(hand, text)
        if plays == 2:
            skip(hand)
        events = hand.apply(Action(escaper, Do.LEAVE))
        assert not isinstance(events, Refusal)
        assert [type(event) for event in events] == [StageClaimed, HandOver]
        # Cards left and bombs played do not matter.
        assert hand.stages == [Stage("escape", (Claim(escaper, 1 - escaper, multiple),))]
        assert hand.points()[escaper] == -multiple
        assert hand.points()[1 - escaper] == multiple
        assert hand.over
        assert hand.offers == [None, None]
        result = hand.result()
        assert (result["ended"], result["winner"], result["multiple"]) == ("escape", 1 - escaper, multiple)


def test_leaving_has_a_meaning_in_this_game() -> None:
    assert RULES.may_leave
