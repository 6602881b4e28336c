"""A TCP proxy on loopback between a client and a server, which does with what passes whatever a test tells it to."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

UP: Final = "up"
"""From the client to the server."""
DOWN: Final = "down"
BOTH: Final = (UP, DOWN)
_PREFACE: Final = 24
_HEAD: Final = 9
_CHUNK: Final = 65_536


class Messages:
    """Finds where gRPC's messages end in one direction of an HTTP/2 connection: each of ours is one DATA frame."""

    def __init__(self, preface: int) -> None:
        self.count = 0
        self._skip = preface
        self._head = bytearray()
        self._data = False

    def cut(self, data: bytes, most: int) -> int | None:
        """Take in bytes; returns how many of them there are up to the end of message number `most`, None if it does not end here."""
        place = 0
        while place < len(data):
            if self._skip:
                step = min(self._skip, len(data) - place)
                self._skip -= step
                place += step
                if not self._skip and self._data:
                    self._data = False
                    self.count += 1
                    if self.count == most:
                        return place
                continue
            self._head.append(data[place])
            place += 1
            if len(self._head) == _HEAD:
                self._skip = int.from_bytes(self._head[:3])
                self._data = self._head[3] == 0 and self._skip > 0
                self._head.clear()
        return None


class Link:
    """One connection through the proxy."""

    def __init__(self, proxy: Proxy, client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> None:
        self.lost = False
        self.waiting = dict.fromkeys(BOTH, 0)
        """Bytes that came and were not let through."""
        self.ways: list[asyncio.Task[None]] = []
        self.messages = {UP: Messages(_PREFACE), DOWN: Messages(0)}
        self._proxy = proxy
        self._writers = {UP: server, DOWN: client}

    async def pump(self, way: str, reader: asyncio.StreamReader) -> None:
        """Pass on what comes in one direction, until either side ends or the proxy breaks the connection."""
        proxy, writer = self._proxy, self._writers[way]
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(proxy.chunk):
                self.waiting[way] += len(data)
                if proxy.delays[way]:
                    await asyncio.sleep(proxy.delays[way])
                await proxy.passing(self, way)
                self.waiting[way] -= len(data)
                end = self.messages[way].cut(data, proxy.cut_after.get(way, 0))
                if end is not None:
                    if not proxy.cuts_again:
                        proxy.cut_after.clear()
                    writer.write(data[:end])
                    await writer.drain()
                    break
                writer.write(data)
                await writer.drain()
        self.abort()

    def abort(self) -> None:
        """Break the connection, both ways."""
        for writer in self._writers.values():
            writer.transport.abort()
        for way in self.ways:
            way.cancel()


class Proxy:
    """Listens on a port of its own and passes everything on to another, until it is told otherwise.

    `cut_after[way]`: the next connection whose message of that number has passed is broken there, once; with `cuts_again` every connection
    is. `chunk`: how much is read at a time.
    """

    def __init__(self, port: int | Callable[[], int] = 0) -> None:
        """`port`: where the server listens on loopback, or what tells it."""
        self.target = port
        self.links: set[Link] = set()
        self.delays = dict.fromkeys(BOTH, 0.0)
        self.cut_after: dict[str, int] = {}
        self.cuts_again = False
        self.chunk = _CHUNK
        self._open = {way: asyncio.Event() for way in BOTH}
        self._refuses = False
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.mend()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", 0, limit=self.chunk)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def address(self) -> str:
        assert self._server is not None
        host, port = self._server.sockets[0].getsockname()
        return f"{host}:{port}"

    # What a test does.

    def hold(self, *ways: str) -> None:
        """Let nothing through in these directions until it is mended; what comes waits here, and connections stay."""
        for way in ways or BOTH:
            self._open[way].clear()

    def cut(self) -> None:
        """Break every connection, and new ones at once."""
        self._refuses = True
        self.break_all()

    def break_all(self) -> None:
        """Break every connection; new ones are welcome."""
        for link in self.links:
            link.abort()

    def lose(self) -> None:
        """Let nothing through on the connections that there are, ever; new ones work."""
        for link in self.links:
            link.lost = True

    def forget(self) -> None:
        """Break the connections that are lost: a machine ends them after some minutes in which nothing came."""
        for link in self.links:
            if link.lost:
                link.abort()

    def delay(self, seconds: float) -> None:
        """Let everything wait before it passes."""
        self.delays = dict.fromkeys(BOTH, seconds)

    def mend(self) -> None:
        """Let everything through again, what waits here too."""
        self._refuses = False
        self.delay(0.0)
        for one in self._open.values():
            one.set()

    def waiting(self, way: str) -> int:
        """Return how many bytes wait in a direction."""
        return sum(link.waiting[way] for link in self.links)

    # What connections do.

    async def passing(self, link: Link, way: str) -> None:
        """Wait until something may pass."""
        while link.lost or not self._open[way].is_set():
            await (asyncio.Event() if link.lost else self._open[way]).wait()

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._accept(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if not self._refuses:
                await self._pass(reader, writer)
        except OSError:
            pass  # The server does not listen: the client learns it by the connection's end.
        finally:
            writer.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        port = self.target() if callable(self.target) else self.target
        from_server, to_server = await asyncio.open_connection("127.0.0.1", port, limit=self.chunk)
        link = Link(self, writer, to_server)
        self.links.add(link)
        link.ways = [asyncio.create_task(link.pump(UP, reader)), asyncio.create_task(link.pump(DOWN, from_server))]
        try:
            await asyncio.wait(link.ways)
        finally:
            self.links.discard(link)
            link.abort()
