"""How a process reaches its broker, and queues and exchanges that it makes, or finds where it may make none.

Law: a user with the rights of its role alone is enough: what an administrator made beforehand is only looked for.
"""

from __future__ import annotations

import ssl
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from amqp.exceptions import AccessRefused
from kombu import Connection, Exchange, Queue

_CA: Final = "cacertfile"
_may_not_make: Final[set[str]] = set()
"""Users, by connection, who were refused to make something: what they use is looked for at once from then on."""


def is_memory(url: str) -> bool:
    """Whether the broker lives in this process."""
    return url.startswith("memory://")


def address(url: str) -> str:
    """Return a URL as kombu wants it: without parameters."""
    # kombu warns of an address without a host.
    return "memory://localhost//" if is_memory(url) else url.partition("?")[0]


def tls(url: str) -> dict[str, Any] | bool:
    """Return kombu's options for TLS: False without; the host name and the CA in the parameter `cacertfile` are always checked."""
    if not url.startswith("amqps://"):
        return False
    parts = urlsplit(url)
    named = parse_qs(parts.query).get(_CA, [])
    # kombu would look for 127.0.0.1 in a certificate for localhost. Without a CA file the machine's are believed.
    return {"cert_reqs": ssl.CERT_REQUIRED, "server_hostname": parts.hostname, **({"ca_certs": named[0]} if named else {})}


def make(connection: Connection, *wanted: Queue | Exchange) -> None:
    """Make queues with their exchanges and bindings. What this user may not make must be there: else amqp's NotFound."""
    for one in wanted:
        if isinstance(one, Exchange):
            _exchange(connection, one)
            continue
        _exchange(connection, one.exchange)
        if _declare(connection, one):
            with connection.channel() as channel:
                one(channel).queue_bind()


def _exchange(connection: Connection, exchange: Exchange) -> None:
    if exchange.name:
        _declare(connection, exchange)


def _declare(connection: Connection, one: Queue | Exchange) -> bool:
    """Make one, or look for it. Returns whether this user may make it."""
    key = f"{connection.as_uri()} {one.name}"
    if key not in _may_not_make:
        try:
            with connection.channel() as channel:
                one(channel).queue_declare() if isinstance(one, Queue) else one(channel).declare()
            return True
        except AccessRefused:
            _may_not_make.add(key)
    with connection.channel() as channel:
        one(channel).queue_declare(passive=True) if isinstance(one, Queue) else one(channel).declare(passive=True)
    return False
