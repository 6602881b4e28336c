"""Floods of every kind at a running installation, each from an address of its own, with a load beside them: it ends without an error."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.installation import FAST_ROOMS, Embedded, Installation, Large, assert_whole, figure, report
from tests.support.flood import MATCHMAKING
from tests.support.postgres import Postgres
from tests.support.process import Process, free_port
from tests.support.rabbitmq import RabbitMQ
from tests.support.source import ROOT

pytestmark = [pytest.mark.drill, pytest.mark.timeout(900)]

SECONDS = 600
"""Longer than any load here takes: each flood is ended with it."""
SILENT = 1200
MARGIN = 20.0
"""So many times the delay without a flood is let pass: here all floods come at once, and their processes share the cores with the servers.
For one flood at a time the bench asks for 2.
"""
LEAST_MS = 1000.0


def floods(at: Installation) -> Iterator[list[str]]:
    """What is sent where: kind and address, and the rest of the command."""
    table, matchmaking, settlement = (at.addresses[part] for part in ("table", "matchmaking", "settlement"))
    storm = ["--path", f"{MATCHMAKING}/CreateTicket", "--token", at.keyring.player("mallory")]
    yield ["play", table, "--connections", "30", "--width", "10"]
    yield ["calls", table, "--connections", "10", "--width", "100"]
    yield ["calls", settlement, "--connections", "2", "--width", "100", "--path", "/xuezhan.api.settlement.v1.SettlementService/GetBalance"]
    yield ["calls", matchmaking, "--connections", "1", "--width", "20", *storm]
    for address in (table, matchmaking, settlement, *at.metrics.values()):
        yield ["silent", address, "--connections", str(SILENT)]


@contextlib.contextmanager
def flooded(at: Installation) -> Iterator[None]:
    """Flood an installation, and see that every flood did something."""
    with contextlib.ExitStack() as stack:
        sent = []
        for place, (kind, address, *rest) in enumerate(floods(at), 2):
            command = [sys.executable, "-m", "tests.support.flood", address, kind, *rest]
            process = Process(
                [*command, "--source", f"127.0.0.{place}", "--seconds", str(SECONDS)], log=at.folder / f"flood-{free_port()}.log", cwd=ROOT
            )
            sent.append((kind, stack.enter_context(process)))
        yield
        for kind, process in sent:
            assert process.running, process.output()[-2000:]
            process.terminate()
            told: dict[str, Any] = json.loads(process.output().splitlines()[-1])
            assert told["connections"] > 0, (kind, told)


def play(at: Installation, tables: int) -> dict[str, Any]:
    """A load run from its beginning to its report, of which everything is as it must be."""
    with at.load("--tables", tables, "--hands", 2) as load:
        found = report(load, seconds=400)
    # Where seating is slow, a room fills up a table with bots, and the players who are left over have one more.
    assert found["hands"] >= 2 * tables
    assert_whole(found, hands=found["hands"], bots=at.bots())
    return found


def limited(at: Installation) -> dict[str, float]:
    """How often each part refused or closed something because of a limit, while its metrics are flooded too."""
    found = {part: figure(address, "xuezhan_part_limited_total", at.ca) for part, address in at.metrics.items()}
    assert None not in found.values(), f"no answer: {found}"
    return {part: count or 0.0 for part, count in found.items()}


def drill(at: Installation, tables: int) -> None:
    quiet = play(at, tables)
    assert set(limited(at).values()) == {0.0}, "a load by itself meets no limit"
    with flooded(at):
        loud = play(at, tables)
        counted = limited(at)
    # An address that is kept out is refused nothing more: on a fast machine the load ends before it is back.
    assert min(counted[part] for part in ("table", "matchmaking", "settlement")) > 0, counted
    assert loud["streams_broken"] == 0
    assert loud["latency_p99_ms"] <= max(MARGIN * quiet["latency_p99_ms"], LEAST_MS), (quiet, loud)
    checked = at.ledger_check()
    assert checked.status == 0, checked.out + checked.err


def test_a_load_plays_on_while_everything_in_one_process_is_flooded(tmp_path: Path) -> None:
    with Embedded(tmp_path) as up:
        drill(up, 20)


def test_a_load_plays_on_while_the_large_set_up_is_flooded(tmp_path: Path, postgres: Postgres, rabbitmq: RabbitMQ) -> None:
    with Large(tmp_path, postgres, rabbitmq, FAST_ROOMS) as large:
        drill(large, 20)
