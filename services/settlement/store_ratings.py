"""Ratings of players: points that hands in rated rooms change. They are not coins.

Law: a rating is the sum of its changes and never below 0: of a loss that would take it there, only what was left is a change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from games.ratings import rating_after
from services.settlement import store

_r = store.ratings.c


class Change(NamedTuple):
    """What an item of a table gives or takes a player."""

    table: str
    seq: int
    player: str
    game: str
    points: int


def change(connection: sa.Connection, changes: Sequence[Change], now: int) -> list[int]:
    """Carry out changes in their order; answers each one's rating afterwards."""
    if not changes:
        return []
    found = _locked(connection, changes)
    after: list[int] = []
    rows: list[store.Row] = []
    for one in changes:
        before = found[one.player, one.game]
        now_has = found[one.player, one.game] = rating_after(before, one.points)
        after.append(now_has)
        rows.append({"table_id": one.table, "seq": one.seq, "player": one.player, "game": one.game, "change": now_has - before, "at": now})
    store.insert(connection, store.rating_changes, rows)
    ratings: list[store.Row] = [{"player": player, "game": game, "points": points} for (player, game), points in sorted(found.items())]
    store.update(connection, store.ratings, ("player", "game"), ratings)
    return after


def of(connection: sa.Connection, player: str) -> list[tuple[str, int]]:
    """Return a player's ratings: game and points."""
    found = connection.execute(sa.select(_r.game, _r.points).where(_r.player == player).order_by(_r.game))
    return [(row.game, row.points) for row in found]


def _locked(connection: sa.Connection, changes: Sequence[Change]) -> dict[tuple[str, str], int]:
    """Lock the ratings in order, those of newcomers made first."""
    keys = sorted({(one.player, one.game) for one in changes})
    fresh: list[store.Row] = [{"player": player, "game": game, "points": 0} for player, game in keys]
    store.insert(connection, store.ratings, fresh, skip_existing=True)
    wanted: Any = sa.tuple_(_r.player, _r.game).in_(keys)
    rows = connection.execute(sa.select(store.ratings).where(wanted).order_by(_r.player, _r.game).with_for_update(key_share=True))
    return {(row.player, row.game): row.points for row in rows}
