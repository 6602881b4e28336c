"""`options`: what can be set in a game, and what its rooms set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from xuezhan.cli.output import as_json_option, write_rows

if TYPE_CHECKING:
    from games.option_table import Choice, Flag, OptionTable, Whole

_COLUMNS: Final = ("option", "values", "default", "rooms")


@click.command(epilog="\b\nExample:\n  xuezhan options kaxinwu")
@click.argument("game")
@as_json_option
def options(game: str, *, as_json: bool) -> None:
    """List the options of GAME: what each may be, its default, and in which rooms it is something else.

    `--option NAME=VALUE` of other commands, and `options` in a rooms file, set them.
    """
    from games.option_table import OptionError
    from games.registry import game as find_game

    try:
        table = find_game(game).options
    except OptionError as error:
        raise click.UsageError(str(error)) from None
    write_rows(_COLUMNS, [_plain(row) if not as_json else row for row in _rows(table)], as_json=as_json)


def _rows(table: OptionTable) -> list[dict[str, Any]]:
    defaults = table.resolve({})
    rows: list[dict[str, Any]] = [{"option": "room", "values": [room.id for room in table.rooms], "default": table.default_room}]
    rows[0]["rooms"] = {room.id: room.name for room in table.rooms}
    for option in table.options:
        default = defaults[option.name]
        rooms = {room.id: table.resolve({"room": room.id})[option.name] for room in table.rooms}
        differ = {room: value for room, value in rooms.items() if value != default}
        rows.append({"option": option.name, "values": _values(option.kind), "default": default, "rooms": differ})
    return rows


def _values(kind: Choice | Whole | Flag) -> list[str]:
    from games.option_table import Choice, Whole

    if isinstance(kind, Choice):
        values = list(kind.words)
    elif isinstance(kind, Whole):
        values = [f"{kind.least} to {kind.most}"]
    else:
        values = ["true", "false"]
    return [*values, "null"] if kind.null else values


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    rooms = ", ".join(f"{room} {_word(value)}" for room, value in row["rooms"].items())
    return {**row, "values": ", ".join(row["values"]), "default": _word(row["default"]), "rooms": rooms}


def _word(value: object) -> str:
    """Return a value as one types it."""
    if isinstance(value, bool):
        return str(value).lower()
    return "null" if value is None else str(value)
