"""A hand that is over, as its record needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from games.hand import Hand, Ruleset
    from games.transcript import Transcript
    from services.table.events import Committed
    from services.table.signer import Signed


class HandEnd(NamedTuple):
    """All that the record of a hand follows from. Nothing of it changes any more."""

    table: str
    number: int
    rules: Ruleset
    version: str
    """Of the rules that the hand was dealt with."""
    base: int
    players: tuple[str | None, ...]
    money: tuple[int, ...]
    """Each seat's as the hand was dealt."""
    seed: bytes
    """Empty: it cannot be derived any more."""
    contributions: tuple[bytes | None, ...]
    committed: Committed
    dealt: Signed | None
    withheld: tuple[int, ...]
    hand: Hand | None
    """None: it was not dealt, or cannot be dealt again."""
    transcript: Transcript
    dealt_at: int
    """Milliseconds since 1970."""
    called_off: str = ""
    by: str = ""
