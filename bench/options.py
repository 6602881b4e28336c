"""How thoroughly to measure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """`repeat`: rounds of everything that is compared. `quick`: only to see that it runs; the figures say little.

    `full`: at the sizes that the targets speak of, where filling a ledger takes minutes.
    """

    repeat: int
    quick: bool
    full: bool = False

    def seconds(self, full: float) -> float:
        """Return how long one measurement takes that is to take `full` seconds."""
        return full / 20 if self.quick else full
