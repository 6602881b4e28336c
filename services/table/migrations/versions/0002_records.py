"""Stored hand records, and when journal rows happened.

Rows of the first release stay as they are: they have no time, and their tables are marked as those whose records are still to be stored.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("journal", sa.Column("at", sa.BigInteger))
    op.add_column("tables", sa.Column("recorded", sa.Boolean, nullable=False, server_default=sa.false()))
    not_recorded = sa.text("NOT recorded")
    op.create_index("tables_not_recorded", "tables", ["num"], postgresql_where=not_recorded, sqlite_where=not_recorded)
    op.create_table(
        "records",
        sa.Column("table_id", sa.Text, primary_key=True),
        sa.Column("hand", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("record", sa.Text),
    )
    due = sa.text("record IS NULL")
    op.create_index("records_due", "records", ["table_id", "hand"], postgresql_where=due, sqlite_where=due)
