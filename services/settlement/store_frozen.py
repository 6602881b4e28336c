"""Players whom an operator froze. Read and changed while their wallets are locked."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from services.settlement import store

_c = store.frozen_players.c


def frozen(connection: sa.Connection, players: Collection[str]) -> set[str]:
    """Return those of the players who are frozen."""
    return set[str]() if not players else set(connection.scalars(sa.select(_c.player).where(_c.player.in_(sorted(players)))))


def put(connection: sa.Connection, player: str, is_frozen: bool, now: int) -> None:
    """Freeze a player who is not, or lift it."""
    if is_frozen:
        connection.execute(sa.insert(store.frozen_players).values(player=player, at=now))
    else:
        connection.execute(sa.delete(store.frozen_players).where(_c.player == player))
