"""Where a ledger can be read without asking settlement: a database that is named, or the file in the data folder of `up`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from xuezhan.cli.options import URL, URL_FILE, url_from
from xuezhan.cli.where import DEFAULT_ADDRESSES, RUNNING, Installation, check_owner

F = TypeVar("F", bound=Callable[..., Any])
_FILE: Final = "settlement.db"


def database_options(function: F) -> F:
    """Add --database-url and --database-url-file; the command gets `database_url`, the one or what the other says."""

    def collect(database_url: str | None, database_url_file: Path | None, **rest: Any) -> Any:
        return function(database_url=url_from(database_url, database_url_file), **rest)

    collect.__name__, collect.__doc__ = function.__name__, function.__doc__
    collect.__click_params__ = list(getattr(function, "__click_params__", []))  # type: ignore[attr-defined]
    for option in (
        click.option(
            "--database-url-file",
            type=URL_FILE,
            envvar="XUEZHAN_DATABASE_URL_FILE",
            help="A file with that URL, whose password `ps` would show otherwise; - is standard input.",
        ),
        click.option("--database-url", type=URL, envvar="XUEZHAN_DATABASE_URL", help="A database to read instead: postgresql://..."),
    ):
        option(collect)
    return collect  # type: ignore[return-value]


def local_ledger(where: Installation, database_url: str | None) -> str | None:
    """Return the URL of a ledger's database that is to be read here; None: settlement is to be asked.

    That is the one that was named, or the file of a data folder. CommandError if the folder is another user's.
    """
    if database_url:
        return database_url
    file = where.data.resolve() / _FILE
    if where.settlement != DEFAULT_ADDRESSES["settlement"] and not (where.data / RUNNING).exists():
        return None
    check_owner(where.data)
    return f"sqlite:///{file}" if file.is_file() else None
