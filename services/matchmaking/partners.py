"""The other services as matchmaking needs them: coins to hold, tables to open.

What they refuse, or that they do not answer, comes as a ServiceError. Every call may be repeated with the same match.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from services.kit import rpc
from services.kit.errors import ExhaustedError, FailedPreconditionError, ServiceError, UnavailableError
from services.kit.part_tokens import OwnToken
from services.kit.tls import Connect
from services.matchmaking.tickets import Match
from xuezhan.api.settlement.v1 import settlement_pb2 as settlement
from xuezhan.api.settlement.v1.settlement_pb2_grpc import SettlementServiceStub
from xuezhan.api.table.v1 import table_pb2 as table
from xuezhan.api.table.v1.table_pb2_grpc import TableServiceStub

T = TypeVar("T")

CALL_SECONDS: Final = 4.0
LIST_SECONDS: Final = 1.0
AVOID_SECONDS: Final = 3.0
"""How long a table server that did not open a table is asked last."""


_SEAT_STATES: Final = {
    table.SEAT_STATE_SEATED: table.TABLE_STATE_OPEN,
    table.SEAT_STATE_REFUSED: table.TABLE_STATE_CALLED_OFF,
    table.SEAT_STATE_NOT_FREE: table.TABLE_STATE_CALLED_OFF,
    table.SEAT_STATE_LEFT: table.TABLE_STATE_CLOSED,
    table.SEAT_STATE_OVER: table.TABLE_STATE_UNSPECIFIED,
}


class Balance(NamedTuple):
    """A player's wallet and the match that occupies him; empty: none."""

    wallet: int
    match: str


class Held(NamedTuple):
    """What HoldStakes answered: all held, or nothing and whose fault it was. `released`: it can never be held."""

    held: bool
    released: bool
    short: tuple[str, ...]
    busy: tuple[str, ...]
    rich: tuple[str, ...] = ()


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
    """What OpenTable answered, or TakeSeat in its terms. `server` is who to ask next time, `address` where players go."""

    server: str
    address: str
    epoch: int
    state: table.TableState.ValueType
    seats: dict[int, SeatPass]


class Settlement:
    """The coin ledger, at any of its addresses: the one that answered last is asked first."""

    def __init__(self, addresses: Sequence[str], token: OwnToken, connect: Connect) -> None:
        self._channels = [connect(address, rpc.CHANNEL_OPTIONS) for address in addresses]
        self._stubs = deque(SettlementServiceStub(channel) for channel in self._channels)
        self._token = token
        self.answers = True
        """Whether it answered when last asked."""

    async def balance(self, player: str) -> Balance:
        """Return what a player has."""
        answer = await self._ask("GetBalance", settlement.GetBalanceRequest(player_id=player))
        return Balance(answer.wallet, answer.match_id)

    async def hold(self, match: Match) -> Held:
        """Hold the stakes of everybody in the match, or nobody's. Of one who takes a free seat his own alone."""
        seats = [
            settlement.StakeSeat(seat=seat, player_id=player or "")
            for seat, player in enumerate(match.seats)
            if player is not None or not match.joins
        ]
        request = settlement.HoldStakesRequest(match_id=match.id, room_id=match.room, seats=seats)
        answer = await self._noting(self._ask("HoldStakes", request))
        named: dict[int, list[str]] = {}
        for seat in answer.answers:
            named.setdefault(seat.outcome, []).append(seat.player_id)
        faults = (settlement.STAKE_OUTCOME_SHORT, settlement.STAKE_OUTCOME_BUSY, settlement.STAKE_OUTCOME_TOO_RICH)
        return Held(answer.held, answer.released, *(tuple(named.get(fault, ())) for fault in faults))

    async def release(self, match_id: str, reason: str) -> bool:
        """Give the stakes of a match back for good. Returns whether a table had bound them, in which case they stay."""
        request = settlement.ReleaseStakesRequest(match_id=match_id, reason=reason)
        answer = await self._noting(self._ask("ReleaseStakes", request))
        return bool(answer.bound)

    async def close(self) -> None:
        """Hang up."""
        for channel in self._channels:
            await channel.close()

    async def _ask(self, method: str, request: Any) -> Any:
        """Ask one address after another until one answers. UnavailableError: none does."""
        for left in reversed(range(len(self._stubs))):
            stub = self._stubs[0]
            try:
                return await rpc.call(getattr(stub, method), request, self._token.current(), CALL_SECONDS)
            except UnavailableError:
                # Unless another call that failed has turned to the next address already.
                if self._stubs[0] is stub:
                    self._stubs.rotate(-1)
                if not left:
                    raise
        raise AssertionError("unreachable")

    async def _noting(self, asked: Awaitable[T]) -> T:
        try:
            answer = await asked
        except UnavailableError:
            self.answers = False
            raise
        except ServiceError:
            self.answers = True
            raise
        self.answers = True
        return answer


class TableServers:
    """The table servers of the installation, the least loaded first. Any of them knows the owner of a table that exists."""

    def __init__(self, addresses: Sequence[str], token: OwnToken, connect: Connect) -> None:
        self._channels = {address: connect(address, rpc.CHANNEL_OPTIONS) for address in addresses}
        self._stubs = {address: TableServiceStub(channel) for address, channel in self._channels.items()}
        self._token = token
        self._loads = dict.fromkeys(addresses, 0)
        self._avoid_until = dict.fromkeys(addresses, 0.0)
        self.answers = True
        """Whether one of them opened a table when last asked, or has not been asked since it did not."""

    def know_loads(self, loads: Mapping[str, int]) -> None:
        """Take note of how many tables each has."""
        self._loads = {address: loads.get(address, 0) for address in self._loads}

    async def open(self, match: Match) -> Opened:
        """Open the match's table, or find it and get fresh seat tokens."""
        address = self._choose(match.server)
        seats = [table.SeatAssignment(player_id=player or "", bot=player is None) for player in match.seats]
        request = table.OpenTableRequest(table_id=match.id, room_id=match.room, seats=seats)
        # Counted at once, so that tables opened together are spread.
        self._loads[address] += not match.server
        try:
            answer = await rpc.call(self._stubs[address].OpenTable, request, self._token.current(), CALL_SECONDS)
        except (UnavailableError, ExhaustedError, FailedPreconditionError):
            now = time.monotonic()
            self._avoid_until[address] = now + AVOID_SECONDS
            self.answers = any(until <= now for until in self._avoid_until.values())
            raise
        self._avoid_until[address] = 0.0
        self.answers = True
        passes = {seat.seat: SeatPass(seat.token, float(seat.expires_at)) for seat in answer.tokens}
        owner = answer.address if answer.address in self._stubs else address
        return Opened(owner, answer.address, answer.epoch, answer.state, passes)

    async def free_seats(self, rooms: Sequence[str]) -> list[Vacancy]:
        """Return free seats of tables of these rooms. A server that does not answer has none."""
        asked = [self._free_seats(address, rooms) for address in self._stubs]
        return [vacancy for found in await asyncio.gather(*asked) for vacancy in found]

    async def _free_seats(self, address: str, rooms: Sequence[str]) -> list[Vacancy]:
        request = table.ListFreeSeatsRequest(room_ids=rooms)
        try:
            answer = await rpc.call(self._stubs[address].ListFreeSeats, request, self._token.current(), LIST_SECONDS)
        except ServiceError:
            return []
        return [Vacancy(address, free.table_id, free.room_id, free.seat) for free in answer.seats]

    async def take(self, match: Match) -> Opened | None:
        """Take the free seat of a match, or get a fresh token for it. None: its stake is still being bound.

        Opened.state is OPEN where the seat is the player's, CALLED_OFF where it cannot be his, CLOSED where he has left it; UNSPECIFIED
        where the table is over, and settlement alone knows whether he had a seat there.
        """
        ((seat, player),) = ((seat, player) for seat, player in enumerate(match.seats) if player is not None)
        request = table.TakeSeatRequest(table_id=match.joins, room_id=match.room, seat=seat, player_id=player, hold_id=match.id)
        address = self._choose(match.server)
        answer = await rpc.call(self._stubs[address].TakeSeat, request, self._token.current(), CALL_SECONDS)
        if answer.state == table.SEAT_STATE_ELSEWHERE:
            address = answer.address
            if address not in self._stubs:
                raise UnavailableError("unavailable", "the table is at a server that is not known here")
            answer = await rpc.call(self._stubs[address].TakeSeat, request, self._token.current(), CALL_SECONDS)
        if answer.state not in _SEAT_STATES:
            return None
        passes = {seat: SeatPass(answer.token.token, float(answer.token.expires_at))} if answer.HasField("token") else {}
        return Opened(address, answer.address, answer.epoch, _SEAT_STATES[answer.state], passes)

    async def close(self) -> None:
        """Hang up."""
        for channel in self._channels.values():
            await channel.close()

    def _choose(self, known: str) -> str:
        now = time.monotonic()
        return min(self._stubs, key=lambda address: (self._avoid_until[address] > now, address != known, self._loads[address]))
