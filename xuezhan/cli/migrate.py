"""`migrate`: make or bring up to date the databases of all services, as their owner, and give each role's user its rights."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from xuezhan.cli.errors import CommandError
from xuezhan.cli.options import URL, URL_FILE, url_from

if TYPE_CHECKING:
    from services.kit.database_rights import SchemaRights
    from services.kit.roles import Role

PREFIX: Final = "xuezhan_"


@click.command(epilog="\b\nExample:\n  xuezhan migrate --database-url-file /etc/xuezhan/owner/database.url")
@click.option("--database-url", type=URL, envvar="XUEZHAN_DATABASE_URL", help="postgresql://... with the owner's user.")
@click.option("--database-url-file", type=URL_FILE, envvar="XUEZHAN_DATABASE_URL_FILE", help="A file with that URL; - is standard input.")
@click.option("--user-prefix", default=PREFIX, show_default=True, help="What the names of the roles' users begin with.")
def migrate(database_url: str | None, database_url_file: Path | None, user_prefix: str) -> None:
    """Make or update the tables of all services, and let each role's user at the rows of its own.

    Run it before a new version's parts are started. Users that do not exist are left out; `xuezhan users` says how to make them.
    """
    from pydantic import ValidationError
    from sqlalchemy.exc import DBAPIError

    from services.kit.config import ConfigError, one_line
    from services.kit.errors import UnavailableError

    url = url_from(database_url, database_url_file)
    if url is None or not url.startswith("postgresql"):
        raise CommandError("database_url: postgresql://... is needed; on SQLite each service does this by itself", 2)
    try:
        for rights, scripts in _services():
            _one(url, rights, scripts, user_prefix)
    except ValidationError as error:
        raise CommandError(one_line(error), 2) from None
    except ConfigError as error:
        raise CommandError(str(error), 2) from None
    except UnavailableError as error:
        raise CommandError(error.message) from None
    except DBAPIError as error:
        raise CommandError(f"database: {str(error.orig).splitlines()[0]}") from None


def _services() -> list[tuple[SchemaRights, Path]]:
    from services.matchmaking import rights as matchmaking
    from services.settlement import rights as settlement
    from services.table import rights as table

    return [(one.RIGHTS, Path(one.__file__ or "").parent / "migrations") for one in (matchmaking, table, settlement)]


def _one(url: str, rights: SchemaRights, scripts: Path, prefix: str) -> None:
    from services.kit.config import ConfigError
    from services.kit.database import Database, migrate
    from services.kit.database_rights import foreign_owner, user_of

    database = Database(url, rights.schema, 1)
    try:
        foreign = database.run_sync(foreign_owner, rights.schema)
        if foreign:
            raise ConfigError(
                f"database_url: the {rights.schema} schema belongs to {foreign}, not to this user:"
                f" use the URL of {foreign}, or have an administrator run the script of `xuezhan users`, which gives it to the owner"
            )
        migrate(database, scripts)
        revision, served, missing = database.run_sync(_grant, rights, prefix)
    finally:
        database.close()
    users = ", ".join(user_of(role, prefix) for role in served) or "no other user"
    click.echo(f"{rights.schema}: at {revision}, for {users}", err=True)
    for role in missing:
        click.echo(f"{rights.schema}: there is no user {user_of(role, prefix)}; it was left out", err=True)


def _grant(connection: Any, rights: SchemaRights, prefix: str) -> tuple[str, list[Role], list[Role]]:
    import sqlalchemy as sa

    from services.kit.database_rights import existing_users, grant
    from services.kit.roles import Role

    there = existing_users(connection, prefix, set(Role))
    grant(connection, rights, prefix, there)
    revision = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return revision, sorted(there & set(rights.roles)), sorted(set(rights.roles) - there)
