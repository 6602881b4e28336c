"""All SQL of attempts to take tables up: they are counted before a table is read, and taken back if it was not even replayed.

A table that was tried `MOST_TRIES` times without going live is set aside: no server tries it any more, unless an operator asks for that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

import sqlalchemy as sa

from services.table.store import LIVE, TableRow, tables
from services.table.store_ownership import MOST_TRIES, Owner, mine, read_rows

MOST_LISTED: Final = 1000
"""Set-aside tables that are listed, or tried again, by one call."""


def try_again(connection: sa.Connection, owner: Owner, epochs: Mapping[str, int]) -> list[TableRow]:
    """Count another attempt to take up tables (epochs by id) that this server owns.

    Returns them, without those that are another's, or under another epoch, or were tried too often.
    """
    query = (
        sa.select(tables.c.num, tables.c.id, tables.c.epoch)
        .where(mine(owner), tables.c.id.in_(list(epochs)), tables.c.tries < MOST_TRIES)
        .order_by(tables.c.num)
        .with_for_update(key_share=True)
    )
    nums = [num for num, table_id, epoch in connection.execute(query) if epochs[table_id] == epoch]
    if not nums:
        return []
    connection.execute(tables.update().where(tables.c.num.in_(nums)).values(tries=tables.c.tries + 1))
    return read_rows(connection, nums)


def not_tried(connection: sa.Connection, nums: Collection[int]) -> None:
    """Take attempts back that were counted, but came to nothing before a table was replayed, whoever owns the tables now."""
    connection.execute(tables.update().where(tables.c.num.in_(list(nums)), tables.c.tries > 0).values(tries=tables.c.tries - 1))


def went_live(connection: sa.Connection, owner: Owner, nums: Collection[int]) -> None:
    """Note that tables are played: they were no poison."""
    connection.execute(tables.update().where(mine(owner), tables.c.num.in_(list(nums)), tables.c.tries > 0).values(tries=0))


def may_be_played(connection: sa.Connection, name: str, generation: int | None) -> bool:
    """Whether a server (of one generation, or of any) has a live table that is not set aside."""
    query = sa.select(1).where(tables.c.owner == name, tables.c.state.in_(LIVE), tables.c.tries < MOST_TRIES).limit(1)
    if generation is not None:
        query = query.where(tables.c.generation == generation)
    return connection.execute(query).one_or_none() is not None


class SetAside(NamedTuple):
    """A table that no server takes up any more. `owner`: the server that has it, or had it last."""

    id: str
    room: str
    owner: str
    rules: str


_ASIDE: Final = sa.and_(tables.c.state.in_(LIVE), tables.c.tries >= MOST_TRIES)


def set_aside(connection: sa.Connection) -> list[SetAside]:
    """Return tables that are set aside, the oldest first."""
    query = sa.select(tables.c.id, tables.c.room, tables.c.owner, tables.c.rules).where(_ASIDE).order_by(tables.c.num).limit(MOST_LISTED)
    return [SetAside(*row) for row in connection.execute(query)]


def retry(connection: sa.Connection, ids: Collection[str]) -> list[str]:
    """Let set-aside tables be taken up once more, each alone. Returns which."""
    statement = tables.update().where(_ASIDE, tables.c.id.in_(list(ids))).values(tries=MOST_TRIES - 1).returning(tables.c.id)
    return sorted(connection.execute(statement).scalars())
