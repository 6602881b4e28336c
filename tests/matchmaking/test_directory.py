"""Which table servers matchmaking knows, and which of them it chooses."""

import asyncio
from collections import Counter
from random import Random

from services.kit.errors import UnavailableError
from services.kit.part_tokens import OwnToken
from services.kit.roles import Role
from services.kit.tls import connector
from services.matchmaking.directory import Directory, TableServer
from services.matchmaking.table_servers import TableServers
from tests.matchmaking.conftest import FOUR, House, create, seated, until
from tests.matchmaking.test_partners import a_match


class Lists:
    """Servers that answer with a list, or not at all. Those that are listed answer too, but for the `far` ones."""

    def __init__(self, answers: dict[str, list[TableServer] | str]) -> None:
        self.answers = answers
        self.far: set[str] = set()
        self.asked: Counter[str] = Counter()
        self.now = 0.0

    async def ask(self, address: str) -> list[TableServer]:
        self.asked[address] += 1
        listed = (found for found in self.answers.values() if address in [getattr(server, "address", "") for server in found])
        answer = self.answers.get(address) or next((found for found in listed if address not in self.far), "unavailable")
        if isinstance(answer, str):
            raise UnavailableError(answer, "told so")
        return answer

    def directory(self, *seeds: str) -> Directory:
        return Directory(seeds, self.ask, lambda: self.now, Random(1))


def servers(**tables: int) -> list[TableServer]:
    return [TableServer(f"{name}:1", count, 100) for name, count in tables.items()]


async def test_one_seed_that_answers_is_enough_to_know_all_servers() -> None:
    lists = Lists({"b:1": servers(b=0, c=0, d=0)})
    directory = lists.directory("a:1", "b:1")
    assert directory.addresses() == ["a:1", "b:1"]
    await directory.look()
    assert directory.addresses() == ["b:1", "c:1", "d:1"]


async def test_the_last_list_stays_while_nobody_answers_and_any_listed_server_is_asked_then() -> None:
    lists = Lists({"a:1": servers(b=0, c=0)})
    directory = lists.directory("a:1")
    await directory.look()
    lists.answers = {}
    await directory.look()
    assert directory.addresses() == ["b:1", "c:1"]
    lists.answers = {"c:1": servers(c=0, d=0)}
    await directory.look()
    assert directory.addresses() == ["c:1", "d:1"]


async def test_when_all_listed_servers_are_lost_a_new_one_is_found_by_its_seed() -> None:
    lists = Lists({"a:1": servers(b=0, c=0, d=0, e=0)})
    directory = lists.directory("a:1", "new:1")
    await directory.look()
    lists.answers = {"new:1": servers(new=0)}
    for _ in range(2):
        lists.now += 1
        await directory.look()
    assert directory.addresses() == ["new:1"]


async def test_when_no_server_takes_tables_the_last_list_stays() -> None:
    lists = Lists({"a:1": servers(b=0)})
    directory = lists.directory("a:1")
    await directory.look()
    lists.answers = {"a:1": [], "b:1": []}
    await directory.look()
    assert directory.addresses() == ["b:1"]


async def test_servers_of_an_earlier_version_are_not_asked_all_the_time_and_the_seeds_are_used() -> None:
    lists = Lists({"a:1": "unimplemented"})
    directory = lists.directory("a:1")
    for lists.now in range(59):
        await directory.look()
    assert (lists.asked["a:1"], directory.addresses()) == (1, ["a:1"])
    lists.now = 61.0
    lists.answers = {"a:1": servers(a=0, b=0)}
    await directory.look()
    assert directory.addresses() == ["a:1", "b:1"]


async def test_of_two_servers_at_random_the_one_with_fewer_tables_is_chosen() -> None:
    lists = Lists({"a:1": servers(a=10, b=20, c=30)})
    directory = lists.directory("a:1")
    await directory.look()
    chosen = Counter(directory.choose(()) for _ in range(300))
    assert chosen["c:1"] == 0, "one of any two has fewer"
    assert chosen["a:1"] > chosen["b:1"] > 50


async def test_tables_opened_since_the_list_was_made_are_counted_until_a_list_counts_them() -> None:
    lists = Lists({"a:1": servers(a=0, b=0)})
    directory = lists.directory("a:1")
    await directory.look()
    for _ in range(10):
        directory.opens("a:1")
    assert {directory.choose(()) for _ in range(50)} == {"b:1"}
    lists.now = 1.0
    await directory.look()
    assert {directory.choose(()) for _ in range(50)} == {"b:1"}, "the figures of a list may be older than the list"
    lists.now = 4.0
    await directory.look()
    assert {directory.choose(()) for _ in range(50)} == {"a:1", "b:1"}


async def test_a_server_that_is_full_or_failed_is_chosen_only_where_there_is_no_other() -> None:
    lists = Lists({"a:1": servers(a=100, b=99)})
    directory = lists.directory("a:1")
    await directory.look()
    assert {directory.choose(()) for _ in range(50)} == {"b:1"}
    assert {directory.choose({"b:1"}) for _ in range(50)} == {"a:1"}
    assert directory.choose({"a:1", "b:1"}) in {"a:1", "b:1"}


async def test_listed_servers_are_used_once_they_are_reached_under_what_they_advertise() -> None:
    lists = Lists({"inside:1": servers(a=0, b=0)})
    lists.far = {"a:1", "b:1"}
    directory = lists.directory("inside:1")
    for lists.now in range(5):
        await directory.look()
    assert directory.addresses() == ["inside:1"]
    assert lists.asked["a:1"] == lists.asked["b:1"] == 1
    lists.far = {"a:1"}
    lists.now = 11.0
    await directory.look()
    assert directory.addresses() == ["b:1"]
    assert set(directory.some("c:1")) == {"c:1", "a:1", "b:1"}, "players may reach what matchmaking does not"


async def test_while_every_server_fails_the_seeds_are_tried() -> None:
    lists = Lists({"seed:1": servers(a=0, b=0)})
    directory = lists.directory("seed:1")
    await directory.look()
    assert directory.choose({"a:1", "b:1"}) == "seed:1"


async def test_a_table_is_opened_at_a_server_that_no_setting_names(house: House) -> None:
    await house.stand_ins(servers=3)
    client = await house.start(table_addresses=house.tables[0].address)
    await until(lambda: house.table.calls["ListServers"])
    house.tables[0].draining = house.tables[1].draining = True
    asked = house.table.calls["ListServers"]
    await until(lambda: house.table.calls["ListServers"] >= asked + 2)
    tickets = await seated(client, await create(client, *FOUR))
    assert {ticket.seat.address for ticket in tickets} == {house.tables[2].address}


async def test_a_player_is_told_three_servers_at_which_to_ask_for_the_table_its_owner_first(house: House) -> None:
    await house.stand_ins(servers=4)
    client = await house.start()
    await until(lambda: sum(table.calls["ListServers"] for table in house.tables) >= 2)
    tickets = await seated(client, await create(client, *FOUR))
    for ticket in tickets:
        addresses = list(ticket.seat.addresses)
        assert addresses[0] == ticket.seat.address
        assert len(set(addresses)) == 3
        assert set(addresses) <= {table.address for table in house.tables}


async def test_players_are_seated_while_no_server_gives_a_list(house: House) -> None:
    await house.stand_ins(servers=2)
    house.tables[0].listed = house.tables[1].listed = None
    client = await house.start()
    await seated(client, await create(client, *FOUR))


async def test_that_the_owner_of_one_table_is_lost_does_not_keep_other_tables_from_being_opened(house: House) -> None:
    """Its server says so of the one table; it takes others."""
    await house.stand_ins()
    tables = TableServers([house.table.address], OwnToken(house.keys.of(Role.MATCHMAKING), Role.TABLE), connector(None))
    house.table.refuse["OpenTable"] = UnavailableError("not_live", "the table is being taken up; come back")
    await asyncio.gather(tables.open(a_match("m1")), return_exceptions=True)
    assert tables.answers
    await tables.close()
