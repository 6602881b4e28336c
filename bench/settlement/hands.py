"""Tables that owe items: what each owes, and the stakes that must be held for it before."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, Final
from zlib import crc32

from games.hand import Policy
from services.kit import items
from services.kit.database import Database
from services.settlement import stakes, wallets
from services.settlement.state import Terms

SEATS: Final = 4
ITEMS: Final = 20
"""Items of a table on average: it is opened, pays stages as in one to five hands, and is closed."""
_STAGES: Final = 2 * (ITEMS - 2)
"""A table pays from one to so many stages: tables that begin together end at different times."""
ENTRIES: Final = 4
"""Ledger entries of a stage: two seats pay one, and each payment is two entries."""
_STAKE: Final = 5_000
_TERMS: Final = Terms("crazy_xuezhan/mayou", "crazy_xuezhan", Policy.STAGE, base=1, entry=10, needed=1000, lock=None, rated=False)
_TABLES_A_TURN: Final = 50


def players(table: str) -> list[str]:
    """Return who sits at a table."""
    return [f"{table}-{seat}" for seat in range(SEATS)]


def bodies(table: str) -> list[str]:
    """Return the items of a table in order, as their canonical texts."""
    seats = [items.SeatHolder(seat=seat, player=player) for seat, player in enumerate(players(table))]
    opening = items.OpenBody(room=_TERMS.room_id, seats=seats)
    stages = [_stage(number) for number in range(1 + crc32(table.encode()) % _STAGES)]
    return [items.canonical(body) for body in (opening, *stages, items.CloseBody(reason="over"))]


def _stage(number: int) -> items.StageBody:
    """Return a stage in which two seats pay one; each seat's turn to win comes round, so nobody runs out of coins."""
    winner = number % SEATS
    claims = [items.ClaimRow(payer=(winner + step) % SEATS, payee=winner, multiple=1 + number % 3) for step in (1, 2)]
    return items.StageBody(hand=1 + number // 8, stage=number % 8, cause="win", base=_TERMS.base, claims=claims)


def hold(database: Database, names: Sequence[str]) -> None:
    """Hold the stakes of tables, many in one transaction."""
    for start in range(0, len(names), _TABLES_A_TURN):
        database.run_sync(_hold, names[start : start + _TABLES_A_TURN], int(time.time()))


def _hold(connection: Any, names: Sequence[str], now: int) -> None:
    for name in names:
        for player in players(name):
            wallets.move(connection, wallets.Request(wallets.Way.DEPOSIT, player, _STAKE, f"bench {player}", "bench"), now)
        seats = [stakes.Seat(seat, player) for seat, player in enumerate(players(name))]
        assert stakes.hold(connection, name, _TERMS, seats, now).held


def names(prefix: str) -> Iterator[str]:
    """Yield names of tables without end."""
    number = 0
    while True:
        number += 1
        yield f"{prefix}-{number}"
