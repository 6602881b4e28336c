"""What operators look for and do: transfers by time, acts about players, players who are frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Transfers are only ever added to, in the order of their times: PostgreSQL need not keep a row of an index for each.
    op.create_index("transfers_at", "transfers", ["at"], unique=False, postgresql_using="brin")
    op.add_column("operator_actions", sa.Column("player", sa.Text(), nullable=False, server_default=""))
    op.create_table(
        "frozen_players",
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("player"),
    )
