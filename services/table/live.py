"""Figures of a table server as it is at the moment of a scrape: its lease, its streams, and the live tables of each room.

Law: they are computed on the thread of the metrics port, so a blocked event loop does not hide what stands still because of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from services.table import store
from services.table.mailbox import State

if TYPE_CHECKING:
    import sqlalchemy as sa

    from services.table.hall import Hall
    from services.table.table import Table

LATE_SECONDS: Final = 2.0
"""A table of which something was due so long ago stands still."""
_ROOM: Final = ("game", "tier")
_OF_ROOMS: Final = (
    ("xuezhan_table_tables", "Live tables."),
    ("xuezhan_table_seats", "Seats of players at live tables."),
    ("xuezhan_table_seats_on_auto", "Seats that the server plays."),
    ("xuezhan_table_seats_connected", "Seats that a client plays over a stream now."),
    ("xuezhan_table_standing_still", "Live tables of which something has been due for more than two seconds."),
)
"""What is counted of the live tables of each room, in the order of `_counts`."""
_WAITING: Final = """What waits at a table server: inputs and outcomes in the mailboxes of tables, tables with rows that are not stored yet,
tables that are being opened, seats that are asked for at tables which are not live here, items without an outcome, records of hands."""


class Live(Collector):
    """What a table server is at this moment."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall

    def collect(self) -> Iterable[Metric]:
        """Compute the figures."""
        hall = self._hall
        families = [GaugeMetricFamily(name, text, labels=_ROOM) for name, text in _OF_ROOMS]
        counts = _counts(hall)
        text = "How long a player may think in a room; 0: as long as they like."
        turns = GaugeMetricFamily("xuezhan_table_turn_seconds", text, labels=_ROOM)
        for room in hall.rooms:
            labels = [room.game, room.id]
            turns.add_metric(labels, room.turn_seconds)
            for family, count in zip(families, counts[room.room_id], strict=True):
                family.add_metric(labels, count)
        yield from families
        yield turns
        text = "Streams of clients that are open."
        yield GaugeMetricFamily("xuezhan_table_streams", text, value=len(hall.streams))
        yield GaugeMetricFamily("xuezhan_table_watchers", "Watch calls that are open.", value=len(hall.watchers))
        waiting = GaugeMetricFamily("xuezhan_table_waiting", " ".join(_WAITING.split()), labels=["what"])
        for what, count in _waiting(hall).items():
            waiting.add_metric([what], count)
        yield waiting
        text = "Whether this server may play its tables now."
        yield GaugeMetricFamily("xuezhan_table_lease_valid", text, value=hall.lease.valid())
        text = "For how long this server may play its tables unless it renews its lease."
        yield GaugeMetricFamily("xuezhan_table_lease_seconds", text, value=hall.lease.seconds_left())
        text = "Age of the oldest item of this server's tables without an outcome."
        yield GaugeMetricFamily("xuezhan_table_oldest_item_seconds", text, value=hall.relay.oldest_seconds())


def _counts(hall: Hall) -> Mapping[str, list[int]]:
    found = {room.room_id: [0] * len(_OF_ROOMS) for room in hall.rooms}
    now, stuck = hall.now(), hall.journal.writing_seconds() > LATE_SECONDS
    for table in list(hall.tables.values()):
        try:
            course = table.course
        except AttributeError:
            # It has gone meanwhile.
            continue
        row = found.get(course.room.room_id)
        if row is not None:
            row[0] += 1
            row[1] += sum(player is not None for player in course.players) - len(course.free)
            row[2] += len(course.on_auto)
            row[3] += sum(seat.attachment is not None for seat in table.seats)
            row[4] += stands_still(table, now, stuck=stuck)
    return found


def _waiting(hall: Hall) -> Mapping[str, int]:
    tables = list(hall.tables.values())
    return {
        "inputs": sum(len(table.mailbox or ()) for table in tables),
        "tables": sum(bool(table.rows or table.in_flight) for table in tables),
        "openings": len(hall.openings),
        "attaches": hall.waiting_attaches(),
        "items": hall.relay.waiting,
        "records": hall.archive.waiting,
    }


def stands_still(table: Table, now: float, *, stuck: bool) -> bool:
    """Whether a live table stands still although something is due. `stuck`: the journal has been writing for too long."""
    deadlines = table.deadlines
    if table.state is State.FROZEN:
        # For a while: it may move to another server. A claim window is never cut.
        return deadlines.stopped_for(now) > table.longest_window_ms / 1000 + LATE_SECONDS
    return deadlines.next() < now - LATE_SECONDS or (stuck and bool(table.in_flight or table.rows))


class Outbox:
    """A reading: the oldest item in the database that is not settled, also of tables that no server owns."""

    def read(self, connection: sa.Connection) -> float | None:
        """Return its age in seconds; None: there is none."""
        return store.oldest_item(connection)

    def families(self, found: float | None, seconds: float) -> Iterable[Metric]:
        """Return the figure, which grows until it is read again."""
        text = "Age of the oldest item of all tables in the database without an outcome; 0: none."
        yield GaugeMetricFamily("xuezhan_table_outbox_oldest_seconds", text, value=0.0 if found is None else found + seconds)
