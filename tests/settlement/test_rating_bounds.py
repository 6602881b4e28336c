"""Rating points out of nothing are bounded by pair and by winner, a day (docs/rules/crazy_duel.md, "Score")."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from services.kit import items
from services.kit.database import Database, migrate
from services.settlement import store, store_ratings
from services.settlement.config import SCHEMA
from services.settlement.worker import MIGRATIONS
from tests.settlement.rating_auditor import RatingAuditor
from tests.settlement.test_pooled import RATED
from tests.settlement.world import NOW, TableLine, World

DAY = 86_400
MIDNIGHT = NOW // DAY * DAY + DAY
ESCAPE = [items.CauseLine(cause="escape", claims=[items.ClaimRow(payer=1, payee=0, multiple=80)])]


class Rated:
    """Rated tables of two, hand after hand."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.tables: dict[tuple[str, str], TableLine] = {}
        self.hands = 0

    def table(self, *players: str) -> TableLine:
        """A table at which these two alone are; where they sat before is over."""
        for line in self.tables.values():
            line.close()
        self.hands += 1
        self.tables = {players: self.world.table(f"t{self.hands}", *players, terms=RATED)}  # type: ignore[dict-item]
        return self.tables[players]  # type: ignore[index]

    def won(self, winner: str, loser: str, points: int = 80, *, at: int = NOW, escaped: bool = False) -> list[int]:
        """Settle a hand; the ratings that its players are told."""
        self.world.settler.clock = lambda: at
        line = self.tables.get((winner, loser)) or self.table(winner, loser)
        self.hands += 1
        body = items.HandEndBody(hand=self.hands, rating=[points, -points], causes=ESCAPE if escaped else [])
        return line.settle(body).ratings


def test_with_a_throwaway_account_100_points_a_day_are_won_from_nothing(world: World) -> None:
    """What was seen: 9,520 points in a minute."""
    rated = Rated(world)
    assert [rated.won("ann", "throwaway") for _ in range(4)] == [[80, 0], [100, 0], [100, 0], [100, 0]]
    assert world.ratings() == {"ann": 100, "throwaway": 0}


def test_with_any_number_of_them_500_points_a_day(world: World) -> None:
    rated = Rated(world)
    told = [rated.won("ann", f"throwaway-{number // 2}") for number in range(16)]
    assert told[-1] == [500, 0]


def test_the_next_day_in_utc_counts_anew(world: World) -> None:
    rated = Rated(world)
    assert [rated.won("ann", "bob", at=at)[0] for at in (MIDNIGHT - 2, MIDNIGHT - 1, MIDNIGHT, MIDNIGHT + 1)] == [80, 100, 180, 200]


def test_what_the_loser_really_loses_is_gained_beyond_all_bounds(world: World) -> None:
    rated = Rated(world)
    for number in range(5):
        rated.won("bob", f"other-{number}")
    for _ in range(2):
        rated.won("ann", "throwaway")
    assert rated.won("ann", "bob", 70) == [170, 330]
    told = [rated.won("ann", "bob", 70) for _ in range(7)]
    assert told[-1] == [600, 0], "400 that bob had and 100 from nothing, beside the 100 from the throwaway account"


def test_for_an_escape_the_winner_gains_what_the_escaper_lost(world: World) -> None:
    rated = Rated(world)
    assert rated.won("ann", "bob", escaped=True) == [0, 0]
    rated.won("bob", "cem", 30)
    assert rated.won("ann", "bob", escaped=True) == [30, 0]
    assert rated.won("ann", "bob") == [110, 0], "an escape uses up nothing of the bounds"


def test_two_games_have_bounds_of_their_own(world: World) -> None:
    other = RATED._replace(room_id="kaxinwu/rated", game="kaxinwu")
    rated = Rated(world)
    for _ in range(2):
        assert rated.won("ann", "bob")[0] <= 100
    rated.table("x", "y")
    line = world.table("k", "ann", "bob", terms=other)
    assert line.settle(items.HandEndBody(hand=1, rating=[90, -90])).ratings == [90, 0]


def test_days_before_yesterday_are_dropped(world: World) -> None:
    rated = Rated(world)
    for day in range(6):
        rated.won("ann", "bob", 10, at=NOW + day * DAY)
    kept = world.run(
        lambda connection: connection.scalars(sa.select(store.rating_created.c.day).order_by(store.rating_created.c.day)).all()
    )
    assert kept == [(NOW + day * DAY) // DAY for day in (4, 5)]


def test_hands_of_one_batch_are_settled_one_after_the_other(world: World) -> None:
    line = Rated(world).table("ann", "bob")
    sent = [line.item(items.HandEndBody(hand=hand, rating=[60, -60])) for hand in range(1, 4)]
    assert [outcome.ratings for outcome in world.send(*sent)[line.name].items] == [[60, 0], [100, 0], [100, 0]]


@pytest.mark.parametrize("seed", range(4))
def test_an_auditor_that_counts_over_all_hands_has_the_same_ratings(world: World, seed: int) -> None:
    rng, rated, auditor = random.Random(seed), Rated(world), RatingAuditor()
    at = NOW
    for _ in range(120):
        at += rng.choice([0, 60, 3600, 7 * 3600])
        winner, loser = rng.sample(["ann", "bob", "cem", *(f"throwaway-{number}" for number in range(5))], 2)
        points, escaped = rng.choice([1, 12, 40, 80]), rng.random() < 0.2
        for _ in range(rng.randint(1, 3)):
            told = rated.won(winner, loser, points, at=at, escaped=escaped)
            assert tuple(told) == auditor.hand(at, winner, loser, points, escaped=escaped), f"seed {seed}"
    assert world.ratings() == auditor.ratings
    assert world.findings() == []


def test_hands_of_one_winner_settled_by_many_workers_at_once_stay_within_the_bounds(postgres_database: Database) -> None:
    """Also of one pair: the same two at tables that are all settled late."""
    world = World(postgres_database)
    losers = [f"throwaway-{number}" for number in range(8)]

    def settle(number: int) -> None:
        loser = losers[number % 8]
        hand = store_ratings.Hand(f"t{number}", 2, "crazy_duel", (("ann", 80), (loser, -80)), escaped=False)
        other = store_ratings.Hand(f"u{number}", 2, "crazy_duel", ((loser, 3), ("ann", -3)), escaped=False)
        world.run(store_ratings.change, [hand, other] if number % 3 else [other, hand], NOW)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(settle, range(64)))
    created = store.rating_created.c
    made = world.run(
        lambda connection: connection.execute(
            sa.select(created.loser, sa.func.sum(created.points)).where(created.winner == "ann").group_by(created.loser)
        ).all()
    )
    assert sum(points for _, points in made) == 500
    assert all(points <= 100 for _, points in made)
    assert world.findings() == []


def test_an_installation_of_before_is_upgraded_with_its_ratings(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path}/old.db", SCHEMA)
    with database.engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.exec_driver_sql("INSERT INTO ratings VALUES ('ann', 'crazy_duel', 9520), ('bob', 'crazy_duel', 0)")
        connection.exec_driver_sql(
            "INSERT INTO rating_changes VALUES ('t', 2, 'ann', 'crazy_duel', 9520, 0), ('t', 2, 'bob', 'crazy_duel', 0, 0)"
        )
    migrate(database, MIGRATIONS)
    world = World(database)
    rated = Rated(world)
    assert [rated.won("ann", "bob") for _ in range(2)] == [[9600, 0], [9620, 0]]
    assert world.findings() == [], "what was won before the bounds stands"
    database.close()
