"""Which replica works on a match."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    comment = "the replica that works on it until next_at"
    op.add_column("matches", sa.Column("claimed_by", sa.String(64), nullable=False, server_default="", comment=comment))


def downgrade() -> None:
    op.drop_column("matches", "claimed_by")
