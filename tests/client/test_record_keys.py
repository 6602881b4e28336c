"""Whose signature counts: keys that the server names, or those that the program was given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from grpc import StatusCode, aio

from services.kit.signing import SigningKey
from xuezhan.api.keys.v1 import keys_pb2
from xuezhan.api.keys.v1.keys_pb2_grpc import add_KeyServiceServicer_to_server
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import Channels
from xuezhan.client.record_keys import RecordKeys


class KeyServer:
    """Answers GetKeys as a test says. `asked` counts the calls, `tokens` what came along."""

    def __init__(self) -> None:
        self.keys: list[keys_pb2.PublicKey] = []
        self.installation = "00112233445566ff"
        self.asked = 0
        self.tokens: list[Any] = []
        self.refuses: StatusCode | None = None
        self.later: list[keys_pb2.PublicKey] = []

    async def GetKeys(self, _request: Any, context: Any) -> keys_pb2.GetKeysResponse:  # noqa: N802
        self.asked += 1
        self.tokens += [value for name, value in context.invocation_metadata() if name == "authorization"]
        if self.refuses is not None:
            await context.abort(self.refuses, "no")
        if self.asked > 1:
            self.keys += self.later
        return keys_pb2.GetKeysResponse(installation=self.installation, keys=self.keys)


@pytest.fixture
async def server() -> AsyncIterator[tuple[KeyServer, str]]:
    async with serving() as both:
        yield both


@asynccontextmanager
async def serving() -> AsyncIterator[tuple[KeyServer, str]]:
    """A server of keys and its address."""
    keys, server = KeyServer(), aio.server(options=(("grpc.so_reuseport", 0),))
    add_KeyServiceServicer_to_server(keys, server)  # type: ignore[arg-type]
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield keys, f"127.0.0.1:{port}"
    await server.stop(None)


def as_record_key(key: SigningKey, name: str = "record") -> keys_pb2.PublicKey:
    return keys_pb2.PublicKey(key_id=key.key_id, name=name, role="table", pem=key.public.pem().decode())


def signed(key: SigningKey, text: str = '{"a":1}') -> pb.Signed:
    return pb.Signed(statement=text, signature=key.sign(text.encode()), key_id=key.key_id)


async def judged(keys: RecordKeys, address: str, *statements: pb.Signed) -> list[bool]:
    """How each statement was judged, in order of the judgements; fewer if some could not be."""
    found: list[bool] = []
    for statement in statements:
        keys.judge(address, statement, found.append)
    async with asyncio.timeout(15):
        await asyncio.gather(*keys._tasks)
    return found


@pytest.fixture
async def channels() -> AsyncIterator[Channels]:
    channels = Channels(0.5)
    yield channels
    await channels.close()


async def test_the_server_is_asked_once_for_its_keys_and_without_a_token(server: tuple[KeyServer, str], channels: Channels) -> None:
    service, address = server
    key = SigningKey.generate()
    service.keys = [as_record_key(key)]
    keys = RecordKeys(channels)
    assert await judged(
        keys, address, signed(key), signed(key, '{"b":2}'), pb.Signed(statement="x", signature=b"y" * 64, key_id=key.key_id)
    ) == [
        True,
        True,
        False,
    ]
    assert await judged(keys, address, signed(key)) == [True]
    assert (service.asked, service.tokens, keys.installation) == (1, [], "00112233445566ff")


async def test_only_record_keys_sign_statements(server: tuple[KeyServer, str], channels: Channels) -> None:
    service, address = server
    table = SigningKey.generate()
    service.keys = [as_record_key(table, "table"), keys_pb2.PublicKey(name="record", pem="nonsense")]
    assert await judged(RecordKeys(channels), address, signed(table)) == [False]
    assert service.asked > 1, "another server may have turned its key a moment before"


async def test_a_key_that_is_new_is_asked_for_again(server: tuple[KeyServer, str], channels: Channels) -> None:
    service, address = server
    old, new = SigningKey.generate(), SigningKey.generate()
    service.keys, service.later = [as_record_key(old)], [as_record_key(new)]
    assert await judged(RecordKeys(channels), address, signed(new), signed(old)) == [True, True]
    assert service.asked == 2


async def test_keys_of_another_installation_do_not_count(server: tuple[KeyServer, str], channels: Channels) -> None:
    service, address = server
    ours, theirs = SigningKey.generate(), SigningKey.generate()
    service.keys = [as_record_key(ours)]
    keys = RecordKeys(channels)
    assert await judged(keys, address, signed(ours)) == [True]
    service.installation, service.keys = "ff" * 8, [as_record_key(theirs)]
    assert await judged(keys, address, signed(theirs)) == [False]


async def test_keys_that_were_given_are_the_only_ones_and_nobody_is_asked(server: tuple[KeyServer, str], channels: Channels) -> None:
    service, address = server
    given, other = SigningKey.generate(), SigningKey.generate()
    service.keys = [as_record_key(other)]
    keys = RecordKeys(channels, [given.public.pem()])
    assert await judged(keys, address, signed(given), signed(other)) == [True, False]
    assert service.asked == 0
    with pytest.raises(ValueError):
        RecordKeys(channels, [b"nonsense"])


@pytest.mark.parametrize("refuses", [StatusCode.UNAVAILABLE, StatusCode.INTERNAL, StatusCode.UNKNOWN, StatusCode.UNIMPLEMENTED])
async def test_a_server_that_does_not_say_its_keys_leaves_statements_unchecked(
    server: tuple[KeyServer, str], channels: Channels, refuses: StatusCode
) -> None:
    service, address = server
    service.refuses = refuses
    keys = RecordKeys(channels)
    assert await judged(keys, address, signed(SigningKey.generate())) == []
    assert keys.unchecked == 1


async def test_keys_are_asked_of_another_server_when_the_one_that_showed_the_statement_is_lost(
    server: tuple[KeyServer, str], channels: Channels
) -> None:
    service, address = server
    key = SigningKey.generate()
    service.keys = [as_record_key(key)]
    keys = RecordKeys(channels, others=lambda: (address,))
    assert await judged(keys, "127.0.0.1:1", signed(key)) == [True]
    assert keys.unchecked == 0


async def test_keys_are_asked_of_another_server_when_one_does_not_say_them(channels: Channels) -> None:
    key = SigningKey.generate()
    async with serving() as (broken, one), serving() as (well, other):
        broken.refuses = StatusCode.INTERNAL
        well.keys = [as_record_key(key)]
        keys = RecordKeys(channels, others=lambda: (one, other))
        assert await judged(keys, one, signed(key)) == [True]
        assert (broken.asked, well.asked, keys.unchecked) == (1, 1, 0)


async def test_who_ends_while_asking_leaves_statements_unchecked(server: tuple[KeyServer, str], channels: Channels) -> None:
    keys = RecordKeys(channels)
    keys.judge(server[1], signed(SigningKey.generate()), lambda _good: None)
    await keys.close()
    assert keys.unchecked == 1
