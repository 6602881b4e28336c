"""Opening the table of a match: idempotent under the match's id, with fresh seat tokens each time."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from services.kit import seat_tokens
from services.kit.errors import ConflictError, ExhaustedError, InvalidArgumentError, ServiceError, UnavailableError
from services.table import recovery, store, store_whereabouts
from services.table.replay import opening
from services.table.store import TableRow
from services.table.store_whereabouts import Elsewhere, Here, Over
from services.table.table import Table

if TYPE_CHECKING:
    from services.kit.rooms import Room
    from services.table.hall import Hall

TABLE_ID: Final = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_PLAYER_ID: Final = re.compile(r"[A-Za-z0-9_.:@-]{1,64}")


@dataclass(slots=True, frozen=True)
class Opened:
    """A table, where to play it, and who may: (seat, player, token)."""

    table_id: str
    address: str
    epoch: int
    state: str
    tokens: list[tuple[int, str, str]]
    expires_at: int


async def open_table(hall: Hall, table_id: str, room_id: str, players: Sequence[str | None]) -> Opened:
    """Open a table, or find the one that the same request opened. `players`: None for a bot.

    InvalidArgumentError names the field; ConflictError: the id is another table's; ExhaustedError: this server is full.
    """
    room = _check(hall, table_id, room_id, players)
    request = store.request_text(room_id, players)
    table = hall.find(table_id)
    if table is None and (table_id in hall.openings or hall.takes_tables()):
        row, address = await _created(hall, table_id, room, tuple(players), request)
    else:
        row, address = await _found(hall, table_id)
    if row.request != request:
        raise ConflictError("other_table", f"table_id: {table_id} is a table of another room or other players")
    expires_at = int(time.time() + hall.settings.seat_token_seconds)
    made = [
        (seat, player, seat_tokens.make(hall.seat_keys, table_id, seat, player, expires_at))
        for seat, player in enumerate(players)
        if player is not None
    ]
    return Opened(table_id, address, row.epoch, row.state, made, expires_at)


def check_table(field: str, table_id: str) -> None:
    """Raise InvalidArgumentError where the field is no id of a table or match."""
    if not TABLE_ID.fullmatch(table_id):
        raise InvalidArgumentError(field, f"{field}: 1 to 64 letters, digits or _ . : -")


def check_player(field: str, player: str) -> None:
    """Raise InvalidArgumentError where the field is no player's id."""
    if not _PLAYER_ID.fullmatch(player):
        raise InvalidArgumentError(field, f"{field}: player_id is 1 to 64 letters, digits or _ . : @ -")


def _check(hall: Hall, table_id: str, room_id: str, players: Sequence[str | None]) -> Room:
    check_table("table_id", table_id)
    room = hall.rooms.get(room_id)
    if room is None:
        raise InvalidArgumentError("room_id", f"room_id: there is no room {room_id[:64]!r}")
    if len(players) != room.players:
        raise InvalidArgumentError("seats", f"seats: {room.room_id} has {room.players}, not {len(players)}")
    named = [player for player in players if player is not None]
    for player in named:
        check_player("seats", player)
    if len(set(named)) != len(named):
        raise InvalidArgumentError("seats", "seats: a player sits twice")
    return room


def _turned_away(hall: Hall) -> ServiceError:
    if not hall.open or hall.draining or not hall.lease.valid():
        return UnavailableError("not_serving", "this server takes no new tables now")
    return ExhaustedError("full", f"this server has {hall.settings.max_tables} tables")


async def _created(hall: Hall, table_id: str, room: Room, players: tuple[str | None, ...], request: str) -> tuple[TableRow, str]:
    """Let a table be opened, once for all who ask for it now; a caller that goes away does not stop it half way."""
    task = hall.openings.get(table_id)
    if task is None:
        task = hall.openings[table_id] = asyncio.ensure_future(_create(hall, table_id, room, players, request))
        task.add_done_callback(lambda done: _opened(hall, table_id, done))
    return await asyncio.shield(task)


async def _found(hall: Hall, table_id: str) -> tuple[TableRow, str]:
    """Return a table that is there already, and where it is played. UnavailableError while it is played nowhere."""
    match await hall.database.run(store_whereabouts.locate, table_id, hall.lease.owner):
        case None:
            raise _turned_away(hall)
        case Over(row, address) | Elsewhere(row, address):
            return row, address
        case Here(row) if hall.find(table_id) is not None:
            return row, hall.address
        case _:
            raise UnavailableError("not_live", "the table is being taken up; come back")


def _opened(hall: Hall, table_id: str, task: asyncio.Task[Any]) -> None:
    del hall.openings[table_id]
    if not task.cancelled():
        # Looked at, whether or not anybody still waits for it.
        task.exception()


async def _create(hall: Hall, table_id: str, room: Room, players: tuple[str | None, ...], request: str) -> tuple[TableRow, str]:
    """Open a new table; or find the one that is there, and where."""
    course, first = opening(table_id, room, players, hall.unix_ms())
    generation = hall.lease.generation
    wanted = TableRow(table_id, room.room_id, hall.settings.server_name, generation, 1, "open", 0.0, request, rules=course.rules.version)
    row = await hall.journal.open(wanted, first, course.owed)
    if not row.fresh:
        if row.owner == wanted.owner and row.generation == generation:
            # It was stored, but whoever asked for it was told that this is not known.
            await recovery.rebuild(hall, table_id, row.epoch)
        return await _found(hall, table_id)
    items, course.owed = course.owed, []
    # If the lease went meanwhile, whoever owns this server's tables now finds this one among them.
    if hall.owns(generation):
        hall.add(Table(hall, course, row, first.seq))
        hall.relay.add(table_id, items)
    return row, hall.address
