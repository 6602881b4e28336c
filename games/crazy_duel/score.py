"""What a hand of 疯狂对杀 is worth: the base number 游戏基数, and what an escape costs."""

from __future__ import annotations

from typing import Final, NamedTuple


class Basic(NamedTuple):
    """A row of the basic score 基本分: for a loser who still holds `most` cards or fewer."""

    most: int
    id: str
    name: str
    score: int


BASIC: Final = (
    Basic(5, "small", "小杀", 1),
    Basic(10, "big", "大杀", 2),
    Basic(20, "wild", "狂杀", 3),
    Basic(25, "full", "通杀", 4),
)
TIMES: Final = {6: 2, 7: 4, 8: 6, 9: 8, 10: 12, 11: 16, 12: 20}
"""翻倍 by the most stars among the bombs the winner played; 1 below 6 stars."""
LARGEST: Final = max(row.score for row in BASIC) * max(TIMES.values())
"""The largest base number."""
ESCAPE_IN_COINS: Final = 100
"""强行逃跑 in a coin room: times N it is the room's largest escape charge."""
ESCAPE_RATED: Final = LARGEST
"""强行逃跑 in a rating room."""


def basic(left: int) -> Basic:
    """Return the row for a loser who holds `left` cards, 1 to 25."""
    return next(row for row in BASIC if left <= row.most)


def times(stars: int) -> int:
    """Return what the basic score is multiplied by when the winner's best bomb had `stars`; 0 for no bomb."""
    return TIMES.get(stars, 1)
