"""`ledger`: the proof of the coin ledger, and where coins went."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from xuezhan.cli.errors import CommandError
from xuezhan.cli.ledger_database import database_options, local_ledger
from xuezhan.cli.options import PlayerName
from xuezhan.cli.output import as_json_option, write_rows
from xuezhan.cli.times import Moment, shown
from xuezhan.cli.where import Installation, installation_options, run

if TYPE_CHECKING:
    from xuezhan.api.settlement.v1 import ledger_pb2 as pb

_FINDING: Final = ("check", "about", "text")
_TRANSFER: Final = (
    *("id", "at", "hand", "item", "cause", "payer", "payee", "coins", "owed", "multiple", "payer_kind", "payee_kind", "table", "text"),
)
_FLOW: Final = {"cause": ("cause",), "room": ("room", "cause"), "pair": ("payer", "payee", "cause")}


@click.group()
def ledger() -> None:
    """Check the coin ledger, and see where coins went."""


@ledger.command(epilog="\b\nExamples:\n  xuezhan ledger check\n  xuezhan ledger check --database-url postgresql://localhost/restored_copy")
@click.option(
    "--held-seconds",
    type=click.IntRange(min=1),
    default=600,
    show_default=True,
    metavar="SECONDS",
    help="Name stakes that have been held for longer without being bound to a table.",
)
@as_json_option
@database_options
@installation_options
def check(where: Installation, database_url: str | None, held_seconds: int, *, as_json: bool) -> int:
    """Prove the ledger: sum zero, balances equal their rebuilt sums, nothing negative, every item once, in order and without a gap,
    no stake held for long without a table.

    Settlement reads the database of one moment and changes nothing; what runs goes on. A database or a file in a data folder is read by
    this command itself: a copy, say. Prints what is wrong, one finding a line; exit status 1 if there is any, or no answer.
    """
    file = local_ledger(where, database_url)
    found, checks = _checked_here(file, held_seconds) if file else run(_checked_there(where, held_seconds))
    if as_json or found:
        write_rows(_FINDING, found, as_json=as_json)
    if not found and not as_json:
        click.echo(f"ok\t{checks} checks hold")
    return 1 if found else 0


def _checked_here(url: str, held_seconds: int) -> tuple[list[dict[str, Any]], int]:
    from sqlalchemy.exc import ArgumentError, SQLAlchemyError

    from services.kit.config import ConfigError
    from services.settlement.check import CHECKS, check_database

    try:
        return [finding._asdict() for finding in check_database(url, held_seconds)], len(CHECKS)
    except ConfigError as error:
        raise CommandError(f"database: {error}", 2) from None
    except ArgumentError as error:
        raise CommandError(f"database_url: {error}", 2) from None
    except SQLAlchemyError as error:
        raise CommandError(f"database: {str(error).splitlines()[0]}") from None


async def _checked_there(where: Installation, held_seconds: int) -> tuple[list[dict[str, Any]], int]:
    found: list[dict[str, Any]] = []
    checks = 0
    async with where.client() as client:
        async for made in client.ledger.check(where.auditor_token(), held_seconds):
            checks = made.number
            if sys.stderr.isatty():
                click.echo(f"\r{made.number} of {made.of} checks\x1b[K" if made.number < made.of else "\r\x1b[K", nl=False, err=True)
            found += [{"check": made.check, "about": one.about, "text": one.text} for one in made.findings]
    return found, checks


@ledger.command(epilog="\b\nExample:\n  xuezhan ledger totals")
@as_json_option
@installation_options
def totals(where: Installation, *, as_json: bool) -> None:
    """Show the coins of all accounts of each kind: wallets, escrow (stakes), pools, the house that funds bots, outside: what was paid in
    and out. All together they are zero.
    """

    async def ask() -> list[dict[str, Any]]:
        async with where.client() as client:
            found = await client.ledger.totals(where.auditor_token())
        return [{"kind": one.kind, "accounts": one.accounts, "coins": one.coins} for one in found]

    write_rows(("kind", "accounts", "coins"), run(ask()), as_json=as_json)


@ledger.command(epilog="\b\nExample:\n  xuezhan ledger table 3f0c...")
@click.argument("table_id", metavar="TABLE")
@as_json_option
@installation_options
def table(where: Installation, table_id: str, *, as_json: bool) -> None:
    """Show every transfer of TABLE, by hand and item: from the stakes to their return."""
    from xuezhan.api.settlement.v1 import ledger_pb2 as pb

    rows = run(_transfers(where, pb.ListTransfersRequest(table_id=table_id)))
    if not rows:
        raise CommandError(f"no coin was ever moved for table {table_id!r}")
    write_rows(_TRANSFER, rows, as_json=as_json)


@ledger.command(
    epilog="\b\nExamples:\n  xuezhan ledger flows --by room --since 24h"
    "\n  xuezhan ledger flows --by pair --player alice --player bob"
    "\n  xuezhan ledger flows --by transfer --player alice --player bob --since 2026-01-24 --until 2026-01-31"
)
@click.option(
    "--since", type=Moment(), default="7d", show_default=True, help="30m, 12h or 7d ago; or a date, with a time or without (UTC)."
)
@click.option("--until", type=Moment(), help="Likewise; before that moment.  [default: now]")
@click.option(
    "--by",
    type=click.Choice([*_FLOW, "transfer"]),
    default="cause",
    show_default=True,
    help="What coins are summed by; transfer: each by itself.",
)
@click.option("--player", "players", type=PlayerName(), multiple=True, help="Only of this player; given twice: only between the two.")
@as_json_option
@installation_options
def flows(where: Installation, since: int, until: int | None, by: str, players: tuple[str, ...], *, as_json: bool) -> None:
    """Show which coins moved, and why: summed, the largest first, or each transfer, oldest first.

    Between two players are also coins through the pool of a hand to which one paid and from which the other was paid; what others took of
    it, `ledger table` shows.
    """
    from xuezhan.api.settlement.v1 import ledger_pb2 as pb

    if len(players) > 2:
        raise CommandError("--player: one player, or two", 2)
    player, other = (*players, "", "")[:2]
    if by == "transfer":
        asked = pb.ListTransfersRequest(since=since, until=until or 0, player_id=player, other_player_id=other)
        write_rows(_TRANSFER, run(_transfers(where, asked)), as_json=as_json)
        return
    kind = pb.FlowsBy.Value(f"FLOWS_BY_{by.upper()}")
    request = pb.ListFlowsRequest(by=kind, since=since, until=until or 0, player_id=player, other_player_id=other)

    async def ask() -> pb.ListFlowsResponse:
        async with where.client() as client:
            return await client.ledger.flows(where.auditor_token(), request)

    found = run(ask())
    rows = [
        {"room": one.room_id, "payer": one.payer, "payee": one.payee, "cause": one.cause, "transfers": one.transfers, "coins": one.coins}
        for one in found.flows
    ]
    columns = (*_FLOW[by], "transfers", "coins")
    write_rows(columns, [{name: row[name] for name in columns} for row in rows], as_json=as_json)
    if found.more:
        click.echo("xuezhan: there are more: ask for less time, or for a player", err=True)


async def _transfers(where: Installation, request: pb.ListTransfersRequest) -> list[dict[str, Any]]:
    async with where.client() as client:
        return [_row(one) async for one in client.ledger.transfers(where.auditor_token(), request)]


def _row(one: pb.Transfer) -> dict[str, Any]:
    return {
        "id": one.id,
        "at": shown(one.at),
        "hand": one.hand or None,
        "item": one.item or None,
        "cause": one.cause,
        "payer": one.payer,
        "payee": one.payee,
        "coins": one.coins,
        "owed": one.owed or None,
        "multiple": one.multiple or None,
        "payer_kind": one.payer_kind,
        "payee_kind": one.payee_kind,
        "table": one.table_id or None,
        "text": one.text or None,
    }
