"""An HTTP server with a thread a connection, of which there are only so many: the oldest gives way to the newest.

Law: whoever holds connections open keeps nobody else from being answered.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections import Counter
from typing import Any, Final

from prometheus_client.exposition import ThreadingWSGIServer

from services.kit import sieve

MOST: Final = 64
"""Connections at a time."""
EACH: Final = 16
"""Connections at a time of one address."""


class BoundedServer(ThreadingWSGIServer):
    """Closes the oldest connection of an address that has too many; when all together are too many, that of the address that has most."""

    request_queue_size = 128

    def __init__(self, *args: Any, **more: Any) -> None:
        self._open: dict[Any, str] = {}
        self._lock = threading.Lock()
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
