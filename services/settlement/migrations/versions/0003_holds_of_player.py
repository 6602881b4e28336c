"""The stakes of a player that are not over, by player; a stake whose player left is over when its table is."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("UPDATE holds SET state = 'closed' WHERE state = 'left' AND table_id IN (SELECT id FROM tables WHERE state = 'closed')")
    current = sa.text("player IS NOT NULL AND state IN ('held', 'bound', 'left')")
    op.create_index("holds_of_player", "holds", ["player"], unique=False, sqlite_where=current, postgresql_where=current)
