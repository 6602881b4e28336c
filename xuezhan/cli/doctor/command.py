"""`doctor`: asks every part of an installation how it is, and says in sentences what is wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from xuezhan.cli import program
from xuezhan.cli.credentials import READERS
from xuezhan.cli.where import Installation, installation_options, run

if TYPE_CHECKING:
    from xuezhan.cli.doctor.judge import Finding


@click.command(epilog="\b\nExamples:\n  xuezhan doctor\n  xuezhan doctor --json | jq .what")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a finding; none if all is well.")
@installation_options
def doctor(where: Installation, *, as_json: bool) -> int:
    """Ask every part of the installation how it is, and say what is wrong and what to do about it, worst first.

    It takes 15 seconds at most, whatever is dead, frozen or cut off. Exit status 0 if all is well, else 1.
    """
    from xuezhan.cli.main import COMMANDS

    found = run(_ask(where))
    for finding in found:
        typed = finding._replace(do=program.as_typed(finding.do, COMMANDS))
        click.echo(
            json.dumps(typed._asdict(), ensure_ascii=False) if as_json else f"{typed.says}.\n    {typed.do[0].upper()}{typed.do[1:]}."
        )
    if not found and not as_json:
        click.echo("all well")
    return 1 if found else 0


async def _ask(where: Installation) -> list[Finding]:
    from xuezhan.cli.doctor.ask import ask_all
    from xuezhan.cli.doctor.judge import judge
    from xuezhan.client import Channels

    seeds = [
        (role, address.strip())
        for role, addresses in (("settlement", where.settlement), ("table", ",".join(where.tables)), ("matchmaking", where.matchmaking))
        for address in addresses.split(",")
    ]
    # Looked for first: a key that is missing is told before anything is asked.
    where.credentials.token(READERS, "table")
    channels = Channels(0, where.ca_file, where.credentials.installation)
    try:
        return judge(await ask_all(seeds, lambda role: where.credentials.token(READERS, role), channels))
    finally:
        await channels.close()
