"""Ratings by game."""

from games.ratings import rating_after, title


def test_a_game_without_titles_gives_a_rating_none() -> None:
    assert (title("crazy_duel", 500), title("crazy_xuezhan", 500)) == ("三星", "")


def test_a_rating_rises_and_falls_but_never_below_zero_in_any_game() -> None:
    assert [rating_after(*figures) for figures in ((10, 5), (10, -5), (10, -15))] == [15, 5, 0]
