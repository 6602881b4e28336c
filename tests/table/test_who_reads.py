"""Whose eyes a table's records and its public view are for, and until when."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from grpc import aio

from services.kit import rpc
from services.kit.errors import PermissionDeniedError, ServiceError, UnauthenticatedError
from services.kit.roles import Role
from tests.table.play import seated, until
from tests.table.test_duel import Duel
from tests.table.test_refill import ROOM, gone, joined, played, refilling
from tests.table.world import World
from xuezhan.api.table.v1 import table_pb2 as pb


@dataclass
class Public(Duel):
    """A room that may show its records to everybody."""

    public: str = "true"

    def text(self) -> str:
        return super().text().replace("[[room]]", f"[[room]]\npublic_records = {self.public}")


async def reads(w: World, token: str, **asked: Any) -> list[str] | ServiceError:
    async with w.stub() as stub:
        try:
            return list((await rpc.call(stub.GetRecord, pb.GetRecordRequest(table_id="t", **asked), token)).records)
        except ServiceError as error:
            return error


async def test_records_are_for_who_was_dealt_a_hand_at_the_table_and_for_who_has_left(world: Callable[..., Any]) -> None:
    w = await refilling(world)
    async with w.client() as client:
        table = await played(w, client)
        await gone(w, client)
        await joined(w, client, "cem", "h")
        await table.dealt(2)
        await table.play()
        await client.until(lambda: any(event.hand == 2 for event in client.of("stage_settled", 0)))
        for player in ("ann", "bob", "cem"):
            for hand in (1, 2):
                found = await reads(w, w.keys.player(player), hand=hand)
                assert isinstance(found, list), f"{player} sat at the table: {found}"
        refused = await reads(w, w.keys.player("dee"), hand=1)
        assert isinstance(refused, PermissionDeniedError)
        assert refused.reason == "not_yours"


async def test_who_could_not_take_a_seat_reads_nothing(world: Callable[..., Any]) -> None:
    """The stake could not be bound, so that no hand was dealt with this player."""
    w = await refilling(world)
    w.settlement.refuse_join.add("eve")
    async with w.client() as client:
        await played(w, client)
        await gone(w, client)
        assert (await w.take(1, "eve", "h", room=ROOM)).state == pb.SEAT_STATE_REFUSED
        assert isinstance(await reads(w, w.keys.player("eve"), hand=1), PermissionDeniedError)


async def test_operators_and_auditors_read_every_record_and_other_parts_none(world: Callable[..., Any]) -> None:
    w = await refilling(world)
    async with w.client() as client:
        await played(w, client)
        await until(lambda: w.hall.find("t").course.hand_no == 1)
        for role in Role:
            found = await reads(w, w.keys.part(role, Role.TABLE), hand=1)
            may = role in {Role.VIEWER, Role.OPERATOR, Role.FINANCE, Role.AUDITOR}
            assert isinstance(found, list if may else PermissionDeniedError), role


async def test_where_the_room_says_so_its_records_are_for_every_player_with_a_token(world: Callable[..., Any]) -> None:
    """As the room was when the table was opened: nobody's hands become public afterwards, or stop being so."""
    w = await world(rules=Public(hands=3, refill=60))
    w.settlement.stake = 10_000
    async with w.client() as client:
        await played(w, client)
    for public in ("true", "false"):
        w.rules.public = public
        await w.stop()
        await w.start()
        assert isinstance(await reads(w, w.keys.player("dee"), hand=1), list)
        assert isinstance(await reads(w, "", hand=1), UnauthenticatedError)
        assert isinstance(await reads(w, w.keys.player("dee", ttl_seconds=-1), hand=1), UnauthenticatedError)


async def test_a_watcher_is_shown_nothing_after_the_end_of_its_token(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client, w.stub() as stub:
        await seated(w, client)
        makers: list[Callable[[], str]] = [
            lambda: w.keys.player("zoe", ttl_seconds=3),
            lambda: w.keys.part(Role.VIEWER, Role.TABLE, now=time.time() - 297),
        ]
        for make in makers:
            call = stub.Watch(pb.WatchRequest(table_id="t"), metadata=rpc.metadata(make()))
            assert (await call.read()).events[0].HasField("view")
            with pytest.raises(aio.AioRpcError) as caught:
                await call.read()
            assert (caught.value.code().name, rpc.from_rpc(caught.value).reason) == ("UNAUTHENTICATED", "expired")
        await until(lambda: not w.hall.watchers)
