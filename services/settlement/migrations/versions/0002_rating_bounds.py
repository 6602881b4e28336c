"""What players gained beyond what others lost, by day: rating points out of nothing are bounded."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rating_created",
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("winner", sa.Text(), nullable=False),
        sa.Column("loser", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("points", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("points > 0", name="points_created"),
        sa.PrimaryKeyConstraint("table_id", "seq", "winner", "loser"),
    )
    op.create_index("rating_created_of_winner", "rating_created", ["winner", "game", "day"], unique=False)
    op.create_index("rating_created_by_day", "rating_created", ["day"], unique=False)
