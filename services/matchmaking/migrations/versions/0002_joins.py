"""Matches that take a free seat at the table of another."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("matches", sa.Column("joins", sa.String(64), nullable=False, server_default="", comment="the table whose seat it takes"))


def downgrade() -> None:
    op.drop_column("matches", "joins")
