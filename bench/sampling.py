"""Where a table server's CPU time goes: exact by thread, and by part of the code from samples of its event loop's stack.

A sample stands for the CPU time that the event loop's thread used since the one before, so waiting weighs nothing. It belongs to the
innermost frame of the project that a part is named for; where there is none, to the transport: gRPC, protobuf and the event loop in C.
The interpreter hands a sampler its turn between two bytecodes, so a long call into C counts for what comes right after it.
"""

from __future__ import annotations

import contextlib
import heapq
import sys
import threading
import time
from collections import defaultdict
from operator import itemgetter
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

from bench import processes
from bench.stand_in import THREAD as STAND_IN

_INTERVAL: Final = 0.001
_SWITCH_SECONDS: Final = 0.0005
"""With the usual interval of the interpreter the sampler would have its turn only when the event loop waits."""
_THREAD: Final = "sampler"
_PLACES: Final = 60
TRANSPORT: Final = "transport"

PARTS: Final[dict[str, str]] = {
    "games": "rules",
    "services.table.intake": "decode",
    "services.table.servicer": "decode",
    "services.table.attach": "views",
    "services.table.codec.actions": "decode",
    "services.table.codec": "encode",
    "services.table.streams": "encode",
    "services.table.events": "views",
    "services.table.outlet": "views",
    "services.table.seats": "views",
    "services.table.notices": "views",
    "services.table.appends": "journal",
    "services.table.journal": "journal",
    "services.table.rows": "journal",
    "services.table.store": "journal",
    "services.kit.database": "journal",
    "services.table.relay": "settlement",
    "services.table.outcomes": "settlement",
    "services.table.metrics": "metrics",
    "services.kit.bus": "settlement",
    "services.kit.letterbox": "settlement",
    "services.kit.listener": "settlement",
    "services.kit.messages": "settlement",
    "services.kit.publisher": "settlement",
    "services.kit.items": "settlement",
    "services.table.handshake": "opening",
    "services.table.opening": "opening",
    "services.table.shuffle": "opening",
    "services.kit.seat_tokens": "opening",
    "services.table": "table",
    "services.kit": "other",
}
"""Parts by module: the longest name that a module is or begins with counts."""
FUNCTIONS: Final[dict[tuple[str, str], str]] = {
    ("services.table.core", "log"): "journal",
    ("services.table.course", "digest"): "settlement",
    ("services.table.course_state", "owe"): "settlement",
    ("services.table.dues", "_owe_stage"): "settlement",
    ("services.table.course", "settle"): "settlement",
    ("services.table.course", "_told"): "views",
    ("services.table.dues", "told"): "views",
    ("services.table.dues", "_ended"): "views",
    ("services.table.course", "commit"): "opening",
    ("services.table.course", "deal"): "opening",
}
"""Functions that belong elsewhere than their module."""
THREADS: Final[dict[str, str]] = {
    "database": "journal",
    "publisher": "settlement",
    "outcomes": "settlement",
    STAND_IN: "stand-in settlement",
}
"""Parts by the beginning of a thread's name."""


class Sampler:
    """Looks at the main thread's stack every millisecond or so, between `begin` and `end`."""

    def __init__(self) -> None:
        main = threading.main_thread().ident
        assert main is not None
        self._main = main
        # The main thread is there as long as the process: its clock can be asked at any time.
        self._clock = time.pthread_getcpuclockid(main)
        self._running = False
        self._thread: threading.Thread | None = None
        self._parts: defaultdict[str, float] = defaultdict(float)
        self._places: defaultdict[str, float] = defaultdict(float)
        self._samples = 0
        self._part_of: dict[CodeType, str] = {}
        self._threads: dict[str, float] = {}
        self._process = 0.0
        self._switch_seconds = sys.getswitchinterval()

    def begin(self) -> None:
        """Start looking."""
        self._parts.clear()
        self._places.clear()
        self._samples = 0
        self._threads, self._process = _thread_seconds(), time.process_time()
        self._running = True
        self._switch_seconds = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._thread = threading.Thread(target=self._look, name=_THREAD, daemon=True)
        self._thread.start()

    def end(self) -> dict[str, Any]:
        """Stop, and return seconds of CPU time: the whole, by part, by thread beside the loop, and at the busiest places."""
        spent = {name: seconds - self._threads.get(name, 0.0) for name, seconds in _thread_seconds().items()}
        whole = time.process_time() - self._process - spent.pop(_THREAD, 0.0)
        self._running = False
        assert self._thread is not None
        self._thread.join()
        sys.setswitchinterval(self._switch_seconds)
        parts = self._parts.copy()
        for name, seconds in spent.items():
            parts[_part_of_thread(name)] += seconds
        # gRPC has threads that Python knows nothing of.
        parts[TRANSPORT] += max(0.0, whole - sum(parts.values()))
        return {
            "cpu": whole,
            "parts": dict(parts),
            "threads": spent,
            "places": dict(heapq.nlargest(_PLACES, self._places.items(), key=itemgetter(1))),
            "samples": self._samples,
        }

    def _look(self) -> None:
        before = time.clock_gettime(self._clock)
        while self._running:
            time.sleep(_INTERVAL)
            frame = sys._current_frames().get(self._main)  # noqa: SLF001 - the only way to another thread's stack
            now = time.clock_gettime(self._clock)
            self._note(frame, now - before)
            before = now
            del frame

    def _note(self, frame: FrameType | None, seconds: float) -> None:
        self._samples += 1
        while frame is not None:
            code = frame.f_code
            part = self._part_of.get(code)
            if part is None:
                part = self._part_of[code] = part_of(frame.f_globals.get("__name__", ""), code.co_name)
            if part:
                self._parts[part] += seconds
                self._places[f"{frame.f_globals['__name__']}:{code.co_qualname}"] += seconds
                return
            frame = frame.f_back
        self._parts[TRANSPORT] += seconds


def part_of(module: str, function: str) -> str:
    """Return the part that a function belongs to, empty for code that is not of the project."""
    special = FUNCTIONS.get((module, function))
    if special is not None:
        return special
    name = module
    while name:
        if name in PARTS:
            return PARTS[name]
        name = name.rpartition(".")[0]
    return ""


def _part_of_thread(name: str) -> str:
    return next((part for start, part in THREADS.items() if name.startswith(start)), "other")


def _thread_seconds() -> dict[str, float]:
    """Return the CPU time of every thread of Python but the main one, by name."""
    found: defaultdict[str, float] = defaultdict(float)
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            with contextlib.suppress(FileNotFoundError):
                found[thread.name] += processes.cpu_seconds(Path(f"/proc/self/task/{thread.native_id}"))
    return dict(found)
