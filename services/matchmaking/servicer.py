"""The gRPC service: translate in, call, translate out."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, Final

from services.kit import rpc
from services.kit.errors import InvalidArgumentError, NotFoundError
from services.kit.rooms import Room, Rooms
from services.matchmaking.desk import Desk
from services.matchmaking.follow import Follower
from services.matchmaking.seats import Seat, SeatBook
from services.matchmaking.tickets import Ticket, TicketState
from services.matchmaking.watch import Board
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api
from xuezhan.api.matchmaking.v1.matchmaking_pb2_grpc import MatchmakingServiceServicer, RoomServiceServicer

_STATES = {
    TicketState.WAITING: api.TICKET_STATE_WAITING,
    TicketState.SEATING: api.TICKET_STATE_SEATING,
    TicketState.SEATED: api.TICKET_STATE_SEATED,
    TicketState.OVER: api.TICKET_STATE_OVER,
    TicketState.CANCELLED: api.TICKET_STATE_CANCELLED,
    TicketState.FAILED: api.TICKET_STATE_FAILED,
}


_MOST_ACTS: Final = 1000
_FEW_ACTS: Final = 100


class Servicer(MatchmakingServiceServicer):
    """Answers players."""

    def __init__(self, desk: Desk, board: Board, book: SeatBook, rooms: Rooms, clock: Callable[[], float]) -> None:
        self._desk = desk
        self._board = board
        self._book = book
        self._rooms = rooms
        self._clock = clock

    async def ListRooms(self, request: api.ListRoomsRequest, _context: Any) -> api.ListRoomsResponse:  # noqa: N802 - gRPC's name
        """List the rooms of one game, or all."""
        rooms = [room for room in self._rooms if request.game in {"", room.game}]
        if not rooms:
            raise NotFoundError("unknown_game", "game: no room plays such a game")
        closed = await self._desk.closed()
        listed = [_room(room, self._desk.waiting(room)) for room in rooms]
        for room in listed:
            if (act := closed.get(room.room_id)) is not None:
                room.closed = True
                # What operators tell one another is not for players.
                room.closed_why = "" if rpc.caller().is_player else act.why
        return api.ListRoomsResponse(rooms=listed)

    async def CreateTicket(self, request: api.CreateTicketRequest, _context: Any) -> api.CreateTicketResponse:  # noqa: N802
        """Queue the caller."""
        ticket = await self._desk.create(rpc.caller(), request.room_id, request.key)
        return api.CreateTicketResponse(ticket=self._ticket(ticket, None))

    async def CancelTicket(self, request: api.CancelTicketRequest, _context: Any) -> api.CancelTicketResponse:  # noqa: N802
        """Take a waiting ticket back."""
        ticket = await self._desk.cancel(rpc.caller(), request.ticket_id)
        return api.CancelTicketResponse(ticket=self._ticket(ticket, None))

    async def GetActiveTicket(self, _request: api.GetActiveTicketRequest, _context: Any) -> api.GetActiveTicketResponse:  # noqa: N802
        """Find the caller's ticket."""
        ticket = await self._desk.active(rpc.caller())
        return api.GetActiveTicketResponse(ticket=None if ticket is None else self._ticket(ticket, None))

    async def WatchTicket(self, request: api.WatchTicketRequest, context: Any) -> None:  # type: ignore[override]  # noqa: N802
        """Write the ticket's states until it is over."""
        caller = rpc.caller()
        watch = self._board.follow(await self._desk.find(caller, request.ticket_id))
        try:
            follower = Follower(watch, self._book, self._desk.table_of, caller.expires_at)
            while (shown := await follower.next()) is not None:
                await context.write(api.WatchTicketResponse(ticket=self._ticket(*shown)))
        finally:
            self._board.leave(watch)

    def _ticket(self, ticket: Ticket, seat: Seat | None) -> api.Ticket:
        return api.Ticket(
            ticket_id=ticket.id,
            room_id=ticket.room,
            player_id=ticket.player,
            state=_STATES[ticket.state],
            reason=ticket.reason,
            seat=None if seat is None else _seat(seat),
            waited_seconds=max(0, int(self._clock() - ticket.created_at)),
        )


class RoomServicer(RoomServiceServicer):
    """Answers operators about rooms."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def CloseRoom(self, request: api.CloseRoomRequest, _context: Any) -> api.CloseRoomResponse:  # noqa: N802
        """Give nobody a seat in a room any more."""
        changed = await self._desk.set_closed(request.room_id, _who(request.who), request.why, closed=True)
        return api.CloseRoomResponse(changed=changed)

    async def OpenRoom(self, request: api.OpenRoomRequest, _context: Any) -> api.OpenRoomResponse:  # noqa: N802
        """Give seats in a closed room again."""
        changed = await self._desk.set_closed(request.room_id, _who(request.who), request.why, closed=False)
        return api.OpenRoomResponse(changed=changed)

    async def ListRoomActs(self, request: api.ListRoomActsRequest, _context: Any) -> api.ListRoomActsResponse:  # noqa: N802
        """List what operators did to rooms."""
        if request.page_size > _MOST_ACTS:
            raise InvalidArgumentError("page_size", f"page_size: at most {_MOST_ACTS}")
        found = await self._desk.room_acts(request.page_size or _FEW_ACTS)
        return api.ListRoomActsResponse(
            acts=[api.RoomAct(at=int(act.at), room_id=act.room, closed=act.closed, who=act.who, why=act.why) for act in found]
        )


def _who(name: str) -> str:
    """Return who acts: the name that was given, and the role whose token was shown."""
    return f"{name} ({rpc.caller().subject})" if name.strip() else ""


def _seat(seat: Seat) -> api.Seat:
    return api.Seat(
        table_id=seat.table,
        address=seat.address,
        epoch=seat.epoch,
        seat=seat.seat,
        token=seat.token,
        expires_at=int(seat.expires_at),
        addresses=seat.addresses,
    )


def _room(room: Room, waiting: int) -> api.Room:
    return api.Room(
        room_id=room.room_id,
        game=room.game,
        name=room.name,
        players=room.players,
        base=room.base,
        min_coins=room.min_coins,
        entry=room.entry,
        lock=0 if room.lock == "all" else room.lock,
        turn_seconds=int(room.turn_seconds),
        bots=room.bots.wait_seconds is not None,
        bot_wait_seconds=math.ceil(room.bots.wait_seconds or 0),
        options=json.dumps(dict(room.rules().options), ensure_ascii=False, sort_keys=True),
        waiting=waiting,
        hands=room.hands,
        refill_seconds=math.ceil(room.refill_seconds),
    )
