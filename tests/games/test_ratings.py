"""Ratings by game: how hands change them, and the bounds of what is won beyond what is lost (docs/rules/crazy_duel.md, "Score")."""

from __future__ import annotations

import pytest

from games.ratings import Created, Day, hand_changes, title

Points = list[tuple[str | None, int]]


def won(points: int, ratings: dict[str, int], day: Day | None = None, *, escaped: bool = False) -> tuple[int, int]:
    """What ann gains and bob loses when ann wins so many points."""
    changes, _ = hand_changes([("ann", points), ("bob", -points)], ratings, day or Day(), escaped=escaped)
    return changes["ann"], changes["bob"]


def test_a_game_without_titles_gives_a_rating_none() -> None:
    assert (title("crazy_duel", 500), title("crazy_xuezhan", 500)) == ("三星", "")


def test_a_rating_rises_and_falls_by_the_points_but_never_below_zero() -> None:
    assert won(80, {"ann": 0, "bob": 100}) == (80, -80)
    assert won(80, {"ann": 7, "bob": 80}) == (80, -80)
    assert won(80, {"ann": 0, "bob": 50}) == (80, -50), "30 points that nobody lost"
    assert won(80, {"ann": 0, "bob": 0}) == (80, 0)


def test_for_an_escape_the_winner_gains_no_more_than_the_escaper_lost() -> None:
    assert won(80, {"ann": 0, "bob": 100}, escaped=True) == (80, -80)
    assert won(80, {"ann": 0, "bob": 50}, escaped=True) == (50, -50)
    assert won(80, {"ann": 0, "bob": 0}, escaped=True) == (0, 0)


def test_from_one_other_100_points_a_day_are_gained_beyond_what_was_lost() -> None:
    day = Day()
    assert [won(80, {"ann": 0, "bob": 0}, day) for _ in range(3)] == [(80, 0), (20, 0), (0, 0)]
    assert won(80, {"ann": 0, "bob": 30}, day) == (30, -30), "what is really lost is gained all the same"
    changes, created = hand_changes([("bob", 80), ("ann", -80)], {"ann": 0, "bob": 0}, day, escaped=False)
    assert (changes, created) == ({"ann": 0, "bob": 80}, [Created("bob", "ann", 80)]), "the other way round is another pair"


def test_from_all_others_500_points_a_day_are_gained_beyond_what_was_lost() -> None:
    day = Day()
    gained = []
    for number in range(7):
        loser = f"throwaway-{number}"
        for _ in range(2):
            changes, _ = hand_changes([("ann", 60), (loser, -60)], {"ann": 0, loser: 0}, day, escaped=False)
            gained.append(changes["ann"])
    assert gained == [60, 40] * 5 + [0, 0] * 2


def test_what_was_created_before_counts() -> None:
    day = Day([Created("ann", "bob", 60), Created("ann", "bob", 20), Created("ann", "cem", 90), Created("ann", "dee", 100)])
    assert won(80, {"ann": 0, "bob": 0}, day) == (20, 0)
    full = Day([Created("ann", f"other-{number}", 100) for number in range(5)])
    assert won(80, {"ann": 0, "bob": 10}, full) == (10, -10)


def test_nothing_is_won_from_a_bot_and_what_is_lost_to_one_is_lost() -> None:
    """Tables from before rated rooms had none any more."""
    for points, change in ((8, 0), (-8, -5)):
        changes, created = hand_changes([("ann", points), (None, -points)], {"ann": 5}, Day(), escaped=False)
        assert (changes, created) == ({"ann": change}, [])


@pytest.mark.parametrize(
    ("points", "ratings", "changes", "created"),
    [
        ((30, -10, -20, 0), (0, 50, 50, 50), (30, -10, -20, 0), []),
        ((30, -10, -20, 0), (0, 4, 50, 50), (30, -4, -20, 0), [("a", "b", 6)]),
        ((10, 20, -30, 0), (0, 0, 15, 0), (10, 20, -15, 0), [("b", "c", 15)]),
        ((5, 5, -5, -5), (0, 0, 0, 5), (5, 5, 0, -5), [("a", "c", 5)]),
        ((0, 0, 0, 0), (1, 2, 3, 4), (0, 0, 0, 0), []),
    ],
)
def test_of_several_players_each_loss_goes_to_the_winners_in_seat_order(
    points: tuple[int, ...], ratings: tuple[int, ...], changes: tuple[int, ...], created: list[tuple[str, str, int]]
) -> None:
    players = "abcd"
    seats: Points = list(zip(players, points, strict=True))
    got, made = hand_changes(seats, dict(zip(players, ratings, strict=True)), Day(), escaped=False)
    assert tuple(got[player] for player in players) == changes
    assert [tuple(one) for one in made] == created
    assert sum(changes) == sum(one.points for one in made), "what is gained and not lost is what was created"
