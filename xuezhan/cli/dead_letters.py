"""`settlement`: what an operator may do about items that cannot be settled. Every act is recorded with who and why."""

from __future__ import annotations

import getpass
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from xuezhan.cli.errors import CommandError
from xuezhan.cli.ledger_database import database_options, ledger_url
from xuezhan.cli.output import as_json_option, write_rows

if TYPE_CHECKING:
    from services.settlement.batch import Report

T = TypeVar("T")
_LETTER: Final = ("table", "seq", "reason", "times", "first_at", "last_at", "detail", "resolution")
_OUTCOME: Final = ("table", "seq", "kind", "result", "reason")

who_option = click.option("--who", default=getpass.getuser, show_default="you", help="Who does it; recorded.")
why_option = click.option("--why", required=True, help="Why; recorded.")


@click.group()
def settlement() -> None:
    """Look after settlement items that cannot be applied."""


@settlement.command("dead-letters", epilog="\b\nExample:\n  xuezhan settlement dead-letters --json")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True, help="At most so many.")
@click.option("--all", "resolved", is_flag=True, help="Also those that were dealt with.")
@as_json_option
@database_options
def dead_letters(data: Path, database_url: str | None, limit: int, *, resolved: bool, as_json: bool) -> None:
    """List what could not be settled, the latest first."""
    from services.settlement import operate

    found = _run(data, database_url, lambda connection: operate.dead_letters(connection, limit, resolved=resolved))
    write_rows(_LETTER, [letter._asdict() for letter in found], as_json=as_json)


@settlement.command(epilog="\b\nExample:\n  xuezhan settlement replay 3f0c... --why 'base of the room corrected'")
@click.argument("table")
@who_option
@why_option
@as_json_option
@database_options
def replay(data: Path, database_url: str | None, table: str, who: str, why: str, *, as_json: bool) -> None:
    """Let the stuck TABLE go on: its stored items are tried again, in order."""
    from services.settlement import operate

    report = _run(data, database_url, lambda connection: operate.replay(connection, table, who, why, int(time.time())))
    _tell(report, as_json=as_json)


@settlement.command("void-item", epilog="\b\nExample:\n  xuezhan settlement void-item 3f0c... 7 --why 'sent twice by a broken build'")
@click.argument("table")
@click.argument("seq", type=click.IntRange(min=1))
@who_option
@why_option
@as_json_option
@database_options
def void_item(data: Path, database_url: str | None, table: str, seq: int, who: str, why: str, *, as_json: bool) -> None:
    """Let item SEQ of TABLE count as refused and go on with what follows it. It must be the table's next item."""
    from services.settlement import operate

    report = _run(data, database_url, lambda connection: operate.void_item(connection, table, seq, who, why, int(time.time())))
    _tell(report, as_json=as_json)


def _run(data: Path, database_url: str | None, work: Callable[[Any], T]) -> T:
    from sqlalchemy.exc import SQLAlchemyError

    from services.kit.database import Database
    from services.kit.errors import ServiceError
    from services.settlement.config import SCHEMA

    try:
        database = Database(ledger_url(data, database_url), SCHEMA, 1)
    except SQLAlchemyError as error:
        raise CommandError(f"database_url: {error}", 2) from None
    try:
        return database.run_sync(work)
    except ServiceError as error:
        raise CommandError(error.message) from None
    except SQLAlchemyError as error:
        raise CommandError(f"database: {str(error).splitlines()[0]}") from None
    finally:
        database.close()


def _tell(report: Report, *, as_json: bool) -> None:
    rows = [
        {"table": one.table, "seq": one.outcome.seq, "kind": one.outcome.kind, "result": one.outcome.result, "reason": one.outcome.reason}
        for one in report.settled
    ]
    write_rows(_OUTCOME, rows, as_json=as_json)
