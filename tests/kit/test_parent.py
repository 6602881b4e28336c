"""A process that another one looks after stops when the other has gone, whatever it is doing."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from prometheus_client import CollectorRegistry

from services.kit import parent
from services.kit.supervise import Supervisor


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Set when this process is told to stop."""
    event = asyncio.Event()

    def kill(process: int, number: int) -> None:
        assert (process, number) == (os.getpid(), signal.SIGTERM)
        event.set()

    monkeypatch.setattr(os, "kill", kill)
    return event


@asynccontextmanager
async def followed(announce: Callable[[], Awaitable[None]]) -> AsyncIterator[socket.socket]:
    """A child that follows its parent under supervision, as a table server does; gives the parent's end of the socket."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    descriptor = theirs.detach()
    child = asyncio.create_task(Supervisor(CollectorRegistry()).task("parent", lambda: parent.follow(descriptor, announce), lambda: True))
    try:
        yield ours
    finally:
        ours.close()
        child.cancel()
        await asyncio.gather(child, return_exceptions=True)


async def announced() -> None:
    """Announce at once."""


async def test_a_child_announces_that_it_drains_and_stops_once_its_parent_has_gone(stopped: asyncio.Event) -> None:
    async with followed(announced) as ours, asyncio.timeout(10):
        await asyncio.get_running_loop().sock_sendall(ours, parent.DRAIN)
        assert await asyncio.get_running_loop().sock_recv(ours, 100) == parent.DRAINS
        assert not stopped.is_set()
        ours.close()
        await stopped.wait()


async def test_a_child_stops_though_its_parent_went_without_reading_the_answer(stopped: asyncio.Event) -> None:
    """The socket is reset then."""
    async with followed(announced) as ours, asyncio.timeout(10):
        await asyncio.get_running_loop().sock_sendall(ours, parent.DRAIN)
        answered = asyncio.Event()
        asyncio.get_running_loop().add_reader(ours, answered.set)
        await answered.wait()
        asyncio.get_running_loop().remove_reader(ours)
        ours.close()
        await stopped.wait()


async def test_a_child_whose_parent_goes_while_it_announces_stops(stopped: asyncio.Event) -> None:
    """As while the database is away, which an announcement waits for."""
    begun = asyncio.Event()

    async def announce() -> None:
        begun.set()
        await asyncio.Event().wait()

    async with followed(announce) as ours, asyncio.timeout(10):
        await asyncio.get_running_loop().sock_sendall(ours, parent.DRAIN)
        await begun.wait()
        ours.close()
        await stopped.wait()


async def test_a_child_that_cannot_announce_still_follows_its_parent(stopped: asyncio.Event) -> None:
    begun = asyncio.Event()

    async def announce() -> None:
        begun.set()
        raise RuntimeError("a fault that nobody foresaw")

    async with followed(announce) as ours, asyncio.timeout(10):
        await asyncio.get_running_loop().sock_sendall(ours, parent.DRAIN)
        await begun.wait()
        ours.close()
        await stopped.wait()
