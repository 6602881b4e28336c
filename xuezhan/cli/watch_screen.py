"""The live picture of one table on a terminal: the table, how long the player in turn may still take, and whether the server is there.

A watcher is not told of offers, so the time left is reckoned from when the turn began as seen here: a player who was seen later, or whose
seat the server plays, has less.
"""

from __future__ import annotations

import asyncio
import contextlib
from math import ceil
from types import TracebackType
from typing import Final, Self

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.cli.picture import table_picture
from xuezhan.client import TableModel, table_model

_FRAME_SECONDS: Final = 0.5


class Screen:
    """Draws what it hears, and goes on drawing while nothing comes, so that time is seen to pass. `listed`: the table as it was listed."""

    def __init__(self, table_id: str, listed: pb.TableSummary | None) -> None:
        listed = listed or pb.TableSummary()
        self._title = f"{listed.room_id} · {table_id}"
        self._names = ["bot" if seat.bot else seat.player_id for seat in listed.seats]
        self._table = table_model(listed.room_id, len(self._names) or 4)
        self._turn_seconds = listed.turn_seconds
        self._now = asyncio.get_running_loop().time
        self._turn_at = self._now()
        self._away = ""
        self._live = Live(auto_refresh=False)
        self._ticking: asyncio.Task[None] | None = None

    def __enter__(self) -> Self:
        self._live.start()
        self._ticking = asyncio.create_task(self._tick())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._ticking is not None
        self._ticking.cancel()
        self._live.stop()

    def hear(self, event: pb.Event) -> None:
        """Show what follows from an event."""
        name = event.WhichOneof("what") or ""
        self._table.hear(name, getattr(event, name, None))
        self._turn_at, self._away = self._now(), ""
        self._show()

    def away(self, why: str) -> None:
        """Show that the server is not there, until the next event."""
        self._away = why
        self._show()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_FRAME_SECONDS)
            with contextlib.suppress(OSError):
                self._show()

    def _show(self) -> None:
        self._live.update(self.picture(), refresh=True)

    def picture(self) -> RenderableType:
        """Return what is shown now."""
        return Group(table_picture(self._table, self._names, self._title), Text(self._away or self._time_left(), style="bold"))

    def _time_left(self) -> str:
        table = self._table
        # After a discard anybody may be asked about it: whether somebody is, and for how long, nobody is told.
        claimed = isinstance(table, TableModel) and table.last_discard
        if not self._turn_seconds or table.turn < 0 or table.phase != "play" or claimed:
            return ""
        left = max(0.0, self._turn_at + self._turn_seconds - self._now())
        return f"seat {table.turn}: at most {ceil(left)} s left"
