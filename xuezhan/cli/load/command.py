"""`load`: many tables at once, every coin checked."""

from __future__ import annotations

import json
import secrets
from typing import Any

import click

from xuezhan.cli.options import GivenPath
from xuezhan.cli.where import Installation, installation_options, run


@click.command(
    epilog="\b\nExamples, beside a running `xuezhan up --fast`:\n  xuezhan load --game crazy_xuezhan --tables 50 --hands 2"
    "\n  xuezhan load --game crazy_xuezhan,crazy_duel --room dashi --room crazy_duel/rating --tables 20"
)
@click.option("--game", "games", required=True, multiple=True, help="What to play; several, repeated or with commas, share the tables.")
@click.option("--room", "rooms", multiple=True, help="In which room: ROOM or GAME/ROOM; may be repeated.  [default: each game's first]")
@click.option("--tables", type=click.IntRange(1, 20_000), default=10, show_default=True, help="Tables at the same time.")
@click.option("--hands", type=click.IntRange(1, 10_000), default=1, show_default=True, help="Hands that every player plays.")
@click.option("--connections", type=click.IntRange(1, 64), default=1, show_default=True, help="Connections that the seats are spread over.")
@click.option("--bots", type=click.Choice(["random", "greedy"]), default="random", show_default=True, help="How the players choose.")
@click.option("--coins", type=click.IntRange(0, 2**52), help="Coins each player is given first.  [default: plenty for the room]")
@click.option("--think", type=click.FloatRange(0, 60), default=0, show_default=True, help="Seconds that players wait before they answer.")
@click.option(
    "--leave",
    type=click.FloatRange(0, 1),
    default=0,
    show_default=True,
    help="Chance a turn that a player leaves, and that they go once they have won; where the game gives that a meaning, it counts.",
)
@click.option("--run", "name", default="", help="Name of the run, in player ids and keys.  [default: a fresh one]")
@click.option(
    "--patience", type=click.FloatRange(0, 3600), default=120, show_default=True, help="Seconds to wait for a server that is away."
)
@click.option("--timeout", type=click.FloatRange(1), default=1800, show_default=True, help="Seconds after which the run is given up.")
@click.option("--traces", type=GivenPath(file_okay=False), help="Write all that clients were sent here, a file a table.")
@click.option("--records/--no-records", default=True, show_default=True, help="Replay every record and look for every acknowledged action.")
@click.option(
    "--metrics-port", type=click.IntRange(1, 65_535), help="Export faults of fairness for Prometheus on this port of this machine."
)
@click.option("--json", "as_json", is_flag=True, help="Report as one JSON object.")
@installation_options
def load(
    where: Installation, *, games: tuple[str, ...], name: str, records: bool, metrics_port: int | None, as_json: bool, **options: Any
) -> int:
    """Play whole hands at many tables over multiplexed streams, and check every coin and action afterwards.

    Players get development tokens and deposits, queue through matchmaking and play in rounds. Servers that are killed and started again
    meanwhile are waited for. Exit status 1 if there was any error, or any coin or acknowledged action is not where it must be.
    """
    from xuezhan.cli.load.plan import Plan, named
    from xuezhan.cli.load.run import LoadRun

    plan = Plan(games=named(games), run=name or secrets.token_hex(3), check_records=records, **options)

    async def play() -> dict[str, Any]:
        return await LoadRun(plan, where, metrics_port).run()

    report = run(play())
    if as_json:
        click.echo(json.dumps(report, ensure_ascii=False))
    else:
        from xuezhan.cli.load.report import show_report

        show_report(report)
    return 0 if report["ok"] else 1
