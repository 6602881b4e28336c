"""Deposits, withdrawals and balances of wallets.

Law: a key moves coins at most once, and keeps the answer of that time. A refusal is not kept: the same key may move coins later.
"""

from __future__ import annotations

import hashlib
import json
from enum import StrEnum
from typing import Final, NamedTuple

import sqlalchemy as sa

from services.kit.errors import ConflictError
from services.kit.items import MAX_COINS
from services.settlement import bounds, store_frozen, store_ledger, store_ratings, store_tables
from services.settlement.ledger import OUTSIDE, Book, Why, wallet

_DONE: Final = "done"


class Way(StrEnum):
    """Into a wallet or out of it."""

    DEPOSIT = "deposit"
    WITHDRAW = "withdraw"


class Request(NamedTuple):
    """What a caller asks: `coins` > 0, once under `key`."""

    way: Way
    player: str
    coins: int
    key: str
    reason: str

    def hash(self) -> str:
        """Return what two requests with one key must have in common."""
        return hashlib.sha256(json.dumps([self.way, self.player, self.coins, self.reason]).encode()).hexdigest()


class Moved(NamedTuple):
    """The answer: wallet afterwards (as it was then, for a repetition); `refused` is "", "short", "frozen" or "too_much"."""

    wallet: int
    repeated: bool
    refused: str = ""


class Balance(NamedTuple):
    """A player's coins; `match` occupies the player, or is empty. `ratings`: game and points."""

    wallet: int
    at_stake: int
    match: str
    ratings: tuple[tuple[str, int], ...] = ()
    frozen: bool = False


def move(connection: sa.Connection, request: Request, now: int) -> Moved:
    """Deposit or withdraw. ConflictError when the key was used for another request."""
    [account] = store_ledger.lock_wallets(connection, [request.player])
    book = Book([account])
    refused = _refusal(connection, book, request)
    after = book.balance(account.name)
    if not refused:
        after += request.coins if request.way is Way.DEPOSIT else -request.coins
    row = {"key": request.key, "hash": request.hash(), "outcome": _DONE, "wallet": after, "at": now}
    first = store_ledger.read_key(connection, request.key) if refused else store_ledger.claim_key(connection, row)
    if first is not None:
        if first.hash != row["hash"]:
            raise ConflictError("key_used", "key: it was used before for another request")
        # Refusals were kept once.
        return Moved(first.wallet, repeated=True, refused="" if first.outcome == _DONE else first.outcome)
    if refused:
        return Moved(after, repeated=False, refused=refused)
    ways = {Way.DEPOSIT: (OUTSIDE, account.name), Way.WITHDRAW: (account.name, OUTSIDE)}
    book.move(*ways[request.way], request.coins, Why(request.way, text=request.reason))
    store_ledger.write_book(connection, book, now)
    return Moved(after, repeated=False)


def balance(connection: sa.Connection, player: str) -> Balance:
    """Return a player's coins and ratings; all zero for one never heard of."""
    owns, at_stake = store_ledger.coins_of(connection, player)
    occupied_by = store_tables.occupied(connection, [player]).get(player, "")
    frozen = bool(store_frozen.frozen(connection, [player]))
    return Balance(owns, at_stake, occupied_by, tuple(store_ratings.of(connection, player)), frozen)


def _refusal(connection: sa.Connection, book: Book, request: Request) -> str:
    has = book.balance(wallet(request.player))
    if request.way is Way.WITHDRAW:
        if store_frozen.frozen(connection, [request.player]):
            return "frozen"
        return "short" if has < request.coins else ""
    # Whatever is at the player's tables may come to the wallet and must fit in it as well.
    at_tables = sum(bounds.reach(connection, [request.player])[request.player].values())
    return "too_much" if has + at_tables + request.coins > MAX_COINS else ""
