"""`balance`, `statement`, `deposit` and `withdraw`: a player's coins."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from xuezhan.cli.options import Coins, GivenText, PlayerName
from xuezhan.cli.output import as_json_option, write_rows
from xuezhan.cli.times import shown
from xuezhan.cli.where import Installation, installation_options, run

if TYPE_CHECKING:
    from xuezhan.api.settlement.v1 import settlement_pb2 as pb

F = TypeVar("F", bound=Callable[..., Any])
_LINE: Final = ("entry", "at", "cause", "table", "hand", "counterpart", "multiple", "coins", "balance", "owed", "text")
_VISIT: Final = ("table", "room", "stake", "entry", "net", "still_pays", "receives")


@click.command(epilog="\b\nExample:\n  xuezhan balance alice")
@click.argument("player")
@as_json_option
@installation_options
def balance(where: Installation, player: str, *, as_json: bool) -> None:
    """Show the wallet of PLAYER, what is at stake, the match that occupies them, whether they are frozen, and their ratings."""

    async def ask() -> pb.GetBalanceResponse:
        async with where.client() as client:
            return await client.coins.balance(where.coins_token(), player)

    found = run(ask())
    row: dict[str, Any] = {"player": player, "wallet": found.wallet, "at_stake": found.at_stake, "match": found.match_id or None}
    row["frozen"] = found.frozen or None
    ratings = [{"game": rating.game, "points": rating.points, "title": rating.title} for rating in found.ratings]
    row["ratings"] = ratings if as_json else ", ".join(f"{one['game']} {one['points']} {one['title']}".strip() for one in ratings)
    write_rows(("player", "wallet", "at_stake", "match", "frozen", "ratings"), [row], as_json=as_json)


@click.command(epilog="\b\nExamples:\n  xuezhan statement alice\n  xuezhan statement alice --visits --json")
@click.argument("player")
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, help="At most so many lines.")
@click.option("--table-id", default="", help="Only lines of one table.")
@click.option("--visits", is_flag=True, help="One line a visit to a table instead, with the entry amount's figures.")
@as_json_option
@installation_options
def statement(where: Installation, player: str, limit: int, table_id: str, *, visits: bool, as_json: bool) -> None:
    """Show the ledger lines of PLAYER, newest first."""

    async def ask() -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        async with where.client() as client:
            async for page in client.coins.statement_pages(where.coins_token(), player, table_id, min(limit, 1000)):
                rows += [_visit_row(visit) for visit in page.visits] if visits else [_line_row(line) for line in page.lines]
                if len(rows) >= limit:
                    break
        return rows[:limit]

    write_rows(_VISIT if visits else _LINE, run(ask()), as_json=as_json)


def _payment(function: F) -> F:
    """Add what a payment is told: PLAYER, COINS, --key and --reason."""
    once = "Names this payment: the same key moves coins once, however often it is sent."
    decorated: Any = function
    for option in (
        click.option("--reason", default="", help="Stands in the statement."),
        click.option("--key", type=GivenText("a name"), required=True, help=once),
        click.argument("coins", type=Coins()),
        click.argument("player", type=PlayerName()),
    ):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


# So that -5 is taken for coins, and refused as such.
_AS_IT_IS: Final = {"ignore_unknown_options": True}


@click.command(epilog="\b\nExample:\n  xuezhan deposit alice 100000 --key order-4711", context_settings=_AS_IT_IS)
@_payment
@as_json_option
@installation_options
def deposit(where: Installation, player: str, coins: int, key: str, reason: str, *, as_json: bool) -> None:
    """Put COINS into the wallet of PLAYER from outside."""
    _pay(where, "deposit", (player, coins, key, reason), as_json=as_json)


@click.command(epilog="\b\nExample:\n  xuezhan withdraw alice 5000 --key payout-4711", context_settings=_AS_IT_IS)
@_payment
@as_json_option
@installation_options
def withdraw(where: Installation, player: str, coins: int, key: str, reason: str, *, as_json: bool) -> None:
    """Take COINS out of the wallet of PLAYER. What is at stake at a table cannot be taken out."""
    _pay(where, "withdraw", (player, coins, key, reason), as_json=as_json)


def _pay(where: Installation, way: str, payment: tuple[str, int, str, str], *, as_json: bool) -> None:
    async def ask() -> pb.DepositResponse | pb.WithdrawResponse:
        async with where.client() as client:
            done: pb.DepositResponse | pb.WithdrawResponse = await getattr(client.coins, way)(where.cashier_token(), *payment)
            return done

    done = run(ask())
    row = {"player": payment[0], "wallet": done.wallet, "repeated": done.repeated}
    write_rows(("player", "wallet", "repeated"), [row], as_json=as_json)


def _line_row(line: pb.StatementLine) -> dict[str, Any]:
    return {
        "entry": line.entry_id,
        "at": shown(line.at),
        "cause": line.cause,
        "table": line.table_id or None,
        "hand": line.hand or None,
        "counterpart": line.counterpart or None,
        "multiple": line.multiple or None,
        "coins": line.coins,
        "balance": line.balance_after,
        "owed": line.owed or None,
        "text": line.text or None,
    }


def _visit_row(visit: pb.Visit) -> dict[str, Any]:
    return {
        "table": visit.table_id,
        "room": visit.room_id,
        "stake": visit.stake,
        "entry": visit.entry,
        "net": visit.net,
        "still_pays": visit.still_pays,
        "receives": visit.receives,
    }
