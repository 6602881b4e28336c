"""The book: accounts that a transaction has locked, and the transfers it makes between them.

Law: coins are whole and only ever move; every transfer takes from one account exactly what it gives to another. No wallet, escrow or
pool is ever below zero or above 2^53 - 1. Pure: the book is filled from the database before and written to it after.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from services.kit.items import MAX_COINS

OUTSIDE: Final = "outside"
"""The other side of deposits and withdrawals. Its balance is not kept: it is the sum of its entries."""
HOUSE_BOTS: Final = "house:bots"
"""Funds bot seats and takes back what they leave. Its balance is not kept, so that no two tables wait for one another."""


class Kind(StrEnum):
    """What an account is for. House and outside have no kept balance and may be below zero."""

    WALLET = "wallet"
    ESCROW = "escrow"
    POOL = "pool"
    HOUSE = "house"
    OUTSIDE = "outside"


def wallet(player: str) -> str:
    """Name of a player's wallet."""
    return f"wallet:{player}"


def escrow(match: str, seat: int) -> str:
    """Name of the escrow of the stake held for a seat of a match."""
    return f"escrow:{match}:{seat}"


def pool(table: str) -> str:
    """Name of a table's pool."""
    return f"pool:{table}"


class LedgerError(Exception):
    """A transfer that the law forbids. Nothing of the transaction may be kept."""


@dataclass(slots=True)
class Account:
    """One account. `player` owns a wallet or escrow (None: a bot, the house); `balance` None is not kept."""

    name: str
    kind: Kind
    player: str | None = None
    balance: int | None = 0


class Why(NamedTuple):
    """What a transfer is for. `owed` is what was due where less was paid, else 0; table and hand are empty and 0 outside of play."""

    cause: str
    table: str = ""
    seq: int = 0
    hand: int = 0
    multiple: int = 0
    owed: int = 0
    text: str = ""


class Transfer(NamedTuple):
    """Coins from one account to another, with both balances after (None where not kept)."""

    payer: Account
    payee: Account
    coins: int
    payer_after: int | None
    payee_after: int | None
    why: Why


class Book:
    """The accounts one transaction works on, and what it did so far."""

    def __init__(self, accounts: Iterable[Account] = ()) -> None:
        self._accounts = {name: Account(name, kind, balance=None) for name, kind in ((OUTSIDE, Kind.OUTSIDE), (HOUSE_BOTS, Kind.HOUSE))}
        self._before: dict[str, int | None] = {}
        self.transfers: list[Transfer] = []
        self.opened: list[Account] = []
        for account in accounts:
            self.add(account)

    def add(self, account: Account) -> None:
        """Add an account that was read and locked."""
        self._accounts[account.name] = account
        self._before[account.name] = account.balance

    def open(self, account: Account) -> None:
        """Open an account that does not exist yet."""
        assert account.name not in self._accounts, account.name
        self._accounts[account.name] = account
        self.opened.append(account)

    def has(self, name: str) -> bool:
        """Whether the account is in this book."""
        return name in self._accounts

    def balance(self, name: str) -> int:
        """Return the coins on a wallet, escrow or pool."""
        kept = self._accounts[name].balance
        assert kept is not None, name
        return kept

    def move(self, payer: str, payee: str, coins: int, why: Why) -> None:
        """Move coins; 0 leaves a line all the same, so that a claim nobody could pay is in the ledger too.

        LedgerError when the payer has less, or the payee would have more than is exact.
        """
        assert coins >= 0
        assert payer != payee
        left, right = self._accounts[payer], self._accounts[payee]
        if left.balance is not None:
            if left.balance < coins:
                raise LedgerError(f"{payer} has {left.balance}, {coins} asked")
            left.balance -= coins
        if right.balance is not None:
            if right.balance + coins > MAX_COINS:
                raise LedgerError(f"{payee} would have more than {MAX_COINS}")
            right.balance += coins
        self.transfers.append(Transfer(left, right, coins, left.balance, right.balance, why))

    def changed(self) -> list[Account]:
        """Return the accounts, not newly opened, whose balance is another than before."""
        return [
            account for account in self._accounts.values() if account.name in self._before and account.balance != self._before[account.name]
        ]
