"""Servers, tables, journal, outbox."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "servers",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("generation", sa.BigInteger, nullable=False),
        sa.Column("capacity", sa.BigInteger, nullable=False),
        sa.Column("load", sa.BigInteger, nullable=False),
        sa.Column("lease_until", sa.Double, nullable=False),
    )
    op.create_table(
        "tables",
        sa.Column("num", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("room", sa.Text, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("generation", sa.BigInteger, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("opened_at", sa.Double, nullable=False),
        sa.Column("request", sa.Text, nullable=False),
    )
    op.create_index("tables_by_owner", "tables", ["owner", "state"])
    op.create_table(
        "journal",
        sa.Column("table_num", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("seat", sa.SmallInteger, nullable=False),
        sa.Column("action_id", sa.BigInteger, nullable=False),
        sa.Column("auto", sa.SmallInteger, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("digest", sa.Text),
    )
    op.create_table(
        "outbox",
        sa.Column("table_id", sa.Text, primary_key=True),
        sa.Column("seq", sa.BigInteger, primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_at", sa.Double, nullable=False),
        sa.Column("done", sa.Boolean, nullable=False),
        sqlite_with_rowid=False,
    )
    not_done = sa.text("NOT done")
    op.create_index("outbox_not_done", "outbox", ["table_id", "seq"], postgresql_where=not_done, sqlite_where=not_done)
