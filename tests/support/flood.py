"""A hostile client, in few bytes of its own: HTTP/2 by hand, as many connections and streams as wanted, from any loopback address.

`python -m tests.support.flood ADDRESS KIND ...` runs one in a process of its own. It only ever connects to the address that it is given.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import selectors
import signal
import socket
import ssl
import struct
import time
from collections import Counter
from typing import Any, Final

TABLE: Final = "/xuezhan.api.table.v1.TableService"
MATCHMAKING: Final = "/xuezhan.api.matchmaking.v1.MatchmakingService"
EMPTY_INPUTS: Final = b"\x0a\x00" * 32_000
"""A PlayRequest of nearly 64 KiB: 32,000 inputs with nothing in them."""
_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _RESET, _SETTINGS, _PING, _GOAWAY, _WINDOW = 0, 1, 3, 4, 6, 7, 8
_END_STREAM, _ACK, _END_HEADERS = 1, 1, 4
_FRAME: Final = 16_384
_WIDE: Final = 2**31 - 1
_BATCH: Final = 100
"""Calls or pings that are sent at once."""


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


OPENING: Final = _PREFACE + _frame(_SETTINGS, 0, 0, struct.pack(">HI", 4, _WIDE)) + _frame(_WINDOW, 0, 0, struct.pack(">I", 2**30))
"""What a client of HTTP/2 begins with; this one takes whatever it is sent."""


def _length(number: int) -> bytes:
    if number < 127:
        return bytes((number,))
    out, number = [127], number - 127
    while number >= 128:
        out.append(number % 128 + 128)
        number //= 128
    return bytes((*out, number))


def headers(path: str, token: str = "", more: tuple[tuple[str, str], ...] = ()) -> bytes:
    """The header block of a call, each field spelled out."""
    fields = [(":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "x"), ("content-type", "application/grpc")]
    fields += [("te", "trailers"), *([("authorization", f"Bearer {token}")] if token else []), *more]
    return b"".join(b"\x00" + _length(len(name)) + name.encode() + _length(len(value)) + value.encode() for name, value in fields)


def grpc_message(body: bytes) -> bytes:
    """A message as gRPC frames it."""
    return b"\x00" + struct.pack(">I", len(body)) + body


class _Stream:
    def __init__(self, window: int) -> None:
        self.window = window
        self.left = b""


class Connection:
    """One connection that keeps `width` calls of one kind open and sends `message` on each: again and again (`repeat`), or once.

    Without a `head` for its calls it speaks HTTP/2 and calls nothing; `Silent` says nothing at all.
    """

    def __init__(
        self, host: str, port: int, source: str, head: bytes, message: bytes, width: int, *, repeat: bool, told: Counter[str]
    ) -> None:
        self.socket = socket.socket()
        self.socket.bind((source, 0))
        self.socket.settimeout(1)
        self.socket.connect((host, port))
        self.socket.setblocking(False)
        self._head, self._message, self._width, self._repeat, self._told = head, grpc_message(message), width, repeat, told
        if not head:
            self._width = 0
        self._next, self._streams = 1, dict[int, _Stream]()
        self._window, self._initial = 65_535, 65_535
        self._in, self._out = (
            b"",
            _PREFACE + _frame(_SETTINGS, 0, 0, struct.pack(">HI", 4, _WIDE)) + _frame(_WINDOW, 0, 0, struct.pack(">I", 2**30)),
        )

    def pump_once(self) -> None:
        """Open and send some of what can be. Raises OSError when the connection has gone."""
        if not self._out:
            self._fill()
        with contextlib.suppress(BlockingIOError):
            self._out = self._out[self.socket.send(self._out) :]

    def pump(self) -> None:
        """Open and send what can be. Raises OSError when the connection has gone."""
        if not self._out:
            self._fill()
        while self._out:
            try:
                sent = self.socket.send(self._out)
            except BlockingIOError:
                return
            self._told["bytes"] += sent
            self._out = self._out[sent:]
            if not self._out:
                self._fill()

    def _fill(self) -> None:
        parts = []
        while len(self._streams) < self._width and self._next < 2**31 - 2:
            parts.append(_frame(_HEADERS, _END_HEADERS, self._next, self._head))
            self._streams[self._next] = stream = _Stream(self._initial)
            stream.left = self._message
            self._next += 2
            self._told["calls"] += 1
        for number, stream in self._streams.items():
            while len(parts) < 64 and (room := min(stream.window, self._window, _FRAME, len(stream.left))) > 0:
                piece, stream.left = stream.left[:room], stream.left[room:]
                stream.window -= room
                self._window -= room
                done = not stream.left
                self._told["messages"] += done
                parts.append(_frame(_DATA, _END_STREAM if done and not self._repeat else 0, number, piece))
                if done and self._repeat:
                    stream.left = self._message
        self._out = b"".join(parts)

    def hear(self) -> None:
        """Take in what has come. Raises OSError when the connection has gone."""
        data = self.socket.recv(1 << 20)
        if not data:
            raise ConnectionError("closed")
        self._in += data
        at = 0
        while len(self._in) - at >= 9 and len(self._in) - at >= 9 + (size := int.from_bytes(self._in[at : at + 3])):
            kind, flags = self._in[at + 3], self._in[at + 4]
            self._frame_came(kind, flags, int.from_bytes(self._in[at + 5 : at + 9]), self._in[at + 9 : at + 9 + size])
            at += 9 + size
        self._in = self._in[at:]

    def _frame_came(self, kind: int, flags: int, number: int, payload: bytes) -> None:
        if kind == _WINDOW:
            more = int.from_bytes(payload)
            if not number:
                self._window += more
            elif number in self._streams:
                self._streams[number].window += more
        elif kind == _SETTINGS and not flags & _ACK:
            for place in range(0, len(payload), 6):
                name, value = struct.unpack(">HI", payload[place : place + 6])
                if name == 4:
                    self._initial = value
            self._out += _frame(_SETTINGS, _ACK, 0)
        elif kind == _PING and not flags & _ACK:
            self._out += _frame(_PING, _ACK, 0, payload)
        elif kind == _RESET or (kind in {_DATA, _HEADERS} and flags & _END_STREAM):
            self._told["ended"] += self._streams.pop(number, None) is not None
        elif kind == _GOAWAY:
            raise ConnectionError(f"goaway {payload[8:].decode(errors='replace')}")


class Silent(Connection):
    """Says nothing."""

    def pump(self) -> None:
        """Send nothing."""


class Resetting(Connection):
    """Calls, and takes each call back at once."""

    def _fill(self) -> None:
        calls = range(self._next, min(self._next + 2 * _BATCH, 2**31 - 2), 2)
        cancelled = struct.pack(">I", 8)
        self._out = b"".join(_frame(_HEADERS, _END_HEADERS, call, self._head) + _frame(_RESET, 0, call, cancelled) for call in calls)
        self._next += 2 * len(calls)
        self._told["calls"] += len(calls)


class Pinging(Connection):
    """Asks again and again whether the server is there."""

    def _fill(self) -> None:
        self._out = _frame(_PING, 0, 0, b"12345678") * _BATCH
        self._told["pings"] += _BATCH


def client_hello() -> bytes:
    """What a client of TLS begins with, who looks for another host."""
    out = ssl.MemoryBIO()
    context = ssl.create_default_context()
    context.set_alpn_protocols(["h2"])
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), out, server_hostname="nowhere.example").do_handshake()
    return out.read()


class HangingUp(Connection):
    """Says how it begins to speak, in HTTP/2 or TLS, and hangs up."""

    hello = OPENING

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        # Closed so, none of it lingers in the system.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def pump(self) -> None:
        """Do so."""
        self.socket.send(self.hello)
        raise ConnectionError("hung up")


class Asking(HangingUp):
    """Asks for the metrics, and hangs up when it has an answer."""

    hello = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._asked = False

    def pump(self) -> None:
        """Ask once."""
        if not self._asked:
            self.socket.send(self.hello)
            self._asked = True

    def hear(self) -> None:
        """Hang up at the answer."""
        if self.socket.recv(1 << 16):
            self._told["answers"] += 1
        raise ConnectionError("hung up")


class Greeting(Asking):
    """Begins a handshake of TLS, waits for the answer, which costs the server a signature, and hangs up."""

    hello = client_hello()


KINDS: Final[dict[str, type[Connection]]] = {
    "silent": Silent,
    "resets": Resetting,
    "pings": Pinging,
    "hangups": HangingUp,
    "scrapes": Asking,
    "greetings": Greeting,
}


class Flood:
    """Keeps `connections` of them open for some seconds; one that is closed is opened again."""

    def __init__(
        self,
        address: str,
        source: str,
        head: bytes,
        message: bytes,
        *,
        connections: int,
        width: int,
        repeat: bool,
        kind: type[Connection] = Connection,
    ) -> None:
        host, _, port = address.rpartition(":")
        self.told: Counter[str] = Counter()
        self._where = (host, int(port), source)
        self._what = (head, message, width)
        self._connections, self._repeat, self._kind = connections, repeat, kind

    def run(self, seconds: float) -> dict[str, int]:
        """Flood, at most until told to stop (SIGTERM); returns what was sent and what became of it."""
        end = time.monotonic() + seconds

        def stop(*_: object) -> None:
            nonlocal end
            end = 0.0

        signal.signal(signal.SIGTERM, stop)
        with selectors.DefaultSelector() as selector:
            while time.monotonic() < end:
                self._open(selector)
                for key, _ in selector.select(0.005):
                    self._do(selector, key.data, key.data.hear)
                for key in list(selector.get_map().values()):
                    self._do(selector, key.data, key.data.pump)
            for key in list(selector.get_map().values()):
                key.data.socket.close()
        return dict(self.told)

    def _open(self, selector: selectors.BaseSelector) -> None:
        while len(selector.get_map()) < self._connections:
            try:
                made = self._kind(*self._where, *self._what, repeat=self._repeat, told=self.told)
            except OSError as error:
                self.told[f"not connected: {error}"] += 1
                time.sleep(0.01)
                return
            self.told["connections"] += 1
            selector.register(made.socket, selectors.EVENT_READ, made)

    def _do(self, selector: selectors.BaseSelector, connection: Connection, step: object) -> None:
        assert callable(step)
        try:
            step()
        except BlockingIOError:
            return
        except OSError as error:
            self.told[f"lost: {error}"] += 1
            selector.unregister(connection.socket)
            connection.socket.close()


def main() -> None:
    """Flood an address and print what became of it, as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("kind", choices=["play", "calls", "opened", *KINDS])
    parser.add_argument("--connections", type=int, default=10)
    parser.add_argument("--width", type=int, default=1, help="calls open on each connection")
    parser.add_argument("--path", default=f"{TABLE}/ListTables")
    parser.add_argument("--token", default="")
    parser.add_argument("--source", default="127.0.0.2")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--core", type=int, default=-1, help="the core to run on")
    given = parser.parse_args()
    os.nice(19)
    if given.core >= 0:
        os.sched_setaffinity(0, {given.core})
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    play = given.kind == "play"
    calls = headers(given.path, given.token)
    head = {"play": headers(f"{TABLE}/Play"), "calls": calls, "resets": calls}.get(given.kind, b"")
    flood = Flood(
        given.address,
        given.source,
        head,
        EMPTY_INPUTS if play else b"",
        connections=given.connections,
        width=given.width,
        repeat=play,
        kind=KINDS.get(given.kind, Connection),
    )
    print(json.dumps(flood.run(given.seconds)))


if __name__ == "__main__":
    main()
