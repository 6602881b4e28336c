"""Places that many want, of which nobody may take all.

Law: one user has at most its share of the places, so that others find some free.
"""

from __future__ import annotations

from collections import Counter
from math import ceil
from typing import Final

from services.kit.errors import ExhaustedError

RETRY_SECONDS: Final = 1.0


class Shares:
    """At most `most` places; of them one peer has at most the part `share`, and at least one."""

    def __init__(self, what: str, most: int, share: float) -> None:
        """`what`: the places in the plural, one word."""
        self._what = what
        self._most = most
        self._each = ceil(most * share)
        self._taken: Counter[str] = Counter()
        self._all = 0

    def enter(self, peer: str) -> None:
        """Take a place; a part of ours, named "", may take any. Raises ExhaustedError `too_many_...`."""
        if self._all >= self._most:
            raise self._refusal(f"this server has {self._most} {self._what}")
        if peer and self._taken[peer] >= self._each:
            raise self._refusal(f"one address has at most {self._each} {self._what} here")
        self._taken[peer] += 1
        self._all += 1

    def leave(self, peer: str) -> None:
        """Give a place back."""
        self._taken[peer] -= 1
        self._all -= 1
        if not self._taken[peer]:
            del self._taken[peer]

    def _refusal(self, text: str) -> ExhaustedError:
        return ExhaustedError(f"too_many_{self._what}", text, retry_seconds=RETRY_SECONDS)
