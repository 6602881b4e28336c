"""`player`: what finance may do about a player. Every act is recorded with who and why (`xuezhan settlement log`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from xuezhan.cli.options import PlayerName, who_option, why_option
from xuezhan.cli.where import Installation, installation_options, run

if TYPE_CHECKING:
    from xuezhan.api.settlement.v1 import ledger_pb2 as pb


@click.group()
def player() -> None:
    """Freeze a player, or lift that."""


@player.command(epilog="\b\nExample:\n  xuezhan player freeze mallory --why 'case 4711: coins from a stolen card'")
@click.argument("name", metavar="PLAYER", type=PlayerName())
@who_option
@why_option
@installation_options
def freeze(where: Installation, name: str, who: str, why: str) -> None:
    """Let PLAYER get no seat, withdraw nothing and make up no stake from now on.

    A ticket of theirs that waits fails when its stake is to be held. A hand that they play goes on and is settled; deposits still arrive.
    """
    _set(where, name, who, why, frozen=True)


@player.command(epilog="\b\nExample:\n  xuezhan player unfreeze mallory --why 'case 4711: cleared'")
@click.argument("name", metavar="PLAYER", type=PlayerName())
@who_option
@why_option
@installation_options
def unfreeze(where: Installation, name: str, who: str, why: str) -> None:
    """Let PLAYER play and withdraw again."""
    _set(where, name, who, why, frozen=False)


def _set(where: Installation, name: str, who: str, why: str, *, frozen: bool) -> None:
    async def ask() -> pb.SetFrozenResponse:
        async with where.client() as client:
            return await client.ledger.set_frozen(where.finance_token(), name, who, why, frozen=frozen)

    answer = run(ask())
    state = "frozen" if frozen else "not frozen"
    click.echo(f"{name} is {state}" if answer.changed else f"{name} was {state} already")
    if answer.unknown:
        click.echo(f"xuezhan: no coin was ever {name}'s: is this the right name?", err=True)
