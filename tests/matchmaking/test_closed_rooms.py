"""Rooms that operators close: nobody is seated there, at whichever replica they ask, until the room is opened."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from grpc import aio

from services.kit.roles import Role
from tests.matchmaking.conftest import BOT_ROOM, FOUR, ROOM, Client, House, create, seated
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api
from xuezhan.api.matchmaking.v1.matchmaking_pb2_grpc import RoomServiceStub


async def act(client: Client, name: str, request: Any, role: Role = Role.OPERATOR) -> Any:
    return await getattr(RoomServiceStub(client.channel), name)(request, metadata=client.part(role))


async def close(client: Client, room: str = ROOM, why: str = "case 4711") -> bool:
    return bool((await act(client, "CloseRoom", api.CloseRoomRequest(room_id=room, who="olga", why=why))).changed)


async def open_(client: Client, room: str = ROOM) -> bool:
    return bool((await act(client, "OpenRoom", api.OpenRoomRequest(room_id=room, who="olga", why="mended"))).changed)


async def refused(client: Client, player: str, room: str = ROOM) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(aio.AioRpcError) as error:
        await client.create(player, room)
    return error.value.code(), error.value.details() or ""


async def test_tickets_that_wait_end_and_none_is_taken_until_the_room_is_opened(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    tickets = await create(client, *FOUR[:3])
    assert await close(client)
    assert not await close(client)
    for player, ticket in tickets.items():
        assert (await client.until(player, ticket, api.TICKET_STATE_FAILED)).reason == "room_closed"
    code, details = await refused(client, "dan")
    assert (code, "is closed" in details) == (grpc.StatusCode.FAILED_PRECONDITION, True)
    assert await open_(client)
    assert not await open_(client)
    await seated(client, await create(client, *FOUR))
    found = (await act(client, "ListRoomActs", api.ListRoomActsRequest(), Role.AUDITOR)).acts
    assert [(one.room_id, one.closed, one.who, one.why) for one in found] == [
        (ROOM, False, "olga (operator)", "mended"),
        (ROOM, True, "olga (operator)", "case 4711"),
    ]


async def test_a_table_that_is_played_plays_on_and_other_rooms_are_open(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    await seated(client, await create(client, *FOUR))
    await close(client)
    assert (await client.create("eve", BOT_ROOM)).state in {api.TICKET_STATE_WAITING, api.TICKET_STATE_SEATING}
    assert list(house.table.seats.values()) == [list(FOUR)]


async def test_a_room_stays_closed_after_a_restart(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    await close(client)
    await house.stop()
    client = await house.start()
    assert (await refused(client, "anna"))[0] is grpc.StatusCode.FAILED_PRECONDITION


async def test_players_are_told_that_a_room_is_closed_and_operators_also_why(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    await close(client)

    async def listed(metadata: Any) -> dict[str, tuple[bool, str]]:
        rooms = (await client.stub.ListRooms(api.ListRoomsRequest(), metadata=metadata)).rooms
        return {room.room_id: (room.closed, room.closed_why) for room in rooms}

    assert (await listed(client.meta("anna")))[ROOM] == (True, "")
    assert (await listed(client.part(Role.VIEWER)))[ROOM] == (True, "case 4711")
    assert (await listed(client.part(Role.VIEWER)))[BOT_ROOM] == (False, "")


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (api.CloseRoomRequest(room_id="no/room", who="olga", why="x"), grpc.StatusCode.NOT_FOUND),
        (api.CloseRoomRequest(room_id=ROOM, who="olga", why=" "), grpc.StatusCode.INVALID_ARGUMENT),
        (api.CloseRoomRequest(room_id=ROOM, who="", why="x"), grpc.StatusCode.INVALID_ARGUMENT),
        (api.CloseRoomRequest(room_id=ROOM, who="olga", why="x" * 501), grpc.StatusCode.INVALID_ARGUMENT),
    ],
)
async def test_what_cannot_be_recorded_is_refused(house: House, request_: Any, reason: grpc.StatusCode) -> None:
    await house.stand_ins()
    client = await house.start()
    with pytest.raises(aio.AioRpcError) as error:
        await act(client, "CloseRoom", request_)
    assert error.value.code() is reason
    assert not (await act(client, "ListRoomActs", api.ListRoomActsRequest(), Role.AUDITOR)).acts
