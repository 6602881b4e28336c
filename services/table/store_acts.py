"""What operators asked of table servers, with who and why: rows that stay as they are."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from services.table.store import metadata

acts = sa.Table(
    "acts",
    metadata,
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    # A table, or a server's name.
    sa.Column("about", sa.Text, nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("why", sa.Text, nullable=False),
)
_c = acts.c


class Act(NamedTuple):
    """What an operator asked for. `at`: seconds since 1970."""

    at: int
    action: str
    about: str
    who: str
    why: str


def add(connection: sa.Connection, act: Act) -> None:
    """Record it, unless the last about the same is the same: what is asked again because no answer came is recorded once."""
    last = connection.execute(
        sa.select(_c.action, _c.who, _c.why).where(_c.about == act.about).order_by(_c.id.desc()).limit(1)
    ).one_or_none()
    if last is None or tuple(last) != (act.action, act.who, act.why):
        connection.execute(sa.insert(acts).values(act._asdict()))


def newest(connection: sa.Connection, limit: int) -> list[Act]:
    """Return what operators asked for, the latest first."""
    found = connection.execute(sa.select(_c.at, _c.action, _c.about, _c.who, _c.why).order_by(_c.id.desc()).limit(limit))
    return [Act._make(row) for row in found]
