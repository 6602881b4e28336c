"""The last check of the whole ledger: one row, so that a restart does not forget it and one replica makes it."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ledger_checks",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("making_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=False),
        sa.Column("found", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.execute("INSERT INTO ledger_checks (id, making_at, finished_at, found) VALUES (1, 0, 0, '')")
