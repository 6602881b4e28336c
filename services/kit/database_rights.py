"""What each role's user may do in PostgreSQL: rows of its own schema, table by table.

Law: a role's user owns nothing. It reads and writes rows of its service's schema and of no other, and only as its code does; rows that are
only ever added to can be neither changed nor removed by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import sqlalchemy as sa

from services.kit.roles import Role

Right = str
"""SELECT, INSERT, UPDATE or DELETE."""
READ: Final = frozenset({"SELECT"})
ADD: Final = READ | {"INSERT"}
CHANGE: Final = ADD | {"UPDATE"}
REMOVE: Final = CHANGE | {"DELETE"}
VERSION_TABLE: Final = "alembic_version"
"""Every role reads which version its schema has."""


class SchemaRights(NamedTuple):
    """The rights in one service's schema: by role, then by table. A role that uses a table not at all does not name it."""

    schema: str
    roles: Mapping[Role, Mapping[str, frozenset[Right]]]


def user_of(role: Role, prefix: str) -> str:
    """Return the name of a role's database user."""
    return f"{prefix}{role}"


def existing_users(connection: sa.Connection, prefix: str, roles: set[Role]) -> set[Role]:
    """Return those roles whose users the database has."""
    names = {user_of(role, prefix): role for role in roles}
    found = connection.execute(sa.text("SELECT rolname FROM pg_roles WHERE rolname = ANY(:names)"), {"names": list(names)})
    return {names[name] for name in found.scalars()}


def foreign_owner(connection: sa.Connection, schema: str) -> str | None:
    """Return who owns a schema or a table of it where the connected user may not act for them; None: nobody else does."""
    owners = sa.text(
        "SELECT pg_get_userbyid(owner) FROM ("
        " SELECT nspowner AS owner FROM pg_namespace WHERE nspname = :schema"
        " UNION SELECT relowner FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = :schema"
        ") AS found WHERE NOT pg_has_role(owner, 'USAGE') LIMIT 1"
    )
    found: str | None = connection.scalar(owners, {"schema": schema})
    return found


def grant(connection: sa.Connection, rights: SchemaRights, prefix: str, roles: set[Role]) -> None:
    """Give these roles' users their rights in a schema, and take all others of theirs there. Run it as the schema's owner."""
    schema = _quoted(connection, rights.schema)
    for role in sorted(roles):
        user = _quoted(connection, user_of(role, prefix))
        tables = rights.roles.get(role)
        connection.execute(sa.text(f"REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {user}"))
        connection.execute(sa.text(f"REVOKE ALL ON ALL SEQUENCES IN SCHEMA {schema} FROM {user}"))
        connection.execute(sa.text(f"REVOKE ALL ON SCHEMA {schema} FROM {user}"))
        if tables is None:
            continue
        connection.execute(sa.text(f"GRANT USAGE ON SCHEMA {schema} TO {user}"))
        connection.execute(sa.text(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {user}"))
        for table, wanted in sorted({**tables, VERSION_TABLE: READ}.items()):
            table_name = _quoted(connection, table)
            connection.execute(sa.text(f"GRANT {', '.join(sorted(wanted))} ON {schema}.{table_name} TO {user}"))


def _quoted(connection: sa.Connection, name: str) -> str:
    return connection.dialect.identifier_preparer.quote_identifier(name)
