"""`simulate`: whole hands without services."""

from __future__ import annotations

import click

from games.fields import FieldError
from xuezhan.cli.lines import write_line
from xuezhan.cli.options import game_options


@click.command(epilog="\b\nExample:\n  xuezhan simulate crazy_xuezhan --hands 1000 --seed 1 | xuezhan verify-record")
@game_options
@click.option("--hands", type=click.IntRange(min=1), required=True, metavar="N", help="How many hands to play.")
@click.option("--seed", required=True, metavar="S", help="Any text; the same arguments give the same output.")
@click.option("--players", type=int, metavar="K", help="Seats at the table.  [default: the game's]")
@click.option("--bots", default="greedy", show_default=True, help="Who plays: random or greedy.")
@click.option("--money", type=int, metavar="N", help="Coins of each seat before every hand.  [default: enough for anything]")
@click.option("--leave", type=float, default=0.0, metavar="P", help="The chance, a turn, that a seat leaves.  [default: 0]")
def simulate(
    game: str, option: dict[str, str], hands: int, seed: str, players: int | None, bots: str, money: int | None, leave: float
) -> None:
    """Play whole hands of GAME at one table in this process and write one hand record a line."""
    from games.simulate import simulate as play

    try:
        records = play(game, hands, seed, option, players, bots, money, leave)
    except FieldError as error:
        raise click.UsageError(str(error)) from None
    for record in records:
        write_line(record)
