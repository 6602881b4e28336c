"""`ledger check`: the proof of the coin ledger."""

from __future__ import annotations

from pathlib import Path

import click

from xuezhan.cli.errors import CommandError
from xuezhan.cli.ledger_database import database_options, ledger_url
from xuezhan.cli.output import as_json_option, write_rows


@click.group()
def ledger() -> None:
    """Check the coin ledger."""


@ledger.command(epilog="\b\nExamples:\n  xuezhan ledger check\n  xuezhan ledger check --database-url postgresql://localhost/xuezhan")
@click.option(
    "--held-seconds",
    type=click.IntRange(min=0),
    default=600,
    show_default=True,
    metavar="SECONDS",
    help="Name stakes that have been held for longer without being bound to a table.",
)
@as_json_option
@database_options
def check(data: Path, database_url: str | None, held_seconds: int, *, as_json: bool) -> int:
    """Prove the ledger: sum zero, balances equal their rebuilt sums, nothing negative, every item once, in order and without a gap,
    no stake held for long without a table.

    Reads the database of one moment and changes nothing; what is running goes on. Prints what is wrong, one finding a line; exit status 1
    if there is any, or if the database does not answer.
    """
    from sqlalchemy.exc import ArgumentError, SQLAlchemyError

    from services.kit.config import ConfigError
    from services.settlement.check import CHECKS, check_database

    try:
        found = check_database(ledger_url(data, database_url), held_seconds)
    except ConfigError as error:
        raise CommandError(f"database: {error}", 2) from None
    except ArgumentError as error:
        raise CommandError(f"database_url: {error}", 2) from None
    except SQLAlchemyError as error:
        raise CommandError(f"database: {str(error).splitlines()[0]}") from None
    if as_json or found:
        write_rows(("check", "about", "text"), [finding._asdict() for finding in found], as_json=as_json)
    if not found and not as_json:
        click.echo(f"ok\t{len(CHECKS)} checks hold")
    return 1 if found else 0
