"""What players ask for: a ticket, a look at it, to be let go."""

from __future__ import annotations

import re
from typing import Final

from services.kit import logs
from services.kit.callers import Caller
from services.kit.errors import (
    ConflictError,
    ExhaustedError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
    UnavailableError,
)
from services.kit.items import MOST_TO_PLAY
from services.kit.names import is_reserved
from services.kit.rooms import Room, Rooms
from services.matchmaking import store, store_matches, store_rooms
from services.matchmaking.loop import Loop
from services.matchmaking.metrics import tier
from services.matchmaking.seating import Parts
from services.matchmaking.settlement import Balance
from services.matchmaking.store_rooms import RoomAct
from services.matchmaking.tickets import Ticket, TicketState, new_ticket_id

log = logs.get(__name__)

MAX_KEY_CHARS: Final = 128
MAX_WORDS: Final = 500
_TICKET_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TRIES: Final = 3


class Desk:
    """Takes and answers requests about tickets."""

    def __init__(self, parts: Parts, rooms: Rooms, loop: Loop, max_waiting: int) -> None:
        self._parts = parts
        self._run = parts.database.run
        self._rooms = rooms
        self._loop = loop
        self._max_waiting = max_waiting

    async def create(self, caller: Caller, room_id: str, key: str) -> Ticket:
        """Queue the caller for a room; the same key again returns the same ticket.

        Raises InvalidArgumentError (key), NotFoundError (room), ConflictError
        (`active`: the player has a ticket already, named in the metadata; `key_reused`: the key is another room's), FailedPreconditionError
        (`short`), ExhaustedError (`queue_full`), UnavailableError.
        """
        room = self._checked(room_id, key)
        player = caller.subject
        keyed, active = await self._run(store.find, player, key)
        if keyed is not None:
            return _repeated(keyed, room_id)
        if active is not None and active.state != TicketState.SEATED:
            raise _has_ticket(active)
        if is_reserved(player):
            raise PermissionDeniedError("reserved_name", f"player: {player} is a reserved name")
        balance = await self._parts.settlement.balance(player)
        if active is not None and balance.match and balance.match in {active.match, await self.table_of(active)}:
            raise _has_ticket(active)
        self._room_for(room, balance)
        return await self._write(room, player, key, balance, active.id if active else "")

    async def find(self, caller: Caller, ticket_id: str) -> Ticket:
        """Return a ticket of the caller's. A player is refused what is another's, whether or not it exists."""
        found = await self._run(store.read, [ticket_id]) if _TICKET_ID.fullmatch(ticket_id) else []
        if not found or found[0].player != caller.subject:
            raise PermissionDeniedError("not_yours", "ticket_id: not a ticket of yours")
        return found[0]

    async def active(self, caller: Caller) -> Ticket | None:
        """Return the ticket that the caller has now, if any."""
        _, active = await self._run(store.find, caller.subject, "")
        return active

    async def cancel(self, caller: Caller, ticket_id: str) -> Ticket:
        """Take a waiting ticket back; one that is over stays as it is. Raises FailedPreconditionError when it has a match already."""
        ticket = await self.find(caller, ticket_id)
        if ticket.state == TicketState.WAITING:
            cancelled = await self._run(store.cancel, ticket_id, self._parts.clock())
            self._parts.board.post(cancelled)
            ticket = cancelled[0] if cancelled else await self.find(caller, ticket_id)
        if ticket.active:
            raise FailedPreconditionError(ticket.state, f"ticket_id: the ticket is {ticket.state} already", ticket_id=ticket.id)
        return ticket

    async def table_of(self, ticket: Ticket) -> str:
        """Return the table that a ticket is or was played at, which is another match's where it took a free seat."""
        match = await self._run(store_matches.read_match, ticket.match)
        return match.table if match is not None else ""

    async def closed(self) -> dict[str, RoomAct]:
        """Return the rooms that operators closed, and since when and why."""
        return await self._run(store_rooms.closed)

    async def room_acts(self, most: int) -> list[RoomAct]:
        """Return what operators did to rooms, the latest first."""
        return await self._run(store_rooms.acts, most)

    async def set_closed(self, room_id: str, who: str, why: str, *, closed: bool) -> bool:
        """Close a room or open it; returns whether that changed anything. Raises NotFoundError and InvalidArgumentError."""
        if self._rooms.get(room_id) is None:
            raise NotFoundError("unknown_room", "room_id: there is no such room")
        for name, words in (("who", who), ("why", why)):
            if not words.strip() or len(words) > MAX_WORDS or not words.isprintable():
                raise InvalidArgumentError("words", f"{name}: 1 to {MAX_WORDS} printable characters are needed")
        changed = await self._run(store_rooms.put, RoomAct(room_id, closed, self._parts.clock(), who, why))
        if changed:
            log.warning("room_closed" if closed else "room_opened", room=room_id, by=who)
            self._loop.wake()
        return changed

    def waiting(self, room: Room) -> int:
        """Return how many tickets wait in a room, as last seen."""
        return self._loop.queued.get(room.room_id, 0)

    def _checked(self, room_id: str, key: str) -> Room:
        if len(key) > MAX_KEY_CHARS or not key.isprintable():
            raise InvalidArgumentError("key", f"key: at most {MAX_KEY_CHARS} printable characters")
        room = self._rooms.get(room_id)
        if room is None:
            raise NotFoundError("unknown_room", "room_id: there is no such room")
        return room

    def _room_for(self, room: Room, balance: Balance) -> None:
        if balance.frozen:
            raise FailedPreconditionError("frozen", "an operator froze this player: they get no seat")
        # What a busy player owns shows only when they are free. Whether they are short is found when their stake is held.
        if not balance.match and balance.wallet < room.stake_needed:
            message = f"room {room.room_id} asks for {room.stake_needed} coins"
            raise FailedPreconditionError("short", message, needed=str(room.stake_needed), wallet=str(balance.wallet))
        if balance.wallet > MOST_TO_PLAY:
            message = f"the wallet holds more than {MOST_TO_PLAY} coins, too many to play with"
            raise FailedPreconditionError("too_rich", message, most=str(MOST_TO_PLAY), wallet=str(balance.wallet))
        if self.waiting(room) >= self._max_waiting:
            raise ExhaustedError("queue_full", f"{self._max_waiting} tickets wait in this room already")

    async def _write(self, room: Room, player: str, key: str, balance: Balance, stale: str) -> Ticket:
        draft = store.Draft(new_ticket_id(), player, room.room_id, key, self._parts.clock(), bool(balance.match), stale)
        created = None
        for _ in range(_TRIES):
            try:
                created = await self._run(store.create, draft)
                break
            except store.RoomClosedError:
                raise FailedPreconditionError("room_closed", f"room_id: {room.room_id} is closed for now") from None
            except store.TakenError:
                # The ticket that stood in the way ended meanwhile.
                continue
        if created is None:
            raise UnavailableError("unavailable", "the player's tickets change too fast")
        self._parts.board.post(created.ended)
        if not created.new:
            if created.by_key:
                return _repeated(created.ticket, room.room_id)
            raise _has_ticket(created.ticket)
        self._parts.metrics.created.labels(*tier(room.room_id)).inc()
        log.info("ticket_made", player=player, ticket=created.ticket.id, room=room.room_id)
        self._loop.wake()
        return created.ticket


def _repeated(ticket: Ticket, room_id: str) -> Ticket:
    if ticket.room != room_id:
        raise ConflictError("key_reused", "key: used before for another room", ticket_id=ticket.id)
    return ticket


def _has_ticket(ticket: Ticket) -> ConflictError:
    return ConflictError("active", "the player has a ticket already", ticket_id=ticket.id)
