"""Tickets that are given a free seat at a table that is being played."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from services.kit import seat_tokens
from services.kit.callers import Caller
from services.kit.errors import ConflictError
from services.kit.rooms import load_rooms
from services.matchmaking import vacancies
from services.matchmaking.table_servers import Vacancy
from services.matchmaking.tickets import TicketState
from tests.matchmaking.conftest import BOTH, FOUR, ROOM, ROOMS, Client, House, create, seated, until
from tests.matchmaking.replica import Barrier
from tests.matchmaking.standins import ROOM_OF_FREE
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api

REFILLING = """
[[room]]
game = "happy_sichuan"
id = "single"
name = "普通场"
base = 1
min_coins = 1000
hands = 8
refill_seconds = 60
bots = { wait_seconds = "never" }
"""
SEAT = 2
"""The free seat of the table "old"."""


async def free(house: House, **settings: Any) -> Client:
    """An installation with a free seat at a table of the room that refills."""
    house.rooms = ROOMS + REFILLING
    await house.stand_ins()
    house.table.seat_left("old", SEAT)
    return await house.start(**settings)


async def queue(client: Client, *players: str) -> dict[str, str]:
    return {player: (await client.create(player, ROOM_OF_FREE)).ticket_id for player in players}


def holds(house: House) -> list[str]:
    return sorted(house.ledger.holds.values())


@BOTH
async def test_a_ticket_is_given_a_free_seat_under_a_match_id_of_its_own(house: House) -> None:
    client = await free(house)
    tickets = await queue(client, "anna")
    seat = (await client.seated("anna", tickets["anna"])).seat
    assert (seat.table_id, seat.seat, seat.address) == ("old", SEAT, house.table.address)
    held = seat_tokens.read(house.keys.table.seats, seat.token)
    assert (held.table, held.seat, held.player) == ("old", SEAT, "anna")
    assert house.table.seats["old"] == ["p0", "p1", "anna", "p3"]
    assert holds(house) == ["bound"]
    assert "old" not in house.ledger.holds
    await client.until_metric('xuezhan_matchmaking_joins_total{game="happy_sichuan",tier="single"}', 1)


async def test_who_has_waited_the_longest_gets_the_free_seat_and_the_others_wait_on(house: House) -> None:
    house.rooms = ROOMS + REFILLING
    await house.stand_ins()
    client = await house.start()
    tickets = await queue(client, "anna", "bela", "carl")
    house.table.seat_left("old", SEAT)
    assert (await client.seated("anna", tickets["anna"])).seat.table_id == "old"
    assert await client.waiting(ROOM_OF_FREE) == 2
    tickets |= await queue(client, "dora", "emil")
    del tickets["anna"]
    (table,) = {ticket.seat.table_id for ticket in await seated(client, tickets)}
    assert table != "old"


async def test_two_free_seats_of_a_table_are_taken_by_two(house: House) -> None:
    client = await free(house)
    house.table.seat_left("old", 0)
    tickets = await queue(client, "anna", "bela")
    found = await seated(client, tickets)
    assert sorted(ticket.seat.seat for ticket in found) == [0, SEAT]
    assert {ticket.seat.table_id for ticket in found} == {"old"}


async def test_rooms_that_do_not_refill_cost_no_question(house: House) -> None:
    client = await free(house)
    await seated(client, await create(client, *FOUR))
    await client.create("emil", ROOM)
    await until(lambda: house.ledger.calls["GetBalance"] >= 5)
    assert house.table.calls["ListFreeSeats"] == 0


async def test_the_table_servers_are_asked_once_a_while_only(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vacancies, "ASK_SECONDS", 60)
    house.rooms = ROOMS + REFILLING
    await house.stand_ins(servers=2)
    client = await house.start()
    for player in FOUR[:3]:
        await client.create(player, ROOM_OF_FREE)
        await client.until_metric('xuezhan_matchmaking_tickets_waiting{game="happy_sichuan",tier="single"}', FOUR.index(player) + 1)
    await until(lambda: house.tables[1].calls["ListFreeSeats"] == 1)
    assert house.tables[0].calls["ListFreeSeats"] == 1


async def test_free_seats_are_forgotten_some_seconds_after_they_were_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(vacancies, "time", SimpleNamespace(monotonic=lambda: now[0]))
    (tmp_path / "rooms.toml").write_text(ROOMS + REFILLING)
    told: asyncio.Queue[list[Vacancy]] = asyncio.Queue()
    heard = asyncio.Event()
    servers: Any = SimpleNamespace(free_seats=lambda _rooms: told.get())
    book = vacancies.Vacancies(servers, load_rooms(tmp_path / "rooms.toml"), heard.set)
    book.look([ROOM_OF_FREE])
    told.put_nowait([Vacancy("a:1", "old", ROOM_OF_FREE, seat) for seat in (0, 1, 2)])
    await asyncio.wait_for(heard.wait(), 10)
    now[0] += 2.9
    assert book.pick(ROOM_OF_FREE, ()) is not None
    now[0] += 0.2
    book.look([ROOM_OF_FREE])
    assert book.pick(ROOM_OF_FREE, ()) is None, "they are asked about, and have not answered yet"
    book.stop()


async def test_a_server_that_does_not_answer_does_not_hide_the_free_seats_of_others(house: House) -> None:
    house.rooms = ROOMS + REFILLING
    await house.stand_ins(servers=2)
    house.table.seat_left("old", SEAT)
    client = await house.start()
    await house.tables[1].stop()
    assert (await client.seated("anna", (await queue(client, "anna"))["anna"])).seat.table_id == "old"


@BOTH
async def test_a_seat_that_was_not_free_gives_the_stake_back_and_the_ticket_its_place(house: House) -> None:
    house.rooms = ROOMS + REFILLING
    await house.stand_ins()
    house.table.phantoms = [("old", SEAT)]
    client = await house.start()
    tickets = await queue(client, "anna")
    await until(lambda: "void" in holds(house))
    house.table.phantoms = []
    assert not house.ledger.occupied
    await client.until("anna", tickets["anna"], api.TICKET_STATE_WAITING)
    house.table.seat_left("old", SEAT)
    assert (await client.seated("anna", tickets["anna"])).seat.table_id == "old"
    assert holds(house).count("bound") == 1


@BOTH
async def test_a_table_that_closes_before_its_seat_is_taken_gives_the_stake_back(house: House) -> None:
    client = await free(house)
    house.table.slow["TakeSeat"] = asyncio.Event()
    tickets = await queue(client, "anna")
    await until(lambda: house.table.calls["TakeSeat"])
    house.table.free.clear()
    house.table.close("old")
    house.table.slow.pop("TakeSeat").set()
    await until(lambda: holds(house) == ["void"])
    await client.until("anna", tickets["anna"], api.TICKET_STATE_WAITING)
    assert not house.ledger.occupied


async def test_a_seat_whose_stake_the_table_cannot_bind_sends_the_ticket_back(house: House) -> None:
    client = await free(house)
    house.ledger.bind = lambda match: False  # type: ignore[method-assign]
    tickets = await queue(client, "anna")
    await until(lambda: "void" in holds(house))
    del house.ledger.bind
    assert (await client.seated("anna", tickets["anna"])).seat.table_id == "old"


async def test_who_became_short_is_out_and_the_seat_goes_to_the_next(house: House) -> None:
    house.rooms = ROOMS + REFILLING
    await house.stand_ins()
    client = await house.start()
    tickets = await queue(client, "anna", "bela")
    house.ledger.wallets["anna"] = 10
    house.table.seat_left("old", SEAT)
    assert (await client.until("anna", tickets["anna"], api.TICKET_STATE_FAILED)).reason == "short"
    assert (await client.seated("bela", tickets["bela"])).seat.table_id == "old"


@BOTH
async def test_answers_that_are_lost_or_fail_are_asked_for_again(house: House) -> None:
    client = await free(house)
    for method, stand_in in (("HoldStakes", house.ledger), ("TakeSeat", house.table)):
        stand_in.lost[method] = 1
        stand_in.down[method] = 1
    assert (await client.seated("anna", (await queue(client, "anna"))["anna"])).seat.seat == SEAT
    assert list(house.ledger.history.values()) == [["held"]]


@BOTH
async def test_a_seat_that_was_taken_though_the_table_never_answered_is_not_given_up(house: House) -> None:
    client = await free(house, seating_limit_seconds=0.2)
    house.table.lost["TakeSeat"] = 4
    assert (await client.seated("anna", (await queue(client, "anna"))["anna"])).seat.table_id == "old"
    assert holds(house) == ["bound"]


async def test_a_table_that_was_played_and_closed_before_its_answer_came_ends_the_ticket(house: House) -> None:
    client = await free(house)
    house.table.lost["TakeSeat"] = 2
    tickets = await queue(client, "anna")
    await until(lambda: holds(house) == ["bound"])
    house.table.close("old")
    house.ledger.free("old")
    assert (await client.until("anna", tickets["anna"], api.TICKET_STATE_OVER)).reason == ""
    assert holds(house) == ["bound"]


async def test_while_no_table_server_answers_the_stake_returns(house: House) -> None:
    client = await free(house, seating_limit_seconds=0.2)
    house.table.down["TakeSeat"] = 1000
    tickets = await queue(client, "anna")
    await until(lambda: "void" in holds(house))
    house.table.down.clear()
    assert (await client.seated("anna", tickets["anna"])).seat.table_id == "old"
    assert holds(house).count("bound") == 1


@BOTH
async def test_who_left_the_table_again_or_whose_table_closed_may_queue_again(house: House) -> None:
    client = await free(house)
    tickets = await queue(client, "anna")
    await client.seated("anna", tickets["anna"])
    with pytest.raises(Exception, match="has a ticket already"):
        await client.create("anna", ROOM)
    (hold,) = house.ledger.holds
    house.table.taker_left(hold)
    assert (await client.until("anna", tickets["anna"], api.TICKET_STATE_OVER)).reason == ""
    house.ledger.free("old")
    house.table.seat_left("old", SEAT)
    tickets = await queue(client, "anna")
    await client.seated("anna", tickets["anna"])
    house.table.close("old")
    house.ledger.free("old")
    assert (await client.create("anna", ROOM)).ticket_id != tickets["anna"]


async def test_the_token_of_a_taken_seat_is_renewed_also_after_a_restart(house: House) -> None:
    house.rooms = ROOMS + REFILLING
    await house.stand_ins()
    house.table.seat_left("old", SEAT)
    house.table.ttl = 3
    client = await house.start()
    tickets = await queue(client, "anna")
    first = (await client.seated("anna", tickets["anna"])).seat
    await house.stop()
    client = await house.start()
    call = client.watch("anna", tickets["anna"])
    second, third = [(await call.read()).ticket.seat for _ in range(2)]
    assert (first.table_id, first.seat) == (second.table_id, second.seat) == (third.table_id, third.seat) == ("old", SEAT)
    assert first.expires_at <= second.expires_at < third.expires_at
    call.cancel()


def smooth(_house: House) -> None:
    """Everything goes well."""


def phantom(house: House) -> None:
    """At first the seat is not free after all."""
    house.table.free, house.table.phantoms = [], [("old", SEAT)]


def never_told(house: House) -> None:
    """The seat is taken, but the answers are lost until the process has died."""
    house.table.lost["TakeSeat"] = 1000


STEPS = [
    *((smooth, step) for step in ("write_match", "call_hold", "stakes_held", "call_take", "opened")),
    *((phantom, step) for step in ("give_up", "call_release", "released")),
    *((never_told, step) for step in ("give_up", "call_release", "bound")),
]


@BOTH
@pytest.mark.parametrize(("trouble", "step"), STEPS, ids=[f"{trouble.__name__}-{step}" for trouble, step in STEPS])
async def test_a_ticket_ends_seated_once_whatever_step_the_process_died_at(house: House, trouble: Any, step: str) -> None:
    house.rooms = ROOMS + REFILLING
    await house.stand_ins()
    house.table.seat_left("old", SEAT)
    trouble(house)
    death = Barrier(step)
    async with house.replica(death) as one:
        ticket = (await one.queue(ROOM_OF_FREE, "anna"))["anna"]
        async with asyncio.timeout(20):
            await death.came.wait()
    house.table.lost.clear()
    if house.table.phantoms:
        house.table.phantoms = []
        house.table.seat_left("old", SEAT)
    async with house.replica(name="two") as two:
        await two.reaches("anna", ticket, TicketState.SEATED)
        await until(lambda: "held" not in house.ledger.holds.values())
        with pytest.raises(ConflictError):
            await two.desk.create(Caller("anna"), ROOM_OF_FREE, "")
    assert house.table.seats["old"][SEAT] == "anna"
    assert holds(house).count("bound") == 1
    assert house.ledger.occupied == {"anna": "old"}
