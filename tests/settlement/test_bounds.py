"""No account passes 2^53 - 1, whoever wins what: what could is refused before it is at a table, and no table is ever stuck by it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa

from games.hand import Policy
from services.kit import items
from services.kit.database import Database
from services.kit.items import MAX_COINS, TableOutcome
from services.settlement import stakes, store, wallets
from services.settlement.stakes import Answer
from services.settlement.state import Terms
from tests.settlement.world import CLOSE, NOW, POOLED, TERMS, TableLine, World, fast_sqlite, open_body

LOCKED = TERMS._replace(lock=1000, needed=1000)
HALF = 2**52


def answers(held: stakes.Held) -> list[Answer]:
    return [answer for _, answer, _ in held.seats]


def deposit(world: World, player: str, coins: int) -> str:
    request = wallets.Request(wallets.Way.DEPOSIT, player, coins, f"more {player} {coins}", "")
    return world.run(wallets.move, request, NOW).refused


# at the hold


def test_a_wallet_that_could_not_take_what_the_others_bring_is_refused_at_the_hold(world: World) -> None:
    """What was seen: the winnings stuck the table."""
    world.deposit(ann=MAX_COINS - 1999, bob=2000, cem=1999)
    assert answers(world.hold("m", "ann", "bob")) == [Answer.TOO_RICH, Answer.NOT_HELD]
    assert world.wallets("ann", "bob") == [MAX_COINS - 1999, 2000]
    assert world.hold("m", "ann", "cem").held
    table = TableLine(world, "m")
    table.open("ann", "cem")
    table.stage((1, 0, 10**6))
    assert table.close().result == "applied"
    assert world.wallets("ann", "cem") == [MAX_COINS, 0]


def test_in_a_room_with_a_lock_only_what_is_locked_counts_of_the_others(world: World) -> None:
    world.deposit(ann=MAX_COINS - 999, bob=HALF, cem=MAX_COINS - 1000, dee=HALF)
    assert answers(world.hold("m", "ann", "bob", terms=LOCKED)) == [Answer.TOO_RICH, Answer.NOT_HELD]
    assert world.hold("m", "cem", "dee", terms=LOCKED).held


def test_only_as_many_are_refused_as_have_to_be_the_richest_first(world: World) -> None:
    world.deposit(ann=HALF - 5000, bob=HALF - 6000, cem=HALF - 7000, dee=4000)
    assert answers(world.hold("m", "ann", "bob", "cem", "dee")) == [Answer.TOO_RICH, Answer.NOT_HELD, Answer.NOT_HELD, Answer.NOT_HELD]
    assert answers(world.hold("n", "bob", "cem", "dee")) == [Answer.HELD] * 3
    world.deposit(eve=HALF, fay=HALF, gus=HALF)
    assert answers(world.hold("o", "eve", "fay", "gus")) == [Answer.NOT_HELD, Answer.TOO_RICH, Answer.TOO_RICH]


def test_what_bots_bring_counts_too(world: World) -> None:
    """In a room that locks all, each brings as much as the richest player."""
    world.deposit(ann=MAX_COINS // 4 + 1, bob=MAX_COINS // 4)
    assert answers(world.hold("m", "ann", None, None, None)) == [Answer.TOO_RICH] + [Answer.NOT_HELD] * 3
    assert world.hold("m", "bob", None, None, None).held


def test_one_who_is_busy_or_short_is_named_first(world: World) -> None:
    world.deposit(ann=MAX_COINS - 10, bob=999, cem=5000)
    assert answers(world.hold("m", "ann", "bob", "cem")) == [Answer.NOT_HELD, Answer.SHORT, Answer.NOT_HELD]
    world.hold("n", "cem")
    assert answers(world.hold("o", "ann", "cem")) == [Answer.NOT_HELD, Answer.BUSY]


# between


def test_a_deposit_leaves_room_for_all_that_is_at_the_players_table(world: World) -> None:
    world.deposit(ann=2000, bob=5000)
    world.table("t", "ann", "bob", None)
    assert deposit(world, "ann", MAX_COINS - 2000 - 5000 - 5000 + 1) == "too_much"
    assert deposit(world, "ann", MAX_COINS - 2000 - 5000 - 5000) == ""


def test_a_winner_who_has_left_is_still_to_be_paid_and_keeps_room_for_it(world: World) -> None:
    world.deposit(ann=1000, bob=3000, cem=MAX_COINS - 4000)
    table = world.table("t", "ann", "bob", terms=POOLED)
    table.left(0, points=400)
    assert deposit(world, "ann", MAX_COINS - 4000 + 1) == "too_much"
    assert deposit(world, "ann", MAX_COINS - 4000) == ""
    other = world.hold("m", "ann", None, terms=LOCKED)
    assert answers(other) == [Answer.TOO_RICH, Answer.NOT_HELD], "a further table would be too much"
    assert table.hand_end(400, -400).change == [2000, -2000]
    assert world.wallet("ann") == MAX_COINS - 1000
    table.close()
    assert deposit(world, "ann", 1000) == ""


def test_bots_that_were_not_held_are_not_funded_beyond_the_bound_and_the_stakes_return(world: World) -> None:
    world.deposit(ann=HALF)
    assert world.hold("m", "ann").held
    outcome = TableLine(world, "m").open("ann", None)
    assert (outcome.result, outcome.reason) == ("refused", "too_rich")
    assert world.wallet("ann") == HALF


def test_nobody_joins_a_table_whose_players_could_not_take_the_stake(world: World) -> None:
    world.deposit(ann=MAX_COINS - 3000, bob=2000, cem=2000, dee=1001, eve=1000)
    table = world.table("t", "ann", "bob", terms=LOCKED)
    table.left(1)
    assert deposit(world, "ann", 2500) == ""
    world.hold_seat("j1", 1, "cem", LOCKED)
    assert table.settle(items.JoinBody(seat=1, player="cem", hold="j1")).reason == "too_rich"
    assert world.run(stakes.release, "j1", "refused", NOW) is False
    request = wallets.Request(wallets.Way.WITHDRAW, "ann", 2500, "less", "")
    assert world.run(wallets.move, request, NOW).refused == ""
    world.hold_seat("j2", 1, "cem", LOCKED)
    assert table.settle(items.JoinBody(seat=1, player="cem", hold="j2")).money == [1000, 1000]


def test_one_who_could_not_take_what_is_at_a_table_does_not_join_it(world: World) -> None:
    world.deposit(ann=2000, bob=2000, cem=MAX_COINS - 500)
    table = world.table("t", "ann", "bob", terms=LOCKED)
    table.left(1)
    world.hold_seat("j", 1, "cem", LOCKED)
    assert table.settle(items.JoinBody(seat=1, player="cem", hold="j")).reason == "too_rich"


def test_a_stake_is_not_made_up_beyond_what_another_could_take(world: World) -> None:
    world.deposit(ann=MAX_COINS - 2500, bob=5000)
    table = world.table("t", "ann", "bob", terms=LOCKED)
    table.stage((1, 0, 60))
    assert deposit(world, "ann", 1000) == ""
    assert table.settle(items.TopUpBody(seat=1)).reason == "too_rich"
    assert table.close().result == "applied"


def test_a_deposit_and_a_hold_at_the_same_time_leave_room_for_one_another(postgres_database: Database) -> None:
    world = World(postgres_database)
    world.deposit(ann=MAX_COINS - 40_000, bob=20_000)
    for number in range(12):
        works = [partial(deposit, world, "ann", 1000 + part) for part in range(6)]
        with ThreadPoolExecutor(7) as threads:
            held = threads.submit(world.hold, f"m{number}", "ann", "bob")
            told = [future.result() for future in [threads.submit(work) for work in works]]
        assert set(told) <= {"", "too_much"}
        if held.result().held:
            table = TableLine(world, f"m{number}")
            table.open("ann", "bob")
            table.stage((1, 0, 10**9))
            assert table.close().result == "applied"
            break
        for part in range(6):
            request = wallets.Request(wallets.Way.WITHDRAW, "ann", 1000 + part, f"back {number} {part}", "")
            world.run(wallets.move, request, NOW)
    assert world.findings() == []


def test_the_books_of_more_coins_than_a_database_can_add_up_are_checked_all_the_same(tmp_path: Path) -> None:
    """What came from outside is more than 2^63 then."""
    world = World(fast_sqlite(f"sqlite:///{tmp_path}/many.db"))
    for number in range(1030):
        assert deposit(world, f"whale-{number}", MAX_COINS) == ""
    assert world.findings() == []
    world.database.close()


# everything at once


ROOMS = [
    TERMS,
    POOLED,
    TERMS._replace(lock=10**15, needed=10**15, base=10**9),
    POOLED._replace(lock=2**50, needed=2**50, base=10**11),
]
PLAYERS = [f"p{number}" for number in range(6)]


class Whales:
    """Players who own about as much as an account may hold, and tables that try to pay more than that."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.rng = random.Random(seed)
        self.world = World(fast_sqlite(f"sqlite:///{folder}/whales.db"))
        self._publish = self.world.settler.publish
        self.world.settler.publish = self._told
        self.tables: dict[str, tuple[TableLine, Terms]] = {}
        self.refused: set[str] = set()
        self.number = 0
        for player in PLAYERS:
            deposit(self.world, player, self.rng.choice([5000, 10**15, HALF - 7, HALF, MAX_COINS - 10**15]))

    def _told(self, server: str, tables: Sequence[TableOutcome]) -> None:
        self._publish(server, tables)
        for table in tables:
            assert not table.stuck, table
            self.refused |= {item.reason for item in table.items if item.reason}

    def step(self) -> None:
        self.number += 1
        self.rng.choice([self.money, self.seat, self.seat, self.play, self.play, self.play, self.change, self.change, self.end])()

    def money(self) -> None:
        way = self.rng.choice(list(wallets.Way))
        coins = self.rng.choice([1, 5000, 10**14, 10**15, HALF])
        request = wallets.Request(way, self.rng.choice(PLAYERS), coins, f"k{self.number}", "")
        self.refused.add(self.world.run(wallets.move, request, NOW).refused)

    def seat(self) -> None:
        name, terms = f"t{self.number}", self.rng.choice(ROOMS)
        seats: list[str | None] = [*self.rng.sample(PLAYERS, self.rng.randint(1, 3))]
        named = len(seats)
        seats += [None] * self.rng.randint(named == 1, 2)
        held = self.world.hold(name, *seats[: self.rng.choice([named, len(seats)])], terms=terms)
        self.refused |= set(answers(held))
        if held.held:
            line = TableLine(self.world, name, terms)
            if line.settle(open_body(*seats, room=terms.room_id)).result == "applied":
                self.tables[name] = (line, terms)

    def play(self) -> None:
        if not self.tables:
            return
        line, terms = self.rng.choice(list(self.tables.values()))
        seats = self._seats(line)
        loser, winner = self.rng.sample(range(len(seats)), 2)
        multiple = self.rng.choice([1, 10**4, 10**6])
        if terms.policy is Policy.STAGE:
            line.stage((loser, winner, multiple))
        else:
            points = [0] * len(seats)
            points[loser], points[winner] = -multiple, multiple
            if self.rng.random() < 0.4:
                line.left(winner, multiple)
            line.hand_end(*points)

    def change(self) -> None:
        """A player goes, another comes, stakes are made up."""
        if not self.tables:
            return
        name, (line, terms) = self.rng.choice(list(self.tables.items()))
        seat = self.rng.randrange(len(self._seats(line)))
        what = self.rng.choice(["left", "top_up", "join"])
        if what == "left":
            line.left(seat)
        elif what == "top_up":
            line.settle(items.TopUpBody(seat=seat))
        else:
            line.left(seat)
            player, hold = self.rng.choice(PLAYERS), f"j{self.number}"
            if self.world.run(stakes.hold, hold, terms, [stakes.Seat(seat, player)], NOW).held:
                outcome = line.settle(items.JoinBody(seat=seat, player=player, hold=hold))
                if outcome.result == "refused":
                    self.world.run(stakes.release, hold, "refused", NOW)
        assert name in self.tables

    def end(self) -> None:
        if self.tables:
            name = self.rng.choice(list(self.tables))
            assert self.tables.pop(name)[0].settle(CLOSE).result == "applied"

    def _seats(self, line: TableLine) -> list[int]:
        h = store.holds.c
        found = self.world.run(lambda connection: connection.scalars(sa.select(h.seat).where(h.table_id == line.name).distinct()).all())
        return sorted(found)


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_played_deposited_and_joined_no_table_is_stuck_by_the_bound(tmp_path: Path, seed: int) -> None:
    """In one transaction or several, by stages or a pool, with bots, locks and players who come and go."""
    whales = Whales(tmp_path, seed)
    for number in range(150):
        whales.step()
        if number % 25 == 0:
            assert whales.world.findings() == [], f"seed {seed}, step {number}"
    while whales.tables:
        whales.end()
    assert whales.world.findings() == []
    assert Answer.HELD in whales.refused
    assert {"too_rich", "too_much"} & whales.refused
    whales.world.database.close()
