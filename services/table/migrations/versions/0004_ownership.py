"""What ownership needs: the state, seats and rules of a server; the rules of a table, and how often taking it over was tried.

Live tables get the rules that they were opened under from their first row.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_RULES = "UPDATE tables SET rules = coalesce((SELECT {} FROM journal j WHERE j.table_num = tables.num AND j.seq = 1), '') WHERE {}"
_LIVE = "state IN ('open', 'settling')"


def upgrade() -> None:
    op.add_column("servers", sa.Column("seats", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("servers", sa.Column("rules", sa.Text, nullable=False, server_default="[]"))
    op.add_column("servers", sa.Column("state", sa.Text, nullable=False, server_default="serving"))
    op.add_column("tables", sa.Column("rules", sa.Text, nullable=False, server_default=""))
    op.add_column("tables", sa.Column("tries", sa.SmallInteger, nullable=False, server_default="0"))
    sqlite = op.get_bind().dialect.name == "sqlite"
    op.execute(_RULES.format("j.body->>'rules'" if sqlite else "j.body::jsonb->>'rules'", _LIVE))
    op.drop_index("tables_by_owner", "tables")
    live = sa.text(_LIVE)
    op.create_index("tables_live", "tables", ["owner", "generation"], postgresql_where=live, sqlite_where=live)
