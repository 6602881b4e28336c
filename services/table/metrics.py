"""Metrics of a table server. Labels: game, tier (the room's id), reason; all from lists that the configuration bounds."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from games.hand import Why
from services.kit.metrics import LATENCY_BUCKETS
from services.kit.rooms import Room

_BATCH_BUCKETS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_REASONS: Final = frozenset({*(why.value for why in Why), "stale", "too_many", "not_attached"})
_LABELS: Final = ("game", "tier")
_LIVE: Final = (
    ("xuezhan_table_tables", "Live tables."),
    ("xuezhan_table_seats", "Seats of players at live tables."),
    ("xuezhan_table_seats_on_auto", "Seats that the server plays."),
)
"""What is counted of the live tables of each room."""


class _Latency(Collector):
    """A histogram without a lock: it is advanced for every action, from the event loop alone."""

    def __init__(self, name: str, text: str) -> None:
        self._name, self._text = name, text
        self._counts = [0] * (len(LATENCY_BUCKETS) + 1)
        self._sum = 0.0

    def observe(self, seconds: float) -> None:
        self._counts[bisect_left(LATENCY_BUCKETS, seconds)] += 1
        self._sum += seconds

    def collect(self) -> Iterable[Any]:
        total, buckets = 0, []
        for bound, count in zip((*map(str, LATENCY_BUCKETS), "+Inf"), self._counts, strict=True):
            total += count
            buckets.append((bound, total))
        family = HistogramMetricFamily(self._name, self._text)
        family.add_metric([], buckets, self._sum)
        yield family


class _Actions(Collector):
    """A counter without a lock: it is advanced for every action, from the event loop alone."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, str], int] = defaultdict(int)

    def collect(self) -> Iterable[Any]:
        family = CounterMetricFamily("xuezhan_table_actions_total", "Actions accepted and stored, the server's included.", labels=_LABELS)
        for labels, count in list(self.counts.items()):
            family.add_metric(labels, count)
        yield family


class _Live(Collector):
    """Gauges computed when they are asked for: live tables and seats, seats on 托管, the oldest item without an outcome."""

    def __init__(self, survey: Callable[[], Iterator[tuple[Room, int, int, int]]], oldest: Callable[[], float]) -> None:
        self._survey, self._oldest = survey, oldest

    def collect(self) -> Iterable[Any]:
        gauges = [GaugeMetricFamily(name, text, labels=_LABELS) for name, text in _LIVE]
        for room, *figures in self._survey():
            for gauge, figure in zip(gauges, figures, strict=True):
                gauge.add_metric([room.game, room.id], figure)
        yield from gauges
        yield GaugeMetricFamily("xuezhan_table_oldest_item_seconds", "Age of the oldest item without an outcome.", value=self._oldest())


class TableMetrics:
    """Everything a table server counts."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, text: str, labels: tuple[str, ...] = _LABELS) -> Counter:
            return Counter(name, text, labels, registry=registry)

        self._registry = registry
        actions = _Actions()
        registry.register(actions)
        self.actions = actions.counts
        """Actions stored, by game and tier; a dictionary, because it is counted up at every action."""
        self._refusals = counter("xuezhan_table_refusals_total", "Acts refused, by reason.", (*_LABELS, "reason"))
        self._hands = counter("xuezhan_table_hands_total", "Hands over.", (*_LABELS, "end"))
        self._timers = counter("xuezhan_table_timers_total", "Answers given for seats, by why.", (*_LABELS, "why"))
        text = "Times that too much waited for a client, of one seat or of the whole stream."
        self.overflows = counter("xuezhan_table_overflows_total", text, ("of",))
        text = "Tables rebuilt from their journal or lost to another owner, by why."
        self.rebuilt = counter("xuezhan_table_rebuilt_total", text, ("why",))
        self.adopted = counter("xuezhan_table_adopted_total", "Tables taken up from their journals.", ())
        self.handed_over = counter("xuezhan_table_handed_over_total", "Tables handed over to another server.", ())
        text = "Tables without an owner, and this server's own, that are taken up no more: it was tried three times in vain."
        self.set_aside = Gauge("xuezhan_table_set_aside", text, registry=registry)
        text = "Tables that stand still, or cannot be handed over, because no serving table server has their version of the rules."
        self.rules_missing = Gauge("xuezhan_table_rules_missing", text, registry=registry)
        self.alarms = counter("xuezhan_table_alarms_total", "Things that an operator must look at, by what.", ("what",))
        self.items_sent = counter("xuezhan_table_items_sent_total", "Settlement items sent, repeated ones included.", ("again",))
        self.batch_rows = Histogram(
            "xuezhan_table_journal_batch_rows", "Rows of a journal batch.", registry=registry, buckets=_BATCH_BUCKETS
        )
        self.commit_seconds = Histogram(
            "xuezhan_table_journal_commit_seconds", "Time to store a journal batch.", registry=registry, buckets=LATENCY_BUCKETS
        )
        text = "From an action's arrival until it is stored and may be answered, without the claim window that the answer then waits for."
        durable = _Latency("xuezhan_table_action_durable_seconds", text)
        registry.register(durable)
        self.durable = durable.observe
        """Count an action that a client sent so many seconds ago, and that is stored now."""

    def watch(self, survey: Callable[[], Iterator[tuple[Room, int, int, int]]], oldest: Callable[[], float]) -> None:
        """Export the gauges."""
        self._registry.register(_Live(survey, oldest))

    def overflowed(self, of: str) -> None:
        """Count that too much waited for a client: of one "seat", or of the whole "stream"."""
        self.overflows.labels(of).inc()

    def refused(self, room: Room, why: bytes) -> None:
        """Count a refused act."""
        reason = why.decode()
        self._refusals.labels(room.game, room.id, reason if reason in _REASONS else "other").inc()

    def hand_over(self, room: Room, *, called_off: bool) -> None:
        """Count a hand."""
        self._hands.labels(room.game, room.id, "called_off" if called_off else "played").inc()

    def timer_fired(self, room: Room, why: str) -> None:
        """Count an answer that the server gave: `time_ran_out`, `on_auto` 托管, `auto_discard` 自动摸打 or `auto_pass`."""
        self._timers.labels(room.game, room.id, why).inc()
