"""Medians of repetitions that take turns: whatever else the machine does meanwhile falls on all that are compared."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

T = TypeVar("T")


def take_turns(rounds: int, contenders: Mapping[str, Callable[[], T]]) -> dict[str, list[T]]:
    """Run every contender once a round and return what each returned, by its name."""
    found: dict[str, list[T]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            found[name].append(run())
    return found


def per_second(work: Callable[[], int], seconds: float) -> float:
    """Repeat `work`, which returns how many things it did, and return things per second of this process's CPU time."""
    done, started = 0, time.process_time()
    while (spent := time.process_time() - started) < seconds:
        done += work()
    return done / spent


def rates(rounds: int, contenders: Mapping[str, Callable[[], int]], seconds: float) -> dict[str, list[float]]:
    """Return what each contender did per second of CPU time in every round."""
    return take_turns(rounds, {name: partial(per_second, work, seconds) for name, work in contenders.items()})


def median_ratio(ours: list[float], theirs: list[float]) -> float:
    """Return the median over the rounds of ours against theirs."""
    return statistics.median(our / their for our, their in zip(ours, theirs, strict=True))
