"""`rooms` and `room`: what is offered to players, and what operators do about it."""

from __future__ import annotations

from typing import Any, Final

import click

from xuezhan.cli.options import who_option, why_option
from xuezhan.cli.output import as_json_option, write_rows
from xuezhan.cli.times import shown
from xuezhan.cli.where import Installation, installation_options, run

_ROOM: Final = ("room", "name", "players", "base", "min_coins", "turn_seconds", "hands", "bots_after", "waiting", "state", "why")
_ACT: Final = ("at", "room", "action", "who", "why")
_MOST: Final = 1000


@click.command(epilog="\b\nExample:\n  xuezhan rooms --game crazy_xuezhan")
@click.option("--game", default="", help="Only rooms of one game.")
@as_json_option
@installation_options
def rooms(where: Installation, game: str, *, as_json: bool) -> None:
    """List the rooms: their stakes, how many tickets wait, and whether an operator closed them."""

    async def ask() -> list[dict[str, Any]]:
        async with where.client() as client:
            found = await client.tickets.rooms(where.rooms_token(), game)
        return [
            {
                "room": room.room_id,
                "name": room.name,
                "players": room.players,
                "base": room.base,
                "min_coins": room.min_coins,
                "turn_seconds": room.turn_seconds or None,
                "hands": room.hands,
                "bots_after": room.bot_wait_seconds if room.bots else None,
                "waiting": room.waiting,
                "state": "closed" if room.closed else "open",
                "why": room.closed_why or None,
            }
            for room in found
        ]

    write_rows(_ROOM, run(ask()), as_json=as_json)


@click.group()
def room() -> None:
    """Close a room, or open it again."""


@room.command(epilog="\b\nExample:\n  xuezhan room close crazy_xuezhan/mayou --why 'case 4711: wrong base'")
@click.argument("room_id", metavar="ROOM")
@who_option
@why_option
@installation_options
def close(where: Installation, room_id: str, who: str, why: str) -> None:
    """Let ROOM give no more seats: tickets that wait end, none are taken. Its tables play on to their end."""
    _set(where, room_id, who, why, closed=True)


@room.command("open", epilog="\b\nExample:\n  xuezhan room open crazy_xuezhan/mayou --why 'case 4711: mended'")
@click.argument("room_id", metavar="ROOM")
@who_option
@why_option
@installation_options
def open_(where: Installation, room_id: str, who: str, why: str) -> None:
    """Let ROOM give seats again."""
    _set(where, room_id, who, why, closed=False)


@room.command("log", epilog="\b\nExample:\n  xuezhan room log --limit 20")
@click.option("--limit", type=click.IntRange(1, _MOST), default=100, show_default=True, help="At most so many.")
@as_json_option
@installation_options
def log(where: Installation, limit: int, *, as_json: bool) -> None:
    """List which rooms were closed and opened, by whom and why, the latest first."""

    async def ask() -> list[dict[str, Any]]:
        async with where.client() as client:
            found = await client.tickets.room_acts(where.rooms_token(), limit)
        return [
            {"at": shown(act.at), "room": act.room_id, "action": "close" if act.closed else "open", "who": act.who, "why": act.why}
            for act in found
        ]

    write_rows(_ACT, run(ask()), as_json=as_json)


def _set(where: Installation, room_id: str, who: str, why: str, *, closed: bool) -> None:
    async def ask() -> bool:
        async with where.client() as client:
            return await client.tickets.set_closed(where.rooms_token(acts=True), room_id, who, why, closed=closed)

    changed = run(ask(), unknown_room=" (`xuezhan rooms` lists them)")
    state = "closed" if closed else "open"
    click.echo(f"{room_id} is {state}" if changed else f"{room_id} was {state} already")
