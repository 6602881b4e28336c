"""What a refused call says to whoever reads it."""

from __future__ import annotations

import socket

import pytest

from xuezhan.client import Channels, ClientError
from xuezhan.client.tables import Tables


@pytest.mark.parametrize(
    ("reason", "message", "text"),
    [
        ("player_id", "player_id: 1 to 64 letters", "player_id: 1 to 64 letters"),
        ("player_id", "seats[0].player_id: 1 to 64 letters", "seats[0].player_id: 1 to 64 letters"),
        ("seats", "seats[3]: a player_id or a bot", "seats[3]: a player_id or a bot"),
        ("unknown_room", "room_id: there is no room 'x'", "unknown_room: room_id: there is no room 'x'"),
        ("key_used", "key: it was used before", "key_used: key: it was used before"),
        ("full", "this server is full: 3 tables", "full: this server is full: 3 tables"),
        ("unavailable", "", "unavailable"),
        ("not_yours", "not_yours", "not_yours"),
    ],
)
def test_an_error_names_its_reason_and_field_each_once(reason: str, message: str, text: str) -> None:
    assert str(ClientError(reason, message)) == text


async def test_a_server_that_stands_still_is_told_from_one_that_hangs_up() -> None:
    """The system of a process that is stopped still takes connections."""
    with socket.socket() as frozen:
        frozen.bind(("127.0.0.1", 0))
        frozen.listen()
        channels = Channels(patience_seconds=0)
        with pytest.raises(ClientError) as told:
            await Tables(channels, f"127.0.0.1:{frozen.getsockname()[1]}").servers("token")
        await channels.close()
    assert (told.value.reason, told.value.passing) == ("silent", True)
    assert "takes connections and says nothing" in str(told.value)
