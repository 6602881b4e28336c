"""The keys that ever signed records and statements here."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table("record_keys", sa.Column("key_id", sa.Text, primary_key=True))
