"""Threads and tasks that serve in the background: one that ends by itself is counted, logged and begun again.

Law: while one of them is down, or anything else keeps the part from serving, the part says so: `ready` is false (and with it the health of
the part's gRPC services), and the figure `xuezhan_part_serving_faults` names what it is.
"""

from __future__ import annotations

import asyncio
import contextvars
import queue
import threading
import time
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import Future
from typing import Any, Final, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge

from services.kit import logs

log = logs.get(__name__)

T = TypeVar("T")

PAUSE_SECONDS: Final = 0.5
LONGEST_PAUSE_SECONDS: Final = 10.0
_WELL_SECONDS: Final = 60.0
"""What has served for so long is begun again after the shortest pause."""
_IDLE_SECONDS: Final = 1.0


class Supervisor:
    """Keeps what serves in one part alive, and knows what keeps the part from serving."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        text = "Threads and tasks that serve and ended by themselves, by which."
        self._deaths = Counter("xuezhan_part_serving_deaths_total", text, ("what",), registry=registry)
        self._down = Gauge("xuezhan_part_serving_faults", "Whether this keeps the part from serving now.", ("what",), registry=registry)
        text = "Whether the broker answered when last asked, by what it is asked for."
        self.connected = Gauge("xuezhan_part_broker_connected", text, ("link",), registry=registry)
        self._faults: dict[tuple[str, Hashable], str] = {}
        self._lock = threading.Lock()
        self._listeners: list[Callable[[], None]] = []

    @property
    def ready(self) -> bool:
        """Whether nothing keeps the part from serving."""
        return not self._faults

    def faults(self) -> list[tuple[str, str]]:
        """Return what keeps the part from serving, and why."""
        with self._lock:
            return [(what, why) for (what, _), why in self._faults.items()]

    def listen(self, changed: Callable[[], None]) -> None:
        """Call `changed` whenever `ready` may have changed, on any thread."""
        self._listeners.append(changed)

    def forget(self, changed: Callable[[], None]) -> None:
        """Call it no longer."""
        self._listeners.remove(changed)

    def fault(self, what: str, why: str, which: Hashable = 0) -> None:
        """Say that the part does not serve because of `what`, until `well` says otherwise. `which` tells things of one name apart."""
        with self._lock:
            if self._faults.get((what, which)) == why:
                return
            self._faults[what, which] = why
            self._down.labels(what).set(1)
        log.error("not_serving", what=what, why=why)
        self._tell()

    def well(self, what: str, which: Hashable = 0) -> None:
        """Say that `what` no longer keeps the part from serving."""
        with self._lock:
            known = self._faults.pop((what, which), None)
            others = any(name == what for name, _ in self._faults)
            self._down.labels(what).set(others)
        if known is not None:
            log.warning("serving_again", what=what)
            self._tell()

    def thread(self, what: str, serve: Callable[[], None], stop: threading.Event, number: int = 0) -> threading.Thread:
        """Start a thread that serves until `stop` is set; whenever `serve` ends before, it is called again."""
        self._deaths.labels(what)
        # In a copy of this context, so that its log lines say of which service they are.
        run = contextvars.copy_context().run
        thread = threading.Thread(target=run, args=(self._keep, what, serve, stop, number), name=f"{what}_{number}", daemon=True)
        thread.start()
        return thread

    def _keep(self, what: str, serve: Callable[[], None], stop: threading.Event, number: int) -> None:
        pauses = _Pauses()
        while True:
            self.well(what, number)
            error: BaseException | None = None
            try:
                serve()
            except BaseException as raised:  # noqa: BLE001 - whatever ended it
                error = raised
            if stop.is_set():
                return
            self._died(what, error, number)
            stop.wait(pauses.next())

    async def task(self, what: str, serve: Callable[[], Awaitable[object]], may_end: Callable[[], bool] = lambda: False) -> None:
        """Serve until cancelled, or until `serve` ends when it may; whenever it ends otherwise it is called again."""
        self._deaths.labels(what)
        pauses = _Pauses()
        while True:
            self.well(what)
            error: BaseException | None = None
            try:
                await serve()
            except asyncio.CancelledError as raised:
                current = asyncio.current_task()
                if current is not None and current.cancelling():
                    raise
                error = raised
            except Exception as raised:  # noqa: BLE001 - whatever ended it
                error = raised
            if error is None and may_end():
                return
            self._died(what, error, 0)
            await asyncio.sleep(pauses.next())

    def _died(self, what: str, error: BaseException | None, number: int) -> None:
        why = "it ended" if error is None else type(error).__name__
        # Before anything else: whoever hears of the death must not find that the part serves.
        self.fault(what, f"it is begun again after {why}", number)
        self._deaths.labels(what).inc()
        log.error("serving_ended", what=what, why=why, exc_info=error)

    def _tell(self) -> None:
        for changed in list(self._listeners):
            changed()


class _Pauses:
    """The pauses before something is begun again: longer each time, until it has served for a while."""

    def __init__(self) -> None:
        self._pause = PAUSE_SECONDS
        self._begun = time.monotonic()

    def next(self) -> float:
        now = time.monotonic()
        if now - self._begun > _WELL_SECONDS:
            self._pause = PAUSE_SECONDS
        pause, self._pause = self._pause, min(self._pause * 2, LONGEST_PAUSE_SECONDS)
        self._begun = now + pause
        return pause


class Threads:
    """A fixed number of supervised threads that do one piece of work after another.

    Unlike an executor's, a thread that dies is replaced.
    """

    def __init__(self, supervisor: Supervisor, what: str, size: int) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._closed = False
        self._threads = [supervisor.thread(what, self._serve, self._stop, number) for number in range(size)]

    def submit(self, work: Callable[..., T], *args: Any) -> Future[T]:
        """Do `work(*args)` on one of the threads. RuntimeError after `close`."""
        if self._closed:
            raise RuntimeError("the threads are closed")
        future: Future[T] = Future()
        self._jobs.put(lambda: _do(future, work, args))
        return future

    def close(self) -> None:
        """End all threads after the work that was submitted."""
        if not self._closed:
            self._closed = True
            self._stop.set()
            for _ in self._threads:
                self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        while True:
            try:
                job = self._jobs.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                continue
            if job is None:
                return
            job()


def _do(future: Future[T], work: Callable[..., T], args: tuple[Any, ...]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work(*args))
    except BaseException as error:
        future.set_exception(error)
        if not isinstance(error, Exception):
            # It was meant for the thread, not for the work.
            raise
