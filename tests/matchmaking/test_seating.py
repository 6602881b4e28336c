import asyncio
import time

from tests.matchmaking.conftest import BOT_ROOM, House
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api

FOUR = ("anna", "bela", "carl", "dora")


async def test_four_tickets_of_a_room_become_one_table_with_a_seat_each(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    tickets = [await client.create(player) for player in FOUR]
    seated = await asyncio.gather(*(client.seated(player, ticket.ticket_id) for player, ticket in zip(FOUR, tickets, strict=True)))
    assert {ticket.seat.table_id for ticket in seated} == set(house.table.states)
    assert [ticket.seat.seat for ticket in seated] == [0, 1, 2, 3]
    assert house.table.seats[seated[0].seat.table_id] == list(FOUR)
    assert {ticket.seat.address for ticket in seated} == {house.table.address}
    assert all(ticket.seat.token and ticket.seat.expires_at > time.time() for ticket in seated)


async def test_a_table_is_made_within_50_ms_or_so(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    for player in FOUR[:3]:
        await client.create(player)
    begun = time.perf_counter()
    last = await client.create(FOUR[3])
    await client.seated(FOUR[3], last.ticket_id)
    took = time.perf_counter() - begun
    assert took < 0.5


async def test_bots_take_the_free_seats_when_the_oldest_has_waited_past_the_rooms_limit(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    first, second = await client.create("anna", BOT_ROOM), await client.create("bela", BOT_ROOM)
    seat = (await client.seated("anna", first.ticket_id)).seat
    assert (await client.seated("bela", second.ticket_id)).seat.table_id == seat.table_id
    assert house.table.seats[seat.table_id] == ["anna", "bela", "", ""]
