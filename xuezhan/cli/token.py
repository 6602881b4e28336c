"""`token`: a player's token, for development."""

from __future__ import annotations

import click

from xuezhan.cli.options import PlayerName
from xuezhan.cli.where import Installation, installation_options


@click.command(epilog="\b\nExample:\n  xuezhan token alice")
@click.argument("player", type=PlayerName())
@installation_options
def token(where: Installation, player: str) -> None:
    """Print a token of PLAYER, good for a day. In production the studio's own backend makes these."""
    click.echo(where.player_token(player))
