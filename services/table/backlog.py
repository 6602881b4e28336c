"""What waits for clients: for all of a server, and on a stream for each of its seats.

Law: a seat for which too much waits loses its events and must resync; the other seats of the stream lose nothing, not even of an event that
they share with it. Nothing is counted while little waits.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import inf
from typing import Final

from services.table.codec import wire
from xuezhan.api.table.v1 import table_pb2 as pb

_CHUNK_BYTES: Final = 64
"""What a chunk takes beside its bytes."""


class Pool:
    """The bytes that wait for all clients of a server: at most about `most`.

    When they are more, whoever has more than their part of them loses what waits. A stream has a part for each of its seats.
    """

    __slots__ = ("most", "parts", "used")

    def __init__(self, most: float = inf) -> None:
        self.most = most
        self.used = 0
        self.parts = 0

    def crowded(self, size: int, parts: int = 1) -> bool:
        """Whether a client with so many parts, for whom so many bytes wait, must lose them."""
        return self.used > self.most and size * self.parts > self.most * parts


class Backlog:
    """Bytes of the events that wait, by the client's names for the seats."""

    __slots__ = ("_counted", "_sizes")

    def __init__(self) -> None:
        self._sizes: dict[int, int] = {}
        self._counted = 0

    def clear(self) -> None:
        """Begin anew: nothing waits."""
        if self._counted:
            self._sizes.clear()
            self._counted = 0

    def count(self, chunks: Sequence[bytes], most: int) -> list[int]:
        """Count the chunks that were queued since the last time. Returns the seats for which more than `most` bytes wait."""
        sizes, touched = self._sizes, set()
        for place in range(self._counted, len(chunks)):
            chunk = chunks[place]
            for ref in wire.seats_of(chunk):
                sizes[ref] = sizes.get(ref, 0) + len(chunk) + _CHUNK_BYTES
                touched.add(ref)
        self._counted = len(chunks)
        return [ref for ref in touched if sizes[ref] > most]

    def forget(self, refs: Collection[int], chunks: Sequence[bytes]) -> None:
        """Note that the events of some seats were taken out: `chunks` are what is left."""
        for ref in refs:
            self._sizes.pop(ref, None)
        self._counted = len(chunks)


def without(chunks: Sequence[bytes], refs: Collection[int], kept: Collection[bytes]) -> list[bytes]:
    """Return chunks without the events of some seats, but for those that are `kept`."""
    stay = set(map(id, kept))
    left = []
    for chunk in chunks:
        seats = wire.seats_of(chunk)
        if id(chunk) in stay or not any(ref in refs for ref in seats):
            left.append(chunk)
        elif not all(ref in refs for ref in seats):
            left.append(_for_others(chunk, refs))
    return left


def _for_others(chunk: bytes, refs: Collection[int]) -> bytes:
    """Return an event for those of its seats that are not named."""
    response = pb.PlayResponse.FromString(chunk)
    (event,) = response.events
    places = [place for place, ref in enumerate(event.seat_refs) if ref not in refs]
    event.seat_refs[:] = [event.seat_refs[place] for place in places]
    if event.numbers:
        event.numbers[:] = [event.numbers[place] for place in places]
    return response.SerializeToString()
