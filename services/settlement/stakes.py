"""Holding the stakes of a match, and giving them back: the first half of seating players.

Law: a hold goes held -> bound or void, once. All players of a match are held or none; a player occupies at most one match. A match that was
released can never be held afterwards, however late the message.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import sqlalchemy as sa

from services.kit.errors import ConflictError
from services.settlement import bounds, store_frozen, store_ledger, store_tables
from services.settlement.apply import void
from services.settlement.ledger import HOUSE_BOTS, Account, Book, Kind, Why, escrow, wallet
from services.settlement.state import Hold, HoldState, Table, TableState, Terms


class Answer(StrEnum):
    """What became of one seat."""

    HELD = "held"
    SHORT = "short"
    BUSY = "busy"
    TOO_RICH = "too_rich"
    """The wallet, with what the others bring, could come to more than an account may hold."""
    NOT_HELD = "not_held"
    FROZEN = "frozen"
    """An operator froze the player."""


class Seat(NamedTuple):
    """A seat to hold a stake for; `player` None is a bot."""

    number: int
    player: str | None


class Held(NamedTuple):
    """All or nothing: every seat's answer and stake, in the order asked."""

    held: bool
    released: bool
    seats: tuple[tuple[Seat, Answer, int], ...]


def hold(connection: sa.Connection, match: str, terms: Terms, seats: Sequence[Seat], now: int) -> Held:
    """Move every player's stake into escrow, or nobody's. The same call again has the same answer and moves nothing.

    ConflictError when the match was held before in another room or with other seats.
    """
    table = store_tables.lock_tables(connection, [match], now)[match]
    if table.state is TableState.VOID:
        return Held(held=False, released=True, seats=tuple((seat, Answer.NOT_HELD, 0) for seat in seats))
    if table.state is not TableState.NEW:
        return _again(connection, table, terms, seats)
    players = [seat.player for seat in seats if seat.player is not None]
    book = Book(store_ledger.lock_wallets(connection, players))
    frozen = store_frozen.frozen(connection, players)
    busy = store_tables.occupied(connection, players)
    stakes = {player: _stake(book.balance(wallet(player)), terms) for player in players}
    short = {player for player, stake in stakes.items() if stake is None}
    brought = {player: stake for player, stake in stakes.items() if stake is not None}
    rich = _too_rich(connection, book, terms, seats, brought) if not busy and not short else set[str]()
    faults = {Answer.FROZEN: frozen, Answer.BUSY: busy, Answer.SHORT: short, Answer.TOO_RICH: rich}
    if any(faults.values()):
        return Held(held=False, released=False, seats=tuple((seat, _why_not(seat, faults), 0) for seat in seats))
    _move_in(table, book, terms, seats, brought)
    store_ledger.write_book(connection, book, now)
    store_tables.write_tables(connection, [table])
    return _all_held(table.seats.values(), seats)


def release(connection: sa.Connection, match: str, reason: str, now: int) -> bool:
    """Give the stakes of a match back, and keep a late hold from landing.

    Answers whether a table had bound them already; then they stay.
    """
    table = store_tables.lock_tables(connection, [match], now)[match]
    if table.state is TableState.VOID:
        return False
    if table.state not in {TableState.NEW, TableState.HELD}:
        return True
    book = Book(store_ledger.lock_accounts(connection, [held.account for held in table.seats.values()]))
    for account in store_ledger.lock_wallets(connection, [held.player for held in table.seats.values() if held.player is not None]):
        book.add(account)
    void(table, book, Why("release", match, text=reason))
    store_ledger.write_book(connection, book, now)
    store_tables.write_tables(connection, [table])
    return False


def _stake(owns: int, terms: Terms) -> int | None:
    """Return what is moved from a wallet, None when it holds too little."""
    if owns < terms.needed:
        return None
    return owns if terms.lock is None else terms.lock


def _too_rich(connection: sa.Connection, book: Book, terms: Terms, seats: Sequence[Seat], stakes: dict[str, int]) -> set[str]:
    """Return the players who own too much for this match."""
    owns = {player: book.balance(wallet(player)) for player in stakes}
    bots = sum(seat.player is None for seat in seats)
    beside = {player: bots * _stake_of_bot(terms, [stake]) for player, stake in stakes.items()}
    return bounds.too_rich(owns, stakes, bounds.reach(connection, stakes), beside)


def _stake_of_bot(terms: Terms, stakes: Iterable[int]) -> int:
    """Return what a bot brings beside players with these stakes."""
    return max([*stakes, terms.needed]) if terms.lock is None else terms.lock


def _why_not(seat: Seat, faults: Mapping[Answer, Container[str]]) -> Answer:
    return next((answer for answer, players in faults.items() if seat.player is not None and seat.player in players), Answer.NOT_HELD)


def _move_in(table: Table, book: Book, terms: Terms, seats: Sequence[Seat], stakes: dict[str, int]) -> None:
    for seat in seats:
        source = HOUSE_BOTS if seat.player is None else wallet(seat.player)
        stake = stakes[seat.player] if seat.player is not None else _stake_of_bot(terms, stakes.values())
        account = escrow(table.id, seat.number)
        book.open(Account(account, Kind.ESCROW, seat.player))
        book.move(source, account, stake, Why("stake", table.id))
        table.seats[seat.number] = Hold(table.id, seat.number, table.id, seat.player, account, HoldState.HELD, stake)
    table.terms, table.state = terms, TableState.HELD


def _again(connection: sa.Connection, table: Table, terms: Terms, seats: Sequence[Seat]) -> Held:
    first = [held for held in store_tables.holds_of_match(connection, table.id) if held.since == 0 or held.table != table.id]
    asked = {seat.number: seat.player for seat in seats}
    if table.terms is None or table.terms.room_id != terms.room_id or {held.seat: held.player for held in first} != asked:
        raise ConflictError("match_differs", "match_id: stakes were held for this match before, in another room or for other seats")
    return _all_held(first, seats)


def _all_held(holds: Iterable[Hold], seats: Sequence[Seat]) -> Held:
    stakes = {held.seat: held.stake for held in holds}
    return Held(held=True, released=False, seats=tuple((seat, Answer.HELD, stakes[seat.number]) for seat in seats))
