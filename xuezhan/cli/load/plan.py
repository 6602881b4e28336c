"""What a load run is told to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Plan:
    """One run. Every player plays `hands` hands; `tables` tables are played at the same time; times in seconds.

    `run` names the run in player ids and idempotency keys. `coins` each player is given; None: plenty for the room.
    `think`: how long a player waits before he answers.
    """

    game: str
    room: str
    tables: int
    hands: int
    run: str
    connections: int = 1
    bots: str = "random"
    coins: int | None = None
    think: float = 0.0
    patience: float = 120.0
    timeout: float = 1800.0
    traces: Path | None = None
    check_records: bool = True
