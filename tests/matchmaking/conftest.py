import asyncio
import secrets
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from grpc import aio

from services.kit.bootstrap import Running
from services.kit.roles import Role
from services.matchmaking.config import Settings
from services.matchmaking.server import build
from tests.matchmaking.replica import Barrier, Replica, replica
from tests.matchmaking.standins import Ledger, Tables
from tests.support.keyring import Keyring
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api
from xuezhan.api.matchmaking.v1.matchmaking_pb2_grpc import MatchmakingServiceStub

FOUR = ("anna", "bela", "carl", "dora")
ROOM = "crazy_xuezhan/mayou"
BOT_ROOM = "crazy_xuezhan/dashi"
ROOMS = """
[[room]]
game = "crazy_xuezhan"
id = "mayou"
name = "麻友"
base = 1
min_coins = 1000
bots = { wait_seconds = "never" }

[[room]]
game = "crazy_xuezhan"
id = "dashi"
name = "大师"
base = 1
min_coins = 1000
bots = { wait_seconds = 0.3 }
"""


@pytest.fixture(scope="session")
def shared_database(postgres: Any) -> str:
    return str(postgres.new_database("matchmaking"))


BOTH = pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)
POSTGRES = pytest.mark.parametrize("database_url", ["postgres"], indirect=True)


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """SQLite, unless the test is marked with BOTH or POSTGRES."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return f"sqlite:///{tmp_path}/matchmaking.db"
    url: str = request.getfixturevalue("shared_database")
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS matchmaking CASCADE")
    return url


@pytest.fixture
def keys(tmp_path: Path) -> Keyring:
    return Keyring(tmp_path / "secrets")


class Client:
    """A caller of one matchmaking server."""

    def __init__(self, address: str, metrics_port: int, keys: Keyring) -> None:
        self.metrics_url = f"http://127.0.0.1:{metrics_port}/metrics"
        self.channel = aio.insecure_channel(address)
        self.stub: Any = MatchmakingServiceStub(self.channel)
        self.keys = keys

    def meta(self, player: str) -> Any:
        return (("authorization", f"Bearer {self.keys.player(player)}"),)

    def part(self, role: Role) -> Any:
        return (("authorization", f"Bearer {self.keys.part(role, Role.MATCHMAKING)}"),)

    async def create(self, player: str, room: str = ROOM, key: str = "") -> Any:
        request = api.CreateTicketRequest(room_id=room, key=key)
        return (await self.stub.CreateTicket(request, metadata=self.meta(player), timeout=10)).ticket

    async def cancel(self, player: str, ticket: str) -> Any:
        return (await self.stub.CancelTicket(api.CancelTicketRequest(ticket_id=ticket), metadata=self.meta(player), timeout=10)).ticket

    def watch(self, player: str, ticket: str) -> Any:
        return self.stub.WatchTicket(api.WatchTicketRequest(ticket_id=ticket), metadata=self.meta(player), timeout=30)

    async def until(self, player: str, ticket: str, *states: Any) -> Any:
        """Watch until the ticket is in one of the states; returns it so."""
        call = self.watch(player, ticket)
        try:
            async for answer in call:
                if answer.ticket.state in states:
                    return answer.ticket
        finally:
            call.cancel()
        raise AssertionError("the watch ended before")

    async def seated(self, player: str, ticket: str) -> Any:
        return await self.until(player, ticket, api.TICKET_STATE_SEATED)

    async def waiting(self, room: str = ROOM) -> int:
        rooms = (await self.stub.ListRooms(api.ListRoomsRequest(), metadata=self.meta("anna"), timeout=10)).rooms
        return next(int(each.waiting) for each in rooms if each.room_id == room)

    async def metric(self, name: str) -> float:
        """Scrape one figure, labels included in its name."""
        text = await asyncio.to_thread(lambda: urllib.request.urlopen(self.metrics_url, timeout=10).read().decode())
        return float(next(line.rpartition(" ")[2] for line in text.splitlines() if line.startswith(f"{name} ")))

    async def until_metric(self, name: str, value: float) -> None:
        """Wait until a figure is so."""
        async with asyncio.timeout(10):
            while await self.metric(name) != value:  # noqa: ASYNC110 - it is another process's state
                await asyncio.sleep(0.01)

    async def until_waiting(self, count: int) -> None:
        """Wait until so many tickets are seen to wait."""
        async with asyncio.timeout(10):
            while await self.waiting() != count:  # noqa: ASYNC110 - it is another process's state
                await asyncio.sleep(0.01)


async def until(what: Callable[[], object]) -> None:
    """Wait until something is so at the stand-ins."""
    async with asyncio.timeout(10):
        while not what():  # noqa: ASYNC110 - it is another process's state
            await asyncio.sleep(0.01)


async def create(client: Client, *players: str) -> dict[str, str]:
    return {player: (await client.create(player)).ticket_id for player in players}


async def seated(client: Client, tickets: dict[str, str]) -> list[Any]:
    return await asyncio.gather(*(client.seated(player, ticket) for player, ticket in tickets.items()))


class House:
    """An installation of matchmaking with stand-ins beside it."""

    def __init__(self, folder: Path, url: str, keys: Keyring) -> None:
        self.folder = folder
        self.url = url
        self.keys = keys
        self.rooms = ROOMS
        self.ledger = Ledger(keys)
        self.tables = [Tables(keys, self.ledger)]
        self.stack = AsyncExitStack()
        self.running: list[Running] = []

    @property
    def table(self) -> Tables:
        return self.tables[0]

    async def stand_ins(self, servers: int = 1) -> None:
        while len(self.tables) < servers:
            self.tables.append(Tables(self.keys, self.ledger))
            self.tables[-1].shared = self.tables[0]
        for table in self.tables:
            table.listed = self.tables
        for stand_in in (self.ledger, *self.tables):
            await stand_in.start()
            self.stack.push_async_callback(stand_in.stop)

    def settings(self, **changes: Any) -> Settings:
        rooms_file = self.folder / f"rooms-{secrets.token_hex(4)}.toml"
        rooms_file.write_text(self.rooms)
        values = {
            "port": 0,
            "metrics_port": 0,
            "database_url": self.url,
            "secrets": self.keys.folder,
            "development": True,
            "rooms_file": rooms_file,
            "settlement_address": self.ledger.address,
            "table_addresses": ",".join(table.address for table in self.tables),
            **changes,
        }
        return Settings(**values)

    async def start(self, **changes: Any) -> Client:
        """Start one replica and return a client of it."""
        running = Running("matchmaking", self.settings(**changes))
        await running.start(build)
        self.running.append(running)
        client = Client(running.address, running.metrics_port, self.keys)
        self.stack.push_async_callback(client.channel.close)
        return client

    def replica(
        self, barrier: Barrier | None = None, name: str = "one", *, driven: bool = True, **changes: Any
    ) -> AbstractAsyncContextManager[Replica]:
        """A replica without a port, which gives a step up soon."""
        return replica(self.settings(**{"seating_limit_seconds": 0.05, **changes}), self.keys, barrier, name, driven=driven)

    async def stop(self) -> None:
        """Stop all replicas."""
        while self.running:
            await self.running.pop().stop()

    async def close(self) -> None:
        await self.stop()
        await self.stack.aclose()


@pytest.fixture
async def house(tmp_path: Path, database_url: str, keys: Keyring) -> AsyncIterator[House]:
    house = House(tmp_path, database_url, keys)
    try:
        yield house
    finally:
        await house.close()
