"""Which play beats which.

Law: a bomb beats all that is none; among bombs the stars come first, then the smaller number of cards, then the top rank. What is no bomb
beats only its own kind with as many cards and a lower top. Equal plays do not beat each other.
"""

from __future__ import annotations

from typing import Final

from games.crazy_duel.kinds import Play, PlayKind

_AMONG_EQUAL_STARS: Final = {PlayKind.THREE_JOKERS: -1, PlayKind.FOUR_JOKERS: 1}
"""三王炸弹 is the lowest of the 6-star bombs, 天王炸弹 the highest of the 7-star ones, whatever their cards."""


def beats(play: Play, table: Play) -> bool:
    """Whether `play` may follow on `table`."""
    if play.stars:
        return strength(play) > strength(table)
    return play.kind is table.kind and play.size == table.size and play.top > table.top


def strength(play: Play) -> tuple[int, int, int, int]:
    """Return what bombs are ordered by, the stronger the higher. What is no bomb has no stars and is below them all."""
    return play.stars, _AMONG_EQUAL_STARS.get(play.kind, 0), -play.size, play.top
