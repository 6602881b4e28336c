"""The connections of a process: how many there may be, and of one peer.

Law: no peer takes all of them. The system's limit of open files is raised as far as it goes, each port takes a bounded number of
connections, one that does not get through its handshake in time is closed, and a peer that has more than its share loses the newest.

gRPC bounds the connections of a port but not those of a peer, and it keeps their sockets to itself. They are found among the process's open
files here; shutting one down is to gRPC as if the peer had hung up.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import socket
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, Final

from services.kit import logs
from services.kit.limit_settings import LimitSettings
from services.kit.peers import End, Peers, address_of, counted_as, end_of

log = logs.get(__name__)

MOST_FILES: Final = 1 << 20
"""What goes through every number that a file might have takes long beyond this, as closing them all in a child does."""
_SYSTEMS_MOST: Final = 10_240
"""Where no limit is named there may be one nonetheless: macOS takes no more."""
_OTHER_FILES: Final = 256
"""Files of a process that are not connections of its ports: databases, brokers, other parts, logs."""
_PORTS: Final = 3
"""Ports of a process that share its files: `xuezhan up` has three."""
_FILES: Final = "/dev/fd"
_LOOK_SECONDS: Final = 0.5
_BUSY: Final = 20
"""Looking takes at most one part in so many of a thread's time."""


def raise_file_limit() -> int:
    """Raise the number of files that this process may have open as far as the system lets it; return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = [MOST_FILES, _SYSTEMS_MOST] if hard == resource.RLIM_INFINITY else [min(hard, MOST_FILES)]
    for limit in wanted:
        if soft != resource.RLIM_INFINITY and limit > soft:
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
                return limit
    return soft if soft != resource.RLIM_INFINITY else MOST_FILES


def most_of_a_port(wanted: int) -> int:
    """Return how many connections a port may take: no more than `wanted`, and so few that the files of all ports suffice."""
    return max(1, min(wanted, (raise_file_limit() - _OTHER_FILES) // _PORTS))


def options(settings: LimitSettings) -> list[tuple[str, int]]:
    """Return what gRPC is told about the connections of a port."""
    return [
        ("grpc.max_allowed_incoming_connections", most_of_a_port(settings.max_connections)),
        ("grpc.server_handshake_timeout_ms", int(settings.handshake_seconds * 1000)),
        ("grpc.max_connection_idle_ms", int(settings.connection_idle_seconds * 1000)),
        # No more than the usual window of a stream waits to be read, however fast it comes.
        ("grpc.http2.bdp_probe", 0),
    ]


class Connections:
    """Watches the connections of one port."""

    def __init__(self, port: int, each: int, peers: Peers, ended: Callable[[], Any]) -> None:
        """`each`: connections that a peer may have, unless it is a proxy of ours; `ended` is told of every one that is closed."""
        self._port = port
        self._each = each
        self._peers = peers
        self._ended = ended
        self._order = 0
        self._seen: dict[End, int] = {}
        self._unwanted: set[End] = set()
        self._told = asyncio.Event()

    def hang_up(self, name: str) -> None:
        """Close the connection that gRPC knows by this name, soon. Not one of a proxy of ours, which others use too."""
        end = end_of(name)
        if end is not None and not self._peers.trusts(end.address):
            self._unwanted.add(end)
            self._told.set()

    async def watch(self) -> None:
        """Look for ever."""
        while True:
            begun = time.monotonic()
            await asyncio.to_thread(self.look)
            await asyncio.sleep(_BUSY * (time.monotonic() - begun))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_SECONDS):
                    await self._told.wait()
            self._told.clear()

    def look(self) -> None:
        """Close what is unwanted, and the newest connections of every peer that has more than it may."""
        unwanted, self._unwanted = self._unwanted, set()
        if not unwanted and len(_open_files()) <= self._each:
            # Nobody can have more.
            self._seen.clear()
            return
        found: defaultdict[str, list[End]] = defaultdict(list)
        seen: dict[End, int] = {}
        for _, end in self._sockets():
            self._order += 1
            seen[end] = self._seen.get(end, self._order)
            if not self._peers.trusts(end.address):
                found[counted_as(end.address)].append(end)
        self._seen = seen
        for peer, ends in found.items():
            if len(ends) > self._each:
                log.warning("too_many_connections", peer=peer, connections=len(ends), limit=self._each)
                ends.sort(key=seen.__getitem__)
                unwanted.update(ends[self._each :])
        if unwanted:
            self._close(unwanted)

    def _close(self, ends: set[End]) -> None:
        for one, end in self._sockets():
            if end in ends:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                    self._ended()

    def _sockets(self) -> Iterator[tuple[socket.socket, End]]:
        """Yield every connection of the port: its socket and the other end.

        Each is a copy of the process's own that is closed afterwards, so that it stays the same socket meanwhile.
        """
        for file in _open_files():
            with contextlib.suppress(OSError), _copy(file) as one:
                if one.family in {socket.AF_INET, socket.AF_INET6} and one.getsockname()[1] == self._port:
                    host, port = one.getpeername()[:2]
                    address = address_of(host)
                    if address is not None:
                        yield one, End(address, port)


def _open_files() -> list[int]:
    return [int(name) for name in os.listdir(_FILES)]  # noqa: PTH208 - of many thousands only the names are needed


def _copy(file: int) -> socket.socket:
    """Return a copy of an open socket. Raises OSError for what is none."""
    copy = os.dup(file)
    try:
        return socket.socket(fileno=copy)
    except OSError:
        os.close(copy)
        raise
