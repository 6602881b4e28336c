"""Tickets, matches and the leases of rooms."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

ACTIVE = sa.text("state IN ('waiting', 'seating', 'seated')")
WAITING = sa.text("state = 'waiting'")
ENDED = sa.text("ended_at IS NOT NULL")
LIVE = sa.text("state IN ('holding', 'opening', 'releasing', 'seated')")


def upgrade() -> None:
    _tickets()
    _matches()
    op.create_table(
        "room_leases",
        sa.Column("room", sa.String(80), primary_key=True),
        sa.Column("holder", sa.String(64), nullable=False),
        sa.Column("until", sa.Double, nullable=False),
    )


def _tickets() -> None:
    op.create_table(
        "tickets",
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
    op.create_index("tickets_active", "tickets", ["player"], unique=True, sqlite_where=ACTIVE, postgresql_where=ACTIVE)
    op.create_index("tickets_waiting", "tickets", ["room", "created_at"], sqlite_where=WAITING, postgresql_where=WAITING)
    op.create_index("tickets_match", "tickets", ["match_id"])
    op.create_index("tickets_ended", "tickets", ["ended_at"], sqlite_where=ENDED, postgresql_where=ENDED)


def _matches() -> None:
    op.create_table(
        "matches",
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
    )
    op.create_index("matches_due", "matches", ["next_at"], sqlite_where=LIVE, postgresql_where=LIVE)


def downgrade() -> None:
    for table in ("room_leases", "matches", "tickets"):
        op.drop_table(table)
