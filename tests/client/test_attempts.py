"""A stream that is opened again, at one address after another."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from xuezhan.client import Channels, ClientError
from xuezhan.client.channels import AnyOf

AWAY = ClientError("unavailable", passing=True)
CERTIFICATE = ClientError("tls")
REFUSED = ClientError("permission_denied")


@pytest.fixture
async def servers() -> AsyncIterator[AnyOf[object]]:
    channels = Channels()
    yield AnyOf(channels, lambda _channel: object(), "127.0.0.1:1, 127.0.0.1:2")
    await channels.close()


async def test_an_address_with_an_unusable_certificate_is_left_for_the_next_at_once(servers: AnyOf[object]) -> None:
    first, attempts = servers.first, servers.attempts(0)
    await attempts.failed(first, CERTIFICATE)
    assert servers.first is not first


async def test_when_no_address_has_a_usable_certificate_that_is_the_error(servers: AnyOf[object]) -> None:
    attempts = servers.attempts(0)
    await attempts.failed(servers.first, CERTIFICATE)
    with pytest.raises(ClientError) as failed:
        await attempts.failed(servers.first, CERTIFICATE)
    assert failed.value is CERTIFICATE


async def test_what_worked_meanwhile_may_become_unusable_anew(servers: AnyOf[object]) -> None:
    attempts = servers.attempts(0)
    for _ in range(3):
        await attempts.failed(servers.first, CERTIFICATE)
        attempts.worked()


async def test_who_is_away_is_waited_for_and_that_is_told(servers: AnyOf[object]) -> None:
    told: list[ClientError] = []
    first = servers.first
    await servers.attempts(5).failed(first, AWAY, told.append)
    assert told == [AWAY]
    assert servers.first is not first
    with pytest.raises(ClientError):
        await servers.attempts(0).failed(first, AWAY)


async def test_a_refusal_is_the_same_at_every_address(servers: AnyOf[object]) -> None:
    with pytest.raises(ClientError) as failed:
        await servers.attempts(5).failed(servers.first, REFUSED)
    assert failed.value is REFUSED
