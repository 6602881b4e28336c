"""`watch`: one table, live."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from xuezhan.cli.servers import Away, ask_any, live_addresses
from xuezhan.cli.where import Installation, installation_options, run

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from xuezhan.client import Tables


@click.command(epilog="\b\nExamples:\n  xuezhan watch 3f0c...\n  xuezhan watch 3f0c... --json | jq .event")
@click.argument("table_id", metavar="TABLE")
@click.option("--json", "as_json", is_flag=True, help="Write every view and event as one JSON object a line.")
@installation_options
def watch(where: Installation, table_id: str, *, as_json: bool) -> None:
    """Show the public view of TABLE until it is closed; on a terminal as a live picture, elsewhere as JSON lines."""
    work = _write_lines(where, table_id) if as_json or not sys.stdout.isatty() else _draw(where, table_id)
    run(work, unknown_table=f" (`xuezhan tables` lists the live ones; if it has ended, `xuezhan replay {table_id}` prints its hands)")


def _plain(what: Message) -> dict[str, Any]:
    """Return an event as JSON, zeros and all: seat 0 is a seat."""
    from google.protobuf.json_format import MessageToDict

    return MessageToDict(what, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


async def _write_lines(where: Installation, table_id: str) -> None:
    address = await _address_of(where, table_id)
    async with where.client(patience_seconds=60) as client:
        server = client.tables(address)
        async for event in server.watch(where.viewer_token, table_id):
            name = event.WhichOneof("what") or ""
            what = _plain(getattr(event, name)) if name else {}
            line = {"number": event.numbers[0] if event.numbers else 0, "event": name, "what": what}
            sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
            sys.stdout.flush()


async def _draw(where: Installation, table_id: str) -> None:
    from rich.live import Live

    from xuezhan.cli.picture import table_picture
    from xuezhan.client import table_model

    address = await _address_of(where, table_id)
    async with where.client(patience_seconds=60) as client:
        server = client.tables(address)
        room, names = await _seats(server, where.viewer_token(), table_id)
        table = table_model(room, len(names) or 4)
        with Live(auto_refresh=False) as live:
            async for event in server.watch(where.viewer_token, table_id):
                name = event.WhichOneof("what") or ""
                table.hear(name, getattr(event, name, None))
                live.update(table_picture(table, names, f"{room} · {table_id}"), refresh=True)


async def _seats(server: Tables, token: str, table_id: str) -> tuple[str, list[str]]:
    """Return the table's room and who sits there."""
    async for table in server.live(token):
        if table.table_id == table_id:
            return table.room_id, ["bot" if seat.bot else seat.player_id for seat in table.seats]
    return "", []


async def _address_of(where: Installation, table_id: str) -> str:
    """Return where the table is; where no server that answers lists it, one of these, so that its refusal is shown."""
    # Without patience: a server that does not answer is passed over.
    async with where.client() as client:
        addresses = live_addresses(await ask_any(where, client))
        away, answered = Away(len(addresses)), ""
        for address in addresses:
            with away.passed_over(address):
                async for table in client.tables(address).live(where.viewer_token()):
                    if table.table_id == table_id:
                        return address
                answered = answered or address
    return answered or where.tables[0]
