"""What comes over each connection that is part of no call: gRPC takes pings, settings, empty frames and calls that are cancelled at once by
itself, and tells nobody.

Law: a peer may send a bounded number of such bytes a second, whatever they are. The system knows how many bytes came over a connection
(tcp(7), TCP_INFO), and calls say what they and their messages took; the rest is what this counts. Only Linux tells.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from services.kit.peers import End, counted_as, end_of

_RECEIVED: Final = 128
"""Where the number of received bytes is in what TCP_INFO gives (linux/tcp.h, tcpi_bytes_received)."""
_CALL_BYTES: Final = 2048
"""What the headers of a call may take."""
_MESSAGE_BYTES: Final = 64
"""What frames, acknowledgements and TLS add to a message, of which each byte may take two."""
_BYTES_A_SECOND: Final = 64 * 1024
_AHEAD_BYTES: Final = 2 * 1024 * 1024
"""How far a peer may be ahead of that: messages that wait to be read, because this process is busy, count until they are."""
_MUCH: Final = 4096
"""Connections of a peer beyond its bound that sent less than this since the last look are let be."""


def received(one: socket.socket) -> int | None:
    """Return how many bytes came over a connection; None where the system does not tell."""
    if sys.platform != "linux":
        return None
    with contextlib.suppress(OSError, struct.error):
        return int(struct.unpack_from("=Q", one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RECEIVED + 8), _RECEIVED)[0])
    return None


class Traffic:
    """The bytes of one port's connections. Calls are noted on the event loop's thread, the rest is another's."""

    def __init__(self) -> None:
        self._noted: defaultdict[str, int] = defaultdict(int)
        self._parts: set[End] = set()
        self._called: set[End] = set()
        self._called_before: set[End] = set()
        self._received: dict[End, int] = {}
        self._debts: dict[str, float] = {}
        self._looked = 0.0

    def call(self, connection: str) -> None:
        """Note that a call came over the connection that gRPC knows by this name."""
        self._noted[connection] += _CALL_BYTES

    def message(self, connection: str, size: int) -> None:
        """Note a message of a call."""
        self._noted[connection] += 2 * size + _MESSAGE_BYTES

    def part(self, connection: str) -> None:
        """Note that a part of ours calls over a connection: what comes over it is not counted."""
        end = end_of(connection)
        if end is not None:
            self._parts.add(end)

    def called(self, end: End) -> bool:
        """Whether a call came over a connection in the last two looks, or a part of ours had it."""
        return end in self._called or end in self._called_before or end in self._parts

    def beyond(self, now: float, found: Mapping[End, int]) -> set[End]:
        """Return the connections of peers that sent more than they may, of all there are and the bytes that came over each."""
        noted, self._noted = self._noted, defaultdict(int)
        calls = {end: size for name, size in noted.items() if (end := end_of(name)) is not None}
        self._called_before, self._called = self._called, set(calls)
        more = {end: came - self._received.get(end, 0) - calls.get(end, 0) for end, came in found.items()}
        # What has gone since the last look; a connection that came while this one was under way is not in it.
        self._parts -= self._received.keys() - found.keys()
        self._received = dict(found)
        of_peer: defaultdict[str, int] = defaultdict(int)
        for end, size in more.items():
            if end not in self._parts:
                of_peer[counted_as(end.address)] += size
        free = (now - self._looked) * _BYTES_A_SECOND
        self._looked = now
        debts = {peer: self._debts.get(peer, 0.0) + of_peer.get(peer, 0) - free for peer in {*self._debts, *of_peer}}
        self._debts = {peer: min(debt, 2.0 * _AHEAD_BYTES) for peer, debt in debts.items() if debt > 0}
        over = {peer for peer, debt in self._debts.items() if debt > _AHEAD_BYTES}
        return {end for end, size in more.items() if size > _MUCH and end not in self._parts and counted_as(end.address) in over}
