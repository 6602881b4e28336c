"""Tickets of players who are at another table."""

import asyncio

import pytest

from services.kit.errors import PermissionDeniedError
from services.matchmaking import settlement, store
from services.matchmaking.busy import BusyPlayers
from services.matchmaking.tickets import TicketState
from tests.matchmaking.conftest import BOT_ROOM, BOTH, FOUR, ROOM, House, create, seated, until
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api


@BOTH
async def test_a_player_who_is_busy_waits_apart_until_they_are_free(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    tickets = await create(client, "anna", "bela", "carl")
    house.ledger.occupied["bela"] = "elsewhere"
    tickets |= await create(client, "dora", "emil")
    await seated(client, {name: tickets[name] for name in ("anna", "carl", "dora", "emil")})
    house.ledger.free("elsewhere")
    tickets = {"bela": tickets["bela"]} | await create(client, "fred", "gina", "hans")
    await seated(client, tickets)
    assert list(house.table.seats.values()) == [["anna", "carl", "dora", "emil"], ["bela", "fred", "gina", "hans"]]


async def test_a_player_who_is_busy_does_not_spoil_matches_of_others_meanwhile(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    house.ledger.occupied["anna"] = "elsewhere"
    await create(client, *FOUR)
    asked = house.ledger.calls["GetBalance"]
    await until(lambda: house.ledger.calls["GetBalance"] >= asked + 2)
    assert house.ledger.calls["HoldStakes"] == 0


@BOTH
async def test_a_player_who_stays_busy_for_too_long_is_dropped(house: House) -> None:
    await house.stand_ins()
    client = await house.start(busy_limit_seconds=0.5)
    house.ledger.occupied["anna"] = "elsewhere"
    ticket = (await client.create("anna")).ticket_id
    assert (await client.until("anna", ticket, api.TICKET_STATE_FAILED)).reason == "busy"


@pytest.mark.parametrize("refused", [False, True], ids=["no_answer", "refusal"])
async def test_a_player_is_not_dropped_as_busy_while_settlement_does_not_say_so(house: House, refused: bool) -> None:
    await house.stand_ins()
    client = await house.start(busy_limit_seconds=0.5)
    house.ledger.occupied["anna"] = "elsewhere"
    tickets = await create(client, "anna")
    if refused:
        house.ledger.refuse["GetBalance"] = PermissionDeniedError("not_allowed")
    else:
        house.ledger.down["GetBalance"] = 1000
    asked = house.ledger.calls["GetBalance"]
    await until(lambda: house.ledger.calls["GetBalance"] >= asked + 3)
    house.ledger.free("elsewhere")
    house.ledger.refuse.clear()
    house.ledger.down.clear()
    await seated(client, tickets | await create(client, *FOUR[1:]))


async def test_rooms_are_matched_while_settlement_says_nothing_of_busy_players(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settlement, "CALL_SECONDS", 60.0)
    house.rooms = house.rooms.replace("wait_seconds = 0.3", "wait_seconds = 3")
    await house.stand_ins()
    client = await house.start()
    house.ledger.occupied["zoe"] = "elsewhere"
    await create(client, "zoe")
    ticket = (await client.create("anna", BOT_ROOM)).ticket_id
    house.ledger.slow["GetBalance"] = asyncio.Event()
    asked = house.ledger.calls["GetBalance"]
    await until(lambda: house.ledger.calls["GetBalance"] > asked)
    try:
        async with asyncio.timeout(20):
            await client.seated("anna", ticket)
    finally:
        house.ledger.slow.pop("GetBalance").set()


async def test_settlement_that_is_away_is_asked_about_few_busy_players(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are asked about once it answers."""
    monkeypatch.setattr(store, "BUSY_SECONDS", 0.0)
    await house.stand_ins()
    players = [f"p{number}" for number in range(20)]
    house.ledger.occupied |= dict.fromkeys(players, "elsewhere")
    async with house.replica(driven=False) as one:
        tickets = await one.queue(ROOM, *players)
        asked, freed = house.ledger.calls["GetBalance"], asyncio.Event()
        house.ledger.down["GetBalance"] = 1000
        busy = BusyPlayers(one.parts, freed.set)
        await busy.look()
        assert house.ledger.calls["GetBalance"] - asked == 8
        assert not freed.is_set()
        house.ledger.down.clear()
        house.ledger.free("elsewhere")
        await busy.look()
        assert freed.is_set()
        one.loop.start()
        await asyncio.gather(*(one.reaches(player, ticket, TicketState.SEATED) for player, ticket in tickets.items()))
