"""Ratings of players in rated rooms, by game: how a hand changes them, and the title that a rating gives (docs/rules/crazy_duel.md).

Law: a rating never falls below 0, whatever is lost. A winner gains what the loser really lost, and beyond it only so much a day: points
that nobody lost are points out of nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from games.crazy_duel import titles

PAIR_A_DAY: Final = 100
"""Points that one player may gain from the same other in a day (UTC) beyond what the other lost."""
WINNER_A_DAY: Final = 500
"""Points that one player may gain in a day beyond what all the losers lost."""
_TITLES: Final[Mapping[str, Callable[[int], str]]] = {"crazy_duel": titles.title_of}


class Created(NamedTuple):
    """Points that `winner` gained from `loser` in one hand beyond what the loser lost."""

    winner: str
    loser: str
    points: int


class Day:
    """What was created so far on one day, in one game: by pair of winner and loser, and by winner."""

    def __init__(self, created: Sequence[Created] = ()) -> None:
        self._pairs: dict[tuple[str, str], int] = {}
        self._winners: dict[str, int] = {}
        for one in created:
            self.add(one)

    def rest(self, winner: str, loser: str) -> int:
        """Return how many points the winner may still gain from the loser beyond what the loser loses."""
        of_pair = PAIR_A_DAY - self._pairs.get((winner, loser), 0)
        return max(0, min(of_pair, WINNER_A_DAY - self._winners.get(winner, 0)))

    def add(self, one: Created) -> None:
        """Count points that were created."""
        pair = one.winner, one.loser
        self._pairs[pair] = self._pairs.get(pair, 0) + one.points
        self._winners[one.winner] = self._winners.get(one.winner, 0) + one.points


def hand_changes(
    points: Sequence[tuple[str | None, int]], ratings: Mapping[str, int], day: Day, *, escaped: bool
) -> tuple[dict[str, int], list[Created]]:
    """Return how a hand changes the ratings of its players, and the points that it creates, which are counted in `day`.

    `points`: each seat's player (None: a bot, that has no rating and from which none is won) and what they won or lost, adding up to zero.
    `ratings`: before the hand. `escaped`: the hand ended by an escape, which creates nothing.
    """
    assert sum(won for _, won in points) == 0, points
    changes = {player: 0 for player, _ in points if player is not None}
    left = {player: ratings[player] for player in changes}
    created: list[Created] = []
    for loser, winner, due in _pairs(points):
        lost = 0
        if loser is not None:
            lost = min(left[loser], due)
            left[loser] -= lost
            changes[loser] -= lost
        if winner is None:
            continue
        changes[winner] += lost
        if loser is not None and not escaped and (more := min(due - lost, day.rest(winner, loser))) > 0:
            created.append(Created(winner, loser, more))
            day.add(created[-1])
            changes[winner] += more
    return changes, created


def _pairs(points: Sequence[tuple[str | None, int]]) -> Iterator[tuple[str | None, str | None, int]]:
    """Yield who owes whom how many points, loser by loser in seat order, each paid to the winners in seat order."""
    gets = [max(won, 0) for _, won in points]
    for loser, won in points:
        owes = max(-won, 0)
        for place, (winner, _) in enumerate(points):
            due = min(owes, gets[place])
            if due:
                yield loser, winner, due
                owes -= due
                gets[place] -= due


def title(game: str, rating: int) -> str:
    """Return the title that a rating of 0 or more gives in a game; empty where the game has no titles."""
    title_of = _TITLES.get(game)
    return title_of(rating) if title_of is not None else ""
