"""Calls that are refused, or have no token, cost their address and nobody else."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any, Self

import pytest
from grpc import aio
from grpc_reflection.v1alpha import reflection, reflection_pb2, reflection_pb2_grpc
from prometheus_client import CollectorRegistry

from services.kit import admission, powers, rpc
from services.kit.admission import Admission
from services.kit.compact import MAX_TOKEN_CHARS
from services.kit.errors import ExhaustedError, ServiceError
from services.kit.limit_settings import LimitSettings
from services.kit.metrics import RpcMetrics
from services.kit.powers import Who
from services.kit.roles import Role
from tests.support import flood
from tests.support.keyring import Keyring
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api
from xuezhan.api.matchmaking.v1 import matchmaking_pb2_grpc as stubs

SERVICE = "xuezhan.api.matchmaking.v1.MatchmakingService"


class Echo(stubs.MatchmakingServiceServicer):
    """Answers; WatchTicket stays open."""

    async def ListRooms(self, request: Any, context: Any) -> Any:  # noqa: N802
        return api.ListRoomsResponse()

    async def WatchTicket(self, request: Any, context: Any) -> None:  # type: ignore[override]  # noqa: N802
        await context.write(api.WatchTicketResponse())
        await asyncio.Event().wait()

    async def CreateTicket(self, request: Any, context: Any) -> Any:  # noqa: N802
        return api.CreateTicketResponse()

    async def CancelTicket(self, request: Any, context: Any) -> Any:  # noqa: N802
        raise NotImplementedError

    async def GetActiveTicket(self, request: Any, context: Any) -> Any:  # noqa: N802
        raise NotImplementedError


class Door:
    """A server behind the edge that believes what its one proxy, this test, says of where a call comes from."""

    def __init__(self, keys: Keyring, **settings: Any) -> None:
        self.keys = keys
        self.registry = CollectorRegistry()
        self.admission = Admission(LimitSettings(trusted_proxies="127.0.0.1", **settings))
        self.hung_up: list[str] = []
        self.admission.hang_up = self.hung_up.append

    async def __aenter__(self) -> Self:
        edge = rpc.Edge(RpcMetrics(self.registry), self.keys.callers(Role.MATCHMAKING), self.admission)
        self.server = aio.server(interceptors=[edge], options=rpc.SERVER_OPTIONS)
        stubs.add_MatchmakingServiceServicer_to_server(Echo(), self.server)
        reflection.enable_server_reflection([SERVICE], self.server)
        self.port = port = self.server.add_insecure_port("127.0.0.1:0")
        await self.server.start()
        self.channel = aio.insecure_channel(f"127.0.0.1:{port}", options=rpc.CHANNEL_OPTIONS)
        self.stub: Any = stubs.MatchmakingServiceStub(self.channel)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.channel.close()
        await self.server.stop(None)

    def call(self, method: str, token: str, peer: str = "192.0.2.1") -> Any:
        request: Any = {"ListRooms": api.ListRoomsRequest, "CreateTicket": api.CreateTicketRequest, "WatchTicket": api.WatchTicketRequest}
        return getattr(self.stub, method)(request[method](), metadata=(*rpc.metadata(token), ("x-forwarded-for", peer)))

    async def outcome(self, method: str, token: str, peer: str = "192.0.2.1") -> ServiceError | None:
        try:
            await self.call(method, token, peer)
        except aio.AioRpcError as error:
            return rpc.from_rpc(error)
        return None

    async def seconds(self, method: str, token: str, peer: str = "192.0.2.1") -> float:
        begun = time.monotonic()
        await self.outcome(method, token, peer)
        return time.monotonic() - begun

    def limited(self, limit: str) -> float:
        return self.registry.get_sample_value("xuezhan_part_limited_total", {"limit": limit}) or 0.0


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keyring:
    return Keyring(tmp_path_factory.mktemp("installation") / "secrets")


@pytest.fixture
async def door(keys: Keyring) -> AsyncIterator[Door]:
    async with Door(keys) as door:
        yield door


async def test_a_storm_of_tickets_of_one_player_is_refused_with_the_time_to_come_back(door: Door) -> None:
    ann = door.keys.player("ann")
    outcomes = [await door.outcome("CreateTicket", ann) for _ in range(25)]
    assert outcomes[:20] == [None] * 20
    for refused in outcomes[20:]:
        assert isinstance(refused, ExhaustedError)
        assert (refused.reason, refused.metadata) == ("too_often", {"limit": "tickets"})
        assert refused.message == "tickets: at most 20 calls of a player in 10 s"
        assert 5 < refused.retry_seconds <= 10
    assert door.limited("tickets") == 5
    assert await door.outcome("CreateTicket", door.keys.player("bob")) is None
    assert await door.outcome("ListRooms", ann) is None


async def test_parts_of_ours_are_not_limited(keys: Keyring, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(powers.SERVICES[SERVICE], "ListRooms", Who(frozenset({Role.TABLE})))
    async with Door(keys, limit_address="1 per hour", limit_lists="1 per hour", max_calls=1) as door:
        table = keys.part(Role.TABLE, Role.MATCHMAKING)
        assert [await door.outcome("ListRooms", table) for _ in range(300)] == [None] * 300
        settlement = keys.part(Role.SETTLEMENT, Role.MATCHMAKING)
        for _ in range(300):
            refused = await door.outcome("ListRooms", settlement)
            assert refused is not None
            assert refused.reason == "wrong_role"
        assert await door.seconds("ListRooms", settlement) < 1
        assert door.hung_up == []


@contextlib.asynccontextmanager
async def storm(door: Door, peer: str = "192.0.2.1") -> AsyncIterator[list[float]]:
    """Hundreds at one address who call without a good token again and again; gives how long each answer took.

    It begins when the address owes so much that everybody there waits nearly as long as anybody ever does.
    """
    took: list[float] = []

    async def one() -> None:
        while True:
            took.append(await door.seconds("ListRooms", "no token", peer))

    callers = [asyncio.ensure_future(one()) for _ in range(900)]
    meter, most = door.admission._used.of(peer), admission._AHEAD_SECONDS + admission._LONGEST_SECONDS
    async with asyncio.timeout(30):
        while meter._due < time.monotonic() + most - 1:  # noqa: ASYNC110 - it happens inside the server
            await asyncio.sleep(0.01)
    try:
        yield took
    finally:
        for caller in callers:
            caller.cancel()
        await asyncio.gather(*callers, return_exceptions=True)


async def test_who_is_refused_all_the_time_is_answered_late_and_hung_up_on_and_others_are_answered_at_once(door: Door) -> None:
    async with storm(door) as took:
        assert await door.seconds("ListRooms", "no token", "192.0.2.2") < 2
        assert await door.outcome("ListRooms", door.keys.player("ann"), "192.0.2.1") is None
        begun = time.monotonic()
        assert await door.outcome("ListRooms", door.keys.player("ann"), "192.0.2.1") is None
        assert time.monotonic() - begun < 2, "a good call from there need not wait"
        assert await door.seconds("ListRooms", "no token", "192.0.2.1") > 3
        assert door.hung_up
        assert all(name.startswith("ipv4:127.0.0.1:") for name in door.hung_up)
        # What an address may take ahead, and then a twentieth of the event loop.
        ahead = int(admission._AHEAD_SECONDS * admission._SHARE / admission.CALL_SECONDS)
        assert sum(seconds < 0.2 for seconds in took) < ahead + 100


async def test_calls_that_anybody_may_make_count_like_refused_ones(keys: Keyring, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(powers.SERVICES[SERVICE], "ListRooms", Who(anybody=True))
    async with Door(keys) as door, storm(door):
        assert await door.seconds("ListRooms", "", "192.0.2.1") > 3
        assert await door.seconds("ListRooms", "", "192.0.2.2") < 2
        # A part with its token is known also where it needs none.
        assert await door.seconds("ListRooms", keys.part(Role.GATEWAY, Role.MATCHMAKING), "192.0.2.1") < 2


async def test_a_method_that_is_not_there_is_refused_like_anything_else(door: Door) -> None:
    unknown: Any = door.channel.unary_unary("/xuezhan.api.Nothing/Nothing")
    with pytest.raises(aio.AioRpcError) as refused:
        await unknown(b"", metadata=[("x-forwarded-for", "192.0.2.1")])
    assert (refused.value.code().name, refused.value.details()) == ("UNIMPLEMENTED", "there is no such method")


async def test_who_goes_on_with_methods_that_are_not_there_is_hung_up_on_and_not_waited_for(door: Door) -> None:
    unknown: Any = door.channel.unary_unary("/xuezhan.api.Nothing/Nothing")

    async def ask() -> None:
        with pytest.raises(aio.AioRpcError):
            await unknown(b"", metadata=[("x-forwarded-for", "192.0.2.1")])

    begun = time.monotonic()
    await asyncio.gather(*(ask() for _ in range(500)))
    most = 500 * admission.CALL_SECONDS / admission._SHARE - admission._AHEAD_SECONDS
    assert time.monotonic() - begun < most * 0.7, "else the last would wait so long"
    assert door.hung_up


async def test_whoever_asks_much_in_one_stream_that_anybody_may_open_pays_for_each_message(door: Door) -> None:
    stub: Any = reflection_pb2_grpc.ServerReflectionStub(door.channel)  # type: ignore[arg-type]
    call = stub.ServerReflectionInfo(metadata=[("x-forwarded-for", "192.0.2.1")])
    begun = time.monotonic()
    for _ in range(300):
        await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
    await call.done_writing()
    assert len([answer async for answer in call]) == 300
    ahead = admission._AHEAD_SECONDS * admission._SHARE / admission.CALL_SECONDS
    assert time.monotonic() - begun > (300 - ahead - 1) * admission.CALL_SECONDS / admission._SHARE


async def test_headers_have_room_for_the_longest_token_and_not_much_more(door: Door) -> None:
    assert getattr(await door.outcome("ListRooms", "x" * MAX_TOKEN_CHARS), "reason", "") == "bad_token"
    refused = await door.outcome("ListRooms", "x" * 8192)
    assert isinstance(refused, ExhaustedError)


@pytest.mark.parametrize("token", [False, True])
async def test_who_takes_calls_back_as_soon_as_they_are_made_pays_for_them_and_is_hung_up_on(door: Door, *, token: bool) -> None:
    """gRPC drops a call that is cancelled before its request is there."""
    head = flood.headers(f"/{SERVICE}/ListRooms", door.keys.player("ann") if token else "", (("x-forwarded-for", "192.0.2.1"),))
    told = Counter[str]()
    one = flood.Resetting("127.0.0.1", door.port, "127.0.0.1", head, b"", 0, repeat=False, told=told)
    with contextlib.closing(one.socket):
        async with asyncio.timeout(20):
            while not door.hung_up:
                one.pump_once()
                await asyncio.sleep(0.01)
    assert door.hung_up[0].startswith("ipv4:127.0.0.1:")
    assert await door.outcome("ListRooms", door.keys.player("bob"), "192.0.2.2") is None


async def test_one_address_has_only_its_share_of_the_calls_at_a_time(keys: Keyring) -> None:
    async with Door(keys, max_calls=10, peer_share=0.2) as door:
        ann = keys.player("ann")
        open_calls = [door.call("WatchTicket", ann) for _ in range(2)]
        for call in open_calls:
            await call.read()
        refused = await door.outcome("ListRooms", ann)
        assert isinstance(refused, ExhaustedError)
        assert (refused.reason, refused.retry_seconds) == ("too_many_calls", 1)
        assert await door.outcome("ListRooms", ann, "192.0.2.2") is None
        assert door.limited("too_many_calls") == 1
        for call in open_calls:
            call.cancel()
        async with asyncio.timeout(10):
            while await door.outcome("ListRooms", ann) is not None:  # noqa: ASYNC110 - their end is noted inside the server
                await asyncio.sleep(0.01)
