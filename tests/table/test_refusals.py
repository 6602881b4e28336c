"""Bad input: a typed refusal, and nothing happened."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import pytest
from grpc import StatusCode, aio
from pydantic import SecretStr

from services.kit import make_keys, rpc, seat_tokens
from services.kit.errors import ServiceError
from services.kit.secrets import KeyRing
from tests.table.client import any_act
from tests.table.play import PLAYERS, seated, state
from tests.table.world import ROOM, World
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb

REFUSED_ACTS: dict[str, tuple[pb.Act, str]] = {
    "no id": (pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_M), "malformed"),
    "nothing done": (pb.Act(decision=1, action_id=1), "malformed"),
    "an unknown deed": (pb.Act(decision=1, action_id=1, do=55), "malformed"),  # type: ignore[arg-type]
    "no suit": (pb.Act(decision=1, action_id=1, do=pb.DO_VOID), "malformed"),
    "a suit that is none": (pb.Act(decision=1, action_id=1, do=pb.DO_VOID, suit=9), "malformed"),  # type: ignore[arg-type]
    "a suit and a tile": (pb.Act(decision=1, action_id=1, do=pb.DO_VOID, suit=mj.SUIT_M, tile=mj.TILE_1M), "malformed"),
    "a tile that is none": (pb.Act(decision=1, action_id=1, do=pb.DO_DISCARD, tile=99), "malformed"),  # type: ignore[arg-type]
    "a discard before play": (pb.Act(decision=1, action_id=1, do=pb.DO_DISCARD, tile=mj.TILE_1M), "not_offered"),
    "a win before play": (pb.Act(decision=1, action_id=1, do=pb.DO_WIN), "not_offered"),
    "an exchange out of turn": (pb.Act(decision=1, action_id=1, do=pb.DO_EXCHANGE, tiles=[mj.TILE_1M] * 3), "not_offered"),
    "two tiles exchanged": (pb.Act(decision=1, action_id=1, do=pb.DO_EXCHANGE, tiles=[mj.TILE_1M] * 2), "malformed"),
    "an escape where there is none": (pb.Act(action_id=1, do=pb.DO_LEAVE), "stale"),
    "a decision to come": (pb.Act(decision=2, action_id=1, do=pb.DO_VOID, suit=mj.SUIT_M), "stale"),
    "no decision": (pb.Act(action_id=1, do=pb.DO_VOID, suit=mj.SUIT_M), "stale"),
}


async def test_an_act_that_is_not_legal_is_refused_and_nothing_happens(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        before = state(w, "t")
        for number, (name, (act, why)) in enumerate(REFUSED_ACTS.items(), 1):
            if act.action_id:
                act.action_id = number
            await client.send(pb.Input(seat_ref=2, act=act))
            await client.until(lambda: len(client.answers) == number)  # noqa: B023
            assert (client.answers[-1].refused, client.answers[-1].action_id) == (why, act.action_id), name
            assert state(w, "t") == before, name
        # The stream is alive, and the seat's offer is still open.
        answer = await client.act(2, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_M))
        assert answer.refused == ""


async def test_an_answer_to_an_earlier_decision_is_stale(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        assert (await client.act(0, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_S))).refused == ""
        before = state(w, "t")
        assert (await client.act(0, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_S))).refused == "stale"
        assert (await client.act(0, pb.Act(decision=2, do=pb.DO_VOID, suit=mj.SUIT_S))).refused == "not_your_turn"
        assert state(w, "t") == before


async def test_the_same_action_id_gets_the_same_answer(world: Callable[..., Any]) -> None:
    """Accepted stays accepted, refused stays refused, whatever the state is by then."""
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        good = pb.Act(decision=1, action_id=2**64 - 1, do=pb.DO_VOID, suit=mj.SUIT_P)
        bad = pb.Act(decision=1, action_id=78, do=pb.DO_WIN)
        assert (await client.act(1, bad)).refused == "not_offered"
        assert (await client.act(1, good)).refused == ""
        before = state(w, "t")
        assert (await client.act(1, good)).refused == ""
        assert (await client.act(1, bad)).refused == "not_offered"
        assert state(w, "t") == before
        # Another seat may use the same id.
        assert (await client.act(0, good)).refused == ""


async def test_a_seat_that_is_not_attached_cannot_act(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        before = state(w, "t")
        answer = await client.act(9, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_M))
        assert (answer.seat_ref, answer.refused) == (9, "not_attached")
        await client.send(pb.Input(seat_ref=0, detach=pb.Detach()))
        assert (await client.act(0, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_M))).refused == "not_attached"
        assert state(w, "t") == before


async def test_an_input_without_content_is_malformed(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        await client.send(pb.Input(seat_ref=0))
        await client.send(pb.Input(seat_ref=77))
        await client.until(lambda: len(client.answers) == 2)
        assert [answer.refused for answer in client.answers] == ["malformed", "not_attached"]


async def test_after_the_hand_acts_are_refused_as_over(world: Callable[..., Any]) -> None:
    w = await world()
    w.settlement.lose = lambda _table, seq: seq > 1
    async with w.client() as client:
        await seated(w, client)
        await client.play(random.Random(3), lambda: bool(client.of("hand_over", 0)))
        answer = await client.act(0, pb.Act(decision=99, do=pb.DO_DISCARD, tile=mj.TILE_1M))
        assert answer.refused == "hand_over"


async def test_a_request_with_more_inputs_than_one_may_hold_is_refused_as_a_whole(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        before = state(w, "t")
        await client.send(*(pb.Input(seat_ref=0, act=pb.Act(decision=1, action_id=5, do=pb.DO_WIN)) for _ in range(2049)))
        await client.caught_up()
        assert [(answer.refused, answer.detail) for answer in client.answers] == [("too_many", "inputs: 2049, at most 2048")]
        assert state(w, "t") == before


async def test_an_oversized_request_is_refused_by_its_size(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await client.attach(0, "x" * 70_000)
        await client.until(lambda: client.ended)
        assert isinstance(client.error, aio.AioRpcError)
        assert client.error.code() == StatusCode.RESOURCE_EXHAUSTED


def bad_tokens(w: World, opened: pb.OpenTableResponse) -> dict[str, tuple[str, str, str]]:
    """Token, reason and code of every way it can be wrong."""
    keys = w.keys.table.seats
    good = opened.tokens[0].token
    foreign = KeyRing(current=keys.current, keys={keys.current: SecretStr("x" * 64)})
    later = time.time() + 60
    return {
        "none": ("", "bad_token", "UNAUTHENTICATED"),
        "noise": ("abc", "bad_token", "UNAUTHENTICATED"),
        "too long": ("x" * 5000, "bad_token", "UNAUTHENTICATED"),
        "changed": (good[:-4] + ("AAAA" if good[-4:] != "AAAA" else "BBBB"), "bad_token", "UNAUTHENTICATED"),
        "another key": (seat_tokens.make(foreign, "t", 0, "ann", later), "bad_token", "UNAUTHENTICATED"),
        "expired": (seat_tokens.make(keys, "t", 0, "ann", time.time() - 60), "expired", "UNAUTHENTICATED"),
        "a player's": (w.keys.player("ann"), "bad_token", "UNAUTHENTICATED"),
        "a part's": (w.service_token(), "bad_token", "UNAUTHENTICATED"),
        "a ring used no more": (seat_tokens.make(make_keys.new_ring(), "t", 0, "ann", later), "expired", "UNAUTHENTICATED"),
        "another's seat": (seat_tokens.make(keys, "t", 1, "ann", later), "foreign_seat", "PERMISSION_DENIED"),
        "no seat": (seat_tokens.make(keys, "t", 7, "ann", later), "foreign_seat", "PERMISSION_DENIED"),
        "a negative seat": (seat_tokens.make(keys, "t", -1, "dee", later), "foreign_seat", "PERMISSION_DENIED"),
    }


async def test_a_wrong_token_reveals_nothing(world: Callable[..., Any]) -> None:
    """UNAUTHENTICATED or PERMISSION_DENIED for that seat; no view, no event, and the stream lives."""
    w = await world(settles=False)
    async with w.client() as client:
        opened = await w.open(*PLAYERS, table_id="t")
        cases = bad_tokens(w, opened)
        before = state(w, "t")
        for ref, (token, _, _) in enumerate(cases.values()):
            await client.attach(ref, token)
        await client.wait_for("detached", count=len(cases))
        told = {ref: (event.detached.reason, event.detached.code) for ref, _, event in client.events}
        assert told == {ref: (reason, code) for ref, (_, reason, code) in enumerate(cases.values())}
        assert len(client.events) == len(cases)
        assert state(w, "t") == before
        await client.attach(50, opened.tokens[0].token)
        assert (await client.wait_for("attached"))[0].seat == 0


async def test_a_token_with_a_wrong_key_says_the_same_of_a_table_that_is_there_and_one_that_is_not(world: Callable[..., Any]) -> None:
    w = await world()
    keys = w.keys.table.seats
    foreign = KeyRing(current=keys.current, keys={keys.current: SecretStr("x" * 64)})
    async with w.client() as client:
        await w.open(*PLAYERS, table_id="t")
        for ref, table in enumerate(("t", "nowhere")):
            await client.attach(ref, seat_tokens.make(foreign, table, 0, "ann", time.time() + 60))
        there, nowhere = await client.wait_for("detached", count=2)
        assert there == nowhere


async def test_a_good_token_for_a_table_that_is_not_there_says_so(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        await client.attach(0, w.keys.seat("nowhere", 0, "ann", time.time() + 60))
        assert (await client.wait_for("detached"))[0].reason == "unknown_table"


async def test_a_token_that_runs_out_closes_its_seat_and_not_the_stream(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client:
        opened = await w.open(*PLAYERS, table_id="t")
        await client.attach(0, w.keys.seat("t", 0, "ann", int(time.time()) + 4))
        await client.attach(1, opened.tokens[1].token)
        (detached,) = await client.wait_for("detached", 0)
        assert (detached.reason, detached.code) == ("expired", "UNAUTHENTICATED")
        assert (await client.act(0, pb.Act(decision=1, do=pb.DO_VOID, suit=mj.SUIT_M))).refused == "not_attached"
        # A new token opens the seat again; the other seat was never disturbed.
        await client.attach(0, opened.tokens[0].token)
        await client.wait_for("attached", 0, count=2)
        assert not client.of("detached", 1)


UNUSABLE_TABLES: dict[str, tuple[dict[str, Any], str, str]] = {
    "no id": ({"table_id": ""}, "INVALID_ARGUMENT", "table_id"),
    "an id with a blank": ({"table_id": "a b"}, "INVALID_ARGUMENT", "table_id"),
    "a long id": ({"table_id": "x" * 65}, "INVALID_ARGUMENT", "table_id"),
    "an unknown room": ({"room_id": "crazy_xuezhan/none"}, "INVALID_ARGUMENT", "room_id"),
    "an unknown game": ({"room_id": "chess/open"}, "INVALID_ARGUMENT", "room_id"),
    "too few seats": ({"seats": ["ann", "bob"]}, "INVALID_ARGUMENT", "seats"),
    "the same player twice": ({"seats": ["ann", "ann", "bob", "cem"]}, "INVALID_ARGUMENT", "seats"),
    "a name with a blank": ({"seats": ["an n", "bob", "cem", "dee"]}, "INVALID_ARGUMENT", "seats"),
}


async def test_an_unusable_table_is_refused_naming_the_field(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.stub() as stub:
        for name, (change, code, field) in UNUSABLE_TABLES.items():
            asked = {"table_id": "t", "room_id": ROOM, "seats": list(PLAYERS)} | change
            seats = [pb.SeatAssignment(player_id=seat) for seat in asked["seats"]]
            request = pb.OpenTableRequest(table_id=asked["table_id"], room_id=asked["room_id"], seats=seats)
            with pytest.raises(aio.AioRpcError) as refused:
                await stub.OpenTable(request, metadata=rpc.metadata(w.service_token()))
            assert refused.value.code().name == code, name
            assert rpc.from_rpc(refused.value).reason == field, name
            assert field in (refused.value.details() or ""), name
    assert not w.hall.tables


async def test_who_may_call_what(world: Callable[..., Any]) -> None:
    """Opening is for matchmaking; lists are for anybody with a token, records for who sat there; nothing without."""
    w = await world()
    await w.open(*PLAYERS, table_id="t")
    player = w.keys.player("zoe")
    async with w.stub() as stub:
        calls = {
            "OpenTable": (stub.OpenTable, pb.OpenTableRequest()),
            "ListTables": (stub.ListTables, pb.ListTablesRequest()),
            "GetRecord": (stub.GetRecord, pb.GetRecordRequest(table_id="t")),
        }
        for name, (method, request) in calls.items():
            with pytest.raises(ServiceError) as none:
                await rpc.call(method, request, "")
            assert none.value.__class__.__name__ == "UnauthenticatedError", name
        with pytest.raises(ServiceError, match="services_only"):
            await rpc.call(stub.OpenTable, pb.OpenTableRequest(), player)
        assert [table.table_id for table in (await rpc.call(stub.ListTables, pb.ListTablesRequest(), player)).tables] == ["t"]
        with pytest.raises(ServiceError, match="its records are for its players"):
            await rpc.call(stub.GetRecord, pb.GetRecordRequest(table_id="t"), player)
        with pytest.raises(ServiceError) as early:
            await rpc.call(stub.GetRecord, pb.GetRecordRequest(table_id="t"), w.reader_token())
        assert (early.value.__class__.__name__, early.value.reason) == ("FailedPreconditionError", "not_over")
        with pytest.raises(ServiceError, match="no such table"):
            await rpc.call(stub.GetRecord, pb.GetRecordRequest(table_id="nowhere"), player)


async def test_opening_again_returns_the_same_table_and_another_request_a_conflict(world: Callable[..., Any]) -> None:
    w = await world()
    first = await w.open(*PLAYERS, table_id="t")
    again = await w.open(*PLAYERS, table_id="t")
    assert (again.table_id, again.address, again.epoch) == (first.table_id, first.address, first.epoch)
    assert [token.seat for token in again.tokens] == [0, 1, 2, 3]
    with pytest.raises(aio.AioRpcError) as conflict:
        await w.open("ann", "bob", "cem", "eve", table_id="t")
    assert conflict.value.code() == StatusCode.ALREADY_EXISTS


async def test_a_full_server_takes_no_more_tables(world: Callable[..., Any]) -> None:
    w = await world(options={"max_tables": 1})
    await w.open(*PLAYERS, table_id="a")
    with pytest.raises(aio.AioRpcError) as full:
        await w.open(*PLAYERS, table_id="b")
    assert full.value.code() == StatusCode.RESOURCE_EXHAUSTED


async def test_every_offer_of_a_whole_hand_takes_any_act_that_it_lists(world: Callable[..., Any]) -> None:
    """Nothing that a client can read out of an offer is refused but as stale."""
    w = await world()
    async with w.client() as client:
        await seated(w, client)
        await client.play(random.Random(11), lambda: bool(client.of("hand_over", 0)))
        assert {answer.refused for answer in client.answers} <= {"", "stale"}
        assert any_act(client.offers[0], random.Random(1)).action_id


async def test_bytes_that_are_no_request_are_refused_and_the_stream_goes_on(world: Callable[..., Any]) -> None:
    w = await world()
    async with w.client() as client, aio.insecure_channel(w.address) as channel:
        opened = await seated(w, client)
        before = state(w, "t")
        call: Any = channel.stream_stream("/xuezhan.api.table.v1.TableService/Play", response_deserializer=pb.PlayResponse.FromString)()
        for data in (b"\xff\xff", b"\x0a\x06\x12\x04\x0a\x02\xff\xfe"):
            await call.write(data)
            response = await call.read()
            assert [answer.refused for answer in response.answers] == ["malformed"]
        await call.write(pb.PlayRequest(inputs=[pb.Input(seat_ref=4, attach=pb.Attach(token=opened.tokens[1].token))]).SerializeToString())
        assert (await call.read()).events[0].attached.seat == 1
        call.cancel()
        assert state(w, "t") == before


async def test_an_id_that_no_table_can_have_is_unknown_on_the_large_database_too(
    world: Callable[..., Any], request: pytest.FixtureRequest
) -> None:
    w = await world(database_url=request.getfixturevalue("postgres").new_database("table"))
    async with w.stub() as stub:
        for table_id in ("\0", "\u4e2d", "", "x" * 5000):
            with pytest.raises(ServiceError) as caught:
                await rpc.call(stub.GetRecord, pb.GetRecordRequest(table_id=table_id), w.reader_token())
            assert caught.value.reason == "unknown_table"
