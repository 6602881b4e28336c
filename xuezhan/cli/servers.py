"""`servers` and `drain`: the table servers of an installation, and letting one hand its tables over."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

from xuezhan.cli.errors import CommandError
from xuezhan.cli.options import who_option
from xuezhan.cli.output import as_json_option, write_rows
from xuezhan.cli.where import Installation, installation_options, run

if TYPE_CHECKING:
    from xuezhan.api.table.v1 import table_pb2 as pb
    from xuezhan.client import Client

_COLUMNS: Final = ("name", "address", "state", "tables", "seats", "lease_seconds")
_LOOK_SECONDS: Final = 0.5


@click.command(epilog="\b\nExample:\n  xuezhan servers --json")
@as_json_option
@installation_options
def servers(where: Installation, *, as_json: bool) -> None:
    """List the table servers: serving, draining, and lost ones whose tables nobody has taken up yet."""

    async def ask() -> list[pb.TableServer]:
        async with where.client() as client:
            return await ask_any(where, client)

    write_rows(_COLUMNS, [server_row(server) for server in run(ask())], as_json=as_json)


@click.command(epilog="\b\nExample:\n  xuezhan drain table-2")
@click.argument("server", metavar="SERVER")
@who_option
@click.option("--why", default="", help="Why; recorded (`xuezhan table log`).")
@installation_options
def drain(where: Installation, server: str, who: str, why: str) -> None:
    """Let table server SERVER hand its tables over to the others; returns when its last table is handed over.

    It takes no new tables any more, and can be stopped then. If it is interrupted, the server goes on handing over.
    """

    async def ask() -> None:
        # Looked for first: of two keys that are missing this is the one to tell of.
        where.operator_token()
        async with where.client() as client:
            address = address_of(await ask_any(where, client), server)
            while await client.tables(address).drain(where.operator_token(), server, who, why):  # noqa: ASYNC110 - another's state
                await asyncio.sleep(_LOOK_SECONDS)

    run(ask())


@click.command(epilog="\b\nExample:\n  xuezhan retry-tables 3f0c...")
@click.argument("table_ids", metavar="[TABLE]...", nargs=-1)
@who_option
@click.option("--why", default="", help="Why; recorded (`xuezhan table log`).")
@as_json_option
@installation_options
def retry_tables(where: Installation, table_ids: tuple[str, ...], who: str, why: str, *, as_json: bool) -> None:
    """List the tables that were set aside: each was taken up three times and never got to be played. Every TABLE that is named is taken up
    once more; the log of the server that does so says what it finds.
    """

    async def ask() -> pb.RetryTablesResponse:
        async with where.client() as client:
            return await client.tables(",".join(where.tables)).set_aside(where.operator_token(), table_ids, who, why)

    answer = run(ask())
    unknown = sorted(set(table_ids) - set(answer.retried_ids))
    if unknown:
        raise CommandError(f"not set aside: {', '.join(unknown)}")
    rows = [{"table": one.table_id, "room": one.room_id, "server": one.server, "rules": one.rules} for one in answer.tables]
    if not table_ids:
        write_rows(("table", "room", "server", "rules"), rows, as_json=as_json)


def server_row(server: pb.TableServer) -> dict[str, Any]:
    """Return a server as plain values."""
    from xuezhan.api.table.v1 import table_pb2 as pb

    return {
        "name": server.name,
        "address": server.address,
        "state": pb.ServerState.Name(server.state).removeprefix("SERVER_STATE_").lower(),
        "tables": server.tables,
        "seats": server.seats,
        "lease_seconds": round(server.lease_seconds, 1),
    }


def address_of(found: list[pb.TableServer], name: str) -> str:
    """Return where a server that serves or drains can be called. CommandError if there is none of that name."""
    from xuezhan.api.table.v1 import table_pb2 as pb

    server = next((one for one in found if one.name == name), None)
    if server is None:
        raise CommandError(f"there is no table server {name!r} (`xuezhan servers` lists them)")
    if server.state == pb.SERVER_STATE_LOST:
        raise CommandError(f"table server {name} is lost: others take up its tables by themselves")
    return server.address


def live_addresses(found: list[pb.TableServer]) -> list[str]:
    """Return where the servers can be called that serve or drain."""
    from xuezhan.api.table.v1 import table_pb2 as pb

    return [one.address for one in found if one.state != pb.SERVER_STATE_LOST]


async def ask_any(where: Installation, client: Client) -> list[pb.TableServer]:
    """Ask the known addresses in turn until one says which table servers there are. Raises ClientError if none does."""
    return await client.tables(",".join(where.tables)).servers(where.viewer_token())


class Away:
    """Servers that were asked and did not answer: each is one line on standard error, and the others are asked. `count`: how many."""

    def __init__(self, asked: int) -> None:
        self.count = 0
        self._asked = asked

    @contextmanager
    def passed_over(self, address: str) -> Iterator[None]:
        """Ask one server here. Raises ClientError for what it refuses, and when none of all answered."""
        from xuezhan.client import ClientError
        from xuezhan.client.channels import is_away

        try:
            yield
        except ClientError as error:
            if not is_away(error) or self.count + 1 == self._asked:
                raise
            self.count += 1
            click.echo(f"xuezhan: {address} does not answer: {error}", err=True)
