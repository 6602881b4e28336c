"""A rank test: whether two samples can be told apart, whatever the shape of what they are drawn from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate


def mann_whitney(first: Sequence[float], second: Sequence[float]) -> float:
    """Return how likely two samples of one kind would differ in rank by as much as these (two-sided p, by the normal approximation)."""
    n, m = len(first), len(second)
    assert min(n, m) >= 20, "too few for the approximation"
    ties = sorted(Counter([*first, *second]).items())
    last = accumulate(count for _, count in ties)
    # Equal values share the mean of their ranks.
    rank = {value: end - (count - 1) / 2 for (value, count), end in zip(ties, last, strict=True)}
    u = sum(rank[value] for value in first) - n * (n + 1) / 2
    total = n + m
    spread = n * m / 12 * (total + 1 - sum(count**3 - count for _, count in ties) / (total * (total - 1)))
    return math.erfc(abs(u - n * m / 2) / math.sqrt(2 * spread)) if spread else 1.0
