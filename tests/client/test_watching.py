"""Watching a table whose server is away."""

from __future__ import annotations

import pytest

from xuezhan.client import Channels, ClientError
from xuezhan.client.tables import Tables


async def test_whoever_watches_is_told_that_the_server_is_away_while_it_is_waited_for() -> None:
    told: list[ClientError] = []
    channels = Channels(patience_seconds=0.5)
    with pytest.raises(ClientError) as given_up:
        async for _ in Tables(channels, "127.0.0.1:1").watch("token", "t1", told.append):
            pass
    await channels.close()
    assert len(told) >= 2
    assert {error.reason for error in told} == {given_up.value.reason} == {"unavailable"}
