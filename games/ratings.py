"""Ratings of players in rated rooms, by game: how one changes, and the title it gives.

Law: a rating never falls below 0, whatever is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from games.crazy_duel import titles

_TITLES: Final[Mapping[str, Callable[[int], str]]] = {"crazy_duel": titles.title_of}


def rating_after(rating: int, points: int) -> int:
    """Return a rating after a hand that was won or lost by `points`; it is the same in every game."""
    return titles.rating_after(rating, points)


def title(game: str, rating: int) -> str:
    """Return the title that a rating of 0 or more gives in a game; empty where the game has no titles."""
    title_of = _TITLES.get(game)
    return title_of(rating) if title_of is not None else ""
