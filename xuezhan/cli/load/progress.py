"""How a load run shows that it is getting on: a bar on a terminal, a line now and then elsewhere. Always on standard error."""

from __future__ import annotations

import asyncio
import sys
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from xuezhan.cli.load.tally import Tally

BAR_SECONDS: Final = 0.25
LINE_SECONDS: Final = 5.0


async def show(tally: Tally, hands: int) -> None:
    """Show a run of about `hands` hands until cancelled."""
    if sys.stderr.isatty():
        await _bar(tally, hands)
    while True:
        await asyncio.sleep(LINE_SECONDS)
        print(_line(tally, hands), file=sys.stderr, flush=True)


async def _bar(tally: Tally, hands: int) -> None:
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
            bar.update(task, completed=len(tally.hands), more=_more(tally))
            await asyncio.sleep(BAR_SECONDS)


def _line(tally: Tally, hands: int) -> str:
    return f"hands {len(tally.hands)}/{hands}  {_more(tally)}"


def _more(tally: Tally) -> str:
    return f"tables {len(tally.tables)}  actions {tally.accepted}  refused {tally.refusals.total()}  errors {tally.error_count}"
