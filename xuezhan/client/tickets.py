"""From "I want to play" to a seat: rooms and tickets."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final, NamedTuple

from grpc import aio

from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as pb
from xuezhan.api.matchmaking.v1.matchmaking_pb2_grpc import MatchmakingServiceStub, RoomServiceStub
from xuezhan.client.channels import AnyOf, Channels, metadata
from xuezhan.client.errors import ClientError, from_rpc

QUIET_SECONDS: Final = 9.0
"""A server that says nothing of a ticket without a seat for so long is left for another: it repeats every 3 s what has not changed."""
OVER: Final = frozenset({pb.TICKET_STATE_CANCELLED, pb.TICKET_STATE_FAILED, pb.TICKET_STATE_OVER})


class Place(NamedTuple):
    """A seat to be played: where, and the token that allows it."""

    address: str
    token: str
    table_id: str
    seat: int
    addresses: tuple[str, ...] = ()
    """Live table servers: each of them says where the table is."""
    epoch: int = 0
    """The epoch under which the server at `address` has the table; 0: not known."""


class Tickets:
    """The matchmaking service as a player sees it. `token`s are player tokens.

    `addresses`: host:port, or several separated by commas; the one that answered last is asked first.
    """

    def __init__(self, channels: Channels, addresses: str) -> None:
        self._channels = channels
        self._any = AnyOf(channels, MatchmakingServiceStub, addresses)
        self._operating = AnyOf(channels, RoomServiceStub, addresses)

    async def rooms(self, token: str, game: str = "") -> list[pb.Room]:
        """Return the rooms of a game, or of all."""
        answer = await self._channels.call(self._any.call("ListRooms"), pb.ListRoomsRequest(game=game), token)
        return list(answer.rooms)

    async def set_closed(self, token: str, room_id: str, who: str, why: str, *, closed: bool) -> bool:
        """Close a room, or open it; returns whether that changed anything. Callers: operators."""
        asked = {"room_id": room_id, "who": who, "why": why}
        request = pb.CloseRoomRequest(**asked) if closed else pb.OpenRoomRequest(**asked)
        method = "CloseRoom" if closed else "OpenRoom"
        answer: pb.CloseRoomResponse | pb.OpenRoomResponse = await self._channels.call(self._operating.call(method), request, token)
        return answer.changed

    async def room_acts(self, token: str, most: int) -> list[pb.RoomAct]:
        """Return what operators did to rooms, the latest first. Callers: operators, auditors."""
        answer = await self._channels.call(self._operating.call("ListRoomActs"), pb.ListRoomActsRequest(page_size=most), token)
        return list(answer.acts)

    async def create(self, token: str, room_id: str, key: str = "") -> pb.Ticket:
        """Queue the token's player for a room. The same `key` again returns the same ticket; by default it is a fresh one."""
        request = pb.CreateTicketRequest(room_id=room_id, key=key or secrets.token_hex(12))
        answer: pb.CreateTicketResponse = await self._channels.call(self._any.call("CreateTicket"), request, token)
        return answer.ticket

    async def create_or_find(self, token: str, room_id: str, key: str = "") -> pb.Ticket:
        """Queue the token's player for a room, or return the ticket that they have for it already. One for another room stays an error."""
        try:
            return await self.create(token, room_id, key)
        except ClientError as error:
            if error.reason == "active" and "ticket_id" in error.more:
                async with aclosing(self.follow(token, error.more["ticket_id"])) as changes:
                    ticket = await anext(changes)
                if ticket.room_id == room_id:
                    return ticket
            raise

    async def active(self, token: str) -> pb.Ticket | None:
        """Return the ticket that a player has now, without its seat; None: they have none."""
        answer = await self._channels.call(self._any.call("GetActiveTicket"), pb.GetActiveTicketRequest(), token)
        return answer.ticket if answer.HasField("ticket") else None

    async def cancel(self, token: str, ticket_id: str) -> pb.Ticket:
        """Take a ticket back; one that is seated already stays so."""
        request = pb.CancelTicketRequest(ticket_id=ticket_id)
        answer: pb.CancelTicketResponse = await self._channels.call(self._any.call("CancelTicket"), request, token)
        return answer.ticket

    async def follow(self, token: str, ticket_id: str) -> AsyncGenerator[pb.Ticket, None]:
        """Yield the ticket whenever it changes, until it is over; connects again while the server is away."""
        attempts = self._any.attempts(self._channels.patience_seconds)
        request = pb.WatchTicketRequest(ticket_id=ticket_id)
        while True:
            error = ClientError("stream_ended", "the server ended the stream", passing=True)
            stub = self._any.first
            call = stub.WatchTicket(request, metadata=metadata(token))
            seated = False
            try:
                while True:
                    async with asyncio.timeout(None if seated else QUIET_SECONDS):
                        response: Any = await call.read()
                    if response is aio.EOF:
                        break
                    attempts.worked()
                    yield response.ticket
                    if response.ticket.state in OVER:
                        return
                    seated = response.ticket.state == pb.TICKET_STATE_SEATED
            except TimeoutError:
                error = ClientError("silent", "nothing is heard of the ticket", passing=True)
            except aio.AioRpcError as failure:
                error = from_rpc(failure)
            finally:
                call.cancel()
            await attempts.failed(stub, error)

    async def place(self, token: str, ticket_id: str) -> Place:
        """Wait for the seat of a ticket; also gives a fresh seat token. Raises ClientError with the ticket's reason when there is none:
        `over` if there was one, with the `table_id` and the `seat`.
        """
        async with aclosing(self.follow(token, ticket_id)) as changes:
            async for ticket in changes:
                if ticket.state == pb.TICKET_STATE_SEATED:
                    return _place(ticket.seat)
                if ticket.state in OVER:
                    more = {"table_id": ticket.seat.table_id, "seat": str(ticket.seat.seat)} if ticket.seat.table_id else {}
                    raise ClientError(ticket.reason or "over", f"ticket {ticket_id} is over: {ticket.reason}", more=more)
        raise ClientError("stream_ended", "the ticket's stream ended")

    async def place_again(self, token: str, ticket_id: str, table_id: str) -> Place:
        """Find the seat of a ticket that is played at a table. Raises ClientError `closed` when the ticket is for that table no more."""
        async with aclosing(self.follow(token, ticket_id)) as changes:
            async for ticket in changes:
                if ticket.state == pb.TICKET_STATE_SEATED and ticket.seat.table_id == table_id:
                    return _place(ticket.seat)
                state = pb.TicketState.Name(ticket.state).removeprefix("TICKET_STATE_").lower()
                raise ClientError("closed", f"table {table_id} is over: ticket {ticket_id} is {state}")
        raise ClientError("stream_ended", "the ticket's stream ended")


def _place(seat: pb.Seat) -> Place:
    return Place(seat.address, seat.token, seat.table_id, seat.seat, tuple(seat.addresses), seat.epoch)
