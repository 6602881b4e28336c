"""Metrics of a table server. Labels: game, tier (the room's id), reason; all from lists that the configuration bounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from games.hand import Why
from services.kit.metrics import LATENCY_BUCKETS, LoopHistogram
from services.kit.rooms import Room

_BATCH_BUCKETS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_REASONS: Final = frozenset({*(why.value for why in Why), "stale", "too_many", "not_attached"})
_LABELS: Final = ("game", "tier")
_ALARMS: Final = (
    "coins_differ_from_rules",
    "journal_failed",
    "record_not_built",
    "replay_failed",
    "rules_missing",
    "settlement_stuck",
    "table_failed",
    "table_left_out",
    "tables_set_aside",
    "task_failed",
)
"""Each begins at 0: of a counter that comes up at 1 nobody sees that it increased."""


class _Actions(Collector):
    """A counter without a lock: it is advanced for every action, from the event loop alone."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, str], int] = defaultdict(int)

    def collect(self) -> Iterable[Any]:
        family = CounterMetricFamily("xuezhan_table_actions_total", "Actions accepted and stored, the server's included.", labels=_LABELS)
        for labels, count in list(self.counts.items()):
            family.add_metric(labels, count)
        yield family


class TableMetrics:
    """Everything a table server counts."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, text: str, labels: tuple[str, ...] = _LABELS) -> Counter:
            return Counter(name, text, labels, registry=registry)

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
        text = "Tables taken up from their journals: of a server that is no more, or of this one's row."
        self.adopted = counter("xuezhan_table_adopted_total", text, ())
        self.taken_over = counter("xuezhan_table_taken_over_total", "Tables that another server handed over to this one.", ())
        self.handed_over = counter("xuezhan_table_handed_over_total", "Tables handed over to another server.", ())
        text = "Tables without an owner, and this server's own, that are taken up no more: it was tried three times in vain."
        self.set_aside = Gauge("xuezhan_table_set_aside", text, registry=registry)
        text = "Tables that stand still, or cannot be handed over, because no serving table server has their version of the rules."
        self.rules_missing = Gauge("xuezhan_table_rules_missing", text, registry=registry)
        self.alarms = counter("xuezhan_table_alarms_total", "Things that an operator must look at, by what.", ("what",))
        for what in _ALARMS:
            self.alarms.labels(what)
        self.items_sent = counter("xuezhan_table_items_sent_total", "Settlement items sent, repeated ones included.", ("again",))
        self.batch_rows = Histogram(
            "xuezhan_table_journal_batch_rows", "Rows of a journal batch.", registry=registry, buckets=_BATCH_BUCKETS
        )
        self.commit_seconds = Histogram(
            "xuezhan_table_journal_commit_seconds", "Time to store a journal batch.", registry=registry, buckets=LATENCY_BUCKETS
        )
        text = "Settlement workers that take items from the broker; -1: not known, or there is no broker."
        self.workers = Gauge("xuezhan_table_workers", text, registry=registry)
        self.workers.set(-1)
        text = "From an action's arrival until it is stored and may be answered, without the claim window that the answer then waits for."
        durable = LoopHistogram("xuezhan_table_action_durable_seconds", text)
        registry.register(durable)
        self.durable = durable.observe
        """Count an action that a client sent so many seconds ago, and that is stored now."""

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
