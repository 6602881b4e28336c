"""The coin ledger as matchmaking needs it.

What it refuses, or that it does not answer, comes as a ServiceError. Every call may be repeated with the same match.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from services.kit import rpc
from services.kit.errors import ServiceError, UnavailableError
from services.kit.part_tokens import OwnToken
from services.kit.tls import Connect
from services.matchmaking.tickets import Match
from xuezhan.api.settlement.v1 import settlement_pb2 as settlement
from xuezhan.api.settlement.v1.settlement_pb2_grpc import SettlementServiceStub

T = TypeVar("T")

CALL_SECONDS: Final = 4.0


class Balance(NamedTuple):
    """A player's wallet and the match that the player is in; empty: none."""

    wallet: int
    match: str
    frozen: bool = False


class Held(NamedTuple):
    """What HoldStakes answered: all held, or nothing and whose fault it was. `released`: it can never be held."""

    held: bool
    released: bool
    short: tuple[str, ...]
    busy: tuple[str, ...]
    rich: tuple[str, ...] = ()
    frozen: tuple[str, ...] = ()


_FAULTS: Final = (
    *(settlement.STAKE_OUTCOME_SHORT, settlement.STAKE_OUTCOME_BUSY),
    *(settlement.STAKE_OUTCOME_TOO_RICH, settlement.STAKE_OUTCOME_FROZEN),
)
"""In the order of the fields of Held."""


class Settlement:
    """The coin ledger, at any of its addresses: the one that answered last is asked first."""

    def __init__(self, addresses: Sequence[str], token: OwnToken, connect: Connect) -> None:
        self._channels = [connect(address, rpc.CHANNEL_OPTIONS) for address in addresses]
        self._stubs = deque(SettlementServiceStub(channel) for channel in self._channels)
        self._token = token
        self.answers = True
        """Whether it answered when last asked about stakes."""
        self.is_reached = True
        """Whether it answered when last asked anything. Where it does though `answers` is false, asking about stakes is worth a try."""

    async def balance(self, player: str) -> Balance:
        """Return what a player has."""
        answer = await self._noting(self._ask("GetBalance", settlement.GetBalanceRequest(player_id=player)), stakes=False)
        return Balance(answer.wallet, answer.match_id, answer.frozen)

    async def hold(self, match: Match) -> Held:
        """Hold the stakes of everybody in the match, or nobody's. For a free seat at a table: that player's stake alone."""
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
        return Held(answer.held, answer.released, *(tuple(named.get(fault, ())) for fault in _FAULTS))

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

    async def _noting(self, asked: Awaitable[T], *, stakes: bool = True) -> T:
        try:
            answer = await asked
        except UnavailableError:
            self.answers = self.is_reached = False
            raise
        except ServiceError:
            self._has_answered(stakes)
            raise
        self._has_answered(stakes)
        return answer

    def _has_answered(self, stakes: bool) -> None:
        self.is_reached = True
        self.answers = self.answers or stakes
