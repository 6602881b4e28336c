"""What is asked wrongly is refused with a code and a reason, and nothing happens."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio

from services.kit.roles import Role
from services.kit.rpc import from_rpc
from services.matchmaking.tickets import new_ticket_id
from tests.matchmaking.conftest import BOT_ROOM, BOTH, ROOM, Client, House
from tests.support.keyring import Keyring
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api

Ask = Callable[[Client], Awaitable[Any]]


async def refusal(asking: Any) -> tuple[str, str, dict[str, str]]:
    with pytest.raises(aio.AioRpcError) as caught:
        await asking
    error = from_rpc(caught.value)
    return caught.value.code().name, error.reason, error.metadata


async def read(call: Any) -> None:
    async for _ in call:
        pass


def create(client: Client, token: str, room: str = ROOM, key: str = "") -> Any:
    return client.stub.CreateTicket(api.CreateTicketRequest(room_id=room, key=key), metadata=bearer(token), timeout=10)


def bearer(token: str) -> Any:
    return (("authorization", f"Bearer {token}"),) if token else ()


@BOTH
async def test_requests_that_cannot_be_used_are_refused_and_nothing_is_queued(house: House, tmp_path: Path) -> None:
    await house.stand_ins()
    client = await house.start()
    good = house.keys.player("anna")
    strangers = Keyring(tmp_path / "strangers")
    cases = [
        (create(client, good, "crazy_xuezhan/nowhere"), "NOT_FOUND", "unknown_room"),
        (create(client, good, ""), "NOT_FOUND", "unknown_room"),
        (create(client, good, key="k" * 129), "INVALID_ARGUMENT", "key"),
        (create(client, good, key="a\0b"), "INVALID_ARGUMENT", "key"),
        (create(client, good, room="x" * 70_000), "RESOURCE_EXHAUSTED", "resource_exhausted"),
        (create(client, ""), "UNAUTHENTICATED", "no_token"),
        (create(client, "nonsense"), "UNAUTHENTICATED", "bad_token"),
        (create(client, strangers.player("anna")), "UNAUTHENTICATED", "bad_token"),
        (create(client, house.keys.player("anna", ttl_seconds=-1)), "UNAUTHENTICATED", "expired"),
        (create(client, house.keys.seat("m1", 0, "anna", time.time() + 60)), "UNAUTHENTICATED", "bad_token"),
        (create(client, house.keys.player("a b")), "UNAUTHENTICATED", "bad_token"),
        (create(client, house.keys.player("a" * 65)), "UNAUTHENTICATED", "bad_token"),
        (
            client.stub.CreateTicket(api.CreateTicketRequest(room_id=ROOM), metadata=client.part(Role.GATEWAY), timeout=10),
            "PERMISSION_DENIED",
            "players_only",
        ),
        (client.stub.ListRooms(api.ListRoomsRequest(), timeout=10), "UNAUTHENTICATED", "no_token"),
        (client.stub.ListRooms(api.ListRoomsRequest(game="go"), metadata=bearer(good), timeout=10), "NOT_FOUND", "unknown_game"),
    ]
    for asking, code, reason in cases:
        assert (await refusal(asking))[:2] == (code, reason)
    assert await client.waiting() == 0
    assert house.ledger.calls["HoldStakes"] == 0


async def test_a_wallet_too_small_for_the_room_is_refused_at_the_ticket(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    house.ledger.wallets["anna"] = 999
    assert await refusal(client.create("anna")) == ("FAILED_PRECONDITION", "short", {"needed": "1000", "wallet": "999"})
    house.ledger.wallets["anna"] = 1000
    assert (await client.create("anna")).state == api.TICKET_STATE_WAITING


async def test_without_settlement_no_ticket_is_made(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    house.ledger.down["GetBalance"] = 1
    assert (await refusal(client.create("anna")))[0] == "UNAVAILABLE"
    assert (await client.create("anna")).state == api.TICKET_STATE_WAITING


async def test_a_second_ticket_of_a_player_is_refused_with_the_id_of_the_first(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    first = await client.create("anna")
    for room in (ROOM, BOT_ROOM):
        assert await refusal(client.create("anna", room)) == ("ALREADY_EXISTS", "active", {"ticket_id": first.ticket_id})
    assert await client.waiting() <= 1


@BOTH
async def test_of_many_tickets_asked_for_at_once_one_is_made(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    answers = await asyncio.gather(*(client.create("anna") for _ in range(10)), return_exceptions=True)
    made = [answer for answer in answers if not isinstance(answer, BaseException)]
    refused = [answer for answer in answers if isinstance(answer, aio.AioRpcError)]
    assert (len(made), len(refused)) == (1, 9)
    assert {error.code() for error in refused} == {grpc.StatusCode.ALREADY_EXISTS}
    assert {from_rpc(error).metadata["ticket_id"] for error in refused} == {made[0].ticket_id}


@BOTH
async def test_the_same_key_gives_the_same_ticket_even_when_it_is_over(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    answers = await asyncio.gather(*(client.create("anna", key="k1") for _ in range(5)))
    assert len({ticket.ticket_id for ticket in answers}) == 1
    first = answers[0].ticket_id
    assert await refusal(client.create("anna", BOT_ROOM, key="k1")) == ("ALREADY_EXISTS", "key_reused", {"ticket_id": first})
    await client.cancel("anna", first)
    again = await client.create("anna", key="k1")
    assert (again.ticket_id, again.state) == (first, api.TICKET_STATE_CANCELLED)
    other = await client.create("anna", key="k2")
    assert other.ticket_id != first
    assert (await client.create("bela", key="k1")).ticket_id not in {first, other.ticket_id}


@BOTH
async def test_a_foreign_ticket_and_one_that_never_was_look_the_same(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    annas = (await client.create("anna")).ticket_id
    answers = []
    for ticket in (annas, new_ticket_id(), "", "x" * 1000, "a\0b"):
        answers.append(await refusal(client.cancel("bela", ticket)))
        answers.append(await refusal(read(client.watch("bela", ticket))))
    assert set(map(str, answers)) == {str(("PERMISSION_DENIED", "not_yours", {}))}
    assert (await client.until("anna", annas, api.TICKET_STATE_WAITING)).player_id == "anna"


@BOTH
async def test_a_cancelled_ticket_stays_cancelled_and_a_seated_one_cannot_be(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    ticket = (await client.create("anna")).ticket_id
    watching = asyncio.create_task(client.until("anna", ticket, api.TICKET_STATE_CANCELLED))
    assert (await client.cancel("anna", ticket)).state == api.TICKET_STATE_CANCELLED
    assert (await client.cancel("anna", ticket)).state == api.TICKET_STATE_CANCELLED
    assert (await watching).state == api.TICKET_STATE_CANCELLED
    seated = (await client.create("bela", BOT_ROOM)).ticket_id
    await client.seated("bela", seated)
    assert await refusal(client.cancel("bela", seated)) == ("FAILED_PRECONDITION", "seated", {"ticket_id": seated})


async def test_queues_and_watchers_are_bounded(house: House) -> None:
    await house.stand_ins()
    client = await house.start(max_waiting=1, max_watchers=1)
    ticket = (await client.create("anna")).ticket_id
    call = client.watch("anna", ticket)
    await call.read()
    assert (await refusal(read(client.watch("anna", ticket))))[:2] == ("RESOURCE_EXHAUSTED", "too_many_watchers")
    await client.until_waiting(1)
    assert (await refusal(client.create("bela")))[:2] == ("RESOURCE_EXHAUSTED", "queue_full")
    await client.cancel("anna", ticket)
    assert (await call.read()).ticket.state == api.TICKET_STATE_CANCELLED
    assert await call.read() is aio.EOF
    again = client.watch("anna", ticket)
    assert (await again.read()).ticket.state == api.TICKET_STATE_CANCELLED


async def test_a_room_says_whether_bots_come_and_after_how_long(house: House) -> None:
    """At once and never look different."""
    await house.stand_ins()
    at_once = house.rooms.replace("wait_seconds = 0.3", "wait_seconds = 0")
    for rooms, shown in ((house.rooms, {ROOM: (False, 0), BOT_ROOM: (True, 1)}), (at_once, {ROOM: (False, 0), BOT_ROOM: (True, 0)})):
        house.rooms = rooms
        client = await house.start()
        listed = (await client.stub.ListRooms(api.ListRoomsRequest(), metadata=client.meta("anna"), timeout=10)).rooms
        told = {room.room_id: (room.bots, room.bot_wait_seconds) for room in listed}
        assert {room: told[room] for room in shown} == shown


async def test_one_player_does_not_take_every_followers_place(house: House) -> None:
    await house.stand_ins()
    client = await house.start(max_watchers=100)
    ticket = (await client.create("anna")).ticket_id
    calls = [client.watch("anna", ticket) for _ in range(16)]
    for call in calls:
        await call.read()
    assert (await refusal(read(client.watch("anna", ticket))))[:2] == ("RESOURCE_EXHAUSTED", "too_many_watches")
    other = client.watch("bela", (await client.create("bela")).ticket_id)
    assert (await other.read()).ticket.state == api.TICKET_STATE_WAITING
    for call in (*calls, other):
        call.cancel()


async def test_a_wallet_too_large_to_play_with_is_refused_at_the_ticket(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    house.ledger.wallets["anna"] = 2**52 + 1
    assert await refusal(client.create("anna")) == ("FAILED_PRECONDITION", "too_rich", {"most": str(2**52), "wallet": str(2**52 + 1)})
    house.ledger.wallets["anna"] = 2**52
    assert (await client.create("anna")).state == api.TICKET_STATE_WAITING


async def test_a_frozen_player_gets_no_ticket_until_it_is_lifted(house: House) -> None:
    await house.stand_ins()
    client = await house.start()
    house.ledger.frozen = {"anna"}
    assert (await refusal(client.create("anna")))[:2] == ("FAILED_PRECONDITION", "frozen")
    assert await client.waiting() == 0
    house.ledger.frozen = set()
    assert (await client.create("anna")).state == api.TICKET_STATE_WAITING


@pytest.mark.parametrize("name", ["bot", "house:bots", "Outside"])
async def test_a_reserved_name_gets_no_ticket_whatever_it_owns(house: House, name: str) -> None:
    await house.stand_ins()
    client = await house.start()
    house.ledger.wallets[name] = 1_000_000
    assert (await refusal(client.create(name)))[:2] == ("PERMISSION_DENIED", "reserved_name")
    assert await client.waiting() == 0
