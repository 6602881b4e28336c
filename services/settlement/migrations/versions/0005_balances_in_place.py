"""A balance, or a table's head, changes within its page: no index hangs on it, and pages have room for the next version of a row."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_FILLED = 70
"""Per cent of a page that new rows fill."""


def upgrade() -> None:
    op.drop_index("accounts_with_coins", "accounts")
    if op.get_context().dialect.name == "postgresql":
        for table in ("accounts", "tables", "ratings"):
            op.execute(f"ALTER TABLE {table} SET (fillfactor = {_FILLED})")
