"""`keys`: the secrets file of an installation."""

from __future__ import annotations

from pathlib import Path

import click

from xuezhan.cli.errors import CommandError
from xuezhan.cli.options import GivenPath


@click.command(epilog="\b\nExample:\n  xuezhan keys --out /etc/xuezhan/keys.json")
@click.option("--out", type=GivenPath(dir_okay=False), required=True, help="Where to write them.")
def keys(out: Path) -> None:
    """Make the key rings that all parts of an installation share: for tokens, settlement items and deals.

    The file is readable by its owner alone. One that is there already is checked and kept.
    """
    from services.kit.secrets import SecretsError, load, load_or_create

    was_there = out.exists()
    try:
        (load if was_there else load_or_create)(out)
    except SecretsError as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"{out}: {error.strerror}") from None
    click.echo(f"{out}: {'kept' if was_there else 'made'}", err=True)
