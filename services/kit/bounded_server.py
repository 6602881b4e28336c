"""An HTTP server with a thread a connection, of which there are only so many: the oldest gives way to the newest.

Law: whoever holds connections open keeps nobody else from being answered; and answering one address takes a bounded part of the time of
the process, which others of its threads need. Beyond that it is answered late.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from prometheus_client.exposition import ThreadingWSGIServer

from services.kit import sieve
from services.kit.meters import Meters

MOST: Final = 64
"""Connections at a time."""
EACH: Final = 16
"""Connections at a time of one address."""
_SHARE: Final = 0.1
"""Of the time of a thread, for the requests of one address."""
_AHEAD_SECONDS: Final = 5.0
"""So many seconds of that share may be used at once."""
_LONGEST_SECONDS: Final = 5.0


class BoundedServer(ThreadingWSGIServer):
    """Closes the oldest connection of an address that has too many; when all together are too many, that of the address that has most."""

    request_queue_size = 128

    counted: Callable[[str], None] | None = None
    """Is told of each request that is answered late, as `scrapes`."""

    def __init__(self, *args: Any, **more: Any) -> None:
        self._open: dict[Any, str] = {}
        self._lock = threading.Lock()
        self._used = Meters()
        super().__init__(*args, **more)
        with contextlib.suppress(OSError):
            sieve.await_words(self.socket)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection on a thread of its own."""
        peer = str(client_address[0])
        with self._lock:
            of_peer = Counter(self._open.values())
            if of_peer[peer] >= EACH:
                self._end_oldest(peer)
            elif len(self._open) >= MOST:
                self._end_oldest(of_peer.most_common(1)[0][0])
            self._open[request] = peer
        super().process_request(request, client_address)

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection, on its thread."""
        peer = str(client_address[0])
        wait = self._use(peer, 0.0)
        if wait:
            if self.counted is not None:
                self.counted("scrapes")
            time.sleep(wait)
        begun = time.thread_time()
        try:
            super().finish_request(request, client_address)
        finally:
            self._use(peer, time.thread_time() - begun)

    def _use(self, peer: str, seconds: float) -> float:
        with self._lock:
            return self._used.of(peer).use(time.monotonic(), seconds, _SHARE, _AHEAD_SECONDS, _LONGEST_SECONDS)

    def _end_oldest(self, peer: str) -> None:
        oldest = next(request for request, of in self._open.items() if of == peer)
        del self._open[oldest]
        # Its thread finds that the peer has hung up. Not with the method of a TLS socket, which would change it under that thread.
        with contextlib.suppress(OSError):
            socket.socket.shutdown(oldest, socket.SHUT_RDWR)

    def shutdown_request(self, request: Any) -> None:
        """Let go of a connection that has been served."""
        with self._lock:
            self._open.pop(request, None)
        super().shutdown_request(request)
