"""Figures of settlement: what workers count, and what is read from the database.

Law: an item is counted once, when the transaction that settled it has been committed. Labels are bounded: room, kind, result, reason.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final

import sqlalchemy as sa
from prometheus_client import CollectorRegistry, Counter, Histogram, Metric
from prometheus_client.core import GaugeMetricFamily

from services.settlement import store_items
from services.settlement.batch import Settled

BATCH_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

REFUSALS: Final = ("body", "other_body", "rate")
"""Why an item is turned away. Each begins at 0: of a counter that comes up at 1 nobody sees that it increased."""


class WorkerMetrics:
    """What a worker counts."""

    def __init__(self, registry: CollectorRegistry) -> None:
        where = ("game", "tier")
        self.items = Counter("xuezhan_settlement_items_total", "Items settled.", (*where, "kind", "result"), registry=registry)
        self.paid = Counter("xuezhan_settlement_coins_paid_total", "Coins that seats paid.", where, registry=registry)
        self.short = Counter("xuezhan_settlement_coins_short_total", "Coins owed that nobody had.", where, registry=registry)
        self.refused = Counter("xuezhan_settlement_refused_total", "Items turned away at the door.", ("reason",), registry=registry)
        for reason in REFUSALS:
            self.refused.labels(reason)
        text = "Messages passed over, because their items had been sent again since."
        self.stale = Counter("xuezhan_settlement_stale_messages_total", text, registry=registry)
        self.stuck = Counter("xuezhan_settlement_stuck_total", "Tables marked stuck.", ("reason",), registry=registry)
        self.repeated = Counter("xuezhan_settlement_repeated_total", "Items that had been settled before.", registry=registry)
        self.unpublished = Counter("xuezhan_settlement_unpublished_total", "Outcome messages the broker did not take.", registry=registry)
        self.batch_seconds = Histogram("xuezhan_settlement_batch_seconds", "Time of a batch.", registry=registry, buckets=BATCH_BUCKETS)

    def count(self, settled: Iterable[Settled]) -> None:
        """Count what a committed transaction settled."""
        for one in settled:
            game, _, tier = one.room_id.partition("/")
            outcome = one.outcome
            self.items.labels(game, tier, outcome.kind, outcome.result).inc()
            self.paid.labels(game, tier).inc(
                sum(move.coins for move in outcome.moves) + sum(-coins for coins in outcome.change if coins < 0)
            )
            self.short.labels(game, tier).inc(sum(row.owed - row.paid for row in outcome.short))


class Waiting:
    """A reading: what waits in the database. Several processes may show it; take the maximum."""

    def read(self, connection: sa.Connection) -> store_items.Backlog:
        """Read it."""
        return store_items.backlog(connection, int(time.time()))

    def families(self, found: store_items.Backlog, seconds: float) -> Iterable[Metric]:
        """Return the figures; an age grows until it is read again."""
        oldest = found.oldest_seconds + seconds if found.unsettled else 0.0
        text = "Age of the oldest item that is stored and not settled; 0: none."
        yield GaugeMetricFamily("xuezhan_settlement_oldest_unsettled_seconds", text, value=oldest)
        yield GaugeMetricFamily("xuezhan_settlement_unsettled_items", "Items stored and not settled.", value=found.unsettled)
        text = "Dead letters that no operator has dealt with."
        yield GaugeMetricFamily("xuezhan_settlement_dead_letters", text, value=found.dead_letters)
        yield GaugeMetricFamily("xuezhan_settlement_stuck_tables", "Tables that wait for an operator.", value=found.stuck_tables)
