"""Free seats of live tables: which there are, and who may take one.

Law: a seat is offered, and its taker answered, only from what is stored and shown.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

from services.kit import seat_tokens
from services.kit.errors import ConflictError, InvalidArgumentError, NotFoundError, UnavailableError
from services.table import between, store_whereabouts
from services.table.course_state import Taking, Visit
from services.table.opening import check_player, check_table
from services.table.phases import OVER, Phase
from services.table.rows import Kind, body
from services.table.store_whereabouts import Elsewhere, Here, Over, Unowned

if TYPE_CHECKING:
    from collections.abc import Collection

    from services.table.hall import Hall
    from services.table.mailbox import Departure
    from services.table.table import Table

MOST_LISTED: Final = 256
_ANSWER_SECONDS: Final = 2.0
"""How long a taker waits for the outcome of their `join`; then they ask again."""

LEFT: Final = "left"
SEAT_TAKEN: Final = "seat_taken"
TABLE_OVER: Final = "over"
ELSEWHERE: Final = "elsewhere"


@dataclass(slots=True, frozen=True)
class Wish:
    """Who wants which seat. `hold`: the match id under which their stake is held, and the key of the request."""

    table: str
    room: str
    seat: int
    player: str
    hold: str


@dataclass(slots=True, frozen=True)
class Answer:
    """What became of a wish: a `Taking`, or one of this module's words. With SEATED comes a fresh token."""

    state: str
    address: str
    epoch: int
    token: str = ""
    expires_at: int = 0


def free_seats(hall: Hall, rooms: Collection[str]) -> list[tuple[str, str, int]]:
    """Return seats that can be taken now, those free the longest first: (table, room, seat). No rooms: of all."""
    found = (
        (table.id, table.course.room.room_id, seat)
        for table in hall.vacant.values()
        if not (table.shut or table.rows) and (not rooms or table.course.room.room_id in rooms)
        for seat in between.vacant(table.course)
    )
    return list(islice(found, MOST_LISTED)) if hall.open and not hall.draining else []


async def take_seat(hall: Hall, wish: Wish) -> Answer:
    """Let a player have a free seat. The same wish again has the same end, and fresh tokens while they sit there.

    InvalidArgumentError names the field; NotFoundError: no such table; ConflictError: the hold is another's wish; UnavailableError: ask
    again.
    """
    check_table("table_id", wish.table)
    check_table("hold_id", wish.hold)
    check_player("player_id", wish.player)
    table = hall.find(wish.table)
    if table is None:
        return await _not_here(hall, wish)
    heard = asyncio.Event()
    waiting = hall.takers.setdefault(wish.hold, [])
    waiting.append(heard)
    try:
        answer = await _asked(hall, table, wish)
        if answer.state == Taking.JOINING:
            async with asyncio.timeout(_ANSWER_SECONDS):
                await heard.wait()
                answer = await _asked(hall, table, wish)
    except TimeoutError:
        answer = Answer(Taking.JOINING, hall.address, table.epoch)
    finally:
        waiting.remove(heard)
        if not waiting:
            del hall.takers[wish.hold]
    return answer


async def _not_here(hall: Hall, wish: Wish) -> Answer:
    match await hall.database.run(store_whereabouts.locate, wish.table, hall.lease.owner):
        case None:
            raise NotFoundError("unknown_table", "table_id: there is no such table")
        case Over(row, address):
            return Answer(TABLE_OVER, address, row.epoch)
        case Elsewhere(row, address):
            return Answer(ELSEWHERE, address, row.epoch)
        case Here() | Unowned():
            raise UnavailableError("not_live", "the table is being taken up; come back")


async def _asked(hall: Hall, table: Table, wish: Wish) -> Answer:
    """Put the wish in the table's mailbox and wait for what it says."""
    said: asyncio.Future[str | Exception] = asyncio.get_running_loop().create_future()
    gone = partial(_gone, said)
    table.send(partial(table.when_shown, partial(_decide, table, wish, said), gone), gone)
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            state = await said
    except TimeoutError:
        raise UnavailableError("busy", "the table does not come to it; ask again") from None
    if isinstance(state, Exception):
        raise state
    if state != Taking.SEATED:
        return Answer(state, hall.address, table.epoch)
    expires_at = int(time.time() + hall.settings.seat_token_seconds)
    token = seat_tokens.make(hall.seat_keys, wish.table, wish.seat, wish.player, expires_at)
    return Answer(state, hall.address, table.epoch, token, expires_at)


def _gone(said: asyncio.Future[str | Exception], _departure: Departure) -> None:
    """The table went before it came to the wish: asked again, this server knows where it is."""
    if not said.done():
        said.set_result(UnavailableError("unavailable", "the table went meanwhile; ask again"))


def _decide(table: Table, wish: Wish, said: asyncio.Future[str | Exception]) -> None:
    """Answer a wish from what is stored and shown; whoever asked may have gone."""
    if said.done():
        return
    course = table.course
    visit = course.visits.get(wish.hold)
    if wish.room != course.room.room_id or not 0 <= wish.seat < len(course.players):
        said.set_result(InvalidArgumentError("seat", "room_id, seat: the table has no such seat"))
    elif visit is not None and (visit.seat, visit.player) != (wish.seat, wish.player):
        said.set_result(ConflictError("other_wish", "hold_id: used for another seat or player"))
    elif visit is not None:
        said.set_result(_stands(table, wish.hold, visit))
    elif course.phase in OVER or course.phase is Phase.SETTLING:
        said.set_result(TABLE_OVER)
    elif wish.seat not in between.vacant(course):
        said.set_result(SEAT_TAKEN)
    else:
        told = course.take(wish.seat, wish.player, wish.hold)
        table.log(Kind.TAKE, wish.seat, body({"hold": wish.hold, "player": wish.player}), told)
        table.catch_up()
        said.set_result(Taking.JOINING)


def _stands(table: Table, hold: str, visit: Visit) -> str:
    course = table.course
    if visit.taking == Taking.SEATED and (course.holds[visit.seat] != hold or visit.seat in course.left):
        return LEFT
    return visit.taking
