"""What a client is told about its attachments: that a seat is not attached, or not any more, and where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.table.codec import wire
from xuezhan.api.table.v1 import table_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from services.table.streams import Stream


def turn_away(stream: Stream, ref: int, reason: str, code: str = "") -> None:
    """Refuse to open a seat under a name. Where a seat has the name that seat stays, so nobody may take it for detached."""
    ref_bytes = wire.varint(ref)
    if ref in stream.attachments:
        stream.put(wire.answer(ref_bytes, 0, 0, reason.encode(), code.encode()))
    else:
        stream.put(wire.event(ref_bytes, b"", detached(reason, code)))


def send_on(stream: Stream, ref: int, address: str, epoch: int, addresses: Sequence[str]) -> None:
    """Say which server plays the table of the seat that was to be opened under a name."""
    if ref in stream.attachments:
        turn_away(stream, ref, "moved", address)
    else:
        stream.keep(wire.event(wire.varint(ref), b"", moved(address, epoch, addresses)))


def hold_off(stream: Stream, refs: Sequence[int], wait_ms: int) -> None:
    """Say that nobody plays the tables of the seats that were to be opened under these names, and when to ask again."""
    free = [wire.varint(ref) for ref in refs if ref not in stream.attachments]
    if free:
        stream.put(wire.event(b"".join(free), b"", pb.Event(wait=pb.Wait(retry_after_ms=wait_ms)).SerializeToString()))
    for ref in refs:
        if ref in stream.attachments:
            turn_away(stream, ref, "wait", str(wait_ms))


def moved(address: str, epoch: int, addresses: Sequence[str]) -> bytes:
    """Return the event that a table is played elsewhere, without seats."""
    return pb.Event(moved=pb.Moved(address=address, epoch=epoch, addresses=addresses)).SerializeToString()


def detached(reason: str, code: str = "") -> bytes:
    """Return the event that a seat no longer hears from a stream, without seats."""
    return pb.Event(detached=pb.Detached(reason=reason, code=code)).SerializeToString()
