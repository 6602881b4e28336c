"""The few parts of the protobuf wire format that are written by hand, because they are written for every event.

What several seats may see is encoded once; only the list of seats and numbers in front of it differs from stream to stream. Concatenated
encodings of one message are its merged encoding (a guarantee of protobuf), so `seats_field + what` is an Event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

_CACHED: Final = 1 << 14
_EVENT: Final = 0x12
_SEATS: Final = 0x0A
"""Tags: an event in a PlayResponse, and the seats at the beginning of an Event."""


def _encode(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class _Varints(dict[int, bytes]):
    """Varints by their numbers; the small ones are ready."""

    def __missing__(self, value: int) -> bytes:
        return _encode(value)


_VARINTS: Final = _Varints((value, _encode(value)) for value in range(_CACHED))

_MOST_FIELDS: Final = 64
_NUMBER_TAGS: Final = [_encode(field << 3) for field in range(_MOST_FIELDS)]
_MESSAGE_TAGS: Final = [_encode(field << 3 | 2) for field in range(_MOST_FIELDS)]


varint: Final[Callable[[int], bytes]] = _VARINTS.__getitem__
"""A number that is not negative as a varint."""


def number_field(field: int, value: int) -> bytes:
    """Return a field that holds a number; nothing for 0, which is its default."""
    if not value:
        return b""
    return _NUMBER_TAGS[field] + _VARINTS[value]


def message(field: int, body: bytes) -> bytes:
    """Return a field that holds a message, text, bytes or packed numbers."""
    return _MESSAGE_TAGS[field] + _VARINTS[len(body)] + body


def event_head(refs: list[bytes]) -> bytes:
    """Return how an Event for these seats begins, up to the numbers."""
    return message(1, b"".join(refs)) + _MESSAGE_TAGS[2]


def counted_event(head: bytes, numbers: Iterable[int], what: bytes) -> bytes:
    """Return `Event` as an element of PlayResponse.events. `numbers`: parallel to the seats of `head`."""
    packed = b"".join(map(varint, numbers))
    # At most 8 seats, so that the length is one byte.
    event = head + _VARINTS[len(packed)] + packed + what
    return b"\x12" + _VARINTS[len(event)] + event


def event(refs: bytes, numbers: bytes, what: bytes) -> bytes:
    """Return `Event` as an element of PlayResponse.events. `refs` and `numbers` are varints one after another; no numbers: not counted."""
    head = b"\x0a" + varint(len(refs)) + refs
    if numbers:
        head += b"\x12" + varint(len(numbers)) + numbers
    return b"\x12" + varint(len(head) + len(what)) + head + what


def seats_of(chunk: bytes) -> list[int]:
    """Return the seats of an element of PlayResponse.events; none for any other element of a PlayResponse."""
    if chunk[0] != _EVENT:
        return []
    _size, at = _decode(chunk, 1)
    if at >= len(chunk) or chunk[at] != _SEATS:
        return []
    size, at = _decode(chunk, at + 1)
    end = at + size
    refs = []
    while at < end:
        ref, at = _decode(chunk, at)
        refs.append(ref)
    return refs


def _decode(data: bytes, at: int) -> tuple[int, int]:
    """Return the varint that begins at a place, and the place behind it."""
    value = shift = 0
    while (byte := data[at]) > 0x7F:
        value |= (byte & 0x7F) << shift
        shift += 7
        at += 1
    return value | byte << shift, at + 1


def watch_event(number: int, what: bytes) -> bytes:
    """Return `Event` of the public view as an element of WatchResponse.events; number 0: not counted."""
    head = message(2, varint(number)) if number else b""
    return b"\x0a" + varint(len(head) + len(what)) + head + what


def answer(ref: bytes, action_id: int, decision: int, refused: bytes = b"", detail: bytes = b"") -> bytes:
    """Return `Answer` as an element of PlayResponse.answers."""
    body = b"\x08" + ref + b"\x11" + action_id.to_bytes(8, "little") + b"\x18" + varint(decision)
    if refused:
        body += b"\x22" + varint(len(refused)) + refused
    if detail:
        body += b"\x2a" + varint(len(detail)) + detail
    return b"\x0a" + varint(len(body)) + body
