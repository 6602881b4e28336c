"""Reading the whole ledger for operators and auditors: totals, transfers and their sums.

Law: whoever asks is answered or refused within seconds, however large the ledger; nobody waits for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from services.kit.errors import InvalidArgumentError
from services.settlement import store
from services.settlement.ledger import Kind
from services.settlement.state import TableState

MOST_SECONDS: Final = 10
"""A question that takes PostgreSQL longer is given up."""
MOST_FLOWS: Final = 1000
_AROUND_SECONDS: Final = 3600
"""A table's transfers are looked for from so long before it was first heard of until so long after it closed: clocks of replicas differ a
little."""
_GIVEN_UP: Final = "57014"
"""PostgreSQL's code for a statement that was cancelled, also by its time limit."""

_t, _e = store.transfers.c, store.entries.c
_payer, _payee = store.accounts.alias("payer_account"), store.accounts.alias("payee_account")


class By(StrEnum):
    """What flows are summed by."""

    CAUSE = "cause"
    ROOM = "room"
    PAIR = "pair"


class Which(NamedTuple):
    """Which transfers: from `since` until before `until` (seconds since 1970), of one player, or between two; empty: of all.

    In a pooled hand coins go through the table's pool: between two are also those of a hand to which one paid and from which the other
    was paid.
    """

    since: int
    until: int
    player: str = ""
    other: str = ""


class KindTotal(NamedTuple):
    """The accounts of a kind, and their coins, signed."""

    kind: str
    accounts: int
    coins: int


class Transfer(NamedTuple):
    """Coins that moved. `payer` and `payee`: a player, or bot, pool, house or outside."""

    id: int
    at: int
    payer: str
    payee: str
    payer_kind: str
    payee_kind: str
    coins: int
    cause: str
    table: str
    item: int
    hand: int
    multiple: int
    owed: int
    text: str


class Flow(NamedTuple):
    """A sum of transfers. What they are not summed by is empty."""

    cause: str
    room: str
    payer: str
    payee: str
    transfers: int
    coins: int


def totals(connection: sa.Connection) -> list[KindTotal]:
    """Return the coins of all accounts of each kind."""
    with _bounded(connection):
        a = store.accounts.c
        kept = connection.execute(
            sa.select(a.kind, sa.func.count(), sa.func.sum(a.balance)).where(a.balance.is_not(None)).group_by(a.kind).order_by(a.kind)
        )
        found = [KindTotal(kind, count, int(coins)) for kind, count, coins in kept]
        # Of house and outside no balance is kept.
        others = {row.name: row.kind for row in connection.execute(sa.select(a.name, a.kind).where(a.balance.is_(None)))}
        # One pass over the entries: joined to the accounts, SQLite makes an index of all of them first.
        summed = sa.select(_e.account, sa.func.sum(_e.coins)).where(_e.account.in_(sorted(others))).group_by(_e.account)
        coins_of = {name: int(coins) for name, coins in connection.execute(summed)}
        for kind in sorted(set(others.values())):
            names = [name for name in others if others[name] == kind]
            found.append(KindTotal(kind, len(names), sum(coins_of.get(name, 0) for name in names)))
        return found


def transfers(connection: sa.Connection, which: Which, table: str, after: int, limit: int) -> list[Transfer]:
    """Return up to `limit` transfers with higher ids than `after`, oldest first; of one table, or of all (empty)."""
    with _bounded(connection):
        wanted = (
            _joined(
                *(_t.id, _t.at, _party(_payer), _party(_payee), _payer.c.kind, _payee.c.kind, _t.coins, _t.cause, _t.table_id),
                *(_t.seq, _t.hand, _t.multiple, _t.owed, _t.text),
            )
            .where(_t.id > after, *_conditions(which))
            .order_by(_t.id)
            .limit(limit)
        )
        if table:
            wanted = wanted.where(_t.table_id.in_(_matches_of(connection, table)))
        return [Transfer._make(row) for row in connection.execute(wanted)]


def lived(connection: sa.Connection, table: str) -> tuple[int, int]:
    """Return between which times the transfers of a table can be, in seconds since 1970; 0: not known, or not over."""
    of_matches = store.tables.c.id.in_(_matches_of(connection, table))
    begun = connection.scalar(sa.select(sa.func.min(store.tables.c.created_at)).where(of_matches))
    closed = sa.select(store.tables.c.id).where(store.tables.c.id == table, store.tables.c.state == TableState.CLOSED)
    ended = connection.scalar(sa.select(sa.func.max(store.items.c.settled_at)).where(store.items.c.table_id.in_(closed)))
    return 0 if begun is None else max(1, int(begun) - _AROUND_SECONDS), 0 if ended is None else int(ended) + _AROUND_SECONDS


def is_known(connection: sa.Connection, player: str) -> bool:
    """Whether coins were ever a player's."""
    return connection.scalar(sa.select(_e.id).where(_e.player == player).limit(1)) is not None


def flows(connection: sa.Connection, by: By, which: Which) -> tuple[list[Flow], bool]:
    """Return sums of transfers, the largest first, and whether there are more."""
    none = sa.literal("")
    room = sa.func.coalesce(store.tables.c.room_id, "") if by is By.ROOM else none
    payer, payee = (_party(_payer), _party(_payee)) if by is By.PAIR else (none, none)
    coins = sa.func.sum(_t.coins)
    wanted = _joined(_t.cause, room.label("room"), payer.label("paying"), payee.label("paid"), sa.func.count(), coins)
    wanted = wanted.where(*_conditions(which)).group_by(_t.cause)
    if by is By.ROOM:
        wanted = wanted.join(store.tables, store.tables.c.id == _t.table_id, isouter=True).group_by(sa.text("room"))
    if by is By.PAIR:
        own = sa.and_(_payer.c.player.is_not(None), _payer.c.player == _payee.c.player)
        wanted = wanted.where(sa.not_(sa.func.coalesce(own, sa.false()))).group_by(sa.text("paying"), sa.text("paid"))
    with _bounded(connection):
        rows = connection.execute(wanted.order_by(coins.desc(), _t.cause).limit(MOST_FLOWS + 1)).all()
    found = [Flow(cause, of, paying, paid, count, int(moved)) for cause, of, paying, paid, count, moved in rows]
    return found[:MOST_FLOWS], len(found) > MOST_FLOWS


def _joined(*columns: Any) -> sa.Select[Any]:
    return sa.select(*columns).select_from(store.transfers).join(_payer, _payer.c.name == _t.payer).join(_payee, _payee.c.name == _t.payee)


def _conditions(which: Which) -> Iterator[sa.ColumnElement[bool]]:
    yield _t.at >= which.since
    yield _t.at < which.until
    players = [player for player in (which.player, which.other) if player]
    if players:
        yield _t.id.in_(_of(*players))
    if which.other:
        yield sa.or_(
            sa.and_(_payer.c.player == which.player, _payee.c.player == which.other),
            sa.and_(_payer.c.player == which.other, _payee.c.player == which.player),
            sa.and_(
                sa.or_(_payer.c.kind == Kind.POOL, _payee.c.kind == Kind.POOL),
                sa.tuple_(_t.table_id, _t.hand).in_(_pooled_between(which)),
            ),
        )


def _of(*players: str) -> sa.Select[Any]:
    """Return the ids of the transfers of players. Of one between a player's own accounts one entry is theirs, of any other theirs alone."""
    return sa.select(_e.id // 2).where(_e.player.in_(players))


def _pooled_between(which: Which) -> sa.CompoundSelect[Any]:
    """Return the hands, with their tables, in whose pool one of two players put coins, and from which the other took some."""

    def hands(player: str, side: Any) -> Any:
        t = store.transfers.alias()
        account = store.accounts.alias()
        put_or_took = sa.select(t.c.table_id, t.c.hand).join(account, account.c.name == side(t.c))
        return put_or_took.where(
            t.c.id.in_(_of(player)), t.c.at >= which.since, t.c.at < which.until, t.c.hand > 0, account.c.kind == Kind.POOL
        )

    def put(player: str) -> Any:
        return hands(player, lambda columns: columns.payee)

    def took(player: str) -> Any:
        return hands(player, lambda columns: columns.payer)

    ways = [sa.intersect(put(payer), took(payee)).subquery() for payer, payee in ((which.player, which.other), (which.other, which.player))]
    return sa.union(*(sa.select(way) for way in ways))


def _party(account: Any) -> sa.ColumnElement[str]:
    """Return whose account it is: a player's, a bot's, or its kind."""
    kind = sa.case((account.c.kind == Kind.ESCROW, "bot"), else_=account.c.kind)
    return sa.func.coalesce(account.c.player, kind)


def _matches_of(connection: sa.Connection, table: str) -> list[str]:
    """Return the matches whose stakes a table has, its own among them."""
    found = connection.scalars(sa.select(store.holds.c.match_id).where(store.holds.c.table_id == table))
    return sorted({table, *found})


@contextmanager
def _bounded(connection: sa.Connection) -> Iterator[None]:
    """Give a question only so much time. Raises InvalidArgumentError where it takes longer."""
    if connection.dialect.name != "sqlite":
        connection.execute(sa.text(f"SET LOCAL statement_timeout = {MOST_SECONDS * 1000}"))
    try:
        yield
    except sa.exc.OperationalError as error:
        if getattr(error.orig, "sqlstate", "") != _GIVEN_UP:
            raise
        message = f"this takes the database more than {MOST_SECONDS} s: ask for less time, or for a player or table"
        raise InvalidArgumentError("too_much", message) from None
