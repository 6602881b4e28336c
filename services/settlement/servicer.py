"""The gRPC face of settlement: translate in, call, translate out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from games.ratings import title
from services.kit import logs
from services.kit.database import Database
from services.kit.errors import FailedPreconditionError, InvalidArgumentError
from services.kit.items import MAX_COINS, TableId
from services.kit.names import KnownPlayerId, is_reserved
from services.kit.rooms import Room, Rooms
from services.settlement import stakes, statement, wallets
from services.settlement.state import Terms
from services.settlement.store_statement import Line, Visit
from xuezhan.api.settlement.v1 import settlement_pb2 as pb
from xuezhan.api.settlement.v1 import settlement_pb2_grpc

log = logs.get(__name__)

_PLAYER: Final[TypeAdapter[str]] = TypeAdapter(KnownPlayerId)
_TABLE: Final[TypeAdapter[str]] = TypeAdapter(TableId)
_MAX_KEY: Final = 128
_MAX_REASON: Final = 200
_OUTCOMES: Final = {
    stakes.Answer.HELD: pb.STAKE_OUTCOME_HELD,
    stakes.Answer.SHORT: pb.STAKE_OUTCOME_SHORT,
    stakes.Answer.BUSY: pb.STAKE_OUTCOME_BUSY,
    stakes.Answer.TOO_RICH: pb.STAKE_OUTCOME_TOO_RICH,
    stakes.Answer.NOT_HELD: pb.STAKE_OUTCOME_NOT_HELD,
    stakes.Answer.FROZEN: pb.STAKE_OUTCOME_FROZEN,
}


class Servicer(settlement_pb2_grpc.SettlementServiceServicer):
    """SettlementService."""

    def __init__(self, database: Database, rooms: Rooms, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._rooms = rooms
        self._clock = clock

    async def GetBalance(self, request: pb.GetBalanceRequest, _context: Any) -> pb.GetBalanceResponse:  # noqa: N802 - gRPC's name
        """Answer a player's coins and ratings."""
        player = known_player("player_id", request.player_id)
        found = await self._database.run(wallets.balance, player)
        ratings = [pb.Rating(game=game, points=points, title=title(game, points)) for game, points in found.ratings]
        return pb.GetBalanceResponse(
            wallet=found.wallet, at_stake=found.at_stake, match_id=found.match, ratings=ratings, frozen=found.frozen
        )

    async def Deposit(self, request: pb.DepositRequest, _context: Any) -> pb.DepositResponse:  # noqa: N802 - gRPC's name
        """Move coins into a wallet, once a key."""
        if is_reserved(request.player_id):
            raise InvalidArgumentError("reserved_name", f"player_id: {request.player_id} is a reserved name")
        moved = await self._move(wallets.Way.DEPOSIT, request)
        if moved.refused:
            raise InvalidArgumentError(moved.refused, f"coins: the wallet would hold more than {MAX_COINS}")
        return pb.DepositResponse(wallet=moved.wallet, repeated=moved.repeated)

    async def Withdraw(self, request: pb.WithdrawRequest, _context: Any) -> pb.WithdrawResponse:  # noqa: N802 - gRPC's name
        """Move coins out of a wallet, once a key."""
        moved = await self._move(wallets.Way.WITHDRAW, request)
        if moved.refused == "frozen":
            raise FailedPreconditionError("frozen", "player_id: the player is frozen (`xuezhan player unfreeze` lifts it)")
        if moved.refused:
            raise FailedPreconditionError(moved.refused, f"coins: the wallet holds {moved.wallet}", wallet=str(moved.wallet))
        return pb.WithdrawResponse(wallet=moved.wallet, repeated=moved.repeated)

    async def HoldStakes(self, request: pb.HoldStakesRequest, _context: Any) -> pb.HoldStakesResponse:  # noqa: N802 - gRPC's name
        """Hold every stake of a match, or none."""
        match = known_table("match_id", request.match_id)
        room = self._rooms.get(request.room_id)
        if room is None:
            raise InvalidArgumentError("unknown_room", "room_id: there is no such room")
        seats = _seats(request, room)
        held = await self._database.run(stakes.hold, match, terms_of(room), seats, self._now())
        for seat, answer, coins in held.seats:
            if seat.player is not None:
                log.info("stake_held" if held.held else "stake_not_held", player=seat.player, match=match, coins=coins, why=answer)
        answers = [
            pb.StakeAnswer(seat=seat.number, player_id=seat.player or "", outcome=_OUTCOMES[answer], coins=coins)
            for seat, answer, coins in held.seats
        ]
        return pb.HoldStakesResponse(held=held.held, released=held.released, answers=answers)

    async def ReleaseStakes(self, request: pb.ReleaseStakesRequest, _context: Any) -> pb.ReleaseStakesResponse:  # noqa: N802 - gRPC's name
        """Give the stakes of a match back."""
        match = known_table("match_id", request.match_id)
        bound = await self._database.run(stakes.release, match, _reason(request.reason), self._now())
        return pb.ReleaseStakesResponse(bound=bound)

    async def GetStatement(self, request: pb.GetStatementRequest, _context: Any) -> pb.GetStatementResponse:  # noqa: N802 - gRPC's name
        """Answer one page of a player's statement."""
        player = known_player("player_id", request.player_id)
        table = known_table("table_id", request.table_id) if request.table_id else ""
        page = await self._database.run(statement.read, player, request.page_size, request.page_token, table)
        return pb.GetStatementResponse(
            lines=[_line(line, player) for line in page.lines],
            next_page_token=page.next_token,
            visits=[_visit(visit) for visit in page.visits],
        )

    async def _move(self, way: wallets.Way, request: pb.DepositRequest | pb.WithdrawRequest) -> wallets.Moved:
        if not 1 <= request.coins <= MAX_COINS:
            raise InvalidArgumentError("coins", f"coins: 1 to {MAX_COINS}")
        if not 1 <= len(request.key) <= _MAX_KEY or not request.key.isprintable():
            raise InvalidArgumentError("key", f"key: 1 to {_MAX_KEY} printable characters are needed")
        asked = wallets.Request(way, known_player("player_id", request.player_id), request.coins, request.key, _reason(request.reason))
        return await self._database.run(wallets.move, asked, self._now())

    def _now(self) -> int:
        return int(self._clock())


def terms_of(room: Room) -> Terms:
    """Return the money terms of a room as they are now."""
    lock = None if room.lock == "all" else room.lock
    return Terms(room.room_id, room.game, room.rules().policy, room.base, room.entry, room.stake_needed, lock, room.rated)


def _seats(request: pb.HoldStakesRequest, room: Room) -> list[stakes.Seat]:
    """Return the seats asked for. A match names each seat and player once, within the room's number of players."""
    seats = [
        stakes.Seat(seat.seat, known_player(f"seats[{place}].player_id", seat.player_id) if seat.player_id else None)
        for place, seat in enumerate(request.seats)
    ]
    players = [seat.player for seat in seats if seat.player is not None]
    if not seats or any(seat.number >= room.players for seat in seats):
        raise InvalidArgumentError("seats", f"seats: one or more, numbered 0 to {room.players - 1}")
    if room.rated and len(players) != len(seats):
        raise InvalidArgumentError("seats", "seats: a rated room seats no bots")
    if len({seat.number for seat in seats}) != len(seats) or len(set(players)) != len(players):
        raise InvalidArgumentError("seats", "seats: a seat or a player is named twice")
    return seats


def _line(line: Line, player: str) -> pb.StatementLine:
    return pb.StatementLine(
        entry_id=line.entry,
        at=line.at,
        cause=line.cause,
        table_id=line.table,
        hand=line.hand,
        counterpart=statement.counterpart(line, player),
        multiple=line.multiple,
        coins=line.coins,
        balance_after=line.after,
        owed=line.owed,
        text=statement.words(line),
    )


def _visit(visit: Visit) -> pb.Visit:
    return pb.Visit(
        table_id=visit.table,
        room_id=visit.room_id,
        stake=visit.stake,
        entry=visit.entry,
        net=visit.net,
        still_pays=statement.still_pays(visit),
        receives=statement.receives(visit),
    )


def known_player(field: str, value: str) -> str:
    """Return a player's id. Raises InvalidArgumentError for what is none."""
    try:
        return _PLAYER.validate_python(value)
    except ValidationError:
        raise InvalidArgumentError("player_id", f"{field}: 1 to 64 letters, digits or any of _ . : @ - are needed") from None


def known_table(field: str, value: str) -> str:
    """Return a table's id. Raises InvalidArgumentError for what is none."""
    try:
        return _TABLE.validate_python(value)
    except ValidationError:
        raise InvalidArgumentError(field, f"{field}: 1 to 64 letters, digits or any of _ . : - are needed") from None


def _reason(value: str) -> str:
    if len(value) > _MAX_REASON or (value and not value.isprintable()):
        raise InvalidArgumentError("reason", f"reason: at most {_MAX_REASON} printable characters")
    return value
