"""The connections of a process: how many there may be, and of one peer.

Law: no peer takes all of them, or sends much beside calls. The system's limit of open files is raised as far as it goes, each port takes
a bounded number of connections, one that does not get through its handshake in time is closed, and a peer that has more than its share
loses the newest. A peer of which many had to be closed, or that hung up on many without a call, gets no new ones for a while.

gRPC bounds the connections of a port but not those of a peer, and it keeps their sockets to itself. They are found among the process's open
files here; shutting one down is to gRPC as if the peer had hung up.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import resource
import socket
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, Final

from services.kit import logs, sieve
from services.kit.limit_settings import LimitSettings
from services.kit.meters import Meters
from services.kit.peers import End, Peers, address_of, counted_as, end_of
from services.kit.traffic import Traffic, received

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
_CLOSED_A_SECOND: Final = 2.0
"""Connections of a peer that may have to be closed a second, and ahead of that as many as in fifteen seconds."""
_CLOSED_AHEAD_SECONDS: Final = 15.0
_FLOODING: Final = 5.0
"""What a connection counts that was closed because of the calls that came over it."""
_OUT_SECONDS: Final = 10.0
"""For so long a peer of which more had to be closed gets no new connection."""
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

    def __init__(self, port: int, each: int, peers: Peers, counted: Callable[[str], Any], traffic: Traffic | None = None) -> None:
        """`each`: connections that a peer may have, unless it is a proxy of ours.

        `counted` is told of everything that was done: `connections` closed, an address `kept_out`.
        """
        self._port = port
        self._each = each
        self._peers = peers
        self._counted = counted
        self._traffic = traffic or Traffic()
        self._order = 0
        self._seen: dict[End, int] = {}
        self._new: set[End] = set()
        """Those that the last look found and the one before it did not."""
        self._unwanted: set[End] = set()
        self._told = asyncio.Event()
        self._closed = Meters()
        self._out: dict[str, float] = {}
        """Until when an address is kept out."""
        self._sieved: frozenset[str] = frozenset()

    def hang_up(self, name: str) -> None:
        """Close the connection that gRPC knows by this name, soon. Not one of a proxy of ours, which others use too."""
        end = end_of(name)
        if end is not None and not self._peers.trusts(end.address):
            self._unwanted.add(end)
            self._told.set()

    async def watch(self) -> None:
        """Look for ever."""
        for one in self._listening():
            with contextlib.suppress(OSError):
                sieve.await_words(one)
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
        flooding, self._unwanted = self._unwanted, set()
        unwanted = self._beyond()
        if flooding or unwanted:
            self._close(unwanted, flooding)
        if self._out:
            self._keep_out()

    def _beyond(self) -> set[End]:
        """Return the connections of peers beyond what each may have and send."""
        found: defaultdict[str, list[End]] = defaultdict(list)
        seen: dict[End, int] = {}
        came: dict[End, int] = {}
        for one, end in self._sockets():
            self._order += 1
            seen[end] = self._seen.get(end, self._order)
            if not self._peers.trusts(end.address):
                found[counted_as(end.address)].append(end)
                came[end] = received(one) or 0
        now = time.monotonic()
        beyond = self._traffic.beyond(now, came)
        for end in self._new - seen.keys():
            # What a handshake takes, somebody who hangs up pays like somebody who is hung up on. The most are gone before any look.
            if not self._traffic.called(end) and not self._peers.trusts(end.address):
                self._strike(counted_as(end.address), now, 1.0)
        self._new = seen.keys() - self._seen.keys()
        self._seen = seen
        for peer, ends in found.items():
            if len(ends) > self._each:
                log.warning("too_many_connections", peer=peer, connections=len(ends), limit=self._each)
                ends.sort(key=seen.__getitem__)
                beyond.update(ends[self._each :])
        return beyond

    def _close(self, unwanted: set[End], flooding: set[End]) -> None:
        now = time.monotonic()
        for one, end in self._sockets():
            if end in unwanted or end in flooding:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                    self._counted("connections")
                self._strike(counted_as(end.address), now, _FLOODING if end in flooding else 1.0)

    def _strike(self, peer: str, now: float, weight: float) -> None:
        if self._closed.of(peer).use(now, weight, _CLOSED_A_SECOND, _CLOSED_AHEAD_SECONDS, _OUT_SECONDS):
            self._out[peer] = now + _OUT_SECONDS

    def _keep_out(self) -> None:
        now = time.monotonic()
        self._out = {peer: until for peer, until in self._out.items() if until > now}
        out = frozenset(self._out)
        if out == self._sieved or not sieve.available():
            return
        for peer in out - self._sieved:
            log.warning("kept_out", peer=peer, seconds=_OUT_SECONDS)
            self._counted("kept_out")
        for one in self._listening():
            with contextlib.suppress(OSError):
                sieve.keep_out(one, map(ipaddress.ip_network, sorted(out, key=self._out.__getitem__)))
        self._sieved = out

    def _listening(self) -> Iterator[socket.socket]:
        for one in self._copies():
            if one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                yield one

    def _sockets(self) -> Iterator[tuple[socket.socket, End]]:
        """Yield every connection of the port: its socket and the other end."""
        for one in self._copies():
            with contextlib.suppress(OSError):
                host, port = one.getpeername()[:2]
                address = address_of(host)
                if address is not None:
                    yield one, End(address, port)

    def _copies(self) -> Iterator[socket.socket]:
        """Yield every socket of the port.

        Each is a copy of the process's own that is closed afterwards, so that it stays the same socket meanwhile.
        """
        for file in _open_files():
            with contextlib.suppress(OSError), _copy(file) as one:
                if one.family in {socket.AF_INET, socket.AF_INET6} and one.getsockname()[1] == self._port:
                    yield one


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
