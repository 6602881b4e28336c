"""Connections that do nothing, or are too many, keep nobody else out."""

import asyncio
import contextlib
import ipaddress
import resource
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from grpc import aio
from prometheus_client import CollectorRegistry

from services.kit import bounded_server, connections, peers, rpc, sieve
from services.kit.bounded_server import EACH
from services.kit.metrics import MetricsServer, new_registry
from services.kit.traffic import Traffic
from tests.kit.probe import Probe, keyring, start
from tests.support.flood import OPENING
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api
from xuezhan.api.matchmaking.v1 import matchmaking_pb2_grpc as stubs
from xuezhan.cli.main import main

OTHER = "127.0.0.2"
"""Another peer than the tests' own."""
NARROW = """
import resource
from services.kit import connections
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 4096))
print(connections.raise_file_limit(), *resource.getrlimit(resource.RLIMIT_NOFILE))
print(connections.most_of_a_port(10_000), connections.most_of_a_port(7))
"""


def connected(port: int, source: str = "127.0.0.1", seconds: float = 10) -> socket.socket:
    made = socket.socket(socket.AF_INET6 if ":" in source else socket.AF_INET)
    made.settimeout(seconds)
    try:
        made.bind((source, 0))
        made.connect((source if ":" in source else "127.0.0.1", port))
    except OSError:
        made.close()
        raise
    return made


def reaches(port: int, source: str) -> bool:
    """Whether an address gets a connection now."""
    try:
        connected(port, source, 0.3).close()
    except TimeoutError:
        return False
    return True


def closed(one: socket.socket) -> bool:
    """Whether the server has hung up, after what it said before."""
    one.setblocking(False)
    try:
        while one.recv(4096):
            pass
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
    return True


async def until(true: Any, seconds: float = 10) -> None:
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110 - what is waited for happens in the kernel
            await asyncio.sleep(0.02)


async def answers(port: int) -> bool:
    """Whether a client of ours on a connection of its own is answered."""
    async with aio.insecure_channel(f"127.0.0.1:{port}", options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        await stubs.MatchmakingServiceStub(channel).ListRooms(
            api.ListRoomsRequest(), metadata=rpc.metadata(keyring().player("anna")), timeout=10, wait_for_ready=True
        )
    return True


@contextlib.asynccontextmanager
async def serving(**changes: Any) -> AsyncIterator[Any]:
    running = await start(Probe(), **changes)
    try:
        yield running, int(running.address.rpartition(":")[2])
    finally:
        await running.stop()


@pytest.fixture
def sockets() -> Iterator[list[socket.socket]]:
    made: list[socket.socket] = []
    yield made
    for one in made:
        one.close()


def test_a_process_may_have_as_many_files_open_as_the_system_lets_it() -> None:
    done = subprocess.run([sys.executable, "-c", NARROW], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["4096", "4096", "4096", str((4096 - 256) // 3), "7"]


async def test_a_connection_that_does_not_say_all_it_must_is_closed_soon(sockets: list[socket.socket]) -> None:
    async with serving(handshake_seconds=0.3) as (_, port):
        sockets += [connected(port) for _ in range(5)]
        for one in sockets:
            one.sendall(OPENING[:10])
        await until(lambda: all(map(closed, sockets)), seconds=5)
        assert await answers(port)


@pytest.mark.skipif(not sieve.available(), reason="only Linux holds silent connections back")
async def test_a_connection_that_says_nothing_costs_the_server_nothing_until_it_speaks(sockets: list[socket.socket]) -> None:
    async with serving() as (_, port):
        assert await answers(port)
        before = len(connections._open_files())
        sockets += [connected(port) for _ in range(100)]
        assert await answers(port)
        # Its own end of each is one of the process's files here, too.
        assert len(connections._open_files()) < before + 110
        sockets[50].sendall(OPENING)
        await until(lambda: sockets[50].recv(1) != b"")


async def test_a_connection_without_calls_is_closed_after_a_while(sockets: list[socket.socket]) -> None:
    async with serving(connection_idle_seconds=1) as (_, port):
        sockets.append(connected(port))
        sockets[0].sendall(OPENING)
        await until(lambda: closed(sockets[0]), seconds=5)
        assert await answers(port)


async def test_a_port_takes_only_so_many_connections(sockets: list[socket.socket]) -> None:
    async with serving(max_connections=5) as (_, port):
        sockets += [connected(port) for _ in range(8)]
        for one in sockets:
            one.sendall(OPENING)
        await until(lambda: sum(map(closed, sockets)) >= 3)
        assert sum(map(closed, sockets)) == 3


async def test_a_peer_with_too_many_connections_loses_the_newest_and_others_get_in(sockets: list[socket.socket]) -> None:
    async with serving(max_connections=12, peer_connections=4) as (running, port):
        for _ in range(12):
            sockets.append(connected(port, OTHER))
            sockets[-1].sendall(OPENING)
        assert await answers(port)
        await until(lambda: sum(map(closed, sockets)) == 8)
        # The look closes what is new since the last, of which the first are as old as any.
        held = [one for one in sockets if not closed(one)]
        sockets += [connected(port, OTHER) for _ in range(3)]
        await until(lambda: all(map(closed, sockets[-3:])))
        assert not any(map(closed, held))
        text = await asyncio.to_thread(scrape, running.metrics_port)
        assert 'xuezhan_part_limited_total{limit="connections"}' in text


@pytest.mark.skipif(not sieve.available(), reason="only Linux keeps addresses out")
async def test_a_peer_of_which_many_connections_had_to_be_closed_gets_no_new_one_for_a_while(
    sockets: list[socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_OUT_SECONDS", 2.0)
    async with serving(peer_connections=2) as (running, port):
        sockets += [connected(port, OTHER) for _ in range(60)]
        for one in sockets:
            one.sendall(OPENING)
        await until(lambda: sum(map(closed, sockets)) == 58)
        text = await asyncio.to_thread(scrape, running.metrics_port)
        assert 'xuezhan_part_limited_total{limit="kept_out"} 1.0' in text
        with pytest.raises(TimeoutError):
            connected(port, OTHER, seconds=0.5)
        assert not all(map(closed, sockets)), "who is connected stays so"
        assert await answers(port)
        await until(lambda: reaches(port, OTHER))


@pytest.mark.skipif(not sieve.available(), reason="only Linux keeps addresses out")
@pytest.mark.parametrize("number", [1, 30, 3 * sieve.MOST])
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_only_the_networks_that_are_kept_out_find_nobody(family: socket.AddressFamily, number: int) -> None:
    """Of more than a filter can hold the latest are kept out."""
    fours = [ipaddress.ip_network(f"10.0.{place}.7") for place in range(number)]
    sixes = [ipaddress.ip_network(f"2001:db8:0:{place:x}::/64") for place in range(number)]
    with socket.socket(family) as listening:
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listening.bind(("::" if family == socket.AF_INET6 else "127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1]
        sieve.keep_out(listening, [*fours, *sixes, ipaddress.ip_network(OTHER)])
        assert [reaches(port, source) for source in (OTHER, "127.0.0.1", "127.0.0.3")] == [False, True, True]
        if family == socket.AF_INET6:
            assert reaches(port, "::1")
            sieve.keep_out(listening, [*fours, *sixes, ipaddress.ip_network("::/64")])
            assert [reaches(port, source) for source in ("::1", OTHER)] == [False, True]
        sieve.keep_out(listening, [])
        assert reaches(port, OTHER)


async def test_the_connections_of_a_trusted_proxy_are_not_counted(sockets: list[socket.socket]) -> None:
    async with serving(peer_connections=2, trusted_proxies="10.0.0.0/8, 127.0.0.2") as (_, port):
        sockets += [connected(port, OTHER) for _ in range(30)] + [connected(port) for _ in range(30)]
        for one in sockets:
            one.sendall(OPENING)
        await until(lambda: sum(map(closed, sockets)) >= 28)
        assert not any(map(closed, sockets[:30]))


def scrape(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        text: str = answer.read().decode()
    return text


async def test_connections_to_the_metrics_port_that_ask_nothing_are_few_and_keep_no_scrape_waiting(sockets: list[socket.socket]) -> None:
    server = MetricsServer(CollectorRegistry(), "127.0.0.1", 0)
    try:
        sockets += [connected(server.port) for _ in range(200)]
        for one in sockets:
            one.sendall(b"GET ")
        assert await asyncio.to_thread(scrape, server.port) == ""
        await until(lambda: sum(map(closed, sockets)) >= 200 - EACH)
        sockets += [connected(server.port, OTHER) for _ in range(10)]
        assert await asyncio.to_thread(scrape, server.port) == ""
        assert not any(map(closed, sockets[-10:])), "another peer's are let be"
    finally:
        server.stop()


@pytest.mark.parametrize("command", ["serve worker", "serve table", "serve matchmaking", "serve settlement", "up"])
def test_every_part_raises_its_file_limit_when_it_starts(command: str, tmp_path: Path) -> None:
    """Each is started here without what it needs, so that it ends soon."""
    needs = ["--data", str(tmp_path / "data"), "--rooms", "none.toml"]
    if command != "up":
        needs = ["--database-url", "sqlite://", "--broker-url", "amqp://nobody", "--secrets", str(tmp_path / "none.json")]
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert before[0] > 400
    resource.setrlimit(resource.RLIMIT_NOFILE, (400, before[1]))
    try:
        assert main([*command.split(), *needs]) != 0
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 400
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


class Port:
    """A listening socket with what watches it, and somebody who connects from elsewhere."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self.listening = stack.enter_context(socket.socket())
        self.listening.bind(("127.0.0.1", 0))
        self.listening.listen()
        self.number = self.listening.getsockname()[1]
        self.counted: list[str] = []
        self.traffic = Traffic()
        self.watched = connections.Connections(self.number, 1000, peers.Peers(), self.counted.append, self.traffic)

    def connect(self, count: int) -> list[tuple[socket.socket, socket.socket, str]]:
        """Both ends of some connections, and gRPC's name of each."""
        made = []
        for _ in range(count):
            theirs = connected(self.number, OTHER)
            made.append((theirs, self.listening.accept()[0], f"ipv4:{OTHER}:{theirs.getsockname()[1]}"))
        return made


@pytest.fixture
def port() -> Iterator[Port]:
    with contextlib.ExitStack() as stack:
        yield Port(stack)


def hang_up(made: list[tuple[socket.socket, socket.socket, str]]) -> None:
    for theirs, ours, _ in made:
        theirs.close()
        ours.close()


@pytest.mark.skipif(not sieve.available(), reason="only Linux keeps addresses out")
@pytest.mark.parametrize("calls", [False, True])
def test_a_peer_that_hangs_up_on_many_connections_without_a_call_is_kept_out(port: Port, calls: bool) -> None:
    made = port.connect(40)
    port.watched.look()
    if calls:
        for _, _, name in made:
            port.traffic.call(name)
    hang_up(made)
    port.watched.look()
    assert port.counted == ([] if calls else ["kept_out"])
    assert reaches(port.number, OTHER) == calls
    assert reaches(port.number, "127.0.0.1")


@pytest.mark.skipif(not sieve.available(), reason="only Linux keeps addresses out")
def test_connections_that_are_closed_because_of_their_calls_count_more_than_others(port: Port) -> None:
    made = port.connect(7)
    for _, _, name in made:
        port.watched.hang_up(name)
    port.watched.look()
    assert port.counted == ["connections"] * 7 + ["kept_out"]
    hang_up(made)


async def test_an_address_that_asks_for_metrics_all_the_time_is_answered_late_and_others_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_server, "_SHARE", 0.001)
    counted: list[str] = []
    server = MetricsServer(new_registry(), "127.0.0.1", 0, counted=counted.append)
    flood = [sys.executable, "-m", "tests.support.flood", f"127.0.0.1:{server.port}", "scrapes", "--source", OTHER, "--seconds", "60"]
    process = await asyncio.create_subprocess_exec(*flood, stdout=subprocess.PIPE)
    try:
        await until(lambda: len(counted) > 20, seconds=30)
        assert set(counted) == {"scrapes"}
        begun = time.monotonic()
        assert "process_start" in await asyncio.to_thread(scrape, server.port)
        assert time.monotonic() - begun < 2, "it would be 5 for who asks all the time"
    finally:
        process.terminate()
        await process.communicate()
        server.stop()


def test_descriptors_that_are_no_connections_of_the_port_are_left_alone(sockets: list[socket.socket]) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1]
        sockets += [connected(port) for _ in range(3)]
        accepted = [listening.accept()[0] for _ in range(3)]
        before = len(connections._open_files())
        counted: list[str] = []
        connections.Connections(port, 1, peers.Peers(), counted.append).look()
        assert counted == ["connections"] * 2
        assert len(connections._open_files()) == before, "every copy is closed again"
        for one in accepted:
            one.close()
        sockets += [connected(port)]
