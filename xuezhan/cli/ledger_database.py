"""Where the coin ledger's database is: commands that prove or repair it work on it directly."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from xuezhan.cli.errors import CommandError
from xuezhan.cli.options import URL, URL_FILE, DataFolder, url_from
from xuezhan.cli.where import DATA, check_owner

F = TypeVar("F", bound=Callable[..., Any])


def database_options(function: F) -> F:
    """Add --data, --database-url and --database-url-file; the command gets `data` and `database_url`, of which `ledger_url` makes one."""

    @wraps(function)
    def collect(database_url: str | None, database_url_file: Path | None, **rest: Any) -> Any:
        return function(database_url=url_from(database_url, database_url_file), **rest)

    decorated: Any = collect
    for option in (
        click.option(
            "--database-url-file",
            type=URL_FILE,
            envvar="XUEZHAN_DATABASE_URL_FILE",
            help="A file with that URL, whose password `ps` would show otherwise; - is standard input.",
        ),
        click.option("--database-url", type=URL, envvar="XUEZHAN_DATABASE_URL", help="Database of a large installation: postgresql://..."),
        click.option("--data", type=DataFolder(), default=DATA, show_default=True, envvar="XUEZHAN_DATA", help="Data folder of `up`."),
    ):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def ledger_url(data: Path, database_url: str | None) -> str:
    """Return the URL of the ledger's database. CommandError if the data folder has none, or is another user's."""
    if database_url:
        return database_url
    check_owner(data)
    file = data.resolve() / "settlement.db"
    if not file.is_file():
        raise CommandError(f"data: {data} holds no ledger (settlement.db)", 2)
    return f"sqlite:///{file}"
