"""Titles 等级 by rating 积分 in the rating rooms of 疯狂对杀."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

TITLES: Final = (
    (0, "小星"),
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
    (50000, "小杀"),
    (80000, "大杀"),
    (150000, "狂杀"),
    (250000, "通杀"),
    (500000, "杀神"),
)
"""The least rating of each title, lowest first."""
_LEAST: Final = [least for least, _ in TITLES]


def title_of(rating: int) -> str:
    """Return the title of a rating, 0 or more."""
    return TITLES[bisect_right(_LEAST, rating) - 1][1]
