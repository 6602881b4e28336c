"""Settlement and table servers that tests of matchmaking talk to: they keep the contract, and fail as they are told.

`down[method]` calls fail before anything happens; `lost[method]` calls do their work and lose the answer.
"""
# ruff: noqa: N802 - the names are gRPC's

import asyncio
import time
from collections import Counter, defaultdict
from typing import Any

from grpc import StatusCode, aio
from prometheus_client import CollectorRegistry

from services.kit.admission import Admission
from services.kit.errors import InvalidArgumentError, ServiceError, UnavailableError
from services.kit.limit_settings import LimitSettings
from services.kit.metrics import RpcMetrics
from services.kit.roles import Role
from services.kit.rpc import SERVER_OPTIONS, Edge
from tests.support.keyring import Keyring
from xuezhan.api.settlement.v1 import settlement_pb2 as money
from xuezhan.api.settlement.v1.settlement_pb2_grpc import SettlementServiceServicer, add_SettlementServiceServicer_to_server
from xuezhan.api.table.v1 import table_pb2 as play
from xuezhan.api.table.v1.table_pb2_grpc import TableServiceServicer, add_TableServiceServicer_to_server

ROOM_OF_FREE = "happy_sichuan/single"
"""The room of the tables that have free seats."""


class StandIn:
    """Counts calls and fails as told; runs on a port of its own."""

    role: Role

    def __init__(self, keys: Keyring) -> None:
        self.keys = keys
        self.calls: Counter[str] = Counter()
        self.down: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self.refuse: dict[str, ServiceError] = {}
        self.slow: dict[str, asyncio.Event] = {}
        self.address = ""
        self._server: Any = None

    async def start(self, port: int = 0) -> None:
        self._server = aio.server(
            interceptors=[Edge(RpcMetrics(CollectorRegistry()), self.keys.callers(self.role), Admission(LimitSettings()))],
            options=SERVER_OPTIONS,
        )
        self.add(self._server)
        self.address = f"127.0.0.1:{self._server.add_insecure_port(f'127.0.0.1:{port}')}"
        await self._server.start()

    async def stop(self) -> None:
        await self._server.stop(None)

    def add(self, server: Any) -> None:
        raise NotImplementedError

    async def enter(self, method: str) -> None:
        self.calls[method] += 1
        if method in self.slow:
            await self.slow[method].wait()
        if method in self.refuse:
            raise self.refuse[method]
        if self.down[method]:
            self.down[method] -= 1
            raise UnavailableError("unavailable", "told to be down")

    def leave(self, method: str) -> None:
        if self.lost[method]:
            self.lost[method] -= 1
            raise UnavailableError("unavailable", "told to lose the answer")


class Ledger(StandIn, SettlementServiceServicer):
    """Wallets, and holds that go held -> bound or void, once."""

    ASKS = 1000
    role = Role.SETTLEMENT

    def __init__(self, keys: Keyring) -> None:
        super().__init__(keys)
        self.wallets: dict[str, int] = defaultdict(lambda: 5000)
        self.occupied: dict[str, str] = {}
        self.rich: set[str] = set()
        self.frozen: set[str] = set()
        self.holds: dict[str, str] = {}
        self.history: dict[str, list[str]] = defaultdict(list)

    def add(self, server: Any) -> None:
        add_SettlementServiceServicer_to_server(self, server)

    async def GetBalance(self, request: Any, context: Any) -> Any:
        await self.enter("GetBalance")
        player = request.player_id
        return money.GetBalanceResponse(wallet=self.wallets[player], match_id=self.occupied.get(player, ""), frozen=player in self.frozen)

    async def HoldStakes(self, request: Any, context: Any) -> Any:
        await self.enter("HoldStakes")
        answer = self._hold(request.match_id, [seat.player_id for seat in request.seats if seat.player_id])
        self.leave("HoldStakes")
        return answer

    def _hold(self, match: str, players: list[str]) -> Any:
        state = self.holds.get(match)
        if state == "void":
            return money.HoldStakesResponse(released=True)
        answers = [money.StakeAnswer(player_id=player, outcome=self._outcome(match, player)) for player in players]
        held = state is not None or all(answer.outcome == money.STAKE_OUTCOME_HELD for answer in answers)
        if held and state is None:
            self.holds[match] = "held"
            self.history[match].append("held")
            self.occupied.update(dict.fromkeys(players, match))
        return money.HoldStakesResponse(held=held, answers=answers)

    def _outcome(self, match: str, player: str) -> Any:
        if self.occupied.get(player, match) != match:
            return money.STAKE_OUTCOME_BUSY
        if player in self.frozen:
            return money.STAKE_OUTCOME_FROZEN
        if player in self.rich:
            return money.STAKE_OUTCOME_TOO_RICH
        return money.STAKE_OUTCOME_HELD if self.wallets[player] >= self.ASKS else money.STAKE_OUTCOME_SHORT

    async def ReleaseStakes(self, request: Any, context: Any) -> Any:
        await self.enter("ReleaseStakes")
        match = request.match_id
        bound = self.holds.get(match) == "bound"
        if not bound:
            self.holds[match] = "void"
            self.history[match].append("void")
            self.free(match)
        self.leave("ReleaseStakes")
        return money.ReleaseStakesResponse(bound=bound)

    def move(self, match: str, table: str) -> None:
        """What item `join` does to an occupancy."""
        self.occupied = {player: table if other == match else other for player, other in self.occupied.items()}

    def free(self, match: str) -> None:
        """End the occupancies of a match."""
        self.occupied = {player: other for player, other in self.occupied.items() if other != match}

    async def Deposit(self, request: Any, context: Any) -> Any:
        raise NotImplementedError

    async def Withdraw(self, request: Any, context: Any) -> Any:
        raise NotImplementedError

    async def GetStatement(self, request: Any, context: Any) -> Any:
        raise NotImplementedError

    def bind(self, match: str) -> bool:
        """What item `open` does."""
        if self.holds.get(match) != "held":
            return self.holds.get(match) == "bound"
        self.holds[match] = "bound"
        return True


class Tables(StandIn, TableServiceServicer):
    """Tables that bind their stakes when opened."""

    role = Role.TABLE

    def __init__(self, keys: Keyring, ledger: Ledger) -> None:
        super().__init__(keys)
        self.ledger = ledger
        self.states: dict[str, Any] = {}
        self.seats: dict[str, list[str]] = {}
        self.call_off: set[int] = set()
        """Which tables, counted from 1, cannot bind their stakes."""
        self.opened = 0
        self.free: list[tuple[str, int]] = []
        """Seats that their players have left: table, seat."""
        self.phantoms: list[tuple[str, int]] = []
        """Seats that it says are free though they are not."""
        self.joining: dict[str, tuple[str, int]] = {}
        self.takers: dict[str, Any] = {}
        """What became of who took a seat, by their hold."""
        self.ttl = 3600.0
        self.epoch = 1
        self.shared: Tables = self
        """Where the tables are: servers of one installation share them."""
        self.listed: list[Tables] | None = [self]
        """The servers that it lists; None: it is of a version that lists none."""
        self.draining = False

    def add(self, server: Any) -> None:
        add_TableServiceServicer_to_server(self, server)

    async def OpenTable(self, request: Any, context: Any) -> Any:
        await self.enter("OpenTable")
        seats = [seat.player_id for seat in request.seats]
        if any(seat.bot == bool(seat.player_id) for seat in request.seats):
            raise InvalidArgumentError("seats")
        home = self.shared
        table = request.table_id
        if table not in home.states:
            refused = len(home.states) + 1 in home.call_off or not self.ledger.bind(table)
            home.states[table] = play.TABLE_STATE_CALLED_OFF if refused else play.TABLE_STATE_OPEN
            home.seats[table] = seats
            self.opened += 1
        assert home.seats[table] == seats, "the same match always has the same seats"
        self.leave("OpenTable")
        return self._answer(table, seats, home.states[table])

    def _answer(self, table: str, seats: list[str], state: Any) -> Any:
        expires = int(time.time() + self.ttl)
        tokens = [
            play.SeatToken(seat=seat, player_id=player, token=self.keys.seat(table, seat, player, expires), expires_at=expires)
            for seat, player in enumerate(seats)
            if player
        ]
        return play.OpenTableResponse(table_id=table, address=self.address, epoch=self.epoch, tokens=tokens, state=state)

    async def ListFreeSeats(self, request: Any, context: Any) -> Any:
        await self.enter("ListFreeSeats")
        for hold, (table, seat) in list(self.shared.joining.items()):
            if self.ledger.holds.get(hold) == "void":
                # The table's item is refused, so its seat is free again.
                del self.shared.joining[hold]
                self.shared.takers[hold] = play.SEAT_STATE_REFUSED
                self.shared.free.append((table, seat))
        listed = [*self.shared.free, *self.shared.phantoms]
        free = [(table, seat) for table, seat in listed if not request.room_ids or ROOM_OF_FREE in request.room_ids]
        return play.ListFreeSeatsResponse(seats=[play.FreeSeat(table_id=t, room_id=ROOM_OF_FREE, seat=seat) for t, seat in free])

    async def TakeSeat(self, request: Any, context: Any) -> Any:
        await self.enter("TakeSeat")
        answer = self._take(request)
        self.leave("TakeSeat")
        return answer

    def _take(self, request: Any) -> Any:
        home, table, hold = self.shared, request.table_id, request.hold_id
        if hold not in home.takers:
            if (table, request.seat) not in home.free:
                over = home.states.get(table) == play.TABLE_STATE_CLOSED
                return self._taken(request, play.SEAT_STATE_OVER if over else play.SEAT_STATE_NOT_FREE)
            # The stake is bound when it is asked again: the first answer is "joining".
            home.takers[hold] = play.SEAT_STATE_JOINING
            home.joining[hold] = (table, request.seat)
            home.free.remove((table, request.seat))
        elif home.takers[hold] == play.SEAT_STATE_JOINING:
            bound = self.ledger.bind(hold)
            del home.joining[hold]
            home.takers[hold] = play.SEAT_STATE_SEATED if bound else play.SEAT_STATE_REFUSED
            if bound:
                self.ledger.move(hold, table)
                home.seats[table][request.seat] = request.player_id
            else:
                home.free.append((table, request.seat))
        elif home.states.get(table) == play.TABLE_STATE_CLOSED:
            return self._taken(request, play.SEAT_STATE_OVER)
        return self._taken(request, home.takers[hold])

    def _taken(self, request: Any, state: Any) -> Any:
        expires = int(time.time() + self.ttl)
        text = self.keys.seat(request.table_id, request.seat, request.player_id, expires)
        token = play.SeatToken(seat=request.seat, player_id=request.player_id, token=text, expires_at=expires)
        seated = state == play.SEAT_STATE_SEATED
        return play.TakeSeatResponse(state=state, address=self.address, epoch=self.epoch, token=token if seated else None)

    async def ListServers(self, request: Any, context: Any) -> Any:
        await self.enter("ListServers")
        if self.listed is None:
            await context.abort(StatusCode.UNIMPLEMENTED, "there is no such method")
        states = {False: play.SERVER_STATE_SERVING, True: play.SERVER_STATE_DRAINING}
        servers = [
            play.TableServer(name=each.address, address=each.address, state=states[each.draining], tables=each.opened, capacity=1000)
            for each in self.listed or ()
        ]
        return play.ListServersResponse(servers=servers)

    async def Play(self, request: Any, context: Any) -> Any:  # type: ignore[override]
        raise NotImplementedError

    async def Watch(self, request: Any, context: Any) -> Any:  # type: ignore[override]
        raise NotImplementedError

    async def ListTables(self, request: Any, context: Any) -> Any:
        raise NotImplementedError

    async def GetRecord(self, request: Any, context: Any) -> Any:
        raise NotImplementedError

    async def Drain(self, request: Any, context: Any) -> Any:
        raise NotImplementedError

    async def TakeTables(self, request: Any, context: Any) -> Any:
        raise NotImplementedError

    async def RetryTables(self, request: Any, context: Any) -> Any:
        raise NotImplementedError

    async def CallOffTable(self, request: Any, context: Any) -> Any:
        raise NotImplementedError

    async def GetTable(self, request: Any, context: Any) -> Any:
        raise NotImplementedError

    async def ListTableActs(self, request: Any, context: Any) -> Any:
        raise NotImplementedError

    def seat_left(self, table: str, seat: int) -> None:
        """A player goes between two hands of a table that waits for another."""
        self.states.setdefault(table, play.TABLE_STATE_OPEN)
        self.seats.setdefault(table, ["p0", "p1", "p2", "p3"])
        self.free.append((table, seat))

    def taker_left(self, hold: str) -> None:
        """One who took a seat goes again; settlement gives their stake back."""
        self.takers[hold] = play.SEAT_STATE_LEFT

    def call_off_now(self, table: str) -> None:
        """What becomes of a table whose item `open` is refused later."""
        self.states[table] = play.TABLE_STATE_CALLED_OFF

    def close(self, table: str) -> None:
        """End a table: its stakes return."""
        self.states[table] = play.TABLE_STATE_CLOSED
        self.ledger.free(table)
