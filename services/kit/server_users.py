"""The users that an installation has at its PostgreSQL and its RabbitMQ: one a role, each with a password of its own.

Law: what an administrator is given to make them with holds no password, only what a server needs to check one.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from services.kit.roles import Role

OWNER: Final = "owner"
"""The user that owns all tables, for migrations and operators; no role."""
MONITOR: Final = "monitor"
"""The user of PostgreSQL's exporter: it sees how the server does and no table of ours; no role."""
DATABASE_USERS: Final = (OWNER, MONITOR, Role.MATCHMAKING, Role.TABLE, Role.SETTLEMENT, Role.WORKER)
_SCRAM_ROUNDS: Final = 4096
_SCRIPT: Final = """\
-- Made by `xuezhan users`. An administrator of PostgreSQL runs it in the installation's database, and may run it again:
--   psql --dbname xuezhan < database.sql
-- It makes the owner and one user a role, and gives the owner what an older installation made as another user.
\\set ON_ERROR_STOP on
BEGIN;
{users}
SELECT 'GRANT pg_monitor TO {monitor}' WHERE NOT pg_has_role('{monitor_name}', 'pg_monitor', 'MEMBER')
  AND ((SELECT rolsuper FROM pg_roles WHERE rolname = current_user) OR pg_has_role('pg_monitor', 'USAGE WITH ADMIN OPTION')) \\gexec
SELECT 'GRANT {owner} TO CURRENT_USER' WHERE NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) \\gexec
SELECT format('ALTER DATABASE %I OWNER TO {owner}', current_database()) \\gexec
SELECT format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database()) \\gexec
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
SELECT format('ALTER SCHEMA %I OWNER TO {owner}', nspname) FROM pg_namespace
  WHERE nspname IN ({schemas}) \\gexec
SELECT format('ALTER TABLE %I.%I OWNER TO {owner}', nspname, relname)
  FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
  WHERE nspname IN ({schemas}) AND relkind IN ('r', 'p', 'v', 'm') \\gexec
SELECT format('ALTER SEQUENCE %I.%I OWNER TO {owner}', nspname, relname)
  FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
  WHERE nspname IN ({schemas}) AND relkind = 'S'
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')) \\gexec
SELECT format('ALTER ROUTINE %s OWNER TO {owner}', p.oid::regprocedure)
  FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace
  WHERE nspname IN ({schemas}) \\gexec
COMMIT;
"""
_USER: Final = """\
SELECT 'CREATE ROLE {name}' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{bare}') \\gexec
ALTER ROLE {name} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD '{verifier}';"""


def new_password() -> str:
    """Make a password."""
    return secrets.token_urlsafe(24)


def url(scheme: str, user: str, password: str, where: str, query: str = "") -> str:
    """Return the URL with which a user reaches a server; `where` is HOST[:PORT]/NAME."""
    return f"{scheme}://{quote(user, safe='')}:{quote(password, safe='')}@{where}{query}"


def password_in(address: str) -> str:
    """Return the password in a URL; "" if it has none."""
    return unquote(urlsplit(address).password or "")


def database_script(passwords: Mapping[str, str], prefix: str, schemas: tuple[str, ...]) -> str:
    """Return the SQL with which an administrator makes the database's users, by name without prefix, and gives the owner everything."""
    users = "\n".join(
        _USER.format(name=_identifier(prefix + name), bare=prefix + name, verifier=scram_verifier(password))
        for name, password in passwords.items()
    )
    listed = ", ".join(f"'{schema}'" for schema in schemas)
    owner, monitor = prefix + OWNER, prefix + MONITOR
    return _SCRIPT.format(users=users, owner=_identifier(owner), monitor=_identifier(monitor), monitor_name=monitor, schemas=listed)


def _identifier(name: str) -> str:
    return f'"{name}"'


def scram_verifier(password: str, salt: bytes | None = None) -> str:
    """Return what PostgreSQL keeps of a password (RFC 5803). `password` is ASCII."""
    assert password.isascii()
    salt = secrets.token_bytes(16) if salt is None else salt
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _SCRAM_ROUNDS)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    first, second, third = (base64.b64encode(part).decode() for part in (salt, stored, server))
    return f"SCRAM-SHA-256${_SCRAM_ROUNDS}:{first}${second}:{third}"


def broker_hash(password: str) -> str:
    """Return what RabbitMQ keeps of a password (rabbit_password_hashing_sha256)."""
    salt = secrets.token_bytes(4)
    return base64.b64encode(salt + hashlib.sha256(salt + password.encode()).digest()).decode()
