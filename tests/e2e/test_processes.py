"""`serve table --processes`: several table servers that one process looks after."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.kit.roles import Role
from tests.cli.command import XUEZHAN
from tests.e2e.installation import FAST_ROOMS, START_SECONDS
from tests.support.keyring import Keyring
from tests.support.postgres import Postgres
from tests.support.process import Process, free_port, wait_until
from tests.support.rabbitmq import RabbitMQ
from xuezhan.client import ClientError
from xuezhan.client.channels import Channels
from xuezhan.client.tables import Tables


class Pair:
    """Two table servers of one parent."""

    def __init__(self, folder: Path, postgres: Postgres, rabbitmq: RabbitMQ) -> None:
        self.keys = Keyring(folder / "secrets")
        self.port = free_port(range(20_000, 29_000, 10), (0, 1, 2, 3))
        options = (
            "--processes",
            2,
            "--server-name",
            "pair",
            "--port",
            self.port,
            "--rooms-file",
            FAST_ROOMS,
            "--secrets",
            self.keys.folder,
        )
        servers = ("--database-url", postgres.new_database("pair"), "--broker-url", rabbitmq.new_vhost())
        command = [str(word) for word in (XUEZHAN, "serve", "table", *options, *servers)]
        self.parent = Process(command, log=folder / "pair.log", env={"XUEZHAN_DEVELOPMENT": "1"})

    def states(self) -> dict[str, str]:
        """The servers that have a lease: name and address."""
        return asyncio.run(self._states())

    async def _states(self) -> dict[str, str]:
        channels = Channels()
        try:
            tables = Tables(channels, f"127.0.0.1:{self.port},127.0.0.1:{self.port + 1}")
            found = await tables.servers(self.keys.part(Role.VIEWER, Role.TABLE))
        except ClientError:
            return {}
        finally:
            await channels.close()
        return {one.name: one.address for one in found}

    def children(self) -> list[int]:
        """The ids of the servers' processes, the oldest first."""
        found = subprocess.run(["pgrep", "-P", str(self.parent.pid)], capture_output=True, text=True, check=False)
        return [int(line) for line in found.stdout.split()]

    def both_serve(self) -> None:
        both = {"pair-0": f"127.0.0.1:{self.port}", "pair-1": f"127.0.0.1:{self.port + 1}"}
        wait_until(lambda: self.states() == both, seconds=START_SECONDS, what=f"both servers; {self.parent.output()[-2000:]}")


@pytest.fixture
def pair(tmp_path: Path, postgres: Postgres, rabbitmq: RabbitMQ) -> Iterator[Pair]:
    made = Pair(tmp_path, postgres, rabbitmq)
    with made.parent:
        made.both_serve()
        yield made


def gone(pids: list[int]) -> bool:
    """Whether none of the processes runs any more."""
    return not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_a_server_that_ends_is_started_again_and_all_end_with_their_parent(pair: Pair) -> None:
    before = pair.children()
    assert len(before) == 2
    os.kill(before[0], signal.SIGKILL)
    wait_until(lambda: len(pair.children()) == 2 and before[0] not in pair.children(), seconds=30, what="another process")
    pair.both_serve()
    pids = pair.children()
    os.kill(pair.parent.pid, signal.SIGKILL)
    wait_until(lambda: gone(pids), seconds=30, what="the end of the servers of a parent that was killed")


def test_all_servers_say_that_they_drain_before_one_of_them_stops(pair: Pair) -> None:
    pids = pair.children()
    pair.parent.terminate()
    wait_until(lambda: gone(pids), seconds=30, what="the end of the servers")
    said = pair.parent.output()
    assert said.count("drains") == 2, said[-3000:]
    assert max(place for place in range(len(said)) if said.startswith('"drains"', place)) < said.index('"drained"')
