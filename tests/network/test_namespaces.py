"""The hosts that partition tests run on: packets between two of them are dropped, and everything is gone at the end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.netns import Network
from tests.support.process import Process, free_port, wait_until

ECHO = """
import socket, sys
with socket.create_server((sys.argv[1], int(sys.argv[2]))) as server:
    print("listens", flush=True)
    while True:
        one, _ = server.accept()
        one.close()
"""
TRY = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=0.5).close()
    print("connected")
except TimeoutError:
    print("nothing")
except ConnectionRefusedError:
    print("refused")
"""


@pytest.fixture
def network() -> Iterator[Network]:
    if (missing := Network.missing()) is not None:
        pytest.skip(f"needs {missing}")
    with Network(("a", "b"), ("main", "database")) as made:
        yield made


def tries(network: Network, one: str, other: str, port: int) -> str:
    """What a host hears that connects to another."""
    command = network.command(one, [sys.executable, "-c", TRY, network.addresses[other], str(port)])
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_a_cut_drops_what_two_hosts_send_each_other_and_nothing_else(network: Network, tmp_path: Path) -> None:
    port = free_port()
    commands = {name: network.command(name, [sys.executable, "-c", ECHO, network.addresses[name], str(port)]) for name in ("a", "database")}
    with (
        Process(commands["a"], log=tmp_path / "a.log") as a,
        Process(commands["database"], log=tmp_path / "database.log") as database,
    ):
        wait_until(lambda: "listens" in a.output() and "listens" in database.output(), seconds=10, what="both listen")
        pairs = [("b", "a"), ("main", "a"), ("a", "database"), ("b", "database")]
        assert [tries(network, *pair, port) for pair in pairs] == ["connected"] * 4
        assert tries(network, "a", "b", port) == "refused"
        network.cut("b", "a")
        network.cut("a", "database")
        assert [tries(network, *pair, port) for pair in pairs] == ["nothing", "connected", "nothing", "connected"]
        network.heal()
        assert [tries(network, *pair, port) for pair in pairs] == ["connected"] * 4


def test_nothing_is_left_of_a_network(network: Network) -> None:
    def there() -> str:
        return subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout

    with Network(("c",), ("main",)) as other:
        name = f"{other._name}-c"
        assert name in there()
    assert name not in there()
    assert other._name not in there().split()
