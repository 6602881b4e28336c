"""Log lines that strangers cause, so many a second at most.

Law: what a stranger sends costs a log no more than so many lines a second; how many were left out is said in the log, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

LINES: Final = 5
"""A second."""


class Sampled:
    """Says the first lines of each second, and how many more there would have been."""

    def __init__(self, say: Callable[..., None], event: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        """`say`: a method of a logger."""
        self._say = say
        self._event = event
        self._clock = clock
        self._began = clock()
        self._lines = 0
        self._left_out = 0

    def line(self, **fields: Any) -> None:
        """Log this, if there is room for it."""
        self.tell()
        if self._lines < LINES:
            self._lines += 1
            self._say(self._event, **fields)
        else:
            self._left_out += 1

    def tell(self) -> None:
        """Say how many lines were left out in a second that is over. Call it now and then, also when there is nothing to log."""
        now = self._clock()
        if now - self._began < 1:
            return
        if self._left_out:
            self._say(f"{self._event}_left_out", lines=self._left_out)
        self._began, self._lines, self._left_out = now, 0, 0
