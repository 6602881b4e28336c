"""`table`: one live table, as an operator sees it and may end it."""

from __future__ import annotations

import json
from typing import Any, Final

import click

from xuezhan.cli.options import who_option, why_option
from xuezhan.cli.output import as_json_option, write_rows
from xuezhan.cli.tables import ask_owner, table_row
from xuezhan.cli.times import shown
from xuezhan.cli.where import Installation, installation_options, run

_ACT: Final = ("at", "action", "about", "who", "why")
_MOST: Final = 1000
_WAITS: Final = {
    "players": "players who must answer",
    "window": "the end of a claim window",
    "handshake": "the shuffle: hashes or bytes of players",
    "seats": "players for its free seats",
    "settlement": "coins of the last hand",
    "database": "its rows to be stored",
    "hand_over": "its move to another server",
    "lease": "its server, which has lost its lease",
    "": "nothing",
}


@click.group()
def table() -> None:
    """Look at one live table, or end it."""


@table.command(epilog="\b\nExample:\n  xuezhan table show 3f0c...")
@click.argument("table_id", metavar="TABLE")
@as_json_option
@installation_options
def show(where: Installation, table_id: str, *, as_json: bool) -> None:
    """Say who plays TABLE and what it waits for: why it stands still, if it does."""

    async def ask() -> dict[str, Any]:
        found = await ask_owner(where, lambda server: server.look(where.operator_token(), table_id))
        return {
            **table_row(found.table),
            "server": found.server,
            "lease_seconds": round(found.lease_seconds, 1),
            "connected": list(found.connected_seats),
            "waits_for": found.waits_for,
            "asked": dict(zip(found.asked_seats, (round(left, 1) for left in found.seconds_left), strict=True)),
            "goes_on_in_seconds": round(found.goes_on_in_seconds, 1) or None,
            "unsettled_items": found.unsettled_items,
            "oldest_item_seconds": round(found.oldest_item_seconds, 1),
        }

    found = run(ask())
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    lines = {
        "table": f"{found['table']}, {found['room']}, hand {found['hand']}, {found['phase']}",
        "server": f"{found['server']}, its lease has {found['lease_seconds']} s left",
        "seats": ", ".join(f"{seat} {name or 'free'}{_state(seat, found)}" for seat, name in enumerate(found["seats"])),
        "waits for": _WAITS.get(found["waits_for"], found["waits_for"]),
        "asked": ", ".join(f"seat {seat}{f', {left} s left' if left else ''}" for seat, left in found["asked"].items()),
        "goes on": f"by itself in {found['goes_on_in_seconds']} s" if found["goes_on_in_seconds"] else "when that comes",
        "coins": f"{found['unsettled_items']} items without an outcome, the oldest {found['oldest_item_seconds']} s old"
        if found["unsettled_items"]
        else "all settled so far",
    }
    for name, text in lines.items():
        if text:
            click.echo(f"{name:10}{text}")


def _state(seat: int, found: dict[str, Any]) -> str:
    what = [*(["on auto"] if seat in found["on_auto"] else []), *(["connected"] if seat in found["connected"] else [])]
    return f" ({', '.join(what)})" if what else ""


@table.command("call-off", epilog="\b\nExample:\n  xuezhan table call-off 3f0c... --why 'case 4711: it shows the wrong tiles'")
@click.argument("table_id", metavar="TABLE")
@who_option
@why_option
@installation_options
def call_off(where: Installation, table_id: str, who: str, why: str) -> None:
    """End TABLE where it stands: stages that were settled stay, nothing more is owed, the rest of the stakes goes back. Players are told
    that an operator did it, with the name and not the reason. A table that was set aside is played by nobody: `xuezhan retry-tables` first.
    """

    async def ask() -> None:
        await ask_owner(where, lambda server: server.call_off(where.operator_token(), table_id, who, why))

    run(ask())
    click.echo(f"{table_id} is called off")


@table.command("log", epilog="\b\nExample:\n  xuezhan table log --limit 20")
@click.option("--limit", type=click.IntRange(1, _MOST), default=100, show_default=True, help="At most so many.")
@as_json_option
@installation_options
def log(where: Installation, limit: int, *, as_json: bool) -> None:
    """List which tables were called off or tried again and which servers were drained, by whom and why, the latest first."""

    async def ask() -> list[dict[str, Any]]:
        async with where.client() as client:
            found = await client.tables(",".join(where.tables)).acts(where.reader_token(), limit)
        return [{"at": shown(act.at), "action": act.action, "about": act.about, "who": act.who, "why": act.why} for act in found]

    write_rows(_ACT, run(ask()), as_json=as_json)
