"""The gRPC side of the table service: translate in, call, translate out."""

from __future__ import annotations

import asyncio
import heapq
import math
import time
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any, Final

import grpc

from services.kit import logs, rpc
from services.kit.callers import Caller
from services.kit.errors import (
    ExhaustedError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
    ServiceError,
    UnauthenticatedError,
    UnavailableError,
)
from services.table import playing, refill, store, store_acts, store_tries, store_whereabouts
from services.table.attach import assignments, view_of
from services.table.codec import common, wire
from services.table.course_state import Taking
from services.table.deadlines import Remaining
from services.table.gate import Gate
from services.table.hall import Hall
from services.table.opening import TABLE_ID, open_table
from services.table.operating import Operating
from services.table.ownership import Ownership
from services.table.recovery import Told
from services.table.store_ownership import CLAIM_TABLES, DRAINING, LOST, SERVING, ServerRow
from services.table.store_readers import may_read
from services.table.store_whereabouts import Elsewhere, Here, Over, Unowned
from services.table.table import Table
from services.table.watching import Watcher
from xuezhan.api.table.v1 import table_pb2 as pb

log = logs.get(__name__)

FULL_NAME: Final = pb.DESCRIPTOR.services_by_name["TableService"].full_name
_STATES: Final = {
    "open": pb.TABLE_STATE_OPEN,
    "settling": pb.TABLE_STATE_SETTLING,
    "closed": pb.TABLE_STATE_CLOSED,
    "called_off": pb.TABLE_STATE_CALLED_OFF,
}
_TAKINGS: Final[dict[str, Any]] = {
    Taking.JOINING: pb.SEAT_STATE_JOINING,
    Taking.SEATED: pb.SEAT_STATE_SEATED,
    Taking.REFUSED: pb.SEAT_STATE_REFUSED,
    refill.SEAT_TAKEN: pb.SEAT_STATE_NOT_FREE,
    refill.LEFT: pb.SEAT_STATE_LEFT,
    refill.TABLE_OVER: pb.SEAT_STATE_OVER,
    refill.ELSEWHERE: pb.SEAT_STATE_ELSEWHERE,
}
_SERVERS: Final = {
    SERVING: pb.SERVER_STATE_SERVING,
    DRAINING: pb.SERVER_STATE_DRAINING,
    LOST: pb.SERVER_STATE_LOST,
}
_PAGE: Final = 100
_SOMEBODY, _NOT_SAID = "somebody", "not said"
"""What is recorded of an act of a client that does not say it."""
_LONGEST_PAGE: Final = 1000
_RECORD_BYTES: Final = rpc.MAX_RESPONSE_BYTES * 3 // 4
_RECORDS_AT_ONCE: Final = 8
"""Calls for records that are answered at a time. One may wait a moment for the record of a hand that has just ended."""
_RECORDS_ASKED: Final = 32
"""Calls for records that are inside or wait."""
_RECORDS_A_PLAYER: Final = 4
_WATCHES_A_PLAYER: Final = 16
"""What one player may watch at a time: they must not take everybody's place."""


class TableServicer:
    """TableService."""

    def __init__(self, hall: Hall, ownership: Ownership, drain: Callable[[], None]) -> None:
        """`drain` lets the server begin to hand its tables over, if it does not yet."""
        self._hall = hall
        self._ownership = ownership
        self._drain = drain
        self._operating = Operating(hall)
        self._records = Gate("records", _RECORDS_AT_ONCE, _RECORDS_ASKED, _RECORDS_A_PLAYER)

    def register(self, server: Any) -> None:
        """Add the service. `Play` and `Watch` write bytes: what several see is encoded once. `Play` reads bytes, too."""
        unary = grpc.unary_unary_rpc_method_handler
        handlers: dict[str, Any] = {
            "OpenTable": unary(self.open_table, pb.OpenTableRequest.FromString, pb.OpenTableResponse.SerializeToString),
            "ListFreeSeats": unary(self.list_free_seats, pb.ListFreeSeatsRequest.FromString, pb.ListFreeSeatsResponse.SerializeToString),
            "TakeSeat": unary(self.take_seat, pb.TakeSeatRequest.FromString, pb.TakeSeatResponse.SerializeToString),
            "ListTables": unary(self.list_tables, pb.ListTablesRequest.FromString, pb.ListTablesResponse.SerializeToString),
            "GetRecord": unary(self.get_record, pb.GetRecordRequest.FromString, pb.GetRecordResponse.SerializeToString),
            "ListServers": unary(self.list_servers, pb.ListServersRequest.FromString, pb.ListServersResponse.SerializeToString),
            "Drain": unary(self.drain, pb.DrainRequest.FromString, pb.DrainResponse.SerializeToString),
            "TakeTables": unary(self.take_tables, pb.TakeTablesRequest.FromString, pb.TakeTablesResponse.SerializeToString),
            "RetryTables": unary(self.retry_tables, pb.RetryTablesRequest.FromString, pb.RetryTablesResponse.SerializeToString),
            "CallOffTable": unary(self.call_off_table, pb.CallOffTableRequest.FromString, pb.CallOffTableResponse.SerializeToString),
            "GetTable": unary(self.get_table, pb.GetTableRequest.FromString, pb.GetTableResponse.SerializeToString),
            "ListTableActs": unary(self.list_table_acts, pb.ListTableActsRequest.FromString, pb.ListTableActsResponse.SerializeToString),
        }
        handlers["Play"] = grpc.stream_stream_rpc_method_handler(self.play, None, None)
        handlers["Watch"] = grpc.unary_stream_rpc_method_handler(self.watch, pb.WatchRequest.FromString, None)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(FULL_NAME, handlers),))

    async def open_table(self, request: pb.OpenTableRequest, _context: Any) -> pb.OpenTableResponse:
        """Open a match's table; for services."""
        hall = self._hall
        for place, seat in enumerate(request.seats):
            if seat.bot == bool(seat.player_id):
                raise InvalidArgumentError("seats", f"seats[{place}]: a player_id or a bot")
        opened = await open_table(hall, request.table_id, request.room_id, [seat.player_id or None for seat in request.seats])
        return pb.OpenTableResponse(
            table_id=opened.table_id,
            address=opened.address,
            epoch=opened.epoch,
            state=_STATES[opened.state],
            addresses=hall.directory.addresses(opened.address),
            tokens=[
                pb.SeatToken(seat=seat, player_id=player, token=token, expires_at=opened.expires_at)
                for seat, player, token in opened.tokens
            ],
        )

    async def list_free_seats(self, request: pb.ListFreeSeatsRequest, _context: Any) -> pb.ListFreeSeatsResponse:
        """List seats that another player may take; for services."""
        found = refill.free_seats(self._hall, set(request.room_ids))
        return pb.ListFreeSeatsResponse(seats=[pb.FreeSeat(table_id=table, room_id=room, seat=seat) for table, room, seat in found])

    async def take_seat(self, request: pb.TakeSeatRequest, _context: Any) -> pb.TakeSeatResponse:
        """Let a player have a free seat; for services."""
        wish = refill.Wish(request.table_id, request.room_id, request.seat, request.player_id, request.hold_id)
        said = await refill.take_seat(self._hall, wish)
        token = pb.SeatToken(seat=wish.seat, player_id=wish.player, token=said.token, expires_at=said.expires_at) if said.token else None
        return pb.TakeSeatResponse(
            state=_TAKINGS[said.state],
            address=said.address,
            epoch=said.epoch,
            token=token,
            addresses=self._hall.directory.addresses(said.address),
        )

    async def play(self, _requests: Any, context: Any) -> None:
        """Play any number of seats over one stream."""
        await playing.play(self._hall, context)

    async def watch(self, request: pb.WatchRequest, context: Any) -> None:
        """Follow the public view of a table."""
        hall = self._hall
        caller = rpc.caller()
        table = hall.find(request.table_id)
        if table is None:
            raise await self._not_here(request.table_id)
        if caller.is_player and sum(other.player == caller.subject for other in hall.watchers) >= _WATCHES_A_PLAYER:
            raise ExhaustedError("too_many_watches", f"a player watches at most {_WATCHES_A_PLAYER} tables at a time")
        outlet = table.outlet
        player, peer = (caller.subject, hall.peers.of(context)) if caller.is_player else ("", "")
        hall.watching.enter(peer)
        watcher = Watcher(table.id, table.course.room.spectator_delay_seconds, player, hall.pool)
        hall.watchers.add(watcher)
        allowed = asyncio.timeout(max(0.0, caller.expires_at - time.time()))
        try:
            # Who waits when the table goes is told by the hall, as all its watchers are.
            table.send(lambda: table.when_shown(lambda: _follow(hall, table, watcher)))
            async with allowed:
                await watcher.write_all(context.write, hall.lease.valid)
        except TimeoutError:
            if allowed.expired():
                raise UnauthenticatedError("expired") from None
            raise
        finally:
            hall.watching.leave(peer)
            watcher.gone()
            hall.watchers.discard(watcher)
            if outlet.watchers is not None and watcher in outlet.watchers:
                outlet.watchers.remove(watcher)

    async def _not_here(self, table_id: str) -> ServiceError:
        """Return why a table that is not played here cannot be looked at: `moved` names its owner's address."""
        hall = self._hall
        found = await hall.database.run(store_whereabouts.locate, table_id, hall.lease.owner) if TABLE_ID.fullmatch(table_id) else None
        match found:
            case None | Over():
                return NotFoundError("unknown_table", "table_id: there is no such live table")
            case Elsewhere(_, address):
                return FailedPreconditionError("moved", "the table is played at another server", address=address)
            case Here() | Unowned():
                return UnavailableError("not_live", "the table is being taken up; come back")

    async def list_tables(self, request: pb.ListTablesRequest, _context: Any) -> pb.ListTablesResponse:
        """List live tables by id. A room may be played here still that is in the rooms file no more."""
        hall, room_id = self._hall, request.room_id
        if request.page_size > _LONGEST_PAGE:
            raise InvalidArgumentError("page_size", f"page_size: at most {_LONGEST_PAGE}")
        if request.page_token and not TABLE_ID.fullmatch(request.page_token):
            raise InvalidArgumentError("page_token", "page_token: none that was given here")
        size = request.page_size or _PAGE
        wanted = (
            table for table in list(hall.tables.values()) if table.id > request.page_token and room_id in {"", table.course.room.room_id}
        )
        page = heapq.nsmallest(size + 1, wanted, key=lambda table: table.id)
        if room_id and not page and hall.rooms.get(room_id) is None:
            raise NotFoundError("unknown_room", f"room_id: there is no room {room_id[:64]!r}")
        return pb.ListTablesResponse(
            tables=[_summary(table, hall.wall_clock()) for table in page[:size]],
            next_page_token=page[size - 1].id if len(page) > size else "",
        )

    async def list_servers(self, _request: pb.ListServersRequest, _context: Any) -> pb.ListServersResponse:
        """List the table servers of the installation."""
        return pb.ListServersResponse(servers=[_server(row) for row in await self._hall.directory.servers()])

    async def drain(self, request: pb.DrainRequest, _context: Any) -> pb.DrainResponse:
        """Hand over all tables; for operators."""
        if request.server != self._hall.settings.server_name:
            raise InvalidArgumentError("server", f"server: this is {self._hall.settings.server_name}")
        await self._operating.record("drain", request.server, request.who or _SOMEBODY, request.why or _NOT_SAID)
        self._drain()
        return pb.DrainResponse(tables=len(self._hall.tables))

    async def take_tables(self, request: pb.TakeTablesRequest, _context: Any) -> pb.TakeTablesResponse:
        """Go on with tables of another server; for table servers."""
        if len(request.tables) > CLAIM_TABLES:
            raise InvalidArgumentError("tables", f"tables: at most {CLAIM_TABLES}")
        told = {
            one.table_id: Told(
                one.head,
                Remaining(list(one.answers_ms), list(one.asked_ms), one.waits_for, one.waited_ms, one.phase_ms, one.refill_ms),
                list(one.contribution_hashes),
                list(one.expected),
            )
            for one in request.tables
        }
        live = await self._ownership.take_tables({one.table_id: one.epoch for one in request.tables}, told)
        return pb.TakeTablesResponse(table_ids=live)

    async def retry_tables(self, request: pb.RetryTablesRequest, _context: Any) -> pb.RetryTablesResponse:
        """List the tables that are set aside, and let some be taken up once more; for operators."""
        if len(request.table_ids) > store_tries.MOST_LISTED:
            raise InvalidArgumentError("table_ids", f"table_ids: at most {store_tries.MOST_LISTED}")
        run, retried = self._hall.database.run, list[str]()
        if request.table_ids:
            retried = await run(store_tries.retry, request.table_ids)
            for table_id in retried:
                await self._operating.record("retry", table_id, request.who or _SOMEBODY, request.why or _NOT_SAID)
            self._ownership.look()
        aside = [
            pb.SetAsideTable(table_id=of.id, room_id=of.room, server=of.owner, rules=of.rules) for of in await run(store_tries.set_aside)
        ]
        return pb.RetryTablesResponse(tables=aside, retried_ids=retried)

    async def call_off_table(self, request: pb.CallOffTableRequest, _context: Any) -> pb.CallOffTableResponse:
        """End a table where it stands; for operators."""
        table = self._hall.find(request.table_id)
        if table is None:
            raise await self._not_here(request.table_id)
        by = await self._operating.record("call-off", table.id, request.who, request.why)
        await self._operating.call_off(table, by)
        return pb.CallOffTableResponse()

    async def get_table(self, request: pb.GetTableRequest, _context: Any) -> pb.GetTableResponse:
        """Say what a table waits for; for operators."""
        hall = self._hall
        table = hall.find(request.table_id)
        if table is None:
            raise await self._not_here(request.table_id)
        asked, (items, oldest) = self._operating.asked(table), hall.relay.of(table.id)
        goes_on = table.deadlines.next() - hall.now()
        return pb.GetTableResponse(
            table=_summary(table, hall.wall_clock()),
            server=hall.settings.server_name,
            lease_seconds=hall.lease.seconds_left(),
            waits_for=self._operating.waits_for(table),
            asked_seats=[seat for seat, _ in asked],
            seconds_left=[seconds for _, seconds in asked],
            goes_on_in_seconds=goes_on if goes_on < inf else 0.0,
            unsettled_items=items,
            oldest_item_seconds=oldest,
            connected_seats=[seat.no for seat in table.seats if seat.attachment is not None],
        )

    async def list_table_acts(self, request: pb.ListTableActsRequest, _context: Any) -> pb.ListTableActsResponse:
        """List what operators asked of table servers."""
        if request.page_size > _LONGEST_PAGE:
            raise InvalidArgumentError("page_size", f"page_size: at most {_LONGEST_PAGE}")
        found = await self._hall.database.run(store_acts.newest, request.page_size or _PAGE)
        return pb.ListTableActsResponse(
            acts=[pb.TableAct(at=act.at, action=act.action, about=act.about, who=act.who, why=act.why) for act in found]
        )

    async def get_record(self, request: pb.GetRecordRequest, context: Any) -> pb.GetRecordResponse:
        """Return the records of finished hands."""
        caller = rpc.caller()
        # Who goes away leaves work behind that cannot be stopped: it keeps its turn until it is done.
        player, peer = (caller.subject, self._hall.peers.of(context)) if caller.is_player else ("", "")
        return await self._records.run(player, peer, partial(self._get_record, request, caller))

    async def _get_record(self, request: pb.GetRecordRequest, caller: Caller) -> pb.GetRecordResponse:
        hall = self._hall
        row = None
        # Before its row is read: one that closes meanwhile has shown all its hands.
        table = hall.find(request.table_id)
        if TABLE_ID.fullmatch(request.table_id):
            row = await hall.database.run(store.find_table, request.table_id)
        if row is None:
            raise NotFoundError("unknown_table", "table_id: there is no such table")
        if caller.is_player and not await hall.database.run(may_read, row.id, caller.subject):
            raise PermissionDeniedError("not_yours", "table_id: its records are for its players, operators and auditors")
        live = row.state in store.LIVE
        if live and table is None:
            raise await self._not_here(row.id)
        # That a hand is over is not told before it is shown, neither by its record nor by how long one is waited for.
        shown = inf if not live or table is None else table.standing.finished
        found = await hall.archive.read(row, request.hand, shown)
        texts = [text for _, text in found if text is not None]
        if not texts:
            if not live or (table is not None and request.hand > table.standing.hand_no):
                raise NotFoundError("no_such_hand", f"hand: {row.id} has not had hand {request.hand}")
            raise FailedPreconditionError("not_over", "the record of a hand is there when it is over")
        if sum(map(len, texts)) > _RECORD_BYTES:
            raise ExhaustedError("too_long", "hand: ask for the hands one by one")
        return pb.GetRecordResponse(records=texts)


def _follow(hall: Hall, table: Table, watcher: Watcher) -> None:
    outlet = table.outlet
    if watcher not in hall.watchers:
        # It went before its turn came.
        return
    view = view_of(table, None)
    watcher.event(wire.watch_event(view.number, pb.Event(view=view).SerializeToString()), hall.now())
    outlet.watchers = [*(outlet.watchers or ()), watcher]


def _summary(table: Table, unix_now: float) -> pb.TableSummary:
    shown = table.standing
    return pb.TableSummary(
        table_id=table.id,
        room_id=table.course.room.room_id,
        state=common.STATES[shown.phase],
        hand=shown.hand_no,
        seats=assignments(shown),
        on_auto=[seat in shown.on_auto for seat in range(len(shown.players))],
        age_seconds=max(0, int(unix_now - table.opened_at)),
        # Events that everybody saw: a count of rows would tell of answers that nobody may know of.
        actions=table.outlet.counts[-1],
        phase=shown.phase.value,
        turn_seconds=math.ceil(table.course.room.turn_seconds),
    )


def _server(row: ServerRow) -> pb.TableServer:
    return pb.TableServer(
        name=row.name,
        address=row.address,
        state=_SERVERS[row.state],
        tables=row.tables,
        seats=row.seats,
        lease_seconds=row.lease_seconds,
        capacity=row.capacity,
    )
