"""What the broker delivers, before the driver reads it: no message may end the connection over which it comes.

py-amqp reads a message's properties while it reads frames; what it cannot read (a text that is not UTF-8, a time beyond the year 9999,
tables nested ten thousand deep) breaks the connection, and since the message was not acknowledged, every connection after it. Bodies it
collects whatever their size, and kombu unpacks what claims to be compressed, to whatever size.

Law: a message whose properties cannot be read, or that claims to be compressed, arrives without properties; one that is too large arrives
cut off, one byte longer than any good one. Either is then turned away like every other bad message.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import pack, unpack_from
from typing import Any, Final

from amqp import method_framing
from amqp.basic_message import Message

from services.kit.messages import MAX_MESSAGE_BYTES

MOST: Final = MAX_MESSAGE_BYTES + 1
_HEADER: Final = 2
_BODY: Final = 3
_CLASS_BYTES: Final = 4
"""Of a content header, before the size of the body."""


def frame_handler(connection: Any, callback: Callable[..., Any]) -> Callable[[tuple[int, int, bytes]], bool]:
    """Make the function that takes a connection's frames, for py-amqp's connections."""
    handle = method_framing.frame_handler(connection, callback)
    # Bytes of the body under way that are still to come, and how many of them are wanted; by channel.
    coming: dict[int, tuple[int, int]] = {}

    def on_frame(frame: tuple[int, int, bytes]) -> bool:
        kind, channel, payload = frame
        if kind == _HEADER:
            (size,) = unpack_from(">Q", payload, _CLASS_BYTES)
            coming[channel] = (size, min(size, MOST))
            if size > MOST or not _is_readable(payload):
                payload = payload[:_CLASS_BYTES] + pack(">QH", min(size, MOST), 0)
        elif kind == _BODY:
            size, wanted = coming.get(channel, (0, 0))
            coming[channel] = (size - len(payload), max(wanted - len(payload), 0))
            if not wanted:
                return False
            payload = payload[:wanted]
        return bool(handle((kind, channel, payload)))

    return on_frame


def _is_readable(header: bytes) -> bool:
    message: Any = Message()
    try:
        message.inbound_header(header)
    except Exception:  # noqa: BLE001 - whatever it stumbles over
        return False
    return "compression" not in (message.properties.get("application_headers") or {})
