"""`serve`: one part of a large installation in a process of its own.

Settings come from the environment (`XUEZHAN_DATABASE_URL`, ...); options go before them.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import click

from xuezhan.cli.errors import CommandError
from xuezhan.cli.options import ADDRESS, URL, URL_FILE, GivenPath

if TYPE_CHECKING:
    from services.kit.bootstrap import Build

PARTS: Final = ("matchmaking", "table", "settlement", "worker")


@click.command(
    epilog="\b\nExamples:\n"
    "  xuezhan serve settlement --database-url postgresql://localhost/xuezhan --broker-url amqp://localhost --secrets /etc/xuezhan\n"
    "  XUEZHAN_SERVER_NAME=table-2 xuezhan serve table --port 7200 --advertise 10.0.0.7:7200"
)
@click.argument("part", type=click.Choice(PARTS))
@click.option("--host", type=ADDRESS, metavar="HOST", help="Where to listen.")
@click.option("--port", type=int, help="RPC port; 0 takes a free one.  [default: the part's own]")
@click.option("--metrics-port", type=int, help="Port for Prometheus.  [default: the part's own]")
@click.option("--advertise", type=ADDRESS, metavar="HOST:PORT", help="How others reach this process.  [default: host and port]")
@click.option("--database-url", type=URL, metavar="URL", help="postgresql://... or sqlite:///PATH")
@click.option("--database-url-file", type=URL_FILE, help="A file with that URL, whose password `ps` would show otherwise.")
@click.option("--broker-url", type=URL, metavar="URL", help="amqp://... or amqps://...")
@click.option("--broker-url-file", type=URL_FILE, help="A file with that URL.")
@click.option("--secrets", type=GivenPath(), help="Folder of the keys of this part's role, or the one that it is in.")
@click.option("--rooms-file", type=GivenPath(), help="Rooms that all parts share.  [default: those of the project]")
@click.option("--settlement-address", type=ADDRESS, metavar="HOST:PORT,...", help="The settlement service.")
@click.option("--table-addresses", type=ADDRESS, metavar="HOST:PORT,...", help="Where to ask first which table servers there are.")
@click.option("--server-name", help="This table server's own name.  [default: table-1]")
@click.option("--processes", type=click.IntRange(min=1), help="Run so many table servers, NAME-0, NAME-1, ..., on ports from --port on.")
@click.option("--log-level", type=click.Choice(["debug", "info", "warning", "error"]), help="What to log.  [default: info]")
def serve(part: str, processes: int | None, **options: Any) -> int:
    """Run matchmaking, a table server, settlement or a settlement worker until told to stop (SIGTERM or Ctrl-C).

    All other settings are read from the environment, as XUEZHAN_ and their name.

    With --processes a table server that ends is started again. Each has 6 connections to the database and 2 to the broker.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if processes is not None:
        return _run_several(part, processes, given)
    if part != "table" and "server_name" in given:
        raise click.UsageError("--server-name: only a table server has one")
    return run_part(part, given)


def _run_several(part: str, processes: int, given: dict[str, Any]) -> int:
    """Run several table servers, each in a process of its own."""
    from pydantic import ValidationError
    from sqlalchemy.engine import make_url

    from services.kit import logs
    from services.kit.config import one_line
    from xuezhan.cli.processes import children_of, look_after

    if part != "table":
        raise click.UsageError("--processes: only table servers share their work between processes")
    try:
        settings = _settings(part, given)
    except ValidationError as error:
        raise CommandError(one_line(error), 2) from None
    if make_url(settings.database_url).get_backend_name() == "sqlite":
        raise CommandError("--processes: SQLite is for one process; give a database_url of PostgreSQL", 2)
    if settings.broker_url.startswith("memory:"):
        raise CommandError("--processes: memory:// is for one process; give a broker_url of RabbitMQ", 2)
    if settings.port == 0:
        raise CommandError("--processes: port: 0 takes any port; name the first", 2)
    logs.configure(settings.log_level, service=f"table/{settings.server_name}")
    return asyncio.run(look_after(children_of(processes, given, settings)))


def run_part(part: str, given: dict[str, Any]) -> int:
    """Run one part with settings from `given` and the environment; returns the exit status."""
    from pydantic import ValidationError

    from services.kit import logs
    from services.kit.config import ConfigError, one_line
    from services.kit.connections import raise_file_limit
    from services.kit.errors import UnavailableError
    from services.kit.secrets import SecretsError

    try:
        settings = _settings(part, given)
    except ValidationError as error:
        raise CommandError(one_line(error), 2) from None
    logs.configure(settings.log_level, service=f"{part}/{settings.process_name}")
    raise_file_limit()
    try:
        return _run(part, settings)
    except (ConfigError, SecretsError) as error:
        raise CommandError(str(error), 2) from None
    except UnavailableError as error:
        raise CommandError(str(error)) from None


def _settings(part: str, given: dict[str, Any]) -> Any:
    if part == "matchmaking":
        from services.matchmaking.config import Settings

        return Settings(**given)
    if part == "table":
        from services.table.config import TableSettings

        return TableSettings(**given)
    from services.settlement.config import Settings as SettlementSettings
    from services.settlement.config import WorkerSettings

    return (WorkerSettings if part == "worker" else SettlementSettings)(**given)


def _run(part: str, settings: Any) -> int:
    if part == "worker":
        from services.settlement.worker import run

        return run(settings)
    import uvloop

    from services.kit.bootstrap import serve as run_service

    uvloop.run(run_service(part, settings, _build(part)))
    return 0


def _build(part: str) -> Build:
    if part == "matchmaking":
        from services.matchmaking.server import build as build_matchmaking

        return build_matchmaking
    if part == "table":
        from services.table.server import build as build_table

        return build_table
    from services.settlement.server import build as build_settlement

    return build_settlement
