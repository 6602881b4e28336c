"""Seats of a table as a set, kept as bits: what a course stores of them, and compares at every action."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final


class SeatSet(int):
    """An immutable set of seat numbers. As a number it has a bit for each, which is how rows hold it."""

    __slots__ = ()

    @classmethod
    def of(cls, seats: Iterable[int]) -> SeatSet:
        """Return the set of these seats."""
        return cls(sum({1 << seat for seat in seats}))

    def __contains__(self, seat: int) -> bool:
        return self >> seat & 1 == 1

    def __iter__(self) -> Iterator[int]:
        return (seat for seat in range(self.bit_length()) if seat in self)

    def __len__(self) -> int:
        return self.bit_count()

    def __or__(self, other: int) -> SeatSet:
        return SeatSet(int(self) | other)

    def __and__(self, other: int) -> SeatSet:
        return SeatSet(int(self) & other)

    def __sub__(self, other: int) -> SeatSet:
        return SeatSet(int(self) & ~other)

    def __repr__(self) -> str:
        return f"SeatSet.of({list(self)})"

    def put(self, seat: int, *, there: bool = True) -> SeatSet:
        """Return the set with a seat in it, or not."""
        return self | 1 << seat if there else self - (1 << seat)


NOBODY: Final = SeatSet()
