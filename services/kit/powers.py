"""Who may call what.

Law: a call that does not stand here is nobody's. Whether a player asks for what is theirs is checked here where the request names a player,
and by the service where it must look first (tickets, records).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from services.kit.callers import Caller
from services.kit.errors import PermissionDeniedError
from services.kit.roles import Role


@dataclass(frozen=True)
class Who:
    """Who may make a call."""

    roles: frozenset[Role] = frozenset()
    players: bool = False
    own: str = ""
    """The field of the request that names a player: players may only name themselves."""
    anybody: bool = False
    """No token is needed."""

    def check(self, caller: Caller, request: Any) -> None:
        """Let a caller through. Raises PermissionDeniedError."""
        if caller.role is not None:
            if caller.role not in self.roles:
                raise PermissionDeniedError("players_only" if self.players and not self.roles else "wrong_role")
        elif not self.players:
            raise PermissionDeniedError("services_only")
        elif self.own and getattr(request, self.own) != caller.subject:
            # Whether or not there is such a player.
            raise PermissionDeniedError("not_yours")


OPERATORS: Final = frozenset({Role.VIEWER, Role.OPERATOR, Role.FINANCE})
_ANYBODY: Final = Who(anybody=True)
_PLAYERS: Final = Who(players=True)
_MATCHMAKING: Final = Who(frozenset({Role.MATCHMAKING}))
_CASHIERS: Final = Who(frozenset({Role.CASHIER, Role.FINANCE}))
_WATCHERS: Final = Who(OPERATORS, players=True)
_ALL: Final = Who(frozenset(Role), players=True)
_READERS: Final = Who(OPERATORS | {Role.AUDITOR}, players=True)
_AUDITORS: Final = Who(OPERATORS | {Role.AUDITOR})
_FINANCE: Final = Who(frozenset({Role.FINANCE}))

SERVICES: Final[dict[str, dict[str, Who]]] = {
    "xuezhan.api.keys.v1.KeyService": {"GetKeys": _ANYBODY},
    "xuezhan.api.part.v1.PartService": {"GetPart": Who(OPERATORS | {Role.AUDITOR})},
    "xuezhan.api.matchmaking.v1.MatchmakingService": {
        "ListRooms": Who(OPERATORS, players=True),
        "CreateTicket": _PLAYERS,
        "CancelTicket": _PLAYERS,
        "GetActiveTicket": _PLAYERS,
        "WatchTicket": _PLAYERS,
    },
    "xuezhan.api.matchmaking.v1.RoomService": {
        "CloseRoom": Who(frozenset({Role.OPERATOR})),
        "OpenRoom": Who(frozenset({Role.OPERATOR})),
        "ListRoomActs": _AUDITORS,
    },
    "xuezhan.api.table.v1.TableService": {
        "OpenTable": _MATCHMAKING,
        "ListFreeSeats": _MATCHMAKING,
        "TakeSeat": _MATCHMAKING,
        # Each seat has a token of its own.
        "Play": _ANYBODY,
        "Watch": _WATCHERS,
        "ListTables": _WATCHERS,
        "GetRecord": _READERS,
        "ListServers": _ALL,
        "Drain": Who(frozenset({Role.OPERATOR})),
        "TakeTables": Who(frozenset({Role.TABLE})),
        "RetryTables": Who(frozenset({Role.OPERATOR})),
        "CallOffTable": Who(frozenset({Role.OPERATOR})),
        "GetTable": Who(frozenset({Role.OPERATOR})),
        "ListTableActs": _AUDITORS,
    },
    "xuezhan.api.settlement.v1.SettlementService": {
        "GetBalance": Who(OPERATORS | {Role.CASHIER, Role.MATCHMAKING}, players=True, own="player_id"),
        "GetStatement": Who(OPERATORS | {Role.CASHIER}, players=True, own="player_id"),
        "Deposit": _CASHIERS,
        "Withdraw": _CASHIERS,
        "HoldStakes": _MATCHMAKING,
        "ReleaseStakes": _MATCHMAKING,
    },
    "xuezhan.api.settlement.v1.LedgerService": {
        "GetTotals": _AUDITORS,
        "ListTransfers": _AUDITORS,
        "ListFlows": _AUDITORS,
        "CheckLedger": _AUDITORS,
        "ListActs": _AUDITORS,
        "ListDeadLetters": _AUDITORS,
        "ReplayItems": _FINANCE,
        "VoidItem": _FINANCE,
        "SetFrozen": _FINANCE,
    },
    "grpc.health.v1.Health": {"Check": _ANYBODY, "Watch": _ANYBODY, "List": _ANYBODY},
    "grpc.reflection.v1alpha.ServerReflection": {"ServerReflectionInfo": _ANYBODY},
}
NOBODY: Final = Who()


def of(service: str, method: str) -> Who:
    """Return who may make a call."""
    return SERVICES.get(service, {}).get(method, NOBODY)
