"""The demo of `up --demo`: players who never tire, and a screen that shows what becomes of them."""

from __future__ import annotations

import asyncio
import shlex
import sys
from pathlib import Path
from typing import Final

from games.registry import GAMES
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as mm
from xuezhan.cli import program
from xuezhan.cli.demo.player import DemoPlayer
from xuezhan.cli.demo.pulse import Pulse
from xuezhan.cli.demo.screen import draw, write_lines
from xuezhan.cli.where import DATA, Installation

TABLES: Final = 4
"""Tables played at the same time, one a room."""
_TOLD: Final = 1000


async def run_demo(where: Installation, metrics: dict[str, str]) -> None:
    """Play and show until cancelled."""
    told: asyncio.Queue[str] = asyncio.Queue(_TOLD)
    pulse = Pulse()
    async with where.client(patience_seconds=60) as client:
        rooms = [room for room in await client.tickets.rooms(where.player_token("demo-1")) if room.game in GAMES and room.bots]
        players = [DemoPlayer(where, client, room, number, told) for number, room in enumerate(_spread(rooms), 1)]
        show = draw([player.seen for player in players], pulse, told, _help(where)) if sys.stdout.isatty() else write_lines(pulse, told)
        async with asyncio.TaskGroup() as group:
            for player in players:
                group.create_task(player.play())
            group.create_task(pulse.follow(metrics))
            group.create_task(show)


def _help(where: Installation) -> str:
    """Say what else one can look at, as one has to type it in another terminal."""
    data = "" if str(where.data) == str(Path(DATA)) else f" --data {shlex.quote(str(where.data))}"
    commands = ", ".join(f"{program.name()} {words}{data}" for words in ("tables", "watch TABLE", "ledger check"))
    return f"Ctrl-C ends it; the wallets stay. In another terminal: {commands}"


def _spread(rooms: list[mm.Room]) -> list[mm.Room]:
    """Return one room a table, of every game in turn."""
    by_game: dict[str, list[mm.Room]] = {}
    for room in rooms:
        by_game.setdefault(room.game, []).append(room)
    taken = [room for place in range(TABLES) for of_game in by_game.values() for room in of_game[place : place + 1]]
    return taken[:TABLES]
