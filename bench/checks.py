"""What a table server spends on signing and checking: the CPU time of the functions that do it, as a part of the whole.

A difference of a few hundredths drowns in the noise between two runs. So the functions themselves are timed, by the clock of their thread,
which counts neither waiting nor other threads; one called within another is counted once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from services.kit import messages, seat_tokens, signing
from services.table import shuffle, signer, statements

FUNCTIONS: Final[tuple[tuple[Any, str], ...]] = (
    (signing.SigningKey, "sign"),
    (signing.PublicKey, "verifies"),
    (statements, "commit"),
    (statements, "deal"),
    (statements, "digest"),
    (signer.Signer, "sign_text"),
    (messages.Author, "_sign"),
    (messages.Reader, "_verified"),
    (seat_tokens, "make"),
    (seat_tokens, "read"),
    (shuffle, "commitment"),
    (shuffle, "fits"),
)
"""Where they are looked up when they are called, and by what name. The stand-in for the settlement uses those of messages, too."""


class Checks:
    """Times the functions between `begin` and `end`."""

    def __init__(self) -> None:
        self._before: list[Any] = []
        self._inside = threading.local()
        self._spent: dict[int, float] = {}
        self._process = 0.0

    def begin(self) -> None:
        """Start timing."""
        self._spent = {}
        self._process = time.process_time()
        self._before = [getattr(owner, name) for owner, name in FUNCTIONS]
        for (owner, name), function in zip(FUNCTIONS, self._before, strict=True):
            setattr(owner, name, self._timed(function))

    def end(self) -> dict[str, Any]:
        """Stop, and return seconds of CPU time: of the process, and within the functions."""
        whole = time.process_time() - self._process
        for (owner, name), function in zip(FUNCTIONS, self._before, strict=True):
            setattr(owner, name, function)
        return {"cpu": whole, "checks": sum(self._spent.values())}

    def _timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        inside, spent = self._inside, self._spent

        @wraps(function)
        def timed(*args: Any, **given: Any) -> Any:
            if getattr(inside, "one", False):
                return function(*args, **given)
            inside.one = True
            begun = time.thread_time()
            try:
                return function(*args, **given)
            finally:
                thread = threading.get_ident()
                spent[thread] = spent.get(thread, 0.0) + time.thread_time() - begun
                inside.one = False

        return timed
