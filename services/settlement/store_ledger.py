"""Reading accounts into a book, locked, and writing the book's transfers.

Law: whoever changes balances locks table heads first, then escrows and pools, then wallets, each sorted by name; so nobody waits in a
circle.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final

import sqlalchemy as sa

from services.settlement import store
from services.settlement.ledger import Account, Book, Kind, Transfer, wallet

_c = store.accounts.c
_LOCK: Final = (
    "SELECT accounts.name, accounts.kind, accounts.player, accounts.balance FROM accounts JOIN {given} ON accounts.name = given.name"
    " WHERE accounts.balance IS NOT NULL ORDER BY accounts.name{lock}"
)
_COINS_OF: Final = sa.text(
    "SELECT kind, balance FROM accounts WHERE name = :wallet"
    " OR name IN (SELECT account FROM holds WHERE player = :player AND state IN ('held', 'bound', 'left'))"
)


def lock_accounts(connection: sa.Connection, names: Collection[str]) -> list[Account]:
    """Lock the accounts that exist among `names`, sorted, until the transaction ends. House and outside are never locked."""
    if not names:
        return []
    found: Any = store.select_text(connection, _LOCK, [_c.name], [{"name": name} for name in sorted(set(names))], lock=store.accounts)
    return [Account(name, Kind(kind), player, balance) for name, kind, player, balance in found]


def lock_wallets(connection: sa.Connection, players: Collection[str]) -> list[Account]:
    """Lock the wallets of players, making those that are missing, so that a first deposit is arbitrated too."""
    rows = [{"name": wallet(player), "kind": Kind.WALLET, "player": player, "balance": 0} for player in sorted(set(players))]
    store.insert(connection, store.accounts, rows, skip_existing=True)
    return lock_accounts(connection, [wallet(player) for player in players])


def write_book(connection: sa.Connection, book: Book, now: int) -> None:
    """Write what the book did: new accounts, transfers with their two entries each, balances."""
    store.insert(
        connection,
        store.accounts,
        [{"name": new.name, "kind": new.kind, "player": new.player, "balance": new.balance} for new in book.opened],
    )
    changed = [{"name": account.name, "balance": account.balance} for account in book.changed()]
    store.update(connection, store.accounts, ("name",), changed)
    numbered = list(zip(_transfer_ids(connection, len(book.transfers)), book.transfers, strict=True))
    store.insert(connection, store.transfers, [_transfer_row(number, transfer, now) for number, transfer in numbered])
    store.insert(connection, store.entries, [row for number, transfer in numbered for row in _entry_rows(number, transfer)])


def _transfer_ids(connection: sa.Connection, count: int) -> Iterable[int]:
    """Return fresh ids in ascending order. All accounts are locked by now, so within an account they ascend as they are committed."""
    if not count:
        return []
    if connection.dialect.name == "sqlite":
        last = connection.scalar(sa.select(sa.func.coalesce(sa.func.max(store.transfers.c.id), 0))) or 0
        return range(last + 1, last + 1 + count)
    given = connection.scalars(sa.text("SELECT nextval('transfer_ids') FROM generate_series(1, :count)"), {"count": count})
    return sorted(given)


def _transfer_row(number: int, transfer: Transfer, now: int) -> store.Row:
    why = transfer.why
    return {
        "id": number,
        "at": now,
        "payer": transfer.payer.name,
        "payee": transfer.payee.name,
        "coins": transfer.coins,
        "cause": why.cause,
        "table_id": why.table,
        "seq": why.seq,
        "hand": why.hand,
        "multiple": why.multiple,
        "owed": why.owed,
        "text": why.text,
    }


def _entry_rows(number: int, transfer: Transfer) -> list[store.Row]:
    """Return both entries. Between a player's own accounts only the wallet's is a line of their statement, and it changes nothing."""
    payer, payee = transfer.payer, transfer.payee
    own = payer.player is not None and payer.player == payee.player
    sides = ((0, payer, -transfer.coins, transfer.payer_after), (1, payee, transfer.coins, transfer.payee_after))
    return [
        {
            "id": 2 * number + side,
            "account": account.name,
            "coins": coins,
            "balance_after": after,
            "player": None if own and account.kind is not Kind.WALLET else account.player,
            "player_coins": 0 if own or account.player is None else coins,
        }
        for side, account, coins, after in sides
    ]


def coins_of(connection: sa.Connection, player: str) -> tuple[int, int]:
    """Return what a player's wallet and the escrows of their stakes hold; those of stakes that are over hold nothing."""
    found = connection.execute(_COINS_OF, {"player": player, "wallet": wallet(player)})
    sums = {Kind.WALLET: 0, Kind.ESCROW: 0}
    for row in found:
        sums[Kind(row.kind)] += row.balance
    return sums[Kind.WALLET], sums[Kind.ESCROW]


def read_key(connection: sa.Connection, key: str) -> sa.Row[Any, Any, Any] | None:
    """Return what was written under a key; None: it was never used."""
    c = store.requests.c
    return connection.execute(sa.select(c.hash, c.outcome, c.wallet).where(c.key == key)).one_or_none()


def claim_key(connection: sa.Connection, row: store.Row) -> sa.Row[Any, Any, Any] | None:
    """Write a request under its key; or, where the key was used before, return what was written then."""
    # The insert waits for anyone who writes the key at this moment; only a new statement sees what they wrote.
    return None if store.insert(connection, store.requests, [row], skip_existing=True) else read_key(connection, row["key"])
