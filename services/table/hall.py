"""The hall: all live tables of this process, and what they share.

Law: a table is here if and only if this server owns it, with the epoch under which it appends.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, Final

from services.kit import logs
from services.kit.errors import UnavailableError
from services.kit.items import TableOutcome
from services.kit.keys import TableKeys
from services.kit.meters import Meters
from services.kit.peers import Peers, networks
from services.kit.rooms import Rooms
from services.kit.shares import Shares
from services.table import outcomes, standing
from services.table.appends import Fate
from services.table.archive import Archive
from services.table.backlog import Pool
from services.table.bots import Bots
from services.table.codec import wire
from services.table.config import TableSettings
from services.table.directory import Directory
from services.table.journal import Journal
from services.table.mailbox import CLOSED, UNAVAILABLE, Departure
from services.table.notices import moved
from services.table.pace import Pace
from services.table.streams import Limits, Stream
from services.table.timers import Timers

if TYPE_CHECKING:
    from services.kit.database import Database
    from services.kit.seat_tokens import SeatPass
    from services.table.lease import Lease
    from services.table.metrics import TableMetrics
    from services.table.relay import Relay
    from services.table.signer import Signer
    from services.table.table import Table
    from services.table.watching import Watcher

log = logs.get(__name__)

_SETTLE_SECONDS: Final = 60.0
"""How long a table waits between two hands for its coins to settle; then it closes."""
_RECONNECT_SECONDS: Final = 10.0
"""How long the handshake of a table that this server has taken up waits at least: its clients have to find it first."""


class Hall:
    """The live tables by id. `open` is whether this server takes part in play now."""

    def __init__(
        self,
        settings: TableSettings,
        rooms: Rooms,
        keys: TableKeys,
        signer: Signer,
        database: Database,
        lease: Lease,
        metrics: TableMetrics,
    ) -> None:
        loop = asyncio.get_running_loop()
        self.settings = settings
        self.rooms = rooms
        self.database = database
        self.lease = lease
        self.metrics = metrics
        self.seat_keys = keys.seats
        self.deal_keys = keys.deal
        self.signer = signer
        flush_seconds = settings.flush_ms / 1000
        self.limits = Limits(settings.stream_events, settings.stream_bytes, settings.stream_seats, settings.seat_bytes, flush_seconds)
        self.auto_pause = settings.auto_pause_ms / 1000
        self.settle_seconds = _SETTLE_SECONDS
        self.reconnect_seconds = _RECONNECT_SECONDS
        self.address = ""
        self.open = False
        self.openings: dict[str, asyncio.Task[Any]] = {}
        """Tables being opened now, by id."""
        self.rebuilding = asyncio.Lock()
        """Held while a table is read again."""
        self.now = loop.time
        self.timers = Timers(loop, self.failed)
        self.journal = Journal(database, metrics, lease.valid, settings.resend_seconds)
        self.archive = Archive(database, signer, keys.deal, metrics, settings.server_name, self._hands_shown)
        self.bots = Bots()
        self.relay: Relay
        self.rebuild: Callable[[str, int], Coroutine[Any, Any, None]]
        """Reads a table again (id, epoch) that is this server's and could not be played on (services.table.recovery)."""
        self.tables: dict[str, Table] = {}
        self.vacant: dict[str, Table] = {}
        """Tables with seats that can be taken, those with the oldest first."""
        self.takers: dict[str, list[asyncio.Event]] = {}
        """Events of the players who wait to hear whether a seat is theirs, by hold."""
        self.peers = Peers(networks(settings.trusted_proxies))
        self.pool = Pool(settings.all_streams_bytes)
        self._meters = Meters()
        self._places = Shares("streams", settings.max_streams, settings.peer_share)
        self.streams: set[Stream] = set()
        self.watchers: set[Watcher] = set()
        self.watching = Shares("watchers", settings.max_watchers, settings.peer_share)
        self.directory = Directory(database)
        self.elsewhere: Callable[[SeatPass, Stream, int, Any, float], None]
        """Answers an attach with a good token at a table that is not played here."""
        self.waiting_attaches: Callable[[], int]
        """Returns how many seats wait here for a table that is not played here."""
        self.gone_live: Callable[[str], None]
        """Is told of each table that is played here from now on."""
        self._tasks: set[asyncio.Task[None]] = set()

    # Tables.

    def find(self, table_id: str) -> Table | None:
        """Return a live table of this server."""
        return self.tables.get(table_id) if self.open else None

    def _hands_shown(self, table_id: str) -> float:
        table = self.tables.get(table_id)
        return inf if table is None else table.standing.finished

    @property
    def draining(self) -> bool:
        """Whether this server hands its tables over, and takes none."""
        return self.lease.draining

    def takes_tables(self) -> bool:
        """Whether a new table may be opened here now."""
        return self.open and self.lease.valid() and not self.draining and len(self.tables) + len(self.openings) < self.settings.max_tables

    def owns(self, generation: int) -> bool:
        """Whether this server still is the generation that it was."""
        return self.open and self.lease.generation == generation

    def add(self, table: Table) -> None:
        """Take a table in and let it go on."""
        self.tables[table.id] = table
        table.catch_up()
        self.gone_live(table.id)

    def addresses(self) -> list[str]:
        """Return up to three servers that can be asked for a table of this server, this one first."""
        return self.directory.addresses(self.address)

    def offer_seats(self, table: Table, *, vacant: bool) -> None:
        """Note whether the table has seats that can be taken."""
        if vacant:
            self.vacant[table.id] = table
        else:
            self.vacant.pop(table.id, None)

    def decided(self, hold: str) -> None:
        """Wake who waits to hear whether a seat is theirs."""
        for waiting in self.takers.get(hold, ()):
            waiting.set()

    def retire(self, table: Table) -> None:
        """Let go of a table that is over."""
        if self.tables.get(table.id) is table:
            del self.tables[table.id]
            self._close(table, CLOSED, None)

    def lost(self, table: Table, fate: Fate) -> None:
        """The table's rows could not be stored: it has another owner, or is read again from its journal."""
        if self.tables.get(table.id) is not table:
            table.go(UNAVAILABLE)
            return
        self.metrics.rebuilt.labels(fate.value).inc()
        log.warning("table_lost", match=table.id, fate=fate.value)
        del self.tables[table.id]
        standing.keep_records(table)
        self._close(table, UNAVAILABLE, UnavailableError("moved", "the table is played elsewhere"))
        if fate is Fate.OVERTAKEN:
            self._begin(self.rebuild(table.id, table.epoch))

    def hand_over(self, table: Table, departure: Departure) -> None:
        """Let go of a frozen table that is another server's from now on, and tell its seats where it is."""
        assert departure.address, "it is known where it is"
        if self.tables.get(table.id) is not table:
            return
        del self.tables[table.id]
        names: dict[Stream, list[bytes]] = {}
        for seat in table.seats:
            if (attachment := seat.attachment) is not None:
                names.setdefault(attachment.stream, []).append(attachment.name)
                attachment.end()
        what = moved(departure.address, departure.epoch, self.directory.addresses(departure.address))
        for stream, some in names.items():
            stream.keep(wire.event(b"".join(some), b"", what))
        self._close(table, departure, UnavailableError("moved", "the table is played elsewhere"))

    def _close(self, table: Table, departure: Departure, error: UnavailableError | None) -> None:
        self.timers.cancel(table)
        self.vacant.pop(table.id, None)
        for seat in table.seats:
            seat.detach(departure.reason)
        for watcher in self.watchers:
            if watcher.table_id == table.id:
                watcher.close(error)
        # Whoever waits to be attached is told so; whoever is attached was told by being detached.
        table.go(departure)
        self.relay.forget(table.id, table.course.item_seq)
        # Not before what is being done with it now has ended.
        asyncio.get_running_loop().call_soon(table.dispose)

    def failed(self, table: Table, error: Exception) -> None:
        """A table raised: a fault of ours. What is stored is right, so it is read again."""
        log.error("table_failed", match=table.id, exc_info=error)
        self.metrics.alarms.labels("table_failed").inc()
        table.lost(Fate.OVERTAKEN)

    def silence(self) -> None:
        """This server no longer owns anything: nobody is told anything any more but that."""
        self.open = False
        self.end_streams("not_owner", "this server no longer owns its tables")
        for table in list(self.tables.values()):
            self.timers.cancel(table)
            self.relay.forget(table.id, table.course.item_seq)
            standing.keep_records(table)
            for seat in table.seats:
                if seat.attachment is not None:
                    seat.attachment.end()
            table.go(UNAVAILABLE)
            asyncio.get_running_loop().call_soon(table.dispose)
        self.tables.clear()
        self.vacant.clear()

    def end_streams(self, reason: str, text: str) -> None:
        """End every stream of this server."""
        for stream in list(self.streams):
            stream.close(UnavailableError(reason, text))
        for watcher in list(self.watchers):
            watcher.close(UnavailableError(reason, text))

    # Streams.

    def enter(self, peer: str) -> Stream:
        """Return a new stream of a peer, or of a part of ours ("").

        UnavailableError while this server owns nothing; ExhaustedError when it, or the peer, has as many as it may.
        """
        if not self.open:
            raise UnavailableError("not_serving", "this server does not take streams now")
        self._places.enter(peer)
        pace = Pace(self._meters.of(peer) if peer else None)
        stream = Stream(self.limits, self.pool, pace, self.lease.valid, self.metrics.overflowed)
        self.streams.add(stream)
        return stream

    def leave(self, stream: Stream, peer: str) -> None:
        """The stream is over: its seats have nobody to hear from them. Their tables go on."""
        self._places.leave(peer)
        self.streams.discard(stream)
        stream.gone()
        for attachment in list(stream.attachments.values()):
            attachment.end()

    def unix_ms(self) -> int:
        """Return the time in milliseconds since 1970."""
        return time.time_ns() // 1_000_000

    def wall_clock(self) -> float:
        """Return the time in seconds since 1970."""
        return time.time()

    def on_loop_clock(self, unix_seconds: float) -> float:
        """Return a moment on the event loop's clock."""
        return self.now() + unix_seconds - time.time()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.metrics.alarms.labels("task_failed").inc()
            log.error("task_failed", exc_info=task.exception())

    # Outcomes, figures.

    def outcome(self, outcome: TableOutcome) -> None:
        """Hand an outcome to its table."""
        table = self.find(outcome.table)
        if outcome.stuck:
            self.metrics.alarms.labels("settlement_stuck").inc()
            log.error("settlement_stuck", match=outcome.table, through=outcome.through)
        if table is not None:
            try:
                for item in outcome.items:
                    table.send(partial(outcomes.settle, table, item))
            except Exception as error:  # noqa: BLE001 - a fault of ours at one table must not keep the others from their outcomes
                self.failed(table, error)

    def live(self) -> tuple[int, int]:
        """Return how many tables are live, and how many seats of players they have."""
        courses = [table.course for table in self.tables.values()]
        return len(courses), sum(len(one.players) - one.players.count(None) - len(one.free) for one in courses)
