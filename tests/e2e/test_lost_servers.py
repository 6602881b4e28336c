"""Tables outlive their server: one of three is lost for good under load, another is drained, all are restarted in turn, all are told to
stop at once, and all are lost.
"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.command import xuezhan
from tests.e2e.held import nothing_left_behind
from tests.e2e.installation import FAST_ROOMS, Large, assert_whole, figure, report
from tests.support.postgres import Postgres
from tests.support.process import free_port, wait_until
from tests.support.rabbitmq import RabbitMQ

pytestmark = [pytest.mark.timeout(300), pytest.mark.drill]

TABLES = 12
HANDS = 2
FUTURE_PORT = free_port()
"""Where matchmaking looks for a table server that is not there yet, and players do not."""
AWAY_SECONDS = 8
"""Beyond the time in which leases run out."""


@pytest.fixture
def large(tmp_path: Path, postgres: Postgres, rabbitmq: RabbitMQ) -> Iterator[Large]:
    with Large(tmp_path, postgres, rabbitmq, FAST_ROOMS, servers=3, seeds=[f"127.0.0.1:{FUTURE_PORT}"]) as installation:
        yield installation


def live(large: Large, server: str) -> float:
    """How many tables a server plays now; none when it does not answer."""
    return figure(large.metrics[server], "xuezhan_table_tables") or 0


def play_through(large: Large, fault: Callable[[str], None]) -> None:
    """Let `fault` happen to a server with tables in the middle of a load run, and look for everything afterwards."""
    with nothing_left_behind(large), large.load("--tables", TABLES, "--hands", HANDS) as load:
        large.play_until(load, 200)
        wait_until(lambda: any(live(large, server) for server in large.servers), seconds=30, what="a server has tables")
        fault(max(large.servers, key=lambda server: live(large, server)))
        assert_whole(report(load, seconds=240), hands=TABLES * HANDS)
    checked = large.ledger_check()
    assert checked.status == 0, checked.out + checked.err


def states(large: Large) -> dict[str, str]:
    """The servers as `xuezhan servers` lists them."""
    listed = xuezhan("servers", "--json", *large.where())
    assert listed.status == 0, listed.err
    return {row["name"]: row["state"] for row in map(json.loads, listed.out.splitlines())}


def test_a_table_server_is_lost_for_good_and_every_hand_ends(large: Large) -> None:
    play_through(large, large.kill)


def test_a_drained_table_server_hands_everything_over_and_every_hand_ends(large: Large) -> None:
    def fault(server: str) -> None:
        name = "table-1" if server == "table" else server
        drained = xuezhan("drain", name, *large.where())
        assert drained.status == 0, drained.err
        assert live(large, server) == 0
        assert states(large)[name] == "draining"
        assert xuezhan("tables", "--server", name, "--json", *large.where()).out == ""
        large.parts[server].terminate()

    play_through(large, fault)


def test_all_table_servers_are_restarted_in_turn_and_no_action_waits_for_long(large: Large) -> None:
    with nothing_left_behind(large), large.load("--tables", TABLES, "--hands", 3, "--think", 0.4) as load:
        large.play_until(load, 100)
        for server in large.servers:
            # As a container is: SIGTERM, and the same name again.
            large.parts[server].terminate()
            large.start(server)
            wait_until(lambda: list(states(large).values()) == ["serving"] * 3, seconds=60, what=f"{server} serves again")
        assert load.running, "the load was over before the last restart"
        found = report(load, seconds=240)
    assert_whole(found, hands=TABLES * 3)
    assert found["moves"] > 0
    assert found["streams_broken"] == 0
    assert found["unanswered_max_ms"] <= 2000
    checked = large.ledger_check()
    assert checked.status == 0, checked.out + checked.err


def test_all_table_servers_are_told_to_stop_at_once_and_every_hand_goes_on_when_they_are_back(large: Large) -> None:
    def fault(_server: str) -> None:
        for server in large.servers:
            large.parts[server].signal(signal.SIGTERM)
        assert [large.parts[server].wait(seconds=60) for server in large.servers] == [0, 0, 0]
        for server in large.servers:
            large.start(server)
        wait_until(lambda: sorted(states(large).values()) == ["serving"] * 3, seconds=30, what="all serve again")

    play_through(large, fault)


def test_all_table_servers_are_lost_and_every_hand_goes_on_at_one_of_another_name_and_address(large: Large) -> None:
    def fault(_server: str) -> None:
        for server in large.servers:
            large.kill(server)
        large.add("table-9", "table", FUTURE_PORT, "--server-name", "table-9")
        large.start("table-9")
        # What the load knows stays: its players hear of the new one from matchmaking alone.
        large.addresses["table"] = f"127.0.0.1:{FUTURE_PORT}"

    play_through(large, fault)


def test_the_database_is_lost_for_longer_than_all_leases_and_every_hand_ends(large: Large, postgres: Postgres) -> None:
    def fault(_server: str) -> None:
        postgres.kill()
        try:
            wait_until(lambda: not any(live(large, server) for server in large.servers), seconds=5, what="all are silent")
            time.sleep(AWAY_SECONDS)
        finally:
            postgres.start()

    play_through(large, fault)
    assert states(large) == {f"table-{number}": "serving" for number in (1, 2, 3)}
