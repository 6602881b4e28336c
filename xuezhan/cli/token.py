"""`token`: a player's token, for development."""

from __future__ import annotations

import click

from xuezhan.cli.where import Installation, installation_options


@click.command(epilog="\b\nExample:\n  xuezhan token alice")
@click.argument("player")
@installation_options
def token(where: Installation, player: str) -> None:
    """Print a token of PLAYER, good for a day. In production the studio's own backend makes these."""
    from pydantic import TypeAdapter, ValidationError

    from services.kit.names import PlayerId, is_reserved

    try:
        TypeAdapter(PlayerId).validate_python(player)
    except ValidationError:
        needed = f"{player} is a reserved name" if is_reserved(player) else "1 to 64 letters, digits or any of _ . : @ - are needed"
        raise click.UsageError(f"PLAYER: {needed}") from None
    click.echo(where.player_token(player))
