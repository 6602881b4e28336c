"""The edge of a server: what goes wrong inside is told by code and reason, and nothing else is."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from grpc import aio
from prometheus_client import generate_latest

from services.kit import powers, rpc
from services.kit.callers import Caller
from services.kit.errors import (
    ConflictError,
    ExhaustedError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
    ServiceError,
    UnauthenticatedError,
    UnavailableError,
)
from services.kit.powers import Who
from services.kit.roles import Role
from tests.kit.edged import Edged, raising
from tests.support.keyring import Keyring
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keyring:
    return Keyring(tmp_path_factory.mktemp("installation") / "secrets")


@pytest.fixture
async def edged(keys: Keyring, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Edged]:
    async with Edged(keys, monkeypatch) as edged:
        yield edged


async def fine(context: Any) -> api.ListRoomsResponse:
    return api.ListRoomsResponse()


async def never(context: Any) -> Any:
    raise AssertionError("it was let in")


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (InvalidArgumentError, "INVALID_ARGUMENT"),
        (UnauthenticatedError, "UNAUTHENTICATED"),
        (PermissionDeniedError, "PERMISSION_DENIED"),
        (NotFoundError, "NOT_FOUND"),
        (FailedPreconditionError, "FAILED_PRECONDITION"),
        (ConflictError, "ALREADY_EXISTS"),
        (ExhaustedError, "RESOURCE_EXHAUSTED"),
        (UnavailableError, "UNAVAILABLE"),
    ],
)
async def test_an_error_crosses_the_wire_with_its_code_reason_message_and_metadata(
    edged: Edged, kind: type[ServiceError], code: str
) -> None:
    error = await edged.refused(raising(kind("short", "room: 金币不足", needed="1000")))
    assert (type(error), error.reason, error.message, error.metadata) == (kind, "short", "room: 金币不足", {"needed": "1000"})
    await edged.counted("ListRooms", code)
    assert edged.count("ListRooms", "OK") == 0


async def test_a_narrower_kind_has_the_code_of_its_kind(edged: Edged) -> None:
    class NarrowError(NotFoundError):
        pass

    assert type(await edged.refused(raising(NarrowError("gone")))) is NotFoundError


@pytest.mark.parametrize("streaming", [False, True])
async def test_an_unexpected_exception_tells_the_caller_nothing(edged: Edged, *, streaming: bool) -> None:
    edged.echo.act = raising(ValueError("postgresql://user:secret@host"))

    async def ask() -> None:
        if streaming:
            [answer async for answer in edged.stub.WatchTicket(api.WatchTicketRequest())]
        else:
            await edged.stub.ListRooms(api.ListRoomsRequest())

    with pytest.raises(aio.AioRpcError) as caught:
        await ask()
    error = caught.value
    assert (error.code(), error.details()) == (grpc.StatusCode.INTERNAL, "internal error")
    assert "secret" not in repr((error.trailing_metadata(), error.debug_error_string()))
    assert rpc.from_rpc(error).reason == "internal"


async def test_a_client_that_goes_away_while_it_is_answered_is_no_failure(edged: Edged, capfd: pytest.CaptureFixture[str]) -> None:
    edged.echo.act = raising(aio.InternalError("Failed grpc_call_start_batch: 8"))
    with pytest.raises(aio.AioRpcError) as caught:
        await edged.stub.ListRooms(api.ListRoomsRequest(), timeout=2)
    await edged.counted("ListRooms", "CANCELLED")
    assert caught.value.code() is not grpc.StatusCode.INTERNAL
    assert "rpc_failed" not in "".join(capfd.readouterr())


async def test_an_oversized_text_of_an_error_does_not_break_the_answer(edged: Edged) -> None:
    error = await edged.refused(raising(InvalidArgumentError("key", "k" * 100_000, key="v" * 100_000)))
    assert isinstance(error, InvalidArgumentError)
    assert len(error.message) == len(error.metadata["key"]) == rpc.MAX_TEXT_CHARS


async def test_an_oversized_request_is_refused(edged: Edged) -> None:
    edged.echo.act = fine
    with pytest.raises(ExhaustedError):
        await rpc.call(edged.stub.ListRooms, api.ListRoomsRequest(game="g" * rpc.MAX_REQUEST_BYTES), "t")


@pytest.mark.parametrize("method", ["ListRooms", "WatchTicket"])
async def test_a_request_that_is_no_message_is_refused_as_the_callers_fault(edged: Edged, method: str) -> None:
    edged.echo.act = fine
    path = f"/xuezhan.api.matchmaking.v1.MatchmakingService/{method}"
    call: Any = edged.channel.unary_unary(path) if method == "ListRooms" else edged.channel.unary_stream(path)
    with pytest.raises(aio.AioRpcError) as caught:
        await (call(b"\xff\xff") if method == "ListRooms" else call(b"\xff\xff").read())
    error = rpc.from_rpc(caught.value)
    assert (type(error), error.reason) == (InvalidArgumentError, "malformed")
    await edged.counted(method, "INVALID_ARGUMENT")


async def test_a_server_that_does_not_answer_is_unavailable(edged: Edged) -> None:
    async def slow(context: Any) -> Any:
        await asyncio.Event().wait()

    edged.echo.act = slow
    with pytest.raises(UnavailableError) as caught:
        await rpc.call(edged.stub.ListRooms, api.ListRoomsRequest(), "t", timeout_seconds=0.1)
    assert caught.value.reason == "deadline_exceeded"
    await edged.server.stop(None)
    with pytest.raises(UnavailableError):
        await edged.unary(fine)


async def test_a_stream_that_its_caller_cancels_ends_at_once_and_is_counted(edged: Edged) -> None:
    async def wait(context: Any) -> Any:
        await asyncio.Event().wait()

    edged.echo.act = wait
    call = edged.stub.WatchTicket(api.WatchTicketRequest())
    await call.read()
    call.cancel()
    async with asyncio.timeout(5):
        await edged.echo.ended.wait()
    assert edged.count("WatchTicket", "CANCELLED") == 1


async def test_what_is_started_is_handled_under_one_code(edged: Edged) -> None:
    await edged.unary(fine)
    await edged.refused(raising(NotFoundError("x")))
    text = generate_latest(edged.registry).decode()
    service = 'grpc_method="ListRooms",grpc_service="xuezhan.api.matchmaking.v1.MatchmakingService"'
    assert f"grpc_server_started_total{{{service}}} 2.0" in text
    assert f"grpc_server_handling_seconds_count{{{service}}} 1.0" in text


async def test_who_calls_is_read_from_the_token(edged: Edged, keys: Keyring) -> None:
    seen: list[Caller] = []
    edged.let(ListRooms=Who(frozenset({Role.TABLE}), players=True))

    async def act(context: Any) -> Any:
        seen.append(rpc.caller())
        return api.ListRoomsResponse()

    await edged.unary(act, keys.player("anna"))
    await edged.unary(act, keys.part(Role.TABLE, Role.MATCHMAKING))
    assert seen == [Caller("anna"), Caller("table", Role.TABLE)]


@pytest.mark.parametrize(
    ("who", "may", "reason"),
    [
        ("player", Who(frozenset({Role.TABLE})), "services_only"),
        ("player", Who(players=True, own="game"), None),
        ("other", Who(players=True, own="game"), "not_yours"),
        ("table", Who(frozenset({Role.TABLE}), players=True, own="game"), None),
        ("table", Who(frozenset({Role.TABLE})), None),
        ("table", Who(frozenset({Role.CASHIER, Role.FINANCE})), "wrong_role"),
        ("table", Who(frozenset({Role.CASHIER}), players=True), "wrong_role"),
        ("table", Who(players=True), "players_only"),
        ("player", powers.NOBODY, "services_only"),
        ("table", powers.NOBODY, "wrong_role"),
        ("to another role", Who(frozenset({Role.TABLE})), "wrong_audience"),
    ],
)
async def test_a_good_token_for_something_else_is_refused(edged: Edged, keys: Keyring, who: str, may: Who, reason: str | None) -> None:
    token = {
        "player": keys.player("anna"),
        "other": keys.player("bela"),
        "table": keys.part(Role.TABLE, Role.MATCHMAKING),
        "to another role": keys.part(Role.TABLE, Role.SETTLEMENT),
    }[who]
    edged.let(ListRooms=may)
    if reason is None:
        await edged.unary(fine, token, "anna")
        return
    with pytest.raises(PermissionDeniedError) as caught:
        await edged.unary(never, token, "anna")
    assert caught.value.reason == reason


async def test_a_call_that_stands_nowhere_is_nobodys(edged: Edged, keys: Keyring) -> None:
    edged.let()
    for token in (keys.player("anna"), *(keys.part(role, Role.MATCHMAKING) for role in Role)):
        with pytest.raises(PermissionDeniedError):
            await edged.unary(never, token)


async def test_who_may_not_call_is_told_so_before_the_request_is_looked_at(edged: Edged, keys: Keyring) -> None:
    """What is wrong with it is for those who may call."""
    edged.let(ListRooms=Who(players=True))
    raw: Any = edged.channel.unary_unary("/xuezhan.api.matchmaking.v1.MatchmakingService/ListRooms")
    for token, code in ((keys.part(Role.TABLE, Role.SETTLEMENT), "PERMISSION_DENIED"), ("", "UNAUTHENTICATED")):
        with pytest.raises(aio.AioRpcError) as caught:
            await raw(b"\xff\xff", metadata=rpc.metadata(token))
        assert caught.value.code().name == code
    with pytest.raises(aio.AioRpcError) as caught:
        await raw(b"\xff\xff", metadata=rpc.metadata(keys.player("anna")))
    assert rpc.from_rpc(caught.value).reason == "malformed"


async def test_calls_that_run_together_do_not_see_each_others_callers(edged: Edged, keys: Keyring) -> None:
    edged.let(ListRooms=Who(players=True))
    inside, go = asyncio.Semaphore(0), asyncio.Event()
    seen: list[tuple[str, str]] = []

    async def act(context: Any) -> Any:
        before = rpc.caller().subject
        inside.release()
        await go.wait()
        seen.append((before, rpc.caller().subject))
        return api.ListRoomsResponse()

    names = [f"p{number}" for number in range(5)]
    calls = [asyncio.ensure_future(edged.unary(act, keys.player(name))) for name in names]
    for _ in names:
        await inside.acquire()
    go.set()
    await asyncio.gather(*calls)
    assert sorted(seen) == [(name, name) for name in names]


@pytest.mark.parametrize("header", [None, "", "Bearer", "bearer x", "Basic YTpi"])
async def test_without_a_bearer_token_nobody_is_let_in(edged: Edged, header: str | None) -> None:
    edged.let(ListRooms=Who(players=True))
    edged.echo.act = never
    with pytest.raises(aio.AioRpcError) as caught:
        await edged.stub.ListRooms(api.ListRoomsRequest(), metadata=() if header is None else (("authorization", header),))
    assert (caught.value.code(), rpc.from_rpc(caught.value).reason) == (grpc.StatusCode.UNAUTHENTICATED, "no_token")


@pytest.mark.parametrize("trailing", [b"", b"\xff\xff\xff", b"plain text"])
def test_details_that_cannot_be_read_leave_the_code(trailing: bytes) -> None:
    metadata = aio.Metadata((rpc.DETAILS_KEY, trailing))
    error = aio.AioRpcError(grpc.StatusCode.NOT_FOUND, aio.Metadata(), metadata, details="gone")
    found = rpc.from_rpc(error)
    assert (type(found), found.reason, found.message) == (NotFoundError, "not_found", "gone")
