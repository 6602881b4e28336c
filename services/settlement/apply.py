"""What one item does to its table, by kind. Pure: state and book in, outcome out, the same every time.

Law: an item that cannot be carried out is refused with a stable reason and moves nothing, except that a refused `open` gives the held
stakes back. What the law of the book forbids raises LedgerError, and then nothing of the transaction is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from games.hand import Policy
from services.kit.items import (
    MAX_COINS,
    CloseBody,
    ItemKind,
    ItemOutcome,
    JoinBody,
    LeftBody,
    OpenBody,
    Result,
    ShortRow,
    TopUpBody,
)
from services.settlement import payouts
from services.settlement.bounds import Around, leaves_room
from services.settlement.ledger import HOUSE_BOTS, Account, Book, Kind, Why, escrow, pool, wallet
from services.settlement.payouts import Paid
from services.settlement.state import Hold, HoldState, Item, Table, TableState


class Applied(NamedTuple):
    """What an item did: the outcome for the table's owner; of a rated hand each seat's player and points, and whether it was escaped;
    players whose stake went back to them, with what of it they had.
    """

    outcome: ItemOutcome
    ratings: tuple[tuple[str | None, int], ...] = ()
    escaped: bool = False
    went: tuple[tuple[str, int], ...] = ()


_PARTINGS: Final = frozenset({ItemKind.LEFT, ItemKind.CLOSE})
"""Items with which stakes go back."""
_Handler = Callable[[Table, Book, Item, Any, Around], Paid | str]


def apply(table: Table, book: Book, item: Item, around: Around) -> Applied:
    """Carry out the next item of a table, and move the table's head on to it."""
    assert item.seq == table.head + 1, (item.table, item.seq, table.head)
    staying = [hold for hold in table.seats.values() if hold.state is HoldState.BOUND] if item.body.kind in _PARTINGS else []
    if item.body.kind is not ItemKind.OPEN and table.state is not TableState.OPEN:
        done: Paid | str = "not_open"
    else:
        done = _HANDLERS[item.body.kind](table, book, item, item.body, around)
    table.head = item.seq
    went = [(hold.player, hold.returned) for hold in staying if hold.player is not None and hold.state is not HoldState.BOUND]
    return finished(table, book, item.seq, item.body.kind, done)._replace(went=tuple(went))


def finished(table: Table, book: Book, seq: int, kind: ItemKind, done: Paid | str) -> Applied:
    """Put what was done, or the reason for a refusal, into an outcome with the money of all seats."""
    money = payouts.money(table, book)
    if isinstance(done, str):
        return Applied(ItemOutcome(seq=seq, kind=kind, result=Result.REFUSED, reason=done, money=money))
    outcome = ItemOutcome(
        seq=seq, kind=kind, result=Result.APPLIED, moves=list(done.moves), change=list(done.change), money=money, short=list(done.short)
    )
    return Applied(outcome, done.ratings, done.escaped)


def void(table: Table, book: Book, why: Why) -> None:
    """Give all held stakes of a table back; nothing can be held for it any more."""
    for hold in table.seats.values():
        if hold.state is HoldState.HELD:
            payouts.give_back(hold, book, why)
            hold.state = HoldState.VOID
    table.state = TableState.VOID


def _open(table: Table, book: Book, item: Item, body: OpenBody, around: Around) -> Paid | str:
    if table.state not in {TableState.NEW, TableState.HELD}:
        return {TableState.VOID: "void", TableState.JOINED: "other_seats"}.get(table.state, "already_open")
    bots = [holder.seat for holder in body.seats if holder.seat not in table.seats]
    reason = _cannot_open(table, body)
    if not reason and bots and not leaves_room(table, book, around, len(bots) * _stake_of_bot(table)):
        reason = "too_rich"
    if reason:
        void(table, book, Why("release", table.id, item.seq, text=reason))
        return reason
    stake = _stake_of_bot(table)
    for seat in bots:
        _fund_bot(table, book, item, table.id, seat, stake)
    for hold in table.seats.values():
        hold.state = HoldState.BOUND
    table.state = TableState.OPEN
    return Paid()


def _cannot_open(table: Table, body: OpenBody) -> str:
    if table.terms is None:
        return "unknown_match"
    if body.room != table.terms.room_id:
        return "other_room"
    named = {holder.seat: holder.player for holder in body.seats}
    held = {seat: hold.player for seat, hold in table.seats.items()}
    bots_to_fund = {seat: None for seat, player in named.items() if player is None and seat not in held}
    if len(named) != len(body.seats) or named != held | bots_to_fund or (bots_to_fund and table.terms.rated):
        return "other_seats"
    return ""


def _stake_of_bot(table: Table) -> int:
    """Return what a bot brings: the room's lock, or as much as the richest player brought, so that it can pay what it loses."""
    assert table.terms is not None
    richest = max((hold.stake for hold in table.seats.values()), default=0)
    return max(table.terms.needed, richest) if table.terms.lock is None else table.terms.lock


def _fund_bot(table: Table, book: Book, item: Item, match: str, seat: int, stake: int) -> None:
    """Seat a bot."""
    account = escrow(match, seat)
    book.open(Account(account, Kind.ESCROW))
    table.seats[seat] = Hold(match, seat, table.id, None, account, HoldState.BOUND, stake, since=item.seq)
    book.move(HOUSE_BOTS, account, stake, Why("stake", table.id, item.seq))


def _join(table: Table, book: Book, item: Item, body: JoinBody, around: Around) -> Paid | str:
    assert table.terms is not None
    before = table.seats.get(body.seat)
    if before is not None and (before.state is not HoldState.LEFT or before.pooled):
        return "seat_taken"
    match = around.matches[body.hold]
    if body.player is None:
        if match.terms is not None or match.state is not TableState.NEW or table.terms.rated:
            return "other_seats"
        stake = _stake_of_bot(table)
        if not leaves_room(table, book, around, stake):
            return "too_rich"
        match.terms = table.terms
        _retire(table, before)
        _fund_bot(table, book, item, body.hold, body.seat, stake)
    else:
        hold = match.seats.get(body.seat)
        if match.state is not TableState.HELD or hold is None or hold.state is not HoldState.HELD:
            return "void" if match.state is TableState.VOID else "unknown_match"
        if match.terms is None or match.terms.room_id != table.terms.room_id:
            return "other_room"
        if hold.player != body.player or len(match.seats) != 1:
            return "other_seats"
        if not leaves_room(table, book, around, book.balance(hold.account), match=match):
            return "too_rich"
        _retire(table, before)
        hold.state, hold.table, hold.since = HoldState.BOUND, table.id, item.seq
        table.seats[body.seat] = hold
        match.seats = {}
    match.state = TableState.JOINED
    return Paid()


def _retire(table: Table, before: Hold | None) -> None:
    if before is not None:
        table.gone.append(before)
        del table.seats[before.seat]


def _top_up(table: Table, book: Book, item: Item, body: TopUpBody, around: Around) -> Paid | str:
    assert table.terms is not None
    hold = table.seats.get(body.seat)
    if hold is None or hold.state is not HoldState.BOUND:
        return "not_seated"
    has = book.balance(hold.account)
    if hold.player is None:
        source, coins = HOUSE_BOTS, max(0, (table.terms.needed if table.terms.lock is None else table.terms.lock) - has)
    else:
        if hold.player in around.frozen:
            return "frozen"
        source = wallet(hold.player)
        owns = book.balance(source)
        coins = owns if table.terms.lock is None else max(0, table.terms.lock - has)
        if owns < coins or owns + has < table.terms.needed:
            return "short"
    if not leaves_room(table, book, around, coins, hold.player):
        return "too_rich"
    book.move(source, hold.account, coins, Why("top_up", table.id, item.seq))
    hold.stake += coins
    return Paid()


def _left(table: Table, book: Book, item: Item, body: LeftBody, _around: Around) -> Paid | str:
    assert table.terms is not None
    hold = table.seats.get(body.seat)
    if hold is None or hold.state is not HoldState.BOUND:
        return "not_seated"
    if body.points and table.terms.policy is not Policy.POOLED:
        return "policy"
    if body.points and body.rate != table.terms.base:
        return "rate"
    owed = max(0, -body.points) * body.rate
    if owed > MAX_COINS:
        return "too_large"
    kept = min(owed, book.balance(hold.account))
    if owed:
        payouts.ensure_pool(table, book)
        why = Why("left", table.id, item.seq, body.hand, -body.points, owed if kept < owed else 0)
        book.move(hold.account, pool(table.id), kept, why)
        hold.pooled = kept
    payouts.give_back(hold, book, Why("returned", table.id, item.seq))
    hold.state = HoldState.LEFT
    return Paid(short=(ShortRow(seat=body.seat, owed=owed, paid=kept),) if kept < owed else ())


def _close(table: Table, book: Book, item: Item, body: CloseBody, _around: Around) -> Paid | str:
    why = Why("returned", table.id, item.seq, text=body.reason)
    payouts.empty_pool(table, book, Why("refund", table.id, item.seq, text=body.reason))
    for hold in table.seats.values():
        payouts.give_back(hold, book, why)
    for hold in [*table.seats.values(), *table.gone]:
        if hold.state in {HoldState.BOUND, HoldState.LEFT}:
            hold.state = HoldState.CLOSED
    table.state = TableState.CLOSED
    return Paid()


_HANDLERS: Final[dict[ItemKind, _Handler]] = {
    ItemKind.OPEN: _open,
    ItemKind.JOIN: _join,
    ItemKind.TOP_UP: _top_up,
    ItemKind.STAGE: payouts.stage,
    ItemKind.HAND_END: payouts.hand_end,
    ItemKind.LEFT: _left,
    ItemKind.CLOSE: _close,
}
