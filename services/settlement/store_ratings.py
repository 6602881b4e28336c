"""Ratings of players: points that hands in rated rooms change. They are not coins.

Law: a rating is the sum of its changes and never below 0: of a loss that would take it there, only what was left is a change. What is
gained beyond what was lost stays within the bounds of a day (games.ratings). A hand is settled with the ratings of its players locked, so
two hands of one winner are settled one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from games.ratings import Created, Day, hand_changes
from services.settlement import store

_r, _c = store.ratings.c, store.rating_created.c
_DAY_SECONDS: Final = 86_400
_KEPT_DAYS: Final = 1
"""Days before today that are kept: a worker whose clock is behind may still settle hands of yesterday."""
_PRUNED: Final = 1000
"""Rows of old days that are dropped at a time."""
_KEY: Final = (_c.table_id, _c.seq, _c.winner, _c.loser)


class Hand(NamedTuple):
    """What an item says of a hand in a rated room: each seat's player (None: a bot) and points. `escaped`: it ended by an escape."""

    table: str
    seq: int
    game: str
    points: tuple[tuple[str | None, int], ...]
    escaped: bool


def change(connection: sa.Connection, hands: Sequence[Hand], now: int) -> list[list[int]]:
    """Change ratings by hands in their order; answers for each hand every seat's rating afterwards, -1 for a bot."""
    if not hands:
        return []
    today = now // _DAY_SECONDS
    found = _locked(connection, hands)
    days = _days(connection, hands, today)
    after: list[list[int]] = []
    changed: list[store.Row] = []
    new: list[store.Row] = []
    for hand in hands:
        item = {"table_id": hand.table, "seq": hand.seq, "game": hand.game}
        before = {player: found[player, hand.game] for player, _ in hand.points if player is not None}
        changes, created = hand_changes(hand.points, before, days[hand.game], escaped=hand.escaped)
        for player, points in changes.items():
            found[player, hand.game] += points
            changed.append({**item, "player": player, "change": points, "at": now})
        new += [{**item, "winner": one.winner, "loser": one.loser, "day": today, "points": one.points} for one in created]
        after.append([-1 if player is None else found[player, hand.game] for player, _ in hand.points])
    store.insert(connection, store.rating_changes, changed)
    ratings: list[store.Row] = [{"player": player, "game": game, "points": points} for (player, game), points in sorted(found.items())]
    store.update(connection, store.ratings, ("player", "game"), ratings)
    if new:
        store.insert(connection, store.rating_created, new)
        _prune(connection, today)
    return after


def of(connection: sa.Connection, player: str) -> list[tuple[str, int]]:
    """Return a player's rating in every game where it has one."""
    found = connection.execute(sa.select(_r.game, _r.points).where(_r.player == player).order_by(_r.game))
    return [(row.game, row.points) for row in found]


def _locked(connection: sa.Connection, hands: Sequence[Hand]) -> dict[tuple[str, str], int]:
    """Lock the ratings in order, those of newcomers made first."""
    keys = sorted({(player, hand.game) for hand in hands for player, _ in hand.points if player is not None})
    fresh: list[store.Row] = [{"player": player, "game": game, "points": 0} for player, game in keys]
    store.insert(connection, store.ratings, fresh, skip_existing=True)
    wanted: Any = sa.tuple_(_r.player, _r.game).in_(keys)
    rows = connection.execute(sa.select(store.ratings).where(wanted).order_by(_r.player, _r.game).with_for_update(key_share=True))
    return {(row.player, row.game): row.points for row in rows}


def _days(connection: sa.Connection, hands: Sequence[Hand], today: int) -> dict[str, Day]:
    """Return what the winners of these hands have created today, by game. Their ratings are locked."""
    winners = {(player, hand.game) for hand in hands for player, points in hand.points if player is not None and points > 0}
    days = {hand.game: Day() for hand in hands}
    wanted: Any = sa.tuple_(_c.winner, _c.game).in_(sorted(winners))
    found = connection.execute(sa.select(_c.game, _c.winner, _c.loser, _c.points).where(wanted, _c.day == today)) if winners else ()
    for row in found:
        days[row.game].add(Created(row.winner, row.loser, row.points))
    return days


def _prune(connection: sa.Connection, today: int) -> None:
    """Drop some rows of days that no longer count; those that another worker drops now are left to it."""
    old = sa.select(*_KEY).where(_c.day < today - _KEPT_DAYS).order_by(*_KEY).limit(_PRUNED).with_for_update(skip_locked=True)
    wanted: Any = sa.tuple_(*_KEY).in_(old)
    connection.execute(sa.delete(store.rating_created).where(wanted))
