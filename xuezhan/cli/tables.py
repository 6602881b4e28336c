"""`tables` and `replay`: what is being played, and what was."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from xuezhan.cli.errors import CommandError
from xuezhan.cli.output import as_json_option, write_rows
from xuezhan.cli.servers import Away, address_of, ask_any, live_addresses
from xuezhan.cli.where import Installation, installation_options, run

if TYPE_CHECKING:
    from xuezhan.api.table.v1 import table_pb2 as pb
    from xuezhan.client import Tables

T = TypeVar("T")
_ACT: Final = ("hand", "act", "at", "after", "seat", "player", "does", "by")
_COLUMNS: Final = ("table", "room", "state", "hand", "phase", "actions", "age_seconds", "seats", "on_auto")


@click.command(epilog="\b\nExample:\n  xuezhan tables --room crazy_xuezhan/mayou --json")
@click.option("--room", default="", help="Only tables of one room.")
@click.option("--server", default="", metavar="NAME", help="Only tables of one table server (`xuezhan servers` lists them).")
@as_json_option
@installation_options
def tables(where: Installation, room: str, server: str, *, as_json: bool) -> int:
    """List the live tables of all table servers.

    A server that does not answer is named on standard error; exit status 1 then.
    """

    async def ask() -> tuple[list[dict[str, Any]], int]:
        rows = []
        async with where.client() as client:
            found = await ask_any(where, client)
            asked = [address_of(found, server)] if server else live_addresses(found)
            away = Away(len(asked))
            for address in asked:
                with away.passed_over(address):
                    rows += [table_row(table) async for table in client.tables(address).live(where.viewer_token(), room)]
        return rows, away.count

    rows, missing = run(ask())
    if not as_json:
        rows = [{**row, "seats": ",".join(row["seats"]), "on_auto": ",".join(map(str, row["on_auto"]))} for row in rows]
    write_rows(_COLUMNS, rows, as_json=as_json)
    return 1 if missing else 0


@click.command(epilog="\b\nExamples:\n  xuezhan replay 3f0c... | xuezhan verify-record\n  xuezhan replay 3f0c... --acts --player alice")
@click.argument("table_id", metavar="TABLE")
@click.option("--hand", type=click.IntRange(min=0), default=0, help="Only this hand.  [default: all that are over]")
@click.option("--acts", is_flag=True, help="A line an act instead: who did it, how long after the act before, and whether the server did.")
@click.option("--player", default="", help="With --acts: only this player's.")
@installation_options
def replay(where: Installation, table_id: str, hand: int, player: str, *, acts: bool) -> None:
    """Print the record of every finished hand of TABLE, one JSON object a line.

    With --acts one sees whether a player's clock ran out: the server acted for the seat, as long after the act before as the room gives.
    It also acts at once where only one thing can be done, and for seats on auto.
    """
    if player and not acts:
        raise CommandError("--player: only with --acts", 2)

    async def ask() -> list[str]:
        return await ask_owner(where, lambda server: server.record_lines(where.reader_token(), table_id, hand))

    lines = run(ask())
    if acts:
        rows = [row for line in lines for row in _acts(json.loads(line)) if player in {"", row["player"]}]
        write_rows(_ACT, rows, as_json=False)
        return
    for line in lines:
        click.echo(line)


def _acts(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row an action of a record. Records of earlier releases have no times, and perhaps no players."""
    times, seats = record.get("times", []), record.get("seats", [])
    before = 0
    for number, action in enumerate(record["actions"]):
        at = times[number] if number < len(times) else None
        seat = action["seat"]
        yield {
            "hand": record["hand"],
            "act": number + 1,
            "at": None if at is None else round(at / 1000, 1),
            "after": None if at is None else round((at - before) / 1000, 1),
            "seat": seat,
            "player": (seats[seat] if seat < len(seats) else None) or "bot",
            "does": " ".join([action["do"], *(str(action[name]) for name in ("suit", "tile", "kind") if name in action)]),
            "by": "server" if action.get("auto") else "player",
        }
        before = before if at is None else at


def table_row(table: pb.TableSummary) -> dict[str, Any]:
    """Return a table's summary as plain values."""
    from xuezhan.api.table.v1 import table_pb2 as pb

    return {
        "table": table.table_id,
        "room": table.room_id,
        "state": pb.TableState.Name(table.state).removeprefix("TABLE_STATE_").lower(),
        "hand": table.hand,
        "phase": table.phase,
        "actions": table.actions,
        "age_seconds": table.age_seconds,
        "seats": ["bot" if seat.bot else seat.player_id for seat in table.seats],
        "on_auto": [seat for seat, on_auto in enumerate(table.on_auto) if on_auto],
    }


async def ask_owner(where: Installation, ask: Callable[[Tables], Awaitable[T]]) -> T:
    """Ask the table servers in turn until one knows the table. Raises the last one's ClientError."""
    from xuezhan.client import ClientError
    from xuezhan.client.channels import is_away

    async with where.client() as client:
        for address in where.tables[:-1]:
            try:
                return await ask(client.tables(address))
            except ClientError as error:
                if error.code != "NOT_FOUND" and not is_away(error):
                    raise
        return await ask(client.tables(where.tables[-1]))
