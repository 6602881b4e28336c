"""What a table server spends on one thing, signing or metrics: the CPU time of the functions that do it, as a part of the whole.

A difference of a few hundredths drowns in the noise between two runs. So the functions themselves are timed, by the clock of their thread,
which counts neither waiting nor other threads; one called within another is counted once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final

from prometheus_client import Counter, Gauge, Histogram
from prometheus_client.metrics import MetricWrapperBase

from services.kit import messages, seat_tokens, signing
from services.kit.bounded_server import BoundedServer
from services.kit.database_watch import DatabaseWatch
from services.kit.metrics import LoopHistogram
from services.kit.vitals import LoopWatch
from services.table import shuffle, signer, statements

Functions = Sequence[tuple[Any, str]]
"""Where each is looked up when it is called, and by what name."""
CHECKS: Final[Functions] = (
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
"""The stand-in for the settlement uses those of messages, too."""
COUNTS: Final[Functions] = (
    (Counter, "inc"),
    (Gauge, "set"),
    (Gauge, "inc"),
    (Gauge, "dec"),
    (Histogram, "observe"),
    (LoopHistogram, "observe"),
)
"""What happens at a scrape is another matter."""
METRICS: Final[Functions] = (
    *COUNTS,
    (MetricWrapperBase, "labels"),
    (LoopWatch, "_look"),
    (DatabaseWatch, "_look"),
    (BoundedServer, "finish_request"),
)
"""All that is done for metrics, answering a scrape included."""


class Timed:
    """Times functions between `begin` and `end`."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._before: list[Any] = []
        self._inside = threading.local()
        self._spent: dict[int, float] = {}
        self._process = 0.0

    def begin(self) -> None:
        """Start timing."""
        self._spent = {}
        self._process = time.process_time()
        self._before = [getattr(owner, name) for owner, name in self._functions]
        for (owner, name), function in zip(self._functions, self._before, strict=True):
            setattr(owner, name, self._timed(function))

    def end(self) -> dict[str, Any]:
        """Stop, and return seconds of CPU time: of the process, and within the functions."""
        whole = time.process_time() - self._process
        for (owner, name), function in zip(self._functions, self._before, strict=True):
            setattr(owner, name, function)
        return {"cpu": whole, "spent": sum(self._spent.values())}

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


@contextmanager
def left_out(functions: Functions) -> Iterator[None]:
    """Let functions do nothing."""
    before = [getattr(owner, name) for owner, name in functions]
    for owner, name in functions:
        setattr(owner, name, _nothing)
    try:
        yield
    finally:
        for (owner, name), function in zip(functions, before, strict=True):
            setattr(owner, name, function)


def _nothing(*_args: Any, **_given: Any) -> None:
    pass
