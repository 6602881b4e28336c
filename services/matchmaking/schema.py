"""The tables of matchmaking. The migrations make them; a test holds both to be the same."""

from __future__ import annotations

import sqlalchemy as sa

from services.matchmaking.tickets import ACTIVE, LIVE

META = sa.MetaData()

TICKETS = sa.Table(
    "tickets",
    META,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("player", sa.String(64), nullable=False),
    sa.Column("room", sa.String(80), nullable=False),
    sa.Column("request_key", sa.String(128), comment="the caller's idempotency key"),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("reason", sa.String(32), nullable=False),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("ready_at", sa.Double, nullable=False, comment="not matched, or looked at as busy, before"),
    sa.Column("busy_since", sa.Double, comment="set: not matched until settlement says that the player is free"),
    sa.Column("returns", sa.Integer, nullable=False, comment="matches that came to nothing through no fault of a player"),
    sa.Column("match_id", sa.String(64)),
    sa.Column("seat", sa.Integer),
    sa.Column("ended_at", sa.Double),
    sa.UniqueConstraint("player", "request_key", name="tickets_key"),
)
_ACTIVE = TICKETS.c.state.in_([sa.literal_column(f"'{state}'") for state in ACTIVE])
_WAITING = TICKETS.c.state == sa.literal_column("'waiting'")
_ENDED = TICKETS.c.ended_at.is_not(None)
sa.Index("tickets_active", TICKETS.c.player, unique=True, sqlite_where=_ACTIVE, postgresql_where=_ACTIVE)
sa.Index("tickets_waiting", TICKETS.c.room, TICKETS.c.created_at, sqlite_where=_WAITING, postgresql_where=_WAITING)
sa.Index("tickets_match", TICKETS.c.match_id)
sa.Index("tickets_ended", TICKETS.c.ended_at, sqlite_where=_ENDED, postgresql_where=_ENDED)

MATCHES = sa.Table(
    "matches",
    META,
    sa.Column("id", sa.String(64), primary_key=True, comment="also the table's id"),
    sa.Column("room", sa.String(80), nullable=False),
    sa.Column("players", sa.Integer, nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("reason", sa.String(32), nullable=False),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("since", sa.Double, nullable=False),
    sa.Column("next_at", sa.Double, nullable=False, comment="when somebody should work on it; moved ahead by whoever does"),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("server", sa.String(255), nullable=False),
    sa.Column("ended_at", sa.Double),
    sa.Column("joins", sa.String(64), nullable=False, server_default="", comment="the table whose seat it takes"),
    sa.Column("claimed_by", sa.String(64), nullable=False, server_default="", comment="the replica that works on it until next_at"),
)
_LIVE = MATCHES.c.state.in_([sa.literal_column(f"'{state}'") for state in LIVE])
sa.Index("matches_due", MATCHES.c.next_at, sqlite_where=_LIVE, postgresql_where=_LIVE)

ROOM_ACTS = sa.Table(
    "room_acts",
    META,
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
    sa.Column("room", sa.String(80), nullable=False),
    sa.Column("closed", sa.Boolean, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("why", sa.Text, nullable=False),
)

LEASES = sa.Table(
    "room_leases",
    META,
    sa.Column("room", sa.String(80), primary_key=True),
    sa.Column("holder", sa.String(64), nullable=False),
    sa.Column("until", sa.Double, nullable=False),
)
