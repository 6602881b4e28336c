"""The process that looks after several table servers: what it hands to them, and what becomes of one that cannot be started."""

from __future__ import annotations

import asyncio
import io
import os
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.command import here
from tests.table.play import until
from xuezhan.cli import processes
from xuezhan.cli.processes import Child, look_after

URL = "postgresql://anna:password-of-anna@127.0.0.1/xuezhan"
BROKER = "amqp://anna:password-of-anna@127.0.0.1/xuezhan"


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[Child]:
    """The servers that `serve table --processes` would look after."""
    found: list[Child] = []

    async def looked_after(made: Sequence[Child]) -> int:
        found.extend(made)
        return 0

    monkeypatch.setattr(processes, "look_after", looked_after)
    for name in [name for name in os.environ if name.startswith("XUEZHAN_")]:
        monkeypatch.delenv(name)
    return found


def serve(*options: str) -> tuple[int, str]:
    ran = here("serve", "table", "--processes", "2", "--secrets", "nowhere", *options)
    return ran.status, ran.err


@pytest.mark.parametrize("way", ["option", "standard input", "environment"])
def test_no_servers_command_line_holds_a_password_and_each_is_told_the_urls(
    children: list[Child], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{URL}\n"))
    given = {"option": ["--database-url", URL], "standard input": ["--database-url-file", "-"], "environment": []}[way]
    if way == "environment":
        monkeypatch.setenv("XUEZHAN_DATABASE_URL_FILE", "-")
    assert serve(*given, "--broker-url", BROKER)[0] == 0
    assert [child.name for child in children] == ["table-1-0", "table-1-1"]
    for child in children:
        assert "password-of-anna" not in " ".join(child.command)
        assert "-" not in child.command
        assert child.environment == {"XUEZHAN_DATABASE_URL": URL, "XUEZHAN_BROKER_URL": BROKER}


def test_a_file_with_a_url_is_read_by_each_server_itself_so_that_it_may_change(children: list[Child], tmp_path: Path) -> None:
    file = tmp_path / "database.url"
    file.write_text(URL)
    file.chmod(0o600)
    assert serve("--database-url-file", str(file), "--broker-url", "amqp://127.0.0.1/x")[0] == 0
    assert all(str(file) in child.command and "XUEZHAN_DATABASE_URL" not in child.environment for child in children)


def test_each_server_advertises_a_port_of_its_own(children: list[Child]) -> None:
    assert serve("--database-url", URL, "--broker-url", BROKER, "--advertise", "[::1]:7200")[0] == 0
    assert [child.command[child.command.index("--advertise") + 1] for child in children] == ["[::1]:7200", "[::1]:7201"]


@pytest.mark.parametrize("address", ["play.example.com", "play.example.com:", ":7200", "play.example.com:http"])
def test_an_address_without_a_port_to_count_from_is_one_line(children: list[Child], address: str) -> None:
    status, err = serve("--database-url", "postgresql://127.0.0.1/x", "--broker-url", "amqp://127.0.0.1/x", "--advertise", address)
    assert status == 2
    assert err == f"xuezhan: --processes: advertise: {address!r} has no port: HOST:PORT is needed, each server adds its number\n"
    assert not children


async def test_a_server_that_the_system_cannot_start_is_tried_again_and_costs_the_others_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(processes, "_PAUSE_SECONDS", 0.05)
    program, runs = tmp_path / "server", tmp_path / "runs"
    other = Child("other", ["sleep", "60"])
    looking = asyncio.create_task(look_after([Child("server", [str(program)]), other]))
    await until(lambda: "server_not_started" in "".join(capfd.readouterr()) + caplog.text)
    assert other.process is not None
    assert other.process.returncode is None
    program.write_text(f"#!/bin/sh\ntouch {runs}\nexec sleep 60\n")
    program.chmod(0o700)
    await until(runs.exists)
    os.kill(os.getpid(), signal.SIGTERM)
    assert await asyncio.wait_for(looking, 20) == 0
