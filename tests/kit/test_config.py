from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from services.kit.config import ServiceSettings, one_line
from services.matchmaking.config import Settings

NEEDED: dict[str, Any] = {"database_url": "sqlite://", "secrets": Path("secrets")}


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in [name for name in os.environ if name.startswith("XUEZHAN_")]:
        monkeypatch.delenv(name)


def test_settings_come_from_the_environment_and_arguments_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUEZHAN_PORT", "7777")
    monkeypatch.setenv("XUEZHAN_BROKER_URL", "amqp://broker")
    assert ServiceSettings(**NEEDED).port == 7777
    assert ServiceSettings(**NEEDED, port=1).port == 1
    assert ServiceSettings(**NEEDED).broker_url == "amqp://broker"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"database_url": None}, "database_url: "),
        ({"database_url": "mysql://root:secret@db/x"}, "database_url: neither sqlite:///PATH nor postgresql://..."),
        ({"host": ""}, "host: '' is no host to listen on"),
        ({"host": "ü..x"}, "host: 'ü..x' is no host to listen on"),
        ({"port": "65536"}, "port: "),
        ({"port": "http"}, "port: "),
        ({"log_level": "loud"}, "log_level: "),
        ({"table_addresses": ""}, "table_addresses: '' is not host:port"),
        ({"table_addresses": "a:1, b"}, "table_addresses: 'b' is not host:port"),
        ({"table_addresses": "a:0"}, "table_addresses: 'a:0' is not host:port"),
        ({"settlement_address": "here"}, "settlement_address: 'here' is not host:port"),
        ({"settlement_address": "a:1,b"}, "settlement_address: 'b' is not host:port"),
        ({"busy_limit_seconds": 0}, "busy_limit_seconds: "),
        ({"max_waiting": 0}, "max_waiting: "),
    ],
)
def test_an_unusable_setting_is_named_in_one_line(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Settings(**{**NEEDED, **changes})
    message = one_line(caught.value)
    assert message.startswith(says)
    assert "\n" not in message


def test_table_servers_are_listed_once_each() -> None:
    assert Settings(**NEEDED, table_addresses="a:1, b:2,a:1").servers == ("a:1", "b:2")
