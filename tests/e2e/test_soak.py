"""Hundreds of tables at human pace while table servers come and go: all are lost in turn, or drained and started again.

XUEZHAN_SOAK_TABLES runs it with fewer tables.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import xuezhan
from tests.e2e.installation import FAST_ROOMS, Large, assert_whole, figure, report, trace_lines
from tests.secrecy.audit import audit
from tests.support.postgres import Postgres
from tests.support.process import Process, free_port, wait_until
from tests.support.rabbitmq import RabbitMQ

pytestmark = [pytest.mark.timeout(1800), pytest.mark.drill]

TABLES = int(os.environ.get("XUEZHAN_SOAK_TABLES", "300"))
GAMES = "crazy_xuezhan,happy_sichuan,kaxinwu,crazy_duel"
THINK_SECONDS = 2.0
CONNECTIONS = 4
SHOWN = (
    *("tables", "hands", "seconds", "actions_accepted", "refusals", "faults", "never_answered", "recorded_unacknowledged"),
    *("unanswered_p50_ms", "unanswered_p99_ms", "unanswered_max_ms", "streams_broken", "reconnects", "moves", "waits", "full_views"),
)
FUTURE_PORT = free_port()
"""Where a server is started when all are lost: matchmaking finds it there, and players hear of it from matchmaking alone."""


@pytest.fixture
def large(tmp_path: Path, postgres: Postgres, rabbitmq: RabbitMQ) -> Iterator[Large]:
    """Four table servers, two replicas of matchmaking, two workers."""
    installation = Large(tmp_path, postgres, rabbitmq, FAST_ROOMS, servers=4, seeds=[f"127.0.0.1:{FUTURE_PORT}"])
    installation.add("worker-2", "worker", free_port())
    port = free_port()
    installation.add("matchmaking-2", "matchmaking", port)
    installation.addresses["matchmaking"] += f",127.0.0.1:{port}"
    with installation:
        yield installation


class Soak:
    """A load run over an installation, and the table servers that it has now."""

    def __init__(self, large: Large, hands: int) -> None:
        self.large, self.hands = large, hands
        self.servers = list(large.servers)
        self.traces = large.folder / "traces"
        options = ("--tables", TABLES, "--hands", hands, "--think", THINK_SECONDS, "--connections", CONNECTIONS, "--traces", self.traces)
        self.load: Process = large.load(*options, "--timeout", 1500, game=GAMES)

    def live(self) -> dict[str, float]:
        """How many tables each server plays now."""
        return {name: figure(self.large.metrics[name], "xuezhan_table_tables") or 0 for name in self.servers}

    def begin(self) -> None:
        """Start the load and wait until most tables are played, by all servers."""
        self.large.play_until(self.load, 1, seconds=120)
        wait_until(lambda: sum(self.live().values()) >= TABLES * 0.9, seconds=180, what="tables are played")
        assert all(self.live().values())

    def add(self, name: str, port: int = 0) -> None:
        """Start a server that was never there before."""
        port = port or free_port()
        self.large.add(name, "table", port, "--server-name", name)
        self.large.start(name)
        self.servers.append(name)
        self.large.addresses["table"] = f"127.0.0.1:{port}"
        # Its metrics are there before it takes calls.
        wait_until(lambda: xuezhan("servers", *self.large.where()).status == 0, seconds=60, what=f"{name} serves")

    def lose(self, *names: str) -> None:
        """Lose servers for good, and wait until the others play what those had."""
        begun, lost = time.monotonic(), {"table-1" if name == "table" else name for name in names}
        for name in names:
            self.large.kill(name)
            self.servers.remove(name)
        if self.servers:
            self.whole(lost)
            print(f"lost {names}: taken up after {time.monotonic() - begun:.1f} s, {self.live()}")

    def whole(self, lost: set[str]) -> None:
        """Wait until others have all tables of lost servers: then those are listed no more."""
        wait_until(lambda: not lost & states(self.large).keys(), seconds=60, what=f"the tables of {lost} are played")

    def finish(self) -> dict[str, Any]:
        """Wait for the end, check everything that was told and stored, and return the load's report."""
        assert self.load.running, f"the load was over too early: {self.load.output()[-2000:]}"
        found = report(self.load, seconds=1200)
        print({key: found[key] for key in SHOWN})
        assert_whole(found, hands=found["hands"], bots=self.large.bots())
        assert found["hands"] >= TABLES * self.hands
        assert found["faults"] == {}
        # An action whose answer never came may be stored; no other may, and none twice.
        assert found["recorded_unacknowledged"] <= found["never_answered"]
        traces = trace_lines(self.traces)
        records = self.large.records([table for table, _ in traces])
        found_in = {table: audit(of, lines) for of, (table, lines) in zip(records, traces, strict=True)}
        assert {table: findings for table, findings in found_in.items() if findings} == {}
        checked = self.large.ledger_check()
        assert checked.status == 0, checked.out + checked.err
        return found

    def unanswered(self, which: Callable[[float, float], bool]) -> list[float]:
        """How long actions waited of which that is asked (sent, answered), in order."""
        lines = (line for _, lines in trace_lines(self.traces) for line in lines if "answer" in line)
        return sorted(line["waited"] for line in lines if which(line["sent"], line["sent"] + line["waited"]))


def states(large: Large) -> dict[str, str]:
    """The servers as `xuezhan servers` lists them."""
    listed = xuezhan("servers", "--json", *large.where())
    assert listed.status == 0, listed.err
    return {row["name"]: row["state"] for row in map(json.loads, listed.out.splitlines())}


def show(what: str, waited: list[float]) -> None:
    p50, p99 = (waited[int(len(waited) * share)] for share in (0.5, 0.99))
    print(f"{what}: {len(waited)} actions, unanswered p50 {p50} s, p99 {p99} s, max {waited[-1]} s")


def test_all_table_servers_are_lost_and_replaced_and_every_hand_ends(large: Large) -> None:
    soak = Soak(large, hands=2)
    with soak.load:
        soak.begin()
        for name in ("table", "table-2", "table-3"):
            soak.lose(name)
        soak.add("table-5")
        soak.add("table-6")
        soak.lose("table-4")
        dark = time.time()
        soak.lose("table-5", "table-6")
        soak.add("table-7", FUTURE_PORT)
        soak.add("table-8")
        light = time.time()
        soak.whole({"table-5", "table-6"})
        soak.finish()
    lit = soak.unanswered(lambda sent, answered: answered < dark or sent > light)
    show("while a server lived", lit)
    darkened = soak.unanswered(lambda sent, answered: not (answered < dark or sent > light))
    show(f"while none lived ({light - dark:.1f} s)", darkened)
    assert lit[-1] <= 10
    assert darkened[-1] <= light - dark + 10, "counted from when the first new one serves"


def test_all_table_servers_are_drained_and_started_again_and_no_action_waits_for_long(large: Large) -> None:
    soak = Soak(large, hands=2)
    with soak.load:
        soak.begin()
        for name in large.servers:
            server = "table-1" if name == "table" else name
            drained = xuezhan("drain", server, *large.where())
            assert drained.status == 0, drained.err
            assert states(large)[server] == "draining"
            assert large.parts[name].terminate() == 0
            large.start(name)
            wait_until(lambda server=server: states(large).get(server) == "serving", seconds=60, what=f"{server} serves again")  # type: ignore[misc]
        found = soak.finish()
    show("all", soak.unanswered(lambda _sent, _answered: True))
    assert found["moves"] > 0
    assert found["streams_broken"] == 0
    assert found["reconnects"] <= CONNECTIONS * len(large.servers), "a stream opens at most once again"
    assert found["unanswered_max_ms"] <= 2000
