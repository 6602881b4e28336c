"""Each role's user at PostgreSQL, made as deploy/README.md says, does to its own rows what its code does, and nothing else."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from psycopg.errors import InsufficientPrivilege

from services.kit.config import ConfigError
from services.kit.database import Database, migrate
from services.kit.database_rights import ADD, CHANGE, READ, REMOVE, VERSION_TABLE, SchemaRights
from services.kit.roles import Role
from services.matchmaking import rights as matchmaking
from services.matchmaking import store_rooms
from services.matchmaking.server import MIGRATIONS
from services.settlement import rights as settlement
from services.settlement.worker import MIGRATIONS as LEDGER_MIGRATIONS
from services.table import rights as table_rights
from tests.cli.command import xuezhan
from tests.support.page import agrees, table
from tests.support.postgres import Postgres
from tests.support.users import ROLES, Users

SERVICES: list[SchemaRights] = [matchmaking.RIGHTS, table_rights.RIGHTS, settlement.RIGHTS]
Columns = dict[tuple[str, str], str]
"""Of each table (schema, name) its first column."""
TRIALS = {
    "SELECT": "SELECT count(*) FROM {}",
    "INSERT": "INSERT INTO {} DEFAULT VALUES",
    "UPDATE": "UPDATE {} SET {} = NULL WHERE false",
    "DELETE": "DELETE FROM {} WHERE false",
    "TRUNCATE": "TRUNCATE {}",
    "REFERENCES": "CREATE TEMP TABLE mine (other text REFERENCES {})",
    "ALTER": "ALTER TABLE {} ADD COLUMN mine int",
    "TRIGGER": "ALTER TABLE {} DISABLE TRIGGER ALL",
    "INDEX": "CREATE INDEX mine ON {} ((1))",
    "DROP": "DROP TABLE {}",
}


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres) -> Users:
    """The users of an installation whose database is migrated."""
    made = Users(tmp_path_factory.mktemp("users"), postgres, postgres.new_database("users"))
    made.write()
    made.make()
    migrated = xuezhan("migrate", "--database-url", made.url("owner"), "--user-prefix", made.prefix)
    assert migrated.status == 0, migrated.err
    return made


def allowed(connection: psycopg.Connection, statement: str) -> bool:
    """Whether the database lets a user do this; it is undone."""
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(statement.encode())
    except InsufficientPrivilege:
        return False
    except psycopg.Error:
        # Something else is wrong with it: its rights were looked at before.
        return True
    return True


@pytest.fixture(scope="module")
def columns(users: Users) -> Columns:
    """Every table that the migrations made."""
    query = (
        "SELECT table_schema, table_name, column_name FROM information_schema.columns"
        " WHERE ordinal_position = 1 AND table_schema = ANY(%s) ORDER BY 1, 2"
    )
    with psycopg.connect(users.url("owner")) as connection:
        return {(schema, name): column for schema, name, column in connection.execute(query, [[one.schema for one in SERVICES]])}


def rights_of(url: str, columns: Columns) -> dict[tuple[str, str], set[str]]:
    """What a user may do to each table, tried."""
    found = {}
    with psycopg.connect(url, autocommit=True) as connection:
        for (schema, name), column in columns.items():
            statements = {trial: text.format(f'"{schema}"."{name}"', f'"{column}"') for trial, text in TRIALS.items()}
            found[schema, name] = {trial for trial, text in statements.items() if allowed(connection, text)}
    return found


@pytest.mark.parametrize("role", ROLES)
def test_a_roles_user_may_do_to_every_table_what_the_role_needs_and_nothing_else(users: Users, columns: Columns, role: str) -> None:
    wanted: dict[tuple[str, str], set[str]] = {key: set() for key in columns}
    for rights in SERVICES:
        for name, may in rights.roles.get(Role(role), {}).items():
            wanted[rights.schema, name] = set(may)
            wanted[rights.schema, VERSION_TABLE] = {"SELECT"}
    assert rights_of(users.url(role), columns) == wanted


def test_the_exporters_user_sees_how_the_server_does_and_no_table(users: Users, columns: Columns) -> None:
    assert {key for key, may in rights_of(users.url("monitor"), columns).items() if may} == set()
    with psycopg.connect(users.url("monitor")) as connection:
        (may,) = connection.execute("SELECT pg_has_role('pg_read_all_stats', 'USAGE')").fetchone() or (False,)
        assert may


def test_nobody_but_the_owner_changes_or_removes_what_is_only_ever_added_to(users: Users, columns: Columns) -> None:
    ledger = [("settlement", name) for name in ("transfers", "entries", "requests", "rating_changes", "operator_actions")]
    added = {key: columns[key] for key in [*ledger, ("table", "journal")]}
    for role in ROLES:
        for key, may in rights_of(users.url(role), added).items():
            assert may <= {"SELECT", "INSERT"}, (role, key)


def test_every_table_says_what_each_role_of_its_service_may_do(columns: Columns) -> None:
    for rights in SERVICES:
        there = {name for schema, name in columns if schema == rights.schema} - {VERSION_TABLE}
        for role, may in rights.roles.items():
            assert set(may) == there, f"{role}: enter the table in services/{rights.schema}/rights.py"


def test_the_page_on_security_shows_these_rights(columns: Columns) -> None:
    words = {READ: "read", ADD: "read, add", CHANGE: "read, add, change", REMOVE: "read, add, change, remove"}
    by_schema = {rights.schema: rights.roles for rights in SERVICES}
    rows = []
    for schema, name in columns:
        if name != VERSION_TABLE:
            may = [by_schema[schema].get(Role(role), {}).get(name, frozenset()) for role in ROLES]
            rows.append([f"{schema}.{name}", *(words[one] if one else "" for one in may)])
    agrees("docs/security.md", "database rights", table(["table", *ROLES], rows))


@pytest.mark.parametrize("role", ROLES)
def test_a_roles_user_makes_nothing_becomes_nobody_and_reads_no_password(users: Users, role: str) -> None:
    with psycopg.connect(users.url(role), autocommit=True) as connection:
        for statement in (
            "CREATE SCHEMA mine",
            "CREATE TABLE public.mine (a int)",
            f'CREATE TABLE "{"settlement" if role == "worker" else role}".mine (a int)',
            "CREATE TEMP TABLE mine (a int)",
            "CREATE ROLE mine",
            f"ALTER ROLE \"{users.prefix}owner\" PASSWORD 'mine'",
            f'SET ROLE "{users.prefix}owner"',
            "SELECT rolpassword FROM pg_authid",
            "COPY (SELECT 1) TO PROGRAM 'true'",
            "SELECT pg_read_file('/etc/hostname')",
        ):
            assert not allowed(connection, statement), statement


def test_only_who_knows_the_password_in_a_roles_file_is_let_in(users: Users, postgres: Postgres) -> None:
    database = users.url("table").rpartition("/")[2]
    rules = postgres.folder / "data" / "pg_hba.conf"
    before = rules.read_text()
    try:
        rules.write_text(f"host {database} all 127.0.0.1/32 scram-sha-256\n{before}")
        _reload(postgres)
        psycopg.connect(users.url("table")).close()
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(users.url("table").replace(f"{users.prefix}table:", f"{users.prefix}worker:"))
    finally:
        rules.write_text(before)
        _reload(postgres)


def _reload(postgres: Postgres) -> None:
    with psycopg.connect(postgres.url("postgres").replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("SELECT pg_reload_conf()")


def test_passwords_are_kept_the_administrator_sees_none_and_only_the_owner_reads_them(users: Users) -> None:
    names = ("owner", "monitor", *ROLES)
    before = [users.url(name) for name in names]
    users.write()
    users.make()
    assert [users.url(name) for name in names] == before
    passwords = {url.split(":")[2].partition("@")[0] for url in before}
    assert len(passwords) == len(names)
    script = (users.secrets / "administrator" / "database.sql").read_text()
    assert not any(password in script for password in passwords)
    assert all(path.stat().st_mode & 0o077 == 0 for path in users.secrets.rglob("*") if path.suffix in {"", ".url", ".sql", ".json"})


def test_a_service_with_its_own_user_waits_for_the_owners_migration_and_says_which_command_makes_it(
    tmp_path: Path, postgres: Postgres
) -> None:
    fresh = Users(tmp_path, postgres, postgres.new_database("fresh"))
    fresh.write()
    fresh.make()
    database = Database(fresh.url("matchmaking"), "matchmaking")
    try:
        with pytest.raises(ConfigError, match=r"not up to date, and this user may not change it .*: run `xuezhan migrate`"):
            migrate(database, MIGRATIONS)
        assert xuezhan("migrate", "--database-url", fresh.url("owner"), "--user-prefix", fresh.prefix).status == 0
        migrate(database, MIGRATIONS)
    finally:
        database.close()


def test_what_an_older_installation_made_as_one_user_becomes_the_owners_and_stays_as_it_is(tmp_path: Path, postgres: Postgres) -> None:
    url = postgres.new_database("older")
    old = Database(url, "settlement")
    try:
        migrate(old, LEDGER_MIGRATIONS)
        old.run_sync(lambda connection: connection.execute(sa.text("INSERT INTO accounts VALUES ('wallet:alice', 'wallet', 'alice', 7)")))
        users = Users(tmp_path, postgres, url)
        users.write()
        users.make()
        ran = xuezhan("migrate", "--database-url", users.url("owner"), "--user-prefix", users.prefix)
        assert ran.status == 0, ran.err
        assert old.run_sync(_owners) == {f"{users.prefix}owner"}
    finally:
        old.close()
    served = Database(users.url("worker"), "settlement")
    try:
        migrate(served, LEDGER_MIGRATIONS)
        assert served.run_sync(lambda connection: connection.scalar(sa.text("SELECT balance FROM accounts WHERE player = 'alice'"))) == 7
    finally:
        served.close()


def _owners(connection: sa.Connection) -> set[str]:
    """Who owns the schema of the ledger, or something in it."""
    owned = (
        "SELECT nspowner AS owner FROM pg_namespace WHERE nspname = 'settlement'",
        "SELECT relowner FROM pg_class WHERE relnamespace = 'settlement'::regnamespace",
        "SELECT proowner FROM pg_proc WHERE pronamespace = 'settlement'::regnamespace",
    )
    return set(connection.execute(sa.text(f"SELECT pg_get_userbyid(owner) FROM ({' UNION '.join(owned)}) AS found")).scalars())


def test_what_belongs_to_somebody_else_is_named_and_nothing_is_changed(tmp_path: Path, postgres: Postgres) -> None:
    """The owner's user without the administrator's script having been run: it must not end with half the rights given."""
    url = postgres.new_database("foreign")
    users = Users(tmp_path, postgres, url)
    users.write()
    users.make()
    old = Database(url, "settlement")
    try:
        migrate(old, LEDGER_MIGRATIONS)
    finally:
        old.close()
    ran = xuezhan("migrate", "--database-url", users.url("owner"), "--user-prefix", users.prefix)
    assert ran.status == 2
    assert ran.err.splitlines()[-1].startswith("xuezhan: database_url: the settlement schema belongs to xuezhan, not to this user:")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--database", "nowhere"], "'nowhere' is not HOST[:PORT]/NAME"),
        (["--broker", "a b/c"], "'a b/c' is not HOST[:PORT]/NAME"),
        (["--user-prefix", "Robert'); DROP"], "a to z, 0 to 9 and _ are needed"),
    ],
)
def test_places_and_names_that_cannot_be_used_are_one_line(tmp_path: Path, options: list[str], says: str) -> None:
    ran = xuezhan("users", "--secrets", tmp_path / "s", "--database", "h/d", "--broker", "h/v", *options)
    assert ran.status == 2
    assert says in ran.err
    assert not (tmp_path / "s").exists()


def test_a_room_can_be_closed_and_opened_with_the_rights_of_matchmaking(users: Users) -> None:
    database = Database(users.url("matchmaking"), "matchmaking")
    try:
        for closed in (True, False):
            act = store_rooms.RoomAct("crazy_duel/beginner", closed, 0.0, "anna", "a trial")
            assert database.run_sync(store_rooms.put, act)
            assert not database.run_sync(store_rooms.put, act)
    finally:
        database.close()
