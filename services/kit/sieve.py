"""Keeps addresses from connecting to a port, and silent connections from its owner, in the system's own network code, where that costs
nothing.

Law: who is connected stays connected. What is dropped are the packets with which an address asks for a new connection.

On Linux a listening socket takes a filter (classic BPF, which needs no privilege: socket(7), SO_ATTACH_FILTER). Elsewhere nobody is kept
out.
"""

from __future__ import annotations

import ctypes
import ipaddress
import socket
import struct
import sys
from collections.abc import Iterable
from typing import Final

from services.kit.peers import Network

_ATTACH, _DETACH = 26, 27
_LOAD_BYTE, _LOAD_WORD, _SHIFT_RIGHT, _IF_EQUAL, _RETURN = 0x30, 0x20, 0x74, 0x15, 0x06
_IP_HEADER: Final = 0xFFF00000
"""Where the packet's network header is, to a filter."""
_FOUR_SOURCE, _SIX_SOURCE = _IP_HEADER + 12, _IP_HEADER + 8
_DROP, _PASS = 0, 0xFFFFFFFF
_SILENT_SECONDS: Final = 5
MOST: Final = 60
"""Networks of each version: a jump of the filter goes over 255 instructions at most."""


def available() -> bool:
    """Whether anybody can be kept out here."""
    return sys.platform == "linux"


def keep_out(listening: socket.socket, networks: Iterable[Network]) -> None:
    """Let these networks, and no others, find nobody at a listening socket. Raises OSError."""
    kept = list(networks)
    if not kept:
        listening.setsockopt(socket.SOL_SOCKET, _DETACH, 0)
        return
    code = ctypes.create_string_buffer(program(kept))
    listening.setsockopt(socket.SOL_SOCKET, _ATTACH, struct.pack("HL", (len(code) - 1) // 8, ctypes.addressof(code)))


def await_words(listening: socket.socket) -> None:
    """Let the system itself keep a connection over which nothing has come: whoever listens hears of it when something does, or after some
    seconds. Raises OSError.

    In gRPC, TLS and HTTP the client speaks first. To take a connection costs gRPC a hundred times as much as it costs the system.
    """
    if sys.platform == "linux":
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, _SILENT_SECONDS)


def program(networks: Iterable[Network]) -> bytes:
    """Return the filter: IPv4 addresses are told apart as a whole, IPv6 addresses by their first 64 bits."""
    kept = list(networks)
    fours = [int(network.network_address) for network in kept if isinstance(network, ipaddress.IPv4Network)][-MOST:]
    sixes = [divmod(int(network.network_address) >> 64, 1 << 32) for network in kept if isinstance(network, ipaddress.IPv6Network)][-MOST:]
    parts = [_step(_LOAD_BYTE, _IP_HEADER), _step(_SHIFT_RIGHT, 4), _step(_IF_EQUAL, 6, then=2 * len(fours) + 2)]
    parts.append(_step(_LOAD_WORD, _FOUR_SOURCE))
    for source in fours:
        parts += [_step(_IF_EQUAL, source, otherwise=1), _step(_RETURN, _DROP)]
    parts.append(_step(_RETURN, _PASS))
    for first, second in sixes:
        parts += [_step(_LOAD_WORD, _SIX_SOURCE), _step(_IF_EQUAL, first, otherwise=3)]
        parts += [_step(_LOAD_WORD, _SIX_SOURCE + 4), _step(_IF_EQUAL, second, otherwise=1), _step(_RETURN, _DROP)]
    parts.append(_step(_RETURN, _PASS))
    return b"".join(parts)


def _step(code: int, value: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, value)
