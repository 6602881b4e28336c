"""Three table servers, each a host of its own, while packets between one of them and something else are dropped: nobody is told, and no
connection breaks by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from tests.cli.command import xuezhan
from tests.e2e.held import nothing_left_behind
from tests.e2e.installation import FAST_ROOMS, Large, assert_whole, figure, report
from tests.support.netns import Network
from tests.support.postgres import Postgres
from tests.support.process import wait_until
from tests.support.rabbitmq import RabbitMQ

pytestmark = [pytest.mark.timeout(600), pytest.mark.drill]

SERVERS = 3
TABLES = 12
HANDS = 3
LEASE_SECONDS = 5
CUT_SECONDS = 12
"""Past the lease, and past the time in which others take tables up."""
NOTICED_SECONDS = 15
"""How long a server may need to find out that packets pass again: a connection that was given up is tried again after pauses."""


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    if (missing := Network.missing()) is not None:
        pytest.skip(f"needs {missing}")
    hosts = ["table", *(f"table-{number}" for number in range(2, SERVERS + 1)), "clients"]
    with Network(hosts, ("main", "database", "broker")) as made:
        yield made


@pytest.fixture(scope="module")
def large(network: Network, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Large]:
    with (
        Postgres(network=(network.addresses["database"], network.range)) as postgres,
        RabbitMQ(address=network.addresses["broker"]) as rabbitmq,
        Large(tmp_path_factory.mktemp("partitions"), postgres, rabbitmq, FAST_ROOMS, servers=SERVERS, network=network) as installation,
    ):
        yield installation


def live(large: Large, server: str) -> float:
    """How many tables a server plays now."""
    return figure(large.metrics[server], "xuezhan_table_tables") or 0


def owners(large: Large) -> dict[str, tuple[str, int]]:
    """Whose the live tables are, and under which epochs."""
    with psycopg.connect(large.database.replace("+psycopg", "")) as connection:
        found = connection.execute("SELECT id, owner, epoch FROM \"table\".tables WHERE state IN ('open', 'settling')")
        return {table: (owner, epoch) for table, owner, epoch in found}


def named(server: str) -> str:
    """The name that a server owns tables by."""
    return "table-1" if server == "table" else server


def states(large: Large) -> list[str]:
    """What `xuezhan servers` says of them."""
    listed = xuezhan("servers", "--json", *large.where())
    return [row["state"] for row in listed.lines]


def play_through(large: Large, network: Network, fault: Callable[[str], None], *, halts: bool = False) -> dict[str, Any]:
    """Let `fault` happen to the server with the most tables in the middle of a load run, heal, and look for everything afterwards.

    `halts`: nothing can be answered for as long as it lasts.
    """
    wait_until(lambda: states(large) == ["serving"] * SERVERS, seconds=60, what="all serve")
    try:
        with nothing_left_behind(large), large.load("--tables", TABLES, "--hands", HANDS, "--think", 0.2) as load:
            large.play_until(load, 150)
            begun = time.monotonic()
            fault(max(large.servers, key=lambda server: live(large, server)))
            network.heal()
            halted = time.monotonic() - begun if halts else 0
            found = report(load, seconds=240)
    finally:
        network.heal()
    print({key: found[key] for key in ("unanswered_p50_ms", "unanswered_p99_ms", "unanswered_max_ms", "streams_broken", "moves", "waits")})
    assert_whole(found, hands=TABLES * HANDS)
    assert found["faults"] == {}
    assert found["never_answered"] == 0
    assert found["unanswered_max_ms"] < (halted + 10) * 1000
    wait_until(lambda: not owners(large) and not any(live(large, server) for server in large.servers), seconds=10, what="all tables close")
    checked = large.ledger_check()
    assert checked.status == 0, checked.out + checked.err
    return found


def test_a_server_cut_off_from_the_database_falls_silent_and_its_tables_go_on_at_others(large: Large, network: Network) -> None:
    def fault(server: str) -> None:
        had = {table for table, (owner, _) in owners(large).items() if owner == named(server)}
        assert had
        network.cut(server, "database")
        wait_until(lambda: live(large, server) == 0, seconds=LEASE_SECONDS, what="silence within the lease")
        wait_until(lambda: named(server) not in {owner for owner, _ in owners(large).values()}, seconds=10, what="others adopt its tables")
        adopted = owners(large)
        network.heal()
        wait_until(lambda: states(large) == ["serving"] * SERVERS, seconds=NOTICED_SECONDS, what="it serves again")
        still = owners(large)
        assert {table: still[table] for table in adopted if table in still} == {
            table: adopted[table] for table in adopted if table in still
        }

    found = play_through(large, network, fault)
    assert found["moves"] > 0


def test_a_server_cut_off_from_its_clients_keeps_its_tables_and_is_found_when_they_can(large: Large, network: Network) -> None:
    def fault(server: str) -> None:
        network.cut(server, "clients")
        had = owners(large)
        time.sleep(CUT_SECONDS)
        still = owners(large)
        mine = [table for table, owner in had.items() if owner[0] == named(server) and table in still]
        assert {table: still[table] for table in mine} == {table: had[table] for table in mine}
        assert states(large) == ["serving"] * SERVERS

    play_through(large, network, fault, halts=True)


def test_a_server_cut_off_from_the_broker_plays_on_and_its_coins_are_settled_afterwards(large: Large, network: Network) -> None:
    def fault(server: str) -> None:
        def acted() -> float:
            return figure(large.metrics[server], "xuezhan_table_actions_total") or 0

        network.cut(server, "broker")
        before = acted()
        wait_until(lambda: acted() > before + 20, seconds=10, what="play goes on")
        time.sleep(CUT_SECONDS)

    play_through(large, network, fault)


def test_a_server_hands_over_though_it_cannot_reach_the_others(large: Large, network: Network) -> None:
    def fault(server: str) -> None:
        for other in large.servers:
            if other != server:
                network.cut(server, other)
        drained = xuezhan("drain", named(server), *large.where())
        assert drained.status == 0, drained.err
        assert live(large, server) == 0
        network.heal()
        large.parts[server].terminate()
        large.start(server)

    found = play_through(large, network, fault)
    assert found["moves"] > 0


def test_all_servers_cut_off_from_the_database_for_longer_than_their_leases_go_on_with_what_each_had(
    large: Large, network: Network
) -> None:
    def fault(_server: str) -> None:
        had = owners(large)
        for server in large.servers:
            network.cut(server, "database")
        wait_until(lambda: not any(live(large, server) for server in large.servers), seconds=LEASE_SECONDS, what="silence")
        time.sleep(CUT_SECONDS)
        network.heal()
        wait_until(lambda: states(large) == ["serving"] * SERVERS, seconds=NOTICED_SECONDS, what="all serve again")
        still = owners(large)
        assert {table: still[table][0] for table in had if table in still} == {table: had[table][0] for table in had if table in still}

    play_through(large, network, fault, halts=True)
