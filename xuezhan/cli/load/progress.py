"""How a load run shows that it is getting on: a bar on a terminal, a line now and then elsewhere. Always on standard error."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from xuezhan.cli.load.tally import Tally

BAR_SECONDS: Final = 0.25
LINE_SECONDS: Final = 5.0


async def show(tallies: Sequence[Tally], hands: int) -> None:
    """Show a run of about `hands` hands until cancelled."""
    if sys.stderr.isatty():
        await _bar(tallies, hands)
    while True:
        await asyncio.sleep(LINE_SECONDS)
        print(_line(tallies, hands), file=sys.stderr, flush=True)


async def _bar(tallies: Sequence[Tally], hands: int) -> None:
    columns = (
        TextColumn("hands"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TextColumn("{task.fields[more]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("hands", total=hands, more="")
        while True:
            bar.update(task, completed=_hands(tallies), more=_more(tallies))
            await asyncio.sleep(BAR_SECONDS)


def _hands(tallies: Sequence[Tally]) -> int:
    return sum(len(tally.hands) for tally in tallies)


def _line(tallies: Sequence[Tally], hands: int) -> str:
    return f"hands {_hands(tallies)}/{hands}  {_more(tallies)}"


def _more(tallies: Sequence[Tally]) -> str:
    tables = sum(len(tally.tables) for tally in tallies)
    accepted = sum(tally.accepted for tally in tallies)
    refused = sum(tally.refusals.total() for tally in tallies)
    return f"tables {tables}  actions {accepted}  refused {refused}  errors {sum(tally.error_count for tally in tallies)}"
