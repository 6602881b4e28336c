"""The checks of ratings (services.settlement.check)."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from games.ratings import PAIR_A_DAY, WINNER_A_DAY
from services.settlement import store
from services.settlement.findings import Finding, rows


def ratings_rebuilt(connection: sa.Connection) -> Iterator[Finding]:
    """Every rating is the sum of its changes.

    A failure means that a rating was changed past the ledger.
    """
    r, changes = store.ratings.c, store.rating_changes.c
    sums = sa.select(changes.player, changes.game, sa.func.sum(changes.change).label("points")).group_by(changes.player, changes.game)
    rebuilt = sums.subquery().c
    same = sa.and_(rebuilt.player == r.player, rebuilt.game == r.game)
    wanted = sa.select(r.player, r.points, rebuilt.points.label("due")).join_from(store.ratings, rebuilt.points.table, same, isouter=True)
    for player, points, due in rows(connection, wanted.where(r.points != sa.func.coalesce(rebuilt.points, 0))):
        yield Finding("ratings_rebuilt", player, f"the rating is {points}, its changes add up to {due}")


def ratings_within_bounds(connection: sa.Connection) -> Iterator[Finding]:
    """Nobody gained more in a day than the bounds allow beyond what others lost, and no hand gave more than was lost and created.

    Of days before yesterday nothing is kept. A failure means that ratings were changed past the ledger.
    """
    c, changes = store.rating_created.c, store.rating_changes.c
    points = sa.func.sum(c.points).label("points")
    by_pair = sa.select(c.winner, c.loser, c.day, points).group_by(c.winner, c.loser, c.game, c.day).having(points > PAIR_A_DAY)
    for winner, loser, day, gained in rows(connection, by_pair):
        yield Finding("ratings_within_bounds", winner, f"{int(gained)} points out of nothing from {loser} on day {day}")
    by_winner = sa.select(c.winner, c.day, points).group_by(c.winner, c.game, c.day).having(points > WINNER_A_DAY)
    for winner, day, gained in rows(connection, by_winner):
        yield Finding("ratings_within_bounds", winner, f"{int(gained)} points out of nothing on day {day}")
    made = sa.select(c.table_id, c.seq, points).group_by(c.table_id, c.seq).subquery().c
    gains = sa.func.sum(changes.change).label("points")
    told = sa.select(changes.table_id, changes.seq, gains).group_by(changes.table_id, changes.seq).subquery().c
    same = sa.and_(told.table_id == made.table_id, told.seq == made.seq)
    wanted = sa.select(made.table_id, made.seq, made.points, told.points).join_from(made.points.table, told.points.table, same)
    for table, seq, created, gained in rows(connection, wanted.where(told.points > made.points)):
        yield Finding("ratings_within_bounds", table, f"item {seq} created {int(created)} points, its changes add up to {int(gained)}")
