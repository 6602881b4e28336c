"""What matchmaking counts. Labels are bounded: game and tier come from the rooms file, steps and reasons from fixed lists."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from services.kit.metrics import LATENCY_BUCKETS
from services.matchmaking.tickets import Ticket, Why

_WAIT_BUCKETS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0)
_REASONS: Final = frozenset(
    {
        *(why.value for why in Why if why),
        "unavailable",
        "tls",
        "deadline_exceeded",
        "database",
        "internal",
        "not_found",
        "unknown_room",
        "unknown_table",
        "joining",
        "busy",
        "draining",
        "not_live",
        "not_serving",
        "full",
    }
)


def tier(room: str) -> tuple[str, str]:
    """Return the labels game and tier of a room."""
    game, _, name = room.partition("/")
    return game, name


class Metrics:
    """The figures of one process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        room = ("game", "tier")
        text = "Tickets waiting for a match, in all processes."
        self.waiting = Gauge("xuezhan_matchmaking_tickets_waiting", text, room, registry=registry)
        text = "How long the oldest ticket has waited of a room that this process matches; 0: none waits."
        self.oldest = Gauge("xuezhan_matchmaking_oldest_ticket_seconds", text, room, registry=registry)
        self.wait = Histogram(
            "xuezhan_matchmaking_match_wait_seconds", "From the ticket to its match.", room, registry=registry, buckets=_WAIT_BUCKETS
        )
        self.seating = Histogram(
            "xuezhan_matchmaking_seating_seconds", "From the match to the open table.", room, registry=registry, buckets=LATENCY_BUCKETS
        )
        self.created = Counter("xuezhan_matchmaking_tickets_created_total", "Tickets written.", room, registry=registry)
        self.ended = Counter("xuezhan_matchmaking_tickets_ended_total", "Tickets ended, by state.", ("state", "reason"), registry=registry)
        self.matches = Counter("xuezhan_matchmaking_matches_total", "Matches written.", room, registry=registry)
        self.joins = Counter("xuezhan_matchmaking_joins_total", "Free seats of tables given to tickets.", room, registry=registry)
        self.bots = Counter("xuezhan_matchmaking_bots_total", "Seats given to bots.", room, registry=registry)
        self.failures = Counter(
            "xuezhan_matchmaking_seating_failures_total", "Steps of a match that did not succeed.", ("step", "reason"), registry=registry
        )
        self.watchers = Gauge("xuezhan_matchmaking_watchers", "WatchTicket calls open.", registry=registry)

    def failed(self, step: str, reason: str) -> None:
        """Count a step that did not succeed."""
        self.failures.labels(step, reason if reason in _REASONS else "other").inc()

    def ticket_ended(self, ticket: Ticket) -> None:
        """Count a ticket's end."""
        self.ended.labels(ticket.state, ticket.reason).inc()
