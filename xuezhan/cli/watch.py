"""`watch`: one table, live."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final

import click

from xuezhan.cli.servers import Away, ask_any, live_addresses
from xuezhan.cli.where import Installation, installation_options, run

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from xuezhan.client import ClientError

PATIENCE_SECONDS: Final = 60
"""How long a server that is away is asked again."""


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
    said = _Said(address)
    async with where.client(patience_seconds=PATIENCE_SECONDS) as client:
        server = client.tables(address)
        async for event in server.watch(where.viewer_token, table_id, said.away):
            said.there()
            name = event.WhichOneof("what") or ""
            what = _plain(getattr(event, name)) if name else {}
            line = {"number": event.numbers[0] if event.numbers else 0, "event": name, "what": what}
            sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
            sys.stdout.flush()


class _Said:
    """What is said on standard error of a server that is away: once, and that it is back."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._away = False

    def away(self, error: ClientError) -> None:
        if not self._away:
            self._away = True
            click.echo(f"xuezhan: {_away(self._address, error)}", err=True)

    def there(self) -> None:
        if self._away:
            self._away = False
            click.echo(f"xuezhan: {self._address} answers again", err=True)


def _away(address: str, error: ClientError) -> str:
    return f"{address} is away, tried again for {PATIENCE_SECONDS} s: {error}"


async def _draw(where: Installation, table_id: str) -> None:
    from xuezhan.cli.watch_screen import Screen

    address = await _address_of(where, table_id)
    async with where.client(patience_seconds=PATIENCE_SECONDS) as client:
        server = client.tables(address)
        listed = [table async for table in server.live(where.viewer_token()) if table.table_id == table_id]
        with Screen(table_id, listed[0] if listed else None) as screen:
            async for event in server.watch(where.viewer_token, table_id, lambda error: screen.away(_away(address, error))):
                screen.hear(event)


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
