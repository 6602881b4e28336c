"""Strange messages that anybody who may write to the broker can send: any body, any properties, and properties that no library writes."""

from __future__ import annotations

import gzip
import json
import pickle
from dataclasses import dataclass, field
from struct import pack
from typing import Any

import amqp
from amqp.basic_message import Message

from services.kit import bus

JSON = "application/json"


@dataclass(frozen=True)
class Strange:
    """One message. `raw`: its properties as bytes, flags first, in the place of all others."""

    name: str
    body: bytes
    reason: str = "undecodable"
    """Why it is put away."""
    content_type: str | None = JSON
    content_encoding: str | None = "utf-8"
    headers: dict[str, Any] = field(default_factory=dict)
    raw: bytes = b""

    def send(self, channel: Any, exchange: str, key: str) -> None:
        named = {"content_type": self.content_type, "content_encoding": self.content_encoding}
        properties = {name: value for name, value in named.items() if value is not None}
        message: Any = _Raw(self.body, self.raw) if self.raw else Message(self.body, application_headers=self.headers, **properties)
        channel.basic_publish_confirm(message, exchange=exchange, routing_key=key, confirm_timeout=20)


class _Raw(Message):
    """A message whose properties are given as bytes."""

    def __init__(self, body: bytes, raw: bytes) -> None:
        super().__init__(body)
        self._bytes = raw

    def _serialize_properties(self) -> bytes:
        return self._bytes


_CONTENT_TYPE, _HEADERS, _CORRELATION = 0x8000, 0x2000, 0x0400


def _short(text: bytes) -> bytes:
    return pack(">B", len(text)) + text


def _table(entries: bytes) -> bytes:
    return pack(">I", len(entries)) + entries


def _nested(depth: int) -> bytes:
    inner = b""
    for _ in range(depth):
        inner = _short(b"a") + b"F" + _table(inner)
    return inner


UNREADABLE = [
    Strange("a content type that is not UTF-8", b"{}", raw=pack(">H", _CONTENT_TYPE) + _short(b"\xff\xfe")),
    Strange("a correlation id that is not UTF-8", b"{}", raw=pack(">H", _CORRELATION) + _short(b"\xc3\x28")),
    Strange("a time in the year 300 billion", b"{}", raw=pack(">H", _HEADERS) + _table(_short(b"at") + b"T" + pack(">Q", 2**63 - 1))),
    Strange("tables nested 5,000 deep", b"{}", raw=pack(">H", _HEADERS) + _table(_nested(5_000))),
    Strange("a name of a header that is not UTF-8", b"{}", raw=pack(">H", _HEADERS) + _table(_short(b"\xff") + b"t\x01")),
]
"""Properties that end a connection of py-amqp's, or that no program expects."""

BODIES = [
    Strange("{x", b"{x"),
    Strange("a pickle", pickle.dumps({"a": 1}), content_type="application/x-python-serialize", content_encoding="binary"),
    Strange("a pickle that says it is JSON", pickle.dumps({"a": 1})),
    Strange("text/plain", b"hello", content_type="text/plain"),
    Strange("yaml", b"a: 1", content_type="application/x-yaml"),
    Strange("no content type", b"{}", content_type=None),
    Strange("no properties at all", b"{}", content_type=None, content_encoding=None),
    Strange("an unknown encoding", b"{}", content_encoding="klingon"),
    Strange("UTF-16", "{}".encode("utf-16"), content_encoding="utf-16"),
    Strange("not UTF-8", b'{"text": "\xff\xfe"}'),
    Strange("a false gzip header", b"{}", headers={"compression": "application/x-gzip"}),
    Strange("an unknown compression", b"{}", headers={"compression": "application/x-zip-bomb"}),
    Strange("a bomb", gzip.compress(bytes(50_000_000)), headers={"compression": "application/x-gzip"}),
    Strange("huge", b'"' + b"x" * 20_000_000 + b'"', "oversized"),
    Strange("huge without properties", b"x" * 2_000_000, "oversized", content_type=None, content_encoding=None),
    Strange("a little too large", b" " * 600_000, "oversized"),
    Strange("deeply nested", b"[" * 100_000),
    Strange("deeply nested objects", b'{"a":' * 100_000),
    Strange("half a character", b'{"key_id": "\\ud800", "signature": "", "text": ""}'),
    Strange("a name twice", b'{"key_id": "", "signature": "", "text": "", "text": ""}'),
    Strange("NaN", b'{"key_id": NaN, "signature": "", "text": ""}'),
    Strange("a huge number", b'{"key_id": 1' + b"0" * 5000 + b', "signature": "", "text": ""}'),
    Strange("null", b"null"),
    Strange("5", b"5"),
    Strange("{}", b"{}", "unsigned"),
    Strange("[]", b"[]"),
    Strange("empty", b""),
    Strange("one part too few", b"[[], {}]"),
    Strange("a list of numbers", b"[1, 2, 3]"),
    Strange("fields that are no texts", b'{"key_id": 1, "signature": [], "text": {}}', "unsigned"),
    Strange("one field too many", b'{"key_id": "", "signature": "", "text": "", "more": 1}', "unsigned"),
    Strange("a signature of nobody", b'{"key_id": "0123456789abcdef", "signature": "00", "text": "{}"}', "unsigned"),
    *UNREADABLE,
]
"""Bodies and properties that no consumer of ours may stumble over."""


def _celery(name: str, body: Any = None, **headers: Any) -> Strange:
    """A message as Celery sends one, of the version before, with something odd in it."""
    usual = {"lang": "py", "task": "xuezhan.settlement.apply_items", "id": "6e1d4a4e-8a6c-4c8e-9c50-2f1d2f3a4b5c", "retries": 0}
    nothing = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}
    whole = [[], {"items": [{"table": "t", "seq": 1}]}, nothing] if body is None else body
    given = {key: value for key, value in {**usual, **headers}.items() if value is not _LEFT_OUT}
    return Strange(f"Celery: {name}", json.dumps(whole).encode(), headers=given)


_LEFT_OUT = object()
CELERY = [
    _celery("as the version before sent them"),
    _celery("no id", id=_LEFT_OUT),
    _celery("a list as id", id=[1]),
    _celery("a number as id", id=5),
    _celery("no task", task=_LEFT_OUT),
    _celery("an unknown task", task="celery.chord_unlock"),
    _celery("a list as task", task=["a"]),
    _celery("another language", lang="rb"),
    _celery("a list as language", lang=[]),
    _celery("a chain", [[], {}, {"chain": 5}]),
    _celery("a chain of odd tasks", [[], {}, {"chain": [{"task": 1}]}]),
    _celery("callbacks", [[], {}, {"callbacks": "x"}]),
    _celery("errbacks", [[], {}, {"errbacks": [5]}]),
    _celery("a chord", [[], {}, {"chord": 7}]),
    _celery("embedded nothing", [[], {}, None]),
    _celery("arguments that are a number", [5, {}, {}]),
    _celery("named arguments that are a list", [[], [], {}]),
    _celery("arguments that are not ours", [[1, 2], {"x": 1}, {}]),
    _celery("time limits of letters", timelimit=["a", "b"]),
    _celery("a time limit that is a number", timelimit=5),
    _celery("odd stamps", stamps=5, stamped_headers=["x"]),
    _celery("stamped headers that are none", stamped_headers="x", stamps={}),
    _celery("retries of letters", retries="x"),
    _celery("expires yesterday", expires="yesterday"),
    _celery("expires as a list", expires=[1]),
    _celery("an eta in 2999", eta="2999-01-01T00:00:00+00:00"),
    _celery("an eta that is none", eta="soon"),
    _celery("an eta that is a number", eta=5),
    _celery("a group", group=5, group_index="x"),
    _celery("a shadow", shadow=[1]),
    _celery("a count of deliveries of letters", **{"x-delivery-count": "many"}),
    Strange(
        "Celery: version 1 of its protocol", b'{"task": "xuezhan.settlement.apply_items", "id": "1", "args": 5, "kwargs": 7}', "unsigned"
    ),
    Strange("Celery: half of version 1", b'{"task": "xuezhan.settlement.apply_items"}', "unsigned"),
    *(
        Strange(f"Celery: {name}", body, headers={"task": "xuezhan.settlement.apply_items", "id": "1", "lang": "py"}, reason=reason)
        for name, body, reason in [
            ("null", b"null", "undecodable"),
            ("5", b"5", "undecodable"),
            ("{}", b"{}", "unsigned"),
            ("[]", b"[]", "undecodable"),
            ("two parts", b"[[], {}]", "undecodable"),
            ("nothing", b"", "undecodable"),
        ]
    ),
]
"""Task messages that Celery would stumble over before a task of ours starts, or that keep it from working."""


def send_all(url: str, exchange: str, key: str, *messages: Strange) -> None:
    """Send them to a queue, as somebody with a broker's password would."""
    with bus.connect(url) as connection:
        bus.open_connection(connection)
        driver: amqp.Connection = connection.connection
        channel = driver.channel()
        for message in messages:
            message.send(channel, exchange, key)
        channel.close()
