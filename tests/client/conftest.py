"""A fake server and clients of it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.client.server import FakeServer, started
from xuezhan.client import Channels, Place, Seat
from xuezhan.client.streams import Streams


class Table:
    """A client's streams with seats at a fake server."""

    def __init__(self, server: FakeServer, patience: float = 10) -> None:
        self.server = server
        self.channels = Channels(patience)
        self.streams = Streams(self.channels)

    def sit(self, token: str = "seat", **options: object) -> Seat:
        seat = Seat(Place(self.server.address, token, "t", 0), "alice", **options)  # type: ignore[arg-type]
        self.streams.add(seat)
        return seat

    async def close(self) -> None:
        await self.streams.close()
        await self.channels.close()


@pytest.fixture
async def server() -> AsyncIterator[FakeServer]:
    async with started() as fake:
        yield fake


@pytest.fixture
async def table(server: FakeServer) -> AsyncIterator[Table]:
    table = Table(server)
    yield table
    await table.close()
