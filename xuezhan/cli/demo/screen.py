"""The demo's screen: live tables, wallets and counters on a terminal; lines elsewhere."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import deque
from collections.abc import Sequence
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from xuezhan.cli.demo.player import DemoSeat
from xuezhan.cli.demo.pulse import Pulse
from xuezhan.cli.picture import table_picture

FRAME_SECONDS: Final = 0.25
LINE_SECONDS: Final = 10.0
_TOLD_LINES: Final = 6


async def draw(seats: Sequence[DemoSeat], pulse: Pulse, told: asyncio.Queue[str], more: str) -> None:
    """Show the demo on a terminal until cancelled; the last picture stays there. `more`: what else one can look at."""
    begun, lines = time.monotonic(), deque[str](maxlen=_TOLD_LINES)
    with Live(console=Console(), screen=False, auto_refresh=False) as live:
        while True:
            while not told.empty():
                lines.append(told.get_nowait())
            seconds = time.monotonic() - begun
            live.update(_frame(seats, pulse, (*lines, more), seconds, live.console.height), refresh=True)
            await asyncio.sleep(FRAME_SECONDS)


async def write_lines(pulse: Pulse, told: asyncio.Queue[str]) -> None:
    """Write a line for every settled hand, and one about everything now and then, until cancelled."""
    begun, counted = time.monotonic(), 0.0
    while True:
        try:
            line = await asyncio.wait_for(told.get(), LINE_SECONDS)
        except TimeoutError:
            line = ""
        seconds = time.monotonic() - begun
        if line:
            _write(f"{seconds:6.1f} s  {line}")
        if seconds - counted >= LINE_SECONDS:
            counted = seconds
            _write(f"{seconds:6.1f} s  {pulse.tables} tables · {_counters(pulse)}")


def _frame(seats: Sequence[DemoSeat], pulse: Pulse, lines: Sequence[str], seconds: float, height: int) -> Group:
    pictures: list[RenderableType] = [
        table_picture(seat.table, seat.names, f"{seat.room.name} {seat.room.room_id} · {seat.table_id or 'queueing'}", brief=True)
        for seat in seats
    ]
    around = len(lines) + len(seats) + 5
    room_for = max(1, (height - around) // 8)
    shown, tables = min(room_for, len(pictures)), max(pulse.tables, len(pictures))
    heading = Text(f"xuezhan · {seconds:.0f} s · {shown} of {tables} tables shown · {_counters(pulse)}", style="bold")
    news = (Text(line, style="dim") for line in lines)
    return Group(heading, *pictures[:room_for], _wallets(seats), *news)


def _wallets(seats: Sequence[DemoSeat]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("player", "room", "hands", "wallet", "last hand", "since the start", ""):
        table.add_column(heading, justify="left" if heading in {"player", "room", ""} else "right")
    for seat in seats:
        row = (seat.name, seat.room.name, str(seat.hands), str(seat.wallet), f"{seat.result:+d}", f"{seat.change:+d}")
        table.add_row(*row, Text(seat.trouble, style="red"))
    return table


def _counters(pulse: Pulse) -> str:
    return (
        f"{pulse.hands} hands · {pulse.actions} actions ({pulse.actions_per_second:.0f}/s) · "
        f"{pulse.items} items settled · {pulse.coins_moved} coins moved"
    )


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
