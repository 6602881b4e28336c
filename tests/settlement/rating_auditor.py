"""A naive keeper of ratings: all hands in a list, and the bounds of a day counted over the whole list each time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Gain:
    """One hand: when, who won what from whom, and what of it nobody lost."""

    at: int
    winner: str
    loser: str
    nothing: int


class RatingAuditor:
    """Ratings by player."""

    def __init__(self) -> None:
        self.ratings: dict[str, int] = {}
        self.gains: list[Gain] = []

    def hand(self, at: int, winner: str, loser: str, worth: int, *, escaped: bool = False) -> tuple[int, int]:
        """Take a hand in; the ratings of winner and loser after it."""
        has = self.ratings.get(loser, 0)
        lost = min(worth, has)
        self.ratings[loser] = has - lost
        more = 0
        while not escaped and lost + more < worth and self._may(at, winner, loser, more):
            more += 1
        self.ratings[winner] = self.ratings.get(winner, 0) + lost + more
        self.gains.append(Gain(at, winner, loser, more))
        return self.ratings[winner], self.ratings[loser]

    def _may(self, at: int, winner: str, loser: str, so_far: int) -> bool:
        """Whether one more point out of nothing is within the bounds of the day."""
        today = [gain for gain in self.gains if gain.winner == winner and gain.at // 86_400 == at // 86_400]
        of_pair = sum(gain.nothing for gain in today if gain.loser == loser)
        return of_pair + so_far < 100 and sum(gain.nothing for gain in today) + so_far < 500
