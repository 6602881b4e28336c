"""How much a player can come to own.

Law: for every player, the wallet and all coins at the tables where they have a stake, or where they are still to be paid, fit one account.
Whatever brings coins to a wallet or a table asks here first, with the wallets of all concerned locked. So whoever wins what, no payout
ever takes an account past 2^53 - 1, and no table is stuck because of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

import sqlalchemy as sa

from services.kit.items import MAX_COINS
from services.settlement.ledger import Book, pool, wallet
from services.settlement.state import Table

Reach = Mapping[str, Mapping[str, int]]
"""By player and table: all coins at a table where the player has a stake or is still to be paid."""

_TABLES: Final = """
    SELECT DISTINCT holds.player, holds.table_id FROM holds JOIN tables ON tables.id = holds.table_id
    WHERE holds.player IN :players AND holds.state IN ('held', 'bound', 'left') AND tables.state IN ('held', 'open')
"""
_REACH: Final = sa.text(
    f"WITH mine AS ({_TABLES})"  # noqa: S608 - text of this module
    " SELECT mine.player, mine.table_id, accounts.balance FROM mine"
    " JOIN holds AS stakes ON stakes.table_id = mine.table_id JOIN accounts ON accounts.name = stakes.account"
    " UNION ALL SELECT mine.player, mine.table_id, accounts.balance FROM mine JOIN accounts ON accounts.name = 'pool:' || mine.table_id"
).bindparams(sa.bindparam("players", expanding=True))


def reach(connection: sa.Connection, players: Collection[str]) -> dict[str, dict[str, int]]:
    """Return what is at the tables of these players, whose wallets are locked: nobody brings coins there meanwhile."""
    found: dict[str, dict[str, int]] = {player: {} for player in players}
    if players:
        for player, table, coins in connection.execute(_REACH, {"players": sorted(players)}):
            found[player][table] = found[player].get(table, 0) + coins
    return found


@dataclass(slots=True, frozen=True)
class Around:
    """What an item may touch or has to look at besides its own table.

    `matches`: those that `join` items name, by id. `tables`: all of this transaction. `reach`: of the players of these, as it was before.
    `frozen`: those of them whom an operator froze.
    """

    matches: Mapping[str, Table] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    reach: Reach = field(default_factory=dict)
    frozen: Collection[str] = frozenset()


def leaves_room(table: Table, book: Book, around: Around, coins: int, payer: str | None = None, match: Table | None = None) -> bool:
    """Whether coins may be brought to a table. `payer`: from this player's wallet; `match`: they are the stake of the one who joins."""
    total = _at(table, book) + coins
    joining = match.seats.values() if match is not None else ()
    for player in {hold.player for hold in [*table.seats.values(), *table.gone, *joining]} - {None}:
        assert player is not None
        besides = sum(
            _at(around.tables[name], book) if name in around.tables else elsewhere
            for name, elsewhere in around.reach.get(player, {}).items()
            if name != table.id and (match is None or name != match.id)
        )
        paid = coins if player == payer else 0
        if book.balance(wallet(player)) - paid + besides + total > MAX_COINS:
            return False
    return True


def too_rich(owns: Mapping[str, int], stakes: Mapping[str, int], reaches: Reach, bots: Mapping[str, int]) -> set[str]:
    """Return players without whom the others of a match may be seated: the richest first, and no more of them than need be.

    `owns`: wallets; `stakes`: what each would bring; `bots`: what bots would bring beside each player if none richer were there.
    """
    staying, refused = dict(owns), set[str]()
    while staying:
        total = sum(stakes[player] for player in staying) + max(bots[player] for player in staying)
        beyond = [player for player, coins in staying.items() if coins - stakes[player] + sum(reaches[player].values()) + total > MAX_COINS]
        if not beyond:
            break
        richest = max(beyond, key=lambda player: (owns[player], player))
        refused.add(richest)
        del staying[richest]
    return refused


def _at(table: Table, book: Book) -> int:
    """Return all coins at a table of this transaction."""
    stakes = sum(book.balance(hold.account) for hold in [*table.seats.values(), *table.gone])
    return stakes + (book.balance(pool(table.id)) if book.has(pool(table.id)) else 0)
