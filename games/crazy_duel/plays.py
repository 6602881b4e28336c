"""Reading cards as plays, with jokers as wild cards.

Law: what cards can be depends on how many of each rank there are, never on their order. Within a kind the strongest reading counts: the
most stars, then the highest top. Jokers alone are themselves; with other cards a joker stands for any card 9…2, and a row never reaches
past A.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from games.crazy_duel.cards import ACE, BIG_JOKER, JOKERS, RANKS, Card, Rank
from games.crazy_duel.compare import beats
from games.crazy_duel.kinds import Play, PlayKind
from games.hand import Why


class Row(NamedTuple):
    """A kind of row: `width` cards of each of `least` to `most` ranks."""

    kind: PlayKind
    width: int
    least: int
    most: int


ROWS: Final = (Row(PlayKind.STRAIGHT, 1, 5, 6), Row(PlayKind.PAIR_ROW, 2, 3, 6), Row(PlayKind.TRIPLE_ROW, 3, 3, 6))
"""In the order in which a play that names no kind is read, after bombs."""
OF_A_RANK: Final = {1: PlayKind.SINGLE, 2: PlayKind.PAIR, 3: PlayKind.TRIPLE}
"""Up to three cards of one rank. More are a bomb."""
JOKERS_ALONE: Final = {
    1: (PlayKind.SINGLE, 0),
    2: (PlayKind.PAIR, 0),
    3: (PlayKind.THREE_JOKERS, 6),
    4: (PlayKind.FOUR_JOKERS, 7),
}
"""What jokers without other cards are, and their stars."""
BOMB: Final = 4
"""The fewest cards of a bomb."""
BOMB_ROW: Final = 3
"""The fewest ranks of a bomb row."""

_ROWS_OF: Final = {
    size: tuple((row, size // row.width) for row in ROWS if size % row.width == 0 and row.least <= size // row.width <= row.most)
    for size in range(1, 3 * len(RANKS))
}
_SMALL_TOP: Final = JOKERS
_BIG_TOP: Final = JOKERS + 1


def read(cards: Sequence[Card], kind: PlayKind | None = None, over: Play | None = None) -> Play | Why:
    """Return what cards are as a play, or why they are none.

    `kind`: the kind the player names, None if they name none; `over`: the play to beat, None for a leader. There is at least one card, and
    no third copy of one.
    """
    found = readings(cards)
    if not found:
        return Why.NOT_A_PLAY
    if kind is not None:
        found = [play for play in found if play.kind is kind]
        if not found:
            return Why.NOT_THAT_KIND
    for play in found:
        if over is None or beats(play, over):
            return play
    return Why.DOES_NOT_BEAT


def readings(cards: Sequence[Card]) -> list[Play]:
    """Return the strongest reading of each kind that cards can be, in the order in which a play that names no kind is read."""
    counts = [0] * (JOKERS + 1)
    for card in cards:
        counts[card >> 2] += 1
    jokers = counts.pop()
    held = [rank for rank, count in enumerate(counts) if count]
    if not held:
        kind, stars = JOKERS_ALONE[jokers]
        # W w is a pair of W. Of three jokers one at least is a W.
        return [Play(kind, _BIG_TOP if BIG_JOKER in cards else _SMALL_TOP, stars, jokers)]
    size = sum(counts) + jokers
    low, high = held[0], held[-1]
    found = []
    if low == high:
        kind = OF_A_RANK.get(size, PlayKind.BOMB)
        found.append(Play(kind, low, size if size >= BOMB else 0, size))
    elif size >= BOMB * BOMB_ROW and (bomb_row := _bomb_row(counts, jokers, low, high, size)):
        found.append(bomb_row)
    for row, length in _ROWS_OF.get(size, ()):
        top = min(low + length - 1, ACE)
        if high <= top and max(counts) <= row.width:
            found.append(Play(row.kind, top, 0, size))
    return found


def _bomb_row(counts: Sequence[int], jokers: int, low: Rank, high: Rank, size: int) -> Play | None:
    """Return the bomb row with the most stars, then the highest top, over all rows of ranks that hold the cards from `low` to `high`."""
    best = None
    for top in range(high, ACE + 1):
        for bottom in range(min(low, top - BOMB_ROW + 1) + 1):
            least = _smallest_bomb(counts[bottom : top + 1], jokers)
            stars = least + top - bottom + 1
            if least >= BOMB and (best is None or stars >= best.stars):
                best = Play(PlayKind.BOMB_ROW, top, stars, size)
    return best


def _smallest_bomb(row: Sequence[int], jokers: int) -> int:
    """Return how many cards the smallest bomb of a row can have when the jokers fill it up."""
    least = min(row)
    while sum(least + 1 - count for count in row if count <= least) <= jokers:
        least += 1
    return least
