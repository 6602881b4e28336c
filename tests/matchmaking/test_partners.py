import pytest

from services.kit.errors import UnavailableError
from services.kit.tls import connector
from services.kit.tokens import OwnToken
from services.matchmaking.partners import TableServers
from services.matchmaking.tickets import Match, MatchState, Why
from tests.matchmaking.conftest import BOT_ROOM, FOUR, House


def a_match(name: str, server: str = "") -> Match:
    return Match(name, BOT_ROOM, MatchState.OPENING, Why.NONE, 0.0, 0.0, 0, server, FOUR)


async def test_a_table_server_that_failed_is_asked_last_for_a_while_however_idle_it_looks(house: House) -> None:
    await house.stand_ins(servers=2)
    dead, alive = (table.address for table in house.tables)
    await house.tables[0].stop()
    house.ledger.holds["m1"] = "held"
    servers = TableServers([dead, alive], OwnToken(house.ring, "matchmaking"), connector(None))
    servers.know_loads({alive: 10})
    with pytest.raises(UnavailableError):
        await servers.open(a_match("m1"))
    assert servers.answers, "there is another to ask"
    servers.know_loads({alive: 10})
    assert (await servers.open(a_match("m1"))).server == alive
    assert (await servers.open(a_match("m1", server=dead))).server == alive, "any server knows every table"
    await servers.close()


async def test_when_the_last_table_server_fails_none_is_said_to_answer_until_one_does(house: House) -> None:
    await house.stand_ins()
    servers = TableServers([house.table.address], OwnToken(house.ring, "matchmaking"), connector(None))
    house.table.down["OpenTable"] = 1
    with pytest.raises(UnavailableError):
        await servers.open(a_match("m1"))
    answered = [servers.answers]
    await servers.open(a_match("m1"))
    answered.append(servers.answers)
    assert answered == [False, True]
    await servers.close()
