"""A thread that takes messages from one queue, and connects again for ever when the broker goes away."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Final

from kombu import Connection, Consumer, Queue

from services.kit import broker, bus
from services.kit.broker_link import Link, failures, pause
from services.kit.errors import UnavailableError
from services.kit.letterbox import PREFETCH
from services.kit.supervise import Supervisor

_LISTEN_SECONDS: Final = 0.1
"""How long it listens before it looks whether it is to stop."""

_LOOK_SECONDS: Final = 2.0


class Listener:
    """Hands every message of a queue to `handle`, which acknowledges it and must not block; calls `idle` whenever no other has arrived.

    What `handle` raises, but UnavailableError, is a fault of ours: the thread is begun again, and the message comes again.
    """

    def __init__(
        self,
        url: str,
        queue: Queue,
        handle: Callable[[Any], None],
        supervisor: Supervisor,
        what: str,
        *,
        idle: Callable[[], object] = lambda: None,
        look: Callable[[Connection], object] = lambda _connection: None,
    ) -> None:
        """`what`: the name of the thread, and of its connection in metrics. `look` is given the connection every few seconds."""
        self._url = url
        self._queue = queue
        self._handle = handle
        self._what = what
        self._idle = idle
        self._look = look
        self._supervisor = supervisor
        self._link = Link(what, supervisor)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin."""
        self._thread = self._supervisor.thread(self._what, self._serve, self._stop)

    def stop(self) -> None:
        """End after the message at hand."""
        self._stop.set()
        if self._thread is not None:  # A start that failed before this one's turn stops everything too.
            self._thread.join(timeout=30)

    def _serve(self) -> None:
        while not self._stop.is_set():
            connection = bus.connect(self._url, bus.HEARTBEAT_SECONDS)
            try:
                with connection:
                    self._listen(connection)
            except UnavailableError as error:
                self._stop.wait(pause(error))
            except failures(connection) as error:
                self._stop.wait(pause(self._link.failed(error)))

    def _listen(self, connection: Connection) -> None:
        bus.open_connection(connection)
        broker.make(connection, self._queue)
        with Consumer(
            connection.channel(),
            [self._queue],
            on_message=self._handle,
            on_decode_error=lambda message, _error: self._handle(message),
            auto_declare=False,
            prefetch_count=PREFETCH,
        ):
            self._link.works()
            look_at = 0.0
            while not self._stop.is_set():
                if time.monotonic() >= look_at:
                    look_at = time.monotonic() + _LOOK_SECONDS
                    self._look(connection)
                try:
                    connection.drain_events(timeout=_LISTEN_SECONDS)
                    while not self._stop.is_set():
                        connection.drain_events(timeout=0)
                except TimeoutError:
                    self._idle()
                    if not bus.is_memory(self._url):
                        connection.heartbeat_check()
