"""The ids that players may have.

Law: no player gets a name under which lists, statements and records know something else: a bot, the house, an account of the ledger.
Players who had such a name before names were reserved keep their coins and play on at their table; anything new is refused.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, Field

RESERVED: Final = frozenset({"bot", "bots", "escrow", "house", "outside", "pool", "simulate", "wallet"})
"""What an id may neither be nor begin with before a colon, in whatever case: names of accounts, of bots in lists, of simulated tables."""


def is_reserved(player: str) -> bool:
    """Whether an id is kept for something that is no player."""
    return player.partition(":")[0].lower() in RESERVED


def _free(player: str) -> str:
    if is_reserved(player):
        raise ValueError(f"{player} is a reserved name")
    return player


KnownPlayerId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:@-]{1,64}$")]
"""The id of a player who is stored, seated or paid out: a reserved one too, from before."""
PlayerId = Annotated[KnownPlayerId, AfterValidator(_free)]
"""The id of a player who comes now: with a token, a ticket or a deposit."""
