"""What a container's health check says follows what its part says of itself."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from tests.kit.probe import Probe, start
from tests.support.certificates import Authority
from tests.support.process import free_port
from tests.support.source import ROOT

SCRIPT = ROOT / "deploy" / "image" / "healthy.py"


async def says(way: str, port: int, secrets: Path) -> int:
    """The exit status of a check."""
    checked = await asyncio.create_subprocess_exec(sys.executable, str(SCRIPT), way, str(port), env={"XUEZHAN_SECRETS": str(secrets)})
    return await checked.wait()


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("way", ["rpc", "metrics"])
async def test_a_part_is_healthy_while_it_serves_and_not_otherwise(way: str, tls: bool, tmp_path: Path) -> None:
    changes: dict[str, Path] = {}
    if tls:
        # Its file is ca.pem, as in a role's folder.
        changes["tls_certificate_file"], changes["tls_key_file"] = Authority(tmp_path).issue()
    probe = Probe()
    running = await start(probe, **changes)
    port = running.metrics_port if way == "metrics" else int(running.address.rpartition(":")[2])
    assert await says(way, port, tmp_path) == 0
    probe.supervisor.fault("broker", "403")
    assert await says(way, port, tmp_path) == 1
    probe.supervisor.well("broker")
    assert await says(way, port, tmp_path) == 0
    await running.stop()
    assert await says(way, port, tmp_path) == 1


@pytest.mark.parametrize("way", ["rpc", "metrics"])
async def test_a_port_that_nobody_listens_on_is_not_healthy(way: str, tmp_path: Path) -> None:
    assert await says(way, free_port(), tmp_path) == 1
