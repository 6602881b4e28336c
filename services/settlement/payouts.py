"""Coins of a stage or of a pooled hand, moved in the book as `games.payout` decides. Pure.

Under the pooled policy what is paid goes through the table's pool. A player who left with a negative sum paid into it when they left.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from games import payout
from games.fields import FieldError
from games.hand import Policy
from services.kit.items import MAX_COINS, HandEndBody, MoveRow, ShortRow, StageBody
from services.settlement.ledger import HOUSE_BOTS, Account, Book, Kind, Why, pool, wallet
from services.settlement.state import Hold, HoldState, Item, Table

ESCAPE: Final = "escape"
"""The cause by which a hand tells that a player escaped."""


class Paid(NamedTuple):
    """What an applied item did."""

    moves: tuple[MoveRow, ...] = ()
    change: tuple[int, ...] = ()
    short: tuple[ShortRow, ...] = ()
    ratings: tuple[tuple[str | None, int], ...] = ()
    escaped: bool = False


def home(hold: Hold) -> str:
    """Return the account that a stake came from and goes back to."""
    return HOUSE_BOTS if hold.player is None else wallet(hold.player)


def give_back(hold: Hold, book: Book, why: Why) -> None:
    """Move all that is in a seat's escrow back to where it came from."""
    coins = book.balance(hold.account)
    if coins:
        book.move(hold.account, home(hold), coins, why)
        hold.returned += coins


def money(table: Table, book: Book) -> list[int]:
    """Return each seat's escrow by seat number, 0 where nobody sits."""
    if not table.seats:
        return []
    return [book.balance(table.seats[seat].account) if seat in table.seats else 0 for seat in range(max(table.seats) + 1)]


def ensure_pool(table: Table, book: Book) -> None:
    """Open the table's pool if it is not there yet."""
    if not book.has(pool(table.id)):
        book.open(Account(pool(table.id), Kind.POOL))


def empty_pool(table: Table, book: Book, why: Why) -> None:
    """Give back what seats paid into the pool for a hand that never ended."""
    for hold in [*table.seats.values(), *table.gone]:
        if hold.pooled:
            book.move(pool(table.id), hold.account, hold.pooled, why)
            hold.pooled = 0
            give_back(hold, book, why._replace(cause="returned"))


def stage(table: Table, book: Book, item: Item, body: StageBody, _others: Any) -> Paid | str:
    """Pay one stage. Refused when the room pays otherwise, at another base, or for a claim on oneself or on a seat that is not there."""
    assert table.terms is not None
    if table.terms.policy is not Policy.STAGE:
        return "policy"
    if body.base != table.terms.base:
        return "rate"
    if any(claim.payer not in table.seats or claim.payee not in table.seats for claim in body.claims):
        return "unknown_seat"
    owed_by = {claim.payer: 0 for claim in body.claims}
    for claim in body.claims:
        owed_by[claim.payer] += claim.multiple * body.base
    if max(owed_by.values()) > MAX_COINS:
        return "too_large"
    try:
        paid = payout.stage(body.base, money(table, book), [(claim.payer, claim.payee, claim.multiple) for claim in body.claims])
    except FieldError:
        return "claims"
    for claim, move in zip(body.claims, paid.moves, strict=True):
        owed = claim.multiple * body.base
        book.move(
            table.seats[move.payer].account,
            table.seats[move.payee].account,
            move.coins,
            Why(body.cause, table.id, item.seq, body.hand, claim.multiple, owed if move.coins < owed else 0),
        )
    _send_after_those_who_left(table, book, item)
    return Paid(
        moves=tuple(MoveRow(payer=move.payer, payee=move.payee, coins=move.coins) for move in paid.moves), short=_short_rows(paid.short)
    )


def hand_end(table: Table, book: Book, item: Item, body: HandEndBody, _others: Any) -> Paid | str:
    """Pay a pooled hand and change ratings. Refused when the room does not pay or rate so, or a figure does not fit the seats."""
    assert table.terms is not None
    seats = sorted(table.seats)
    if body.points and table.terms.policy is not Policy.POOLED:
        return "policy"
    if body.points and body.rate != table.terms.base:
        return "rate"
    if (body.points and len(body.points) != len(seats)) or seats != list(range(len(seats))):
        return "points"
    if any(abs(points) * body.rate > MAX_COINS for points in body.points):
        return "too_large"
    if body.rating and (not table.terms.rated or len(body.rating) != len(seats) or sum(body.rating)):
        return "rating"
    paid = _pay_pool(table, book, item, body) if body.points else Paid()
    if isinstance(paid, str):
        return paid
    rated = tuple((hold.player, body.rating[seat]) for seat, hold in sorted(table.seats.items()) if body.rating)
    return paid._replace(ratings=rated, escaped=any(line.cause == ESCAPE for line in body.causes))


def _pay_pool(table: Table, book: Book, item: Item, body: HandEndBody) -> Paid | str:
    holds = [table.seats[seat] for seat in range(len(table.seats))]
    before = [hold.pooled if hold.state is HoldState.LEFT else book.balance(hold.account) for hold in holds]
    try:
        result = payout.pooled(body.rate, before, body.points)
    except FieldError:
        return "points"
    ensure_pool(table, book)
    short = {row.seat: row for row in result.short}
    whys = [
        Why("hand", table.id, item.seq, body.hand, abs(points), short[seat].owed if seat in short else 0, _causes(body, seat))
        for seat, points in enumerate(body.points)
    ]
    for hold, change, why in zip(holds, result.change, whys, strict=True):
        if hold.state is HoldState.LEFT:
            _take_from_pooled(table, book, hold, -change if change < 0 else 0, why)
        elif change < 0 or why.owed:
            book.move(hold.account, pool(table.id), -change, why)
    for hold, change, why in zip(holds, result.change, whys, strict=True):
        if change > 0:
            book.move(pool(table.id), hold.account, change, why)
    _send_after_those_who_left(table, book, item)
    return Paid(change=result.change, short=_short_rows(result.short))


def _take_from_pooled(table: Table, book: Book, hold: Hold, paid: int, why: Why) -> None:
    """Settle what a seat that left has in the pool. Their sum was frozen, so all of it is owed; a rest would be the player's."""
    if hold.pooled > paid:
        book.move(pool(table.id), hold.account, hold.pooled - paid, why._replace(cause="refund", owed=0))
    hold.pooled = 0


def _send_after_those_who_left(table: Table, book: Book, item: Item) -> None:
    for hold in table.seats.values():
        if hold.state is HoldState.LEFT:
            give_back(hold, book, Why("returned", table.id, item.seq))


def _short_rows(short: tuple[payout.Short, ...]) -> tuple[ShortRow, ...]:
    return tuple(ShortRow(seat=row.seat, owed=row.owed, paid=row.paid) for row in short)


def _causes(body: HandEndBody, seat: int) -> str:
    """Return what a hand's causes gave the seat, as in `win +12, kong -6`."""
    sums: dict[str, int] = {}
    for line in body.causes:
        for claim in line.claims:
            if seat in {claim.payer, claim.payee}:
                sums[line.cause] = sums.get(line.cause, 0) + (claim.multiple if claim.payee == seat else -claim.multiple)
    return ", ".join(f"{cause} {points:+d}" for cause, points in sums.items())
