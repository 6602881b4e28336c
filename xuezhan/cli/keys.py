"""`keys`: the folders of an installation's keys, one a role."""

from __future__ import annotations

from pathlib import Path

import click

from xuezhan.cli.errors import CommandError
from xuezhan.cli.options import GivenPath


@click.command(epilog="\b\nExample:\n  xuezhan keys --out /etc/xuezhan")
@click.option("--out", type=GivenPath(), required=True, help="The folder to make them in.")
def keys(out: Path) -> None:
    """Make the keys of an installation: a folder for each role, which is all that the machines of that role need.

    What is there already is checked and kept; what is missing is made, and the other roles learn of it. A keys.json of an earlier version
    in the folder or beside it is divided. XUEZHAN_DEVELOPMENT=1 also makes a key for players' tokens, for machines that no player reaches.
    """
    from pydantic import ValidationError

    from services.kit import make_keys
    from services.kit.config import PlayerSettings, one_line
    from services.kit.secrets import SecretsError

    if out.is_file():
        raise CommandError(f"{out}: a folder is needed; where it is the file of an earlier version, name the folder that it is in", 2)
    try:
        old = (out / make_keys.OLD, out.parent / make_keys.OLD)
        made = make_keys.make(out, development=PlayerSettings().development, old=old)
    except ValidationError as error:
        raise CommandError(one_line(error), 2) from None
    except SecretsError as error:
        raise CommandError(str(error), 2) from None
    for line in made.said or [f"{out}: kept"]:
        click.echo(line, err=True)
