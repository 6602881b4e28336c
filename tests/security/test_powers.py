"""Who may call what: every method of every server, called by everybody, and docs/security.md says what came of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import pytest
from grpc import aio

from services.kit import powers
from services.kit.roles import Role
from tests.security.place import CALLED, OTHER, PLAYER, REFUSED, Place, Token, somewhere
from tests.support.page import agrees, table
from xuezhan.api.table.v1 import table_pb2 as tb
from xuezhan.api.table.v1.table_pb2_grpc import TableServiceStub

pytestmark = pytest.mark.timeout(300)


def shown(place: Place) -> Mapping[str, Token]:
    """Callers with a column in the document."""
    keys = place.up.keyring
    parts: dict[str, Token] = {role.value: lambda called, role=role: keys.part(role, called) for role in Role}  # type: ignore[misc]
    return {
        "nobody": lambda _: None,
        "the player": lambda _: keys.player(PLAYER),
        "another player": lambda _: keys.player(OTHER),
        **parts,
    }


def strangers(place: Place) -> Mapping[str, Token]:
    """Callers whose tokens are good for nothing that needs one."""
    keys = place.up.keyring
    others = {Role.MATCHMAKING: Role.TABLE, Role.TABLE: Role.SETTLEMENT, Role.SETTLEMENT: Role.MATCHMAKING}
    return {
        "a player whose time is over": lambda _: keys.player(PLAYER, ttl_seconds=-1),
        "a part whose time is over": lambda called: keys.part(Role.MATCHMAKING, called, now=time.time() - 301),
        "a part that calls another role": lambda called: keys.part(Role.MATCHMAKING, others[called]),
        "a seat token": lambda _: keys.seat(place.table, 0, PLAYER, time.time() + 60),
        "nonsense": lambda _: "nonsense",
    }


async def tried(place: Place, callers: Mapping[str, Token]) -> dict[str, dict[str, str]]:
    """The code that each caller got, by method and caller."""
    found: dict[str, dict[str, str]] = {}
    for server, method in await place.methods():
        codes = await asyncio.gather(*(place.call(server, method, token(CALLED[server])) for token in callers.values()))
        name = f"{method.containing_service.name}.{method.name}"
        seen = dict(zip(callers, codes, strict=True))
        assert found.setdefault(name, seen).keys() == seen.keys()
        # What every server has is the same at every server.
        assert {who for who, code in found[name].items() if code in REFUSED} == {who for who, code in seen.items() if code in REFUSED}, name
    return found


def test_every_method_that_is_served_is_in_the_table_of_powers_and_the_other_way_round(place: Place) -> None:
    served = {(method.containing_service.full_name, method.name) for _, method in asyncio.run(place.methods())}
    assert served == {(service, method) for service, methods in powers.SERVICES.items() for method in methods}


def test_everybody_may_call_what_the_page_on_security_says_and_nothing_else(place: Place) -> None:
    callers = shown(place)
    found = asyncio.run(tried(place, callers))
    rows = [[f"`{name}`", *("" if codes[who] in REFUSED else "yes" for who in callers)] for name, codes in found.items()]
    agrees("docs/security.md", "powers", table(["call", *callers], rows))
    for name, codes in found.items():
        assert codes["nobody"] != "PERMISSION_DENIED", name
        assert {code for who, code in codes.items() if who != "nobody" and code in REFUSED} <= {"PERMISSION_DENIED"}, name


def test_a_token_that_is_over_or_for_something_else_opens_nothing(place: Place) -> None:
    found = asyncio.run(tried(place, strangers(place)))
    for name, codes in found.items():
        service = next(service for service, methods in powers.SERVICES.items() if service.endswith(name.partition(".")[0]) and methods)
        anybody = powers.of(service, name.partition(".")[2]).anybody
        assert {code in REFUSED for code in codes.values()} == {not anybody}, (name, codes)


def test_a_seat_is_played_with_its_token_and_no_other(place: Place) -> None:
    async def told(token: str) -> str:
        async with aio.insecure_channel(place.up.addresses["table"]) as channel:
            call: Any = TableServiceStub(channel).Play(metadata=somewhere())
            await call.write(tb.PlayRequest(inputs=[tb.Input(seat_ref=1, attach=tb.Attach(token=token))]))
            event = (await call.read()).events[0]
            call.cancel()
            return str(event.detached.code)

    keys = place.up.keyring
    callers = {**shown(place), **strangers(place)}
    for name, token in callers.items():
        code = asyncio.run(told(token(Role.TABLE) or ""))
        assert code == ("" if name == "a seat token" else "UNAUTHENTICATED"), name
    assert asyncio.run(told(keys.seat(place.table, 0, OTHER, time.time() + 60))) == ""
