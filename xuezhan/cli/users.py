"""`users`: the users that an installation has at its PostgreSQL and RabbitMQ, each role with a password of its own."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import click

from services.kit.role_folder import BROKER, DATABASE
from xuezhan.cli.errors import CommandError
from xuezhan.cli.migrate import PREFIX
from xuezhan.cli.options import GivenPath

OWNER: Final = "owner"
ADMINISTRATOR: Final = "administrator"
SCRIPT: Final = "database.sql"
DEFINITIONS: Final = "broker.json"
PARTS: Final = ("matchmaking", "table", "settlement", "worker")
SCHEMAS: Final = ("matchmaking", "table", "settlement")
_WHERE: Final = re.compile(r"[A-Za-z0-9_.:\[\]-]+/[A-Za-z0-9_.-]+")


def _where(_context: click.Context, _parameter: click.Parameter, given: str) -> str:
    if not _WHERE.fullmatch(given):
        raise click.BadParameter(f"{given!r} is not HOST[:PORT]/NAME")
    return given


def _prefix(_context: click.Context, _parameter: click.Parameter, given: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,31}", given):
        raise click.BadParameter(f"{given!r}: a to z, 0 to 9 and _ are needed, a letter first")
    return given


@click.command(
    epilog="\b\nExample, with what goes before and after it:\n"
    "  xuezhan keys --out /etc/xuezhan\n"
    "  xuezhan users --secrets /etc/xuezhan --database localhost/xuezhan --broker localhost/xuezhan\n"
    "  psql --dbname xuezhan < /etc/xuezhan/administrator/database.sql\n"
    "  rabbitmqctl import_definitions < /etc/xuezhan/administrator/broker.json\n"
    "  xuezhan migrate --database-url-file /etc/xuezhan/owner/database.url"
)
@click.option("--secrets", type=GivenPath(file_okay=False), required=True, help="Where `xuezhan keys` made the roles' folders.")
@click.option("--database", callback=_where, metavar="HOST[:PORT]/NAME", required=True, help="The PostgreSQL database.")
@click.option("--broker", callback=_where, metavar="HOST[:PORT]/VHOST", required=True, help="The RabbitMQ virtual host.")
@click.option("--tls", is_flag=True, help="Both are reached by TLS; their certificates must be for these host names.")
@click.option("--user-prefix", callback=_prefix, default=PREFIX, show_default=True, help="What the users' names begin with.")
def users(secrets: Path, database: str, broker: str, user_prefix: str, *, tls: bool) -> None:
    """Choose a password for each role, write the URLs with them into the roles' folders, and write how an administrator makes the users.

    Passwords that are there already are kept. The administrator's files hold none, only what the servers check them by.
    """
    from services.kit.broker_rights import BROKER_RIGHTS, definitions
    from services.kit.key_files import locked
    from services.kit.secrets import SecretsError
    from services.kit.server_users import DATABASE_USERS, database_script, url

    check_folders(secrets)
    query, scheme = ("?sslmode=verify-full", "amqps") if tls else ("", "amqp")
    vhost = broker.partition("/")[2]
    folder = secrets / ADMINISTRATOR
    try:
        with locked(secrets):
            of_database = {
                str(name): _password(secrets / name / DATABASE, partial(_url, url, "postgresql", user_prefix + name, database, query))
                for name in DATABASE_USERS
            }
            of_broker = {
                role: _password(secrets / role / BROKER, partial(_url, url, scheme, user_prefix + role, broker, ""))
                for role in BROKER_RIGHTS
            }
            folder.mkdir(exist_ok=True, mode=0o700)
            write_for_owner(folder / SCRIPT, database_script(of_database, user_prefix, SCHEMAS).encode())
            described = json.dumps(definitions(of_broker, user_prefix, vhost), indent=1)
            write_for_owner(folder / DEFINITIONS, f"{described}\n".encode())
    except SecretsError as error:
        raise CommandError(str(error), 2) from None
    except OSError as error:
        raise CommandError(f"{error.filename or secrets}: {error.strerror}", 2) from None
    click.echo(f"as an administrator of the database: psql --dbname {database.partition('/')[2]} < {folder / SCRIPT}", err=True)
    click.echo(f"as an administrator of the broker: rabbitmqctl import_definitions < {folder / DEFINITIONS}", err=True)


def check_folders(secrets: Path) -> None:
    """Check that the parts' folders of keys are there: what a part needs besides is put into them. CommandError if not."""
    missing = next((part for part in PARTS if not (secrets / part).is_dir()), None)
    if missing is not None:
        raise CommandError(f"secrets: {secrets} has no folder {missing}: run `xuezhan keys --out {secrets}` first", 2)


def _url(url: Callable[..., str], scheme: str, user: str, where: str, query: str, password: str) -> str:
    return url(scheme, user, password, where, query)


def _password(path: Path, made: Callable[[str], str]) -> str:
    """Return the password of the URL in a file, which is written if need be, or if it says another place."""
    from services.kit.key_files import read_secret
    from services.kit.server_users import new_password, password_in

    before = read_secret(path).decode().strip() if path.exists() else ""
    password = password_in(before) or new_password()
    if made(password) != before:
        path.parent.mkdir(exist_ok=True, mode=0o700)  # The owner's, which has no keys.
        write_for_owner(path, f"{made(password)}\n".encode())
    return password


def write_for_owner(path: Path, data: bytes) -> None:
    """Write a file for the owner of its folder: root makes it, the role's own user reads it."""
    from services.kit.key_files import write

    write(path, data)
    folder = path.parent.stat()
    if os.geteuid() != folder.st_uid:
        os.chown(path, folder.st_uid, folder.st_gid)
