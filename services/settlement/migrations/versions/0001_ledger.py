"""The ledger from its first day: accounts, transfers, entries; tables and holds; items; triggers that keep it append-only."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

APPEND_ONLY = ("transfers", "entries", "requests", "rating_changes", "operator_actions")


def upgrade() -> None:
    _ledger()
    _tables()
    _items()
    _others()
    for table in APPEND_ONLY:
        _append_only(table)
    _settled_items_stay()
    op.execute("INSERT INTO accounts (name, kind) VALUES ('outside', 'outside'), ('house:bots', 'house')")


def _ledger() -> None:
    if _is_postgres():
        op.execute("CREATE SEQUENCE transfer_ids AS bigint")
    op.create_table(
        "accounts",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("player", sa.Text(), nullable=True),
        sa.Column("balance", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("(balance IS NULL) = (kind IN ('house', 'outside'))", name="balance_kept"),
        sa.CheckConstraint("balance >= 0 AND balance <= 9007199254740991", name="balance_exact"),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_index(
        "accounts_with_coins",
        "accounts",
        ["player"],
        unique=False,
        sqlite_where=sa.text("player IS NOT NULL AND balance > 0"),
        postgresql_where=sa.text("player IS NOT NULL AND balance > 0"),
    )
    op.create_table(
        "transfers",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("payer", sa.Text(), nullable=False),
        sa.Column("payee", sa.Text(), nullable=False),
        sa.Column("coins", sa.BigInteger(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("hand", sa.Integer(), nullable=False),
        sa.Column("multiple", sa.BigInteger(), nullable=False),
        sa.Column("owed", sa.BigInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.CheckConstraint("coins >= 0", name="coins_not_negative"),
        sa.CheckConstraint("payer <> payee", name="two_accounts"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "entries",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("coins", sa.BigInteger(), nullable=False),
        sa.Column("balance_after", sa.BigInteger(), nullable=True),
        sa.Column("player", sa.Text(), nullable=True),
        sa.Column("player_coins", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        "entries_of_player",
        "entries",
        ["player", "id"],
        unique=False,
        sqlite_where=sa.text("player IS NOT NULL"),
        postgresql_where=sa.text("player IS NOT NULL"),
    )
    op.create_table(
        "requests",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("wallet", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )


def _tables() -> None:
    op.create_table(
        "tables",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("head", sa.Integer(), nullable=False),
        sa.Column("stuck", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("room_id", sa.Text(), nullable=True),
        sa.Column("game", sa.Text(), nullable=True),
        sa.Column("policy", sa.Text(), nullable=True),
        sa.Column("base", sa.BigInteger(), nullable=True),
        sa.Column("entry", sa.BigInteger(), nullable=True),
        sa.Column("needed", sa.BigInteger(), nullable=True),
        sa.Column("lock", sa.BigInteger(), nullable=True),
        sa.Column("rated", sa.Boolean(), nullable=True),
        sa.CheckConstraint("state IN ('new', 'held', 'open', 'closed', 'void', 'joined')", name="state_known"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        "tables_stuck", "tables", ["id"], unique=False, sqlite_where=sa.text("stuck != ''"), postgresql_where=sa.text("stuck != ''")
    )
    op.create_table(
        "holds",
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("player", sa.Text(), nullable=True),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("stake", sa.BigInteger(), nullable=False),
        sa.Column("returned", sa.BigInteger(), nullable=False),
        sa.Column("pooled", sa.BigInteger(), nullable=False),
        sa.Column("since", sa.Integer(), nullable=False),
        sa.CheckConstraint("state IN ('held', 'bound', 'left', 'closed', 'void')", name="state_known"),
        sa.PrimaryKeyConstraint("match_id", "seat"),
    )
    op.create_index("holds_of_table", "holds", ["table_id"], unique=False)
    op.create_index(
        "one_occupancy",
        "holds",
        ["player"],
        unique=True,
        sqlite_where=sa.text("player IS NOT NULL AND state IN ('held', 'bound')"),
        postgresql_where=sa.text("player IS NOT NULL AND state IN ('held', 'bound')"),
    )


def _items() -> None:
    op.create_table(
        "items",
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("stored_at", sa.BigInteger(), nullable=False),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("state IN ('stored', 'applied', 'refused', 'void')", name="state_known"),
        sa.PrimaryKeyConstraint("table_id", "seq"),
    )
    op.create_index(
        "items_unsettled",
        "items",
        ["stored_at"],
        unique=False,
        sqlite_where=sa.text("state = 'stored'"),
        postgresql_where=sa.text("state = 'stored'"),
    )
    op.create_table(
        "attempts",
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "seq"),
    )
    op.create_table(
        "dead_letters",
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.Column("resolution", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "seq", "reason"),
    )


def _others() -> None:
    op.create_table(
        "operator_actions",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "ratings",
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("points", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("player", "game"),
    )
    op.create_table(
        "rating_changes",
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("change", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "seq", "player"),
    )


def _is_postgres() -> bool:
    return op.get_bind().dialect.name == "postgresql"


def _append_only(table: str) -> None:
    if _is_postgres():
        op.execute(
            f"CREATE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{table} is append-only'; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_append_only()"
        )
        return
    for action in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )


def _settled_items_stay() -> None:
    if _is_postgres():
        op.execute(
            "CREATE FUNCTION items_settled_once() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'a settled item never changes'; END $$"
        )
        op.execute(
            "CREATE TRIGGER items_settled_once BEFORE UPDATE OR DELETE ON items "
            "FOR EACH ROW WHEN (OLD.state <> 'stored') EXECUTE FUNCTION items_settled_once()"
        )
        return
    for action in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER items_settled_no_{action.lower()} BEFORE {action} ON items WHEN OLD.state <> 'stored' "
            "BEGIN SELECT RAISE(ABORT, 'a settled item never changes'); END"
        )
