"""The table servers as matchmaking needs them: tables to open, free seats to take.

What they refuse, or that they do not answer, comes as a ServiceError. Every call may be repeated with the same match.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from grpc import aio

from services.kit import rpc
from services.kit.errors import ExhaustedError, FailedPreconditionError, ServiceError, UnavailableError
from services.kit.part_tokens import OwnToken
from services.kit.tls import Connect
from services.matchmaking.directory import Directory, TableServer
from services.matchmaking.tickets import Match, MatchState
from xuezhan.api.table.v1 import table_pb2 as table
from xuezhan.api.table.v1.table_pb2_grpc import TableServiceStub

CALL_SECONDS: Final = 4.0
LIST_SECONDS: Final = 1.0
AVOID_SECONDS: Final = 3.0
"""How long a table server that did not open a table is asked last."""
_IDLE_SECONDS: Final = 60.0
"""How long a connection to a server that is not listed any more is kept after its last call."""
_REDIRECTS: Final = 2
"""Times that a free seat's table is followed to another server: it may move while we ask."""
_UNREACHABLE: Final = frozenset({"unavailable", "tls", "deadline_exceeded"})
_TAKES_NONE: Final = frozenset({"not_serving", "database", "draining", "full"})
"""Reasons of a server that takes no tables now. Any other is about the one table: that its owner is lost, for one."""
_SEAT_STATES: Final = {
    table.SEAT_STATE_SEATED: table.TABLE_STATE_OPEN,
    table.SEAT_STATE_REFUSED: table.TABLE_STATE_CALLED_OFF,
    table.SEAT_STATE_NOT_FREE: table.TABLE_STATE_CALLED_OFF,
    table.SEAT_STATE_LEFT: table.TABLE_STATE_CLOSED,
    table.SEAT_STATE_OVER: table.TABLE_STATE_UNSPECIFIED,
}


class SeatPass(NamedTuple):
    """A signed seat token and when it expires, in seconds since 1970."""

    token: str
    expires_at: float


class Vacancy(NamedTuple):
    """A free seat of a table that is being played; `server` is where to ask for it."""

    server: str
    table: str
    room: str
    seat: int


class Opened(NamedTuple):
    """What OpenTable answered, or TakeSeat in its terms. `server` is who to ask next time, `address` where players go, `addresses` where
    the server says that they may ask for the table, itself first; none of an earlier version.
    """

    server: str
    address: str
    epoch: int
    state: table.TableState.ValueType
    seats: dict[int, SeatPass]
    addresses: tuple[str, ...] = ()


class _Connections:
    """A connection a table server, opened at the first call."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._channels: dict[str, aio.Channel] = {}
        self._used_at: dict[str, float] = {}

    def stub(self, address: str) -> TableServiceStub:
        if address not in self._channels:
            self._channels[address] = self._connect(address, rpc.CHANNEL_OPTIONS)
        self._used_at[address] = time.monotonic()
        return TableServiceStub(self._channels[address])

    async def keep(self, listed: Sequence[str]) -> None:
        """Close those to other servers than these that have not been used for a while."""
        before = time.monotonic() - _IDLE_SECONDS
        for address in self._channels.keys() - set(listed):
            if self._used_at[address] < before:
                await self._channels.pop(address).close()

    async def close(self) -> None:
        for channel in self._channels.values():
            await channel.close()


class TableServers:
    """The table servers of the installation. Any of them knows the owner of a table that exists."""

    def __init__(self, seeds: Sequence[str], token: OwnToken, connect: Connect) -> None:
        self._connections = _Connections(connect)
        self._token = token
        self.directory = Directory(seeds, self._list)
        self._avoid_until: dict[str, float] = {}
        self.answers = True
        """Whether a table can be opened, as far as is known: it was when last asked, or there was another server to ask."""

    async def look(self) -> None:
        """Ask which table servers there are."""
        await self.directory.look()
        await self._connections.keep(self.directory.addresses())

    @property
    def is_reached(self) -> bool:
        """Whether asking for a table is worth a try: a server gave a list just now, and one in it has room and has not failed lately."""
        return self.answers or self.directory.has_room(self._avoided())

    async def open(self, match: Match) -> Opened:
        """Open the match's table, or find it and get fresh seat tokens."""
        address = self._choose(match.server)
        seats = [table.SeatAssignment(player_id=player or "", bot=player is None) for player in match.seats]
        request = table.OpenTableRequest(table_id=match.id, room_id=match.room, seats=seats)
        if not match.server:
            self.directory.opens(address)
        try:
            answer = await self._call(address, "OpenTable", request, CALL_SECONDS)
        except (UnavailableError, ExhaustedError, FailedPreconditionError) as error:
            if error.reason in _UNREACHABLE | _TAKES_NONE:
                self._avoid(address)
                # A table that is there already tells nothing about new ones.
                self.answers = match.state == MatchState.SEATED or bool(set(self.directory.addresses()) - self._avoided())
            raise
        self._avoid_until.pop(address, None)
        self.answers = True
        passes = {seat.seat: SeatPass(seat.token, float(seat.expires_at)) for seat in answer.tokens}
        return Opened(answer.address, answer.address, answer.epoch, answer.state, passes, tuple(answer.addresses))

    async def free_seats(self, rooms: Sequence[str]) -> list[Vacancy]:
        """Return free seats of tables of these rooms. A server that does not answer has none."""
        asked = [self._free_seats(address, rooms) for address in self.directory.addresses()]
        return [vacancy for found in await asyncio.gather(*asked) for vacancy in found]

    async def _free_seats(self, address: str, rooms: Sequence[str]) -> list[Vacancy]:
        try:
            answer = await self._call(address, "ListFreeSeats", table.ListFreeSeatsRequest(room_ids=rooms), LIST_SECONDS)
        except ServiceError:
            return []
        return [Vacancy(address, free.table_id, free.room_id, free.seat) for free in answer.seats]

    async def take(self, match: Match) -> Opened | None:
        """Take the free seat of a match, or get a fresh token for it. None: its stake is still being bound.

        Opened.state is OPEN where the seat is the player's, CALLED_OFF where it cannot be theirs, CLOSED where they have left it, and
        UNSPECIFIED where the table is over: settlement alone knows whether they had a seat there.
        """
        ((seat, player),) = ((seat, player) for seat, player in enumerate(match.seats) if player is not None)
        request = table.TakeSeatRequest(table_id=match.joins, room_id=match.room, seat=seat, player_id=player, hold_id=match.id)
        address = self._choose(match.server)
        answer = await self._take(address, request)
        for _ in range(_REDIRECTS):
            if answer.state == table.SEAT_STATE_ELSEWHERE:
                address = answer.address
                answer = await self._take(address, request)
        if answer.state == table.SEAT_STATE_ELSEWHERE:
            raise UnavailableError("unavailable", "the table moves")
        if answer.state not in _SEAT_STATES:
            return None
        passes = {seat: SeatPass(answer.token.token, float(answer.token.expires_at))} if answer.HasField("token") else {}
        return Opened(address, answer.address, answer.epoch, _SEAT_STATES[answer.state], passes, tuple(answer.addresses))

    async def _take(self, address: str, request: table.TakeSeatRequest) -> table.TakeSeatResponse:
        try:
            answer: table.TakeSeatResponse = await self._call(address, "TakeSeat", request, CALL_SECONDS)
        except UnavailableError as error:
            if error.reason in _UNREACHABLE:
                self._avoid(address)
            raise
        return answer

    async def close(self) -> None:
        """Hang up."""
        await self._connections.close()

    async def _list(self, address: str) -> list[TableServer]:
        answer = await self._call(address, "ListServers", table.ListServersRequest(), LIST_SECONDS)
        serving = [server for server in answer.servers if server.state == table.SERVER_STATE_SERVING]
        return [TableServer(server.address, server.tables, server.capacity) for server in serving]

    async def _call(self, address: str, method: str, request: Any, seconds: float) -> Any:
        return await rpc.call(getattr(self._connections.stub(address), method), request, self._token.current(), seconds)

    def _avoid(self, address: str) -> None:
        self._avoid_until[address] = time.monotonic() + AVOID_SECONDS

    def _avoided(self) -> set[str]:
        now = time.monotonic()
        self._avoid_until = {address: until for address, until in self._avoid_until.items() if until > now}
        return set(self._avoid_until)

    def _choose(self, known: str) -> str:
        avoided = self._avoided()
        if known in self.directory.addresses() and known not in avoided:
            return known
        return self.directory.choose(avoided)
