"""A player's statement: what happened to their coins, like a bank's, and what the rules page calls still to pay and to receive.

The entry amount 进房收取的金币数 is part of the stake. Over a visit a loser pays exactly what they lost: the entry when seated and
`total - entry` after; a winner gets `total + entry`, the entry they gave included.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import sqlalchemy as sa

from services.kit.errors import InvalidArgumentError
from services.settlement import store_statement
from services.settlement.ledger import HOUSE_BOTS, OUTSIDE
from services.settlement.store_statement import Line, Visit

PAGE: Final = 100
MAX_PAGE: Final = 1000
_WORDS: Final = {
    "stake": "{} coins to the table",
    "top_up": "{} coins to the table",
    "returned": "{} coins back to the wallet",
    "release": "{} coins back to the wallet",
}


class Page(NamedTuple):
    """One page, newest first; `next_token` continues it, empty at the end."""

    lines: list[Line]
    visits: list[Visit]
    next_token: str


def read(connection: sa.Connection, player: str, page_size: int, token: str, table: str) -> Page:
    """Return one page of a statement, with the visits its lines belong to. Raises InvalidArgumentError for a size or token of no use."""
    if page_size > MAX_PAGE:
        raise InvalidArgumentError("page_size", f"page_size: at most {MAX_PAGE}")
    if token and not (token.isascii() and token.isdigit() and len(token) <= 18 and int(token)):
        raise InvalidArgumentError("page_token", "page_token: not one that a page gave")
    size = page_size or PAGE
    lines = store_statement.lines(connection, player, int(token or 0), table, size + 1)
    more = len(lines) > size
    del lines[size:]
    visits = store_statement.visits(connection, player, {line.table for line in lines if line.table})
    return Page(lines, visits, str(lines[-1].entry) if more else "")


def counterpart(line: Line, player: str) -> str:
    """Return who stands on the other side: a player, or bot, house, pool, outside; empty between the player's own accounts."""
    if line.other_player is not None:
        return "" if line.other_player == player else line.other_player
    if line.other in {OUTSIDE, HOUSE_BOTS}:
        return line.other.partition(":")[0]
    return "pool" if line.other.startswith("pool:") else "bot"


def words(line: Line) -> str:
    """Return the line's text: what was given with it, or where the coins went."""
    return _WORDS[line.cause].format(abs(line.moved)) if line.cause in _WORDS else line.text


def still_pays(visit: Visit) -> int:
    """Return what a loser has to pay beyond the entry taken when seated; negative: part of the entry comes back. 0 for a winner."""
    return -visit.net - visit.entry if visit.net < 0 else 0


def receives(visit: Visit) -> int:
    """Return what a winner, or one who lost nothing, receives: their total and the entry they gave. 0 for a loser."""
    return visit.net + visit.entry if visit.net >= 0 else 0
