"""What a load run counts: hands, actions, waiting times, refusals, coins, errors."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

MAX_ERRORS: Final = 100
"""Errors kept word for word; the others are only counted."""


@dataclass
class Coins:
    """All players together: before the run (deposits included), after it, and what the statements say became of them."""

    before: int = 0
    after: int = 0
    stated: int = 0
    won: int = 0
    lost: int = 0
    changed: int = 0
    mismatches: int = 0


@dataclass
class Tally:
    """Figures of one run. `hands` and `stages` are keys of what at least one player saw the end of, or what has a record; `latencies` and
    `unanswered` in seconds.
    """

    players: int = 0
    tables: dict[str, str] = field(default_factory=dict)
    """Address by table id."""
    hands: set[tuple[str, int]] = field(default_factory=set)
    stages: set[tuple[str, int, int]] = field(default_factory=set)
    sent: int = 0
    accepted: int = 0
    events: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    """What the server did that it must not do, as the seats saw it, by name."""
    latencies: array[float] = field(default_factory=lambda: array("d"))
    unanswered: array[float] = field(default_factory=lambda: array("d"))
    """How long each action stayed without an answer, until its answer came or its seat was over."""
    never_answered: int = 0
    recorded_hands: int = 0
    recorded_actions: int = 0
    recorded_auto: int = 0
    records_wrong: int = 0
    acknowledged_missing: int = 0
    recorded_unacknowledged: int = 0
    """Recorded actions of seats that acted in the hand, beyond those that the seat heard to be accepted."""
    streams_broken: int = 0
    reconnects: int = 0
    """Streams that were opened for seats which had lost theirs."""
    moves: int = 0
    """How often a seat followed its table to another server."""
    waits: int = 0
    """How often a seat waited for its table to have an owner that can be reached."""
    statements_unchecked: int = 0
    """Signed statements whose keys no server could be asked for."""
    full_views: int = 0
    ends_unheard: int = 0
    """Tables that closed while a player was away, each counted for every such player."""
    seconds: float = 0.0
    coins: Coins = field(default_factory=Coins)
    errors: list[str] = field(default_factory=list)
    error_count: int = 0

    def error(self, text: str) -> None:
        """Note something that must not happen."""
        self.error_count += 1
        if len(self.errors) < MAX_ERRORS:
            self.errors.append(text)

    def add(self, other: Tally) -> None:
        """Take in the figures of another tally; its time is not added: it ran beside this one."""
        for mine, theirs in ((self, other), (self.coins, other.coins)):
            for one in fields(mine):
                value = getattr(theirs, one.name)
                if isinstance(value, int):
                    setattr(mine, one.name, getattr(mine, one.name) + value)
        for collected, more in ((self.tables, other.tables), (self.hands, other.hands), (self.stages, other.stages)):
            collected.update(more)  # type: ignore[arg-type]
        self.refusals.update(other.refusals)
        self.faults.update(other.faults)
        self.latencies.extend(other.latencies)
        self.unanswered.extend(other.unanswered)
        self.errors = [*self.errors, *other.errors][:MAX_ERRORS]

    @property
    def good(self) -> bool:
        """Whether nothing was wrong."""
        return self.error_count == 0 and self.coins.mismatches == 0 and self.records_wrong == 0 and self.acknowledged_missing == 0

    @property
    def why(self) -> list[str]:
        """Return what was wrong, in sentences; empty if nothing was."""
        coins = self.coins
        found = [
            (self.error_count, f"{self.error_count} errors, the first: {self.errors[0] if self.errors else ''}"),
            (self.acknowledged_missing, f"{self.acknowledged_missing} acknowledged actions are in no record"),
            (self.records_wrong, f"{self.records_wrong} records do not replay"),
            (coins.mismatches, f"{coins.mismatches} wallets differ from their statements"),
        ]
        return [text for count, text in found if count]

    def report(self) -> dict[str, Any]:
        """Return everything as plain JSON values."""
        coins = self.coins
        return {
            "ok": self.good,
            "why": self.why,
            "players": self.players,
            "tables": len(self.tables),
            "hands": len(self.hands),
            "stages_settled": len(self.stages),
            "items_seen": len(self.stages) + 2 * len(self.tables),
            "actions_sent": self.sent,
            "actions_accepted": self.accepted,
            "actions_recorded": self.recorded_actions,
            "actions_recorded_auto": self.recorded_auto,
            "events": self.events,
            "seconds": round(self.seconds, 3),
            "actions_per_second": round(self.accepted / self.seconds, 1) if self.seconds else 0.0,
            "latency_p50_ms": at_share(self.latencies, 0.50),
            "latency_p99_ms": at_share(self.latencies, 0.99),
            "unanswered_p50_ms": at_share(self.unanswered, 0.50),
            "unanswered_p99_ms": at_share(self.unanswered, 0.99),
            "unanswered_max_ms": at_share(self.unanswered, 1.0),
            "never_answered": self.never_answered,
            "refusals": dict(sorted(self.refusals.items())),
            "faults": dict(sorted(self.faults.items())),
            "records_checked": self.recorded_hands,
            "records_wrong": self.records_wrong,
            "acknowledged_missing": self.acknowledged_missing,
            "recorded_unacknowledged": self.recorded_unacknowledged,
            "streams_broken": self.streams_broken,
            "reconnects": self.reconnects,
            "moves": self.moves,
            "waits": self.waits,
            "statements_unchecked": self.statements_unchecked,
            "full_views": self.full_views,
            "ends_unheard": self.ends_unheard,
            "coins": {
                "before": coins.before,
                "after": coins.after,
                "change": coins.after - coins.before,
                "stated_change": coins.stated,
                "won": coins.won,
                "lost": coins.lost,
                "wallets_changed": coins.changed,
                "mismatches": coins.mismatches,
            },
            "error_count": self.error_count,
            "errors": self.errors,
        }


def at_share(seconds: Sequence[float], share: float) -> float:
    """Return the time that `share` of these stayed below, in milliseconds; 1: the longest; 0.0 of none."""
    if not seconds:
        return 0.0
    ordered = sorted(seconds)
    return round(1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)], 3)
