"""No token goes to an installation that it is not for; which one it is, is asked without a token."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Self

import pytest
from grpc import aio

from services.kit import keys
from services.kit.key_service import KeyServicer
from services.kit.roles import Role
from tests.cli.command import xuezhan
from tests.support.keyring import Keyring
from xuezhan.api.keys.v1 import keys_pb2 as pb
from xuezhan.api.keys.v1.keys_pb2_grpc import KeyServiceStub
from xuezhan.client import Client, ClientError


class Listener(aio.ServerInterceptor):
    """A server that knows who it is and nothing else, and notes every token that it is sent."""

    def __init__(self, own: keys.RoleKeys | None) -> None:
        self._own = own
        self.asked = 0
        self.tokens: list[str] = []

    async def intercept_service(self, continuation: Any, details: Any) -> Any:
        self.tokens += [value for name, value in details.invocation_metadata if name == "authorization"]
        self.asked += details.method.endswith("/GetKeys")
        return await continuation(details)

    async def __aenter__(self) -> Self:
        self.server = aio.server(interceptors=[self])
        if self._own is not None:
            KeyServicer(self._own).register(self.server)
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        await self.server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.server.stop(None)


@pytest.fixture
def here(tmp_path: Path) -> Keyring:
    return Keyring(tmp_path / "here")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Keyring:
    return Keyring(tmp_path / "elsewhere")


async def first(work: AsyncIterator[Any]) -> Any:
    async for one in work:
        return one
    return None


CALLS: dict[str, Callable[[Client], Any]] = {
    "a balance": lambda client: client.coins.balance("token", "anna"),
    "a deposit": lambda client: client.coins.deposit("token", "anna", 1, "k"),
    "a ticket": lambda client: client.tickets.create("token", "a/b"),
    "a ticket that is followed": lambda client: first(client.tickets.follow("token", "t")),
    "a list of tables": lambda client: first(client.tables().live("token")),
    "a table that is watched": lambda client: first(client.tables().watch("token", "t")),
}


def client_of(address: str, installation: str) -> Client:
    return Client(address, address, address, patience_seconds=0, installation=installation)


@pytest.mark.parametrize("call", CALLS)
async def test_another_installation_is_sent_no_token_and_both_ids_are_said(here: Keyring, elsewhere: Keyring, call: str) -> None:
    wanted, found = here.table.installation, elsewhere.table.installation
    async with Listener(elsewhere.table) as server, client_of(server.address, wanted) as client:
        for _ in range(2):
            with pytest.raises(ClientError) as caught:
                await CALLS[call](client)
            assert caught.value.reason == "wrong_installation"
            assert wanted in str(caught.value)
            assert found in str(caught.value)
            assert not caught.value.passing
    assert server.tokens == []


@pytest.mark.parametrize("call", CALLS)
async def test_the_right_installation_is_asked_once_and_then_sent_the_token(here: Keyring, call: str) -> None:
    async with Listener(here.table) as server, client_of(server.address, here.table.installation) as client:
        for _ in range(2):
            with pytest.raises(ClientError, match="unimplemented"):
                await CALLS[call](client)
    assert server.tokens == ["Bearer token"] * 2
    assert server.asked == 1


async def test_calls_that_come_together_ask_once(here: Keyring) -> None:
    async with Listener(here.table) as server, client_of(server.address, here.table.installation) as client:
        calls = [CALLS[call](client) for call in CALLS for _ in range(20)]
        assert {type(outcome) for outcome in await asyncio.gather(*calls, return_exceptions=True)} == {ClientError}
    assert server.tokens == ["Bearer token"] * len(calls)
    assert server.asked == 1


async def test_a_server_that_does_not_say_who_it_is_gets_no_token(here: Keyring) -> None:
    async with Listener(None) as server, client_of(server.address, here.table.installation) as client:
        with pytest.raises(ClientError, match="does not say which installation it is"):
            await client.coins.balance("token", "anna")
    assert server.tokens == []


async def test_a_server_that_is_away_is_waited_for_as_ever(here: Keyring) -> None:
    async with Listener(here.table) as server:
        address = server.address
    async with Client(address, address, address, patience_seconds=0, installation=here.table.installation) as client:
        with pytest.raises(ClientError) as caught:
            await client.coins.balance("token", "anna")
        assert caught.value.passing


async def test_who_names_no_installation_asks_for_none(here: Keyring) -> None:
    async with Listener(None) as server, client_of(server.address, "") as client:
        with pytest.raises(ClientError, match="unimplemented"):
            await client.coins.balance("token", "anna")
    assert server.tokens == ["Bearer token"]


async def test_a_command_sends_no_token_to_an_installation_that_is_not_the_one_of_its_keys(here: Keyring, elsewhere: Keyring) -> None:
    async with Listener(elsewhere.table) as server:
        at = [word for option in ("--settlement", "--table", "--matchmaking") for word in (option, server.address)]
        for command in (
            ["balance", "alice"],
            ["statement", "alice"],
            ["deposit", "alice", "5", "--key", "k"],
            ["tables"],
            ["watch", "t"],
            ["replay", "t"],
        ):
            ran = await asyncio.to_thread(xuezhan, *command, *at, "--secrets", here.folder)
            assert (ran.status, ran.out, ran.err.count("\n")) == (1, "", 1), command
            assert here.table.installation in ran.err
            assert elsewhere.table.installation in ran.err
    assert server.tokens == []


async def test_anybody_is_told_the_installation_and_the_keys_of_parts_but_not_of_people(here: Keyring) -> None:
    async with Listener(here.of(Role.MATCHMAKING)) as server, aio.insecure_channel(server.address) as channel:
        stub: Any = KeyServiceStub(channel)
        answer = await stub.GetKeys(pb.GetKeysRequest())
    assert answer.installation == here.table.installation
    assert {key.role for key in answer.keys} == {"matchmaking", "table", "settlement", "worker", "gateway"}
    assert {(key.key_id, key.pem) for key in answer.keys if key.role == "table"} == {
        (here.table.key.key_id, here.table.key.public.pem().decode())
    }
    assert not any(key.retired or key.name == "record" for key in answer.keys)


async def test_a_table_server_tells_its_record_keys_the_retired_ones_too(tmp_path: Path) -> None:
    from services.kit.signing import SigningKey

    before = Keyring(tmp_path / "secrets").table.records.signing()
    now = SigningKey.generate()
    (tmp_path / "secrets" / "table" / "records" / "key.pem").write_bytes(now.pem())
    own = Keyring(tmp_path / "secrets").table
    async with Listener(own) as server, aio.insecure_channel(server.address) as channel:
        stub: Any = KeyServiceStub(channel)
        found = [key for key in (await stub.GetKeys(pb.GetKeysRequest())).keys if key.name == "record"]
    assert [(key.key_id, key.role, key.retired) for key in found] == [(now.key_id, "table", False), (before.key_id, "table", True)]
