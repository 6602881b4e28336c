"""`up`: everything in one process, from nothing to tables being played."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import click

from xuezhan.cli.data_folder import owned
from xuezhan.cli.errors import CommandError
from xuezhan.cli.options import ADDRESS, DataFolder, GivenPath
from xuezhan.cli.where import DATA


@click.command(epilog="\b\nExamples:\n  xuezhan up --demo\n  xuezhan up --data /var/tmp/studio --rooms my-rooms.toml\n  xuezhan up --fast")
@click.option(
    "--data",
    type=DataFolder(),
    default=DATA,
    show_default=True,
    envvar="XUEZHAN_DATA",
    help="Where everything is kept; made if need be. The keys are beside it, in NAME.secrets.",
)
@click.option("--rooms", type=GivenPath(), envvar="XUEZHAN_ROOMS_FILE", help="Rooms file.  [default: the project's rooms]")
@click.option("--demo", is_flag=True, help="Keep tables of demo players and bots being played at a pace to look at, and show them.")
@click.option("--fast", is_flag=True, help="The project's rooms without pauses, for load runs.")
@click.option("--host", type=ADDRESS, metavar="HOST", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port-base",
    type=click.IntRange(0, 65000),
    default=7000,
    show_default=True,
    help="Matchmaking listens at +100, tables at +200, settlement at +300, metrics one above each; 0 takes free ports.",
)
@click.option(
    "--log-level", type=click.Choice(["debug", "info", "warning", "error"]), default="warning", show_default=True, help="What to log."
)
def up(data: Path, rooms: Path | None, host: str, port_base: int, log_level: str, *, demo: bool, fast: bool) -> int:
    """Run matchmaking, a table server, settlement and its worker in this process until Ctrl-C. No server is needed.

    Whatever was under way when the process ended, however it ended, goes on at the next start with the same data.
    """
    if rooms is not None and fast:
        raise click.UsageError("--rooms and --fast name rooms each: give one of them")
    if rooms is None and (demo or fast):
        rooms = Path(str(resources.files("services.kit").joinpath("rooms_fast.toml" if fast else "rooms_demo.toml")))
    with owned(data):
        return _up(data, rooms, host, port_base, log_level, demo=demo)


def _up(data: Path, rooms: Path | None, host: str, port_base: int, log_level: str, *, demo: bool) -> int:
    import uvloop
    from pydantic import ValidationError

    from services.kit import logs
    from services.kit.config import ConfigError, PortError, one_line
    from services.kit.connections import raise_file_limit
    from services.kit.errors import UnavailableError
    from services.kit.secrets import SecretsError
    from xuezhan.cli.embedded import Embedded, Ports
    from xuezhan.cli.until_stopped import until_stopped

    logs.configure(log_level, service="up")
    raise_file_limit()
    try:
        embedded = Embedded(data, host=host, ports=Ports.of(port_base), rooms_file=rooms, log_level=log_level)
        uvloop.run(until_stopped(embedded, demo=demo))
    except ValidationError as error:
        raise CommandError(one_line(error), 2) from None
    except PortError as error:
        raise CommandError(f"{error} (--port-base chooses other ports)", 2) from None
    except (ConfigError, SecretsError) as error:
        raise CommandError(str(error), 2) from None
    except UnavailableError as error:
        raise CommandError(str(error)) from None
    return 0
