import asyncio
import contextlib

import pytest

from services.kit.errors import InvalidArgumentError, UnavailableError
from services.kit.part_tokens import OwnToken
from services.kit.roles import Role
from services.kit.tls import connector
from services.matchmaking import table_servers
from services.matchmaking.directory import Directory, TableServer
from services.matchmaking.settlement import Settlement
from services.matchmaking.table_servers import TableServers
from services.matchmaking.tickets import Match, MatchState, Why
from tests.matchmaking.conftest import BOT_ROOM, FOUR, House, create, seated, until
from tests.matchmaking.standins import Ledger


def a_match(name: str, server: str = "") -> Match:
    return Match(name, BOT_ROOM, MatchState.OPENING, Why.NONE, 0.0, 0.0, 0, server, FOUR)


async def test_a_table_server_that_failed_is_asked_last_for_a_while_however_idle_it_looks(house: House) -> None:
    await house.stand_ins(servers=2)
    dead, alive = (table.address for table in house.tables)
    await house.tables[0].stop()
    house.ledger.holds["m1"] = "held"

    async def ask(_address: str) -> list[TableServer]:
        return [TableServer(dead, 0, 100), TableServer(alive, 10, 100)]

    servers = TableServers([alive], OwnToken(house.keys.of(Role.MATCHMAKING), Role.TABLE), connector(None))
    servers.directory = Directory([alive], ask)
    await servers.look()
    with pytest.raises(UnavailableError):
        await servers.open(a_match("m1"))
    assert servers.answers, "there is another to ask"
    await servers.look()
    assert (await servers.open(a_match("m1"))).server == alive
    assert (await servers.open(a_match("m1", server=dead))).server == alive, "any server knows every table"
    await servers.close()


async def test_when_the_last_table_server_fails_none_is_said_to_answer_until_one_does(house: House) -> None:
    await house.stand_ins()
    servers = TableServers([house.table.address], OwnToken(house.keys.of(Role.MATCHMAKING), Role.TABLE), connector(None))
    house.table.down["OpenTable"] = 1
    with pytest.raises(UnavailableError):
        await servers.open(a_match("m1"))
    answered = [servers.answers]
    await servers.open(a_match("m1"))
    answered.append(servers.answers)
    assert answered == [False, True]
    await servers.close()


async def test_a_table_is_tried_for_again_once_a_server_lists_one_with_room_that_has_not_failed_lately(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_servers, "AVOID_SECONDS", 1.0)
    await house.stand_ins()
    servers = TableServers([house.table.address], OwnToken(house.keys.of(Role.MATCHMAKING), Role.TABLE), connector(None))
    house.table.down["OpenTable"] = 1
    await servers.look()
    with pytest.raises(UnavailableError):
        await servers.open(a_match("m1"))
    reached = [servers.is_reached]
    await until(lambda: servers.is_reached)
    assert not servers.answers
    house.table.opened = 1000
    await servers.look()
    reached.append(servers.is_reached)
    house.table.opened = 0
    house.table.down["ListServers"] = 1
    await servers.look()
    reached.append(servers.is_reached)
    assert reached == [False] * 3, "it failed just now, is full, gave no list"
    await servers.look()
    assert servers.is_reached
    await servers.close()


async def test_stakes_are_tried_for_again_once_settlement_answers_anything(house: House) -> None:
    await house.stand_ins()
    settlement = Settlement([house.ledger.address], OwnToken(house.keys.of(Role.MATCHMAKING), Role.SETTLEMENT), connector(None))
    house.ledger.down["HoldStakes"] = house.ledger.down["GetBalance"] = 1
    states = []
    for ask in (settlement.hold(a_match("m1")), settlement.balance("anna"), settlement.balance("anna"), settlement.hold(a_match("m1"))):
        with contextlib.suppress(UnavailableError):
            await ask
        states.append((settlement.answers, settlement.is_reached))
    assert states == [(False, False), (False, False), (False, True), (True, True)]
    await settlement.close()


async def test_players_are_seated_by_another_settlement_when_one_of_them_is_killed(house: House) -> None:
    await house.stand_ins()
    other = Ledger(house.keys)
    other.wallets, other.holds, other.occupied, other.history = (
        house.ledger.wallets,
        house.ledger.holds,
        house.ledger.occupied,
        house.ledger.history,
    )
    await other.start()
    house.stack.push_async_callback(other.stop)
    client = await house.start(settlement_address=f"{house.ledger.address}, {other.address}")
    await seated(client, await create(client, "anna", "ben", "carl", "dora"))
    assert house.ledger.calls["HoldStakes"] == 1
    await house.ledger.stop()
    await seated(client, await create(client, "emil", "fred", "gina", "hans"))
    assert other.calls["HoldStakes"] == 1, "the others went on being seated"


async def test_the_settlement_that_answered_last_is_asked_first(house: House) -> None:
    dead, alive = Ledger(house.keys), Ledger(house.keys)
    await dead.start()
    await dead.stop()
    await alive.start()
    house.stack.push_async_callback(alive.stop)
    settlement = Settlement([dead.address, alive.address], OwnToken(house.keys.of(Role.MATCHMAKING), Role.SETTLEMENT), connector(None))
    for _ in range(3):
        await settlement.balance("anna")
    assert (alive.calls["GetBalance"], settlement.answers) == (3, True)
    await alive.stop()
    with pytest.raises(UnavailableError):
        await settlement.hold(a_match("m1"))
    assert not settlement.answers, "none of them does"
    await alive.start(int(alive.address.rpartition(":")[2]))
    async with asyncio.timeout(10):
        # A channel that was refused waits a little before it connects again.
        while not await holds(settlement):  # noqa: ASYNC110 - it is another process's state
            await asyncio.sleep(0.01)
    await settlement.close()


async def holds(settlement: Settlement) -> bool:
    with contextlib.suppress(UnavailableError):
        return (await settlement.hold(a_match("m1"))).held
    return False


async def test_what_one_settlement_refuses_another_is_not_asked(house: House) -> None:
    first, second = Ledger(house.keys), Ledger(house.keys)
    for ledger in (first, second):
        await ledger.start()
        house.stack.push_async_callback(ledger.stop)
    first.refuse["HoldStakes"] = InvalidArgumentError("room_id", "no such room here")
    settlement = Settlement([first.address, second.address], OwnToken(house.keys.of(Role.MATCHMAKING), Role.SETTLEMENT), connector(None))
    with pytest.raises(InvalidArgumentError):
        await settlement.hold(a_match("m1"))
    assert not second.calls
    await settlement.close()
