"""The gRPC service: translate in, call, translate out."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from services.kit import rpc
from services.kit.errors import NotFoundError
from services.kit.rooms import Room, Rooms
from services.matchmaking.desk import Desk
from services.matchmaking.follow import Follower
from services.matchmaking.seats import Seat, SeatBook
from services.matchmaking.tickets import Ticket, TicketState
from services.matchmaking.watch import Board
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as api
from xuezhan.api.matchmaking.v1.matchmaking_pb2_grpc import MatchmakingServiceServicer

_STATES = {
    TicketState.WAITING: api.TICKET_STATE_WAITING,
    TicketState.SEATING: api.TICKET_STATE_SEATING,
    TicketState.SEATED: api.TICKET_STATE_SEATED,
    TicketState.OVER: api.TICKET_STATE_OVER,
    TicketState.CANCELLED: api.TICKET_STATE_CANCELLED,
    TicketState.FAILED: api.TICKET_STATE_FAILED,
}


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
        return api.ListRoomsResponse(rooms=[_room(room, self._desk.waiting(room)) for room in rooms])

    async def CreateTicket(self, request: api.CreateTicketRequest, _context: Any) -> api.CreateTicketResponse:  # noqa: N802
        """Queue the caller."""
        ticket = await self._desk.create(rpc.caller(), request.room_id, request.key)
        return api.CreateTicketResponse(ticket=self._ticket(ticket, None))

    async def CancelTicket(self, request: api.CancelTicketRequest, _context: Any) -> api.CancelTicketResponse:  # noqa: N802
        """Take a waiting ticket back."""
        ticket = await self._desk.cancel(rpc.caller(), request.ticket_id)
        return api.CancelTicketResponse(ticket=self._ticket(ticket, None))

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
