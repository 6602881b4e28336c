"""Who owns a table, in PostgreSQL: each race of openings, appends, adopters and hand-overs, with a transaction held where it matters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from services.kit.database import Database, migrate
from services.kit.errors import UnavailableError
from services.table import server, store, store_whereabouts
from services.table import store_ownership as so
from services.table.appends import Append, Fate, fate, postgres_append
from services.table.rows import Kind, Row
from services.table.store_ownership import Owner, Profile
from services.table.store_whereabouts import Elsewhere, Here, Over, Unowned
from tests.support.process import wait_until

RULES = ("crazy_xuezhan/1",)
DEAD, ANN, BOB = Owner("dead", 1), Owner("ann", 1), Owner("bob", 1)
FIRST = Row(1, Kind.OPEN, -1, 0, 0, "{}")
SECOND = Row(2, Kind.ACT, 0, 7, 0, '["discard",5]')


class Rows:
    """The database of table servers `dead`, `ann` and `bob`, the first of whom has tables."""

    def __init__(self, url: str) -> None:
        self.database = Database(url, server.SCHEMA, pool=6)
        migrate(self.database, Path(server.__file__).parent / "migrations")
        self.threads = ThreadPoolExecutor(6)
        for owner in (DEAD, ANN, BOB):
            assert self.run(so.register, Profile(owner.name, f"{owner.name}:1", 10, RULES), 600.0) == 1

    def close(self) -> None:
        self.threads.shutdown()
        self.database.close()

    def run(self, work: Callable[..., Any], *args: Any) -> Any:
        return self.database.run_sync(work, *args)

    def beside(self, work: Callable[..., Any], *args: Any) -> Future[Any]:
        """Do it on another connection, beside this test."""
        return self.threads.submit(self.run, work, *args)

    @contextmanager
    def held(self) -> Iterator[sa.Connection]:
        """A transaction that is committed at the end of the block."""
        with self.database.engine.begin() as connection:
            yield connection

    def waits(self, work: Future[Any]) -> None:
        """Wait until somebody waits for a lock; `work` is not done then."""
        query = sa.text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")
        wait_until(lambda: self.run(lambda connection: connection.execute(query).scalar_one()) > 0, seconds=10, what="a lock is waited for")
        assert not work.done()

    def expire(self, name: str) -> None:
        """Let a lease run out, as time would. It changes no key, so that it waits for nobody who reads the row."""
        change = store.servers.update().where(store.servers.c.name == name).values(lease_until=0.0)
        self.run(lambda connection: connection.execute(change))

    def open(self, *ids: str, owner: Owner = DEAD, rules: str = RULES[0]) -> dict[str, int]:
        """Open tables; returns their numbers."""
        return {table: self.run(opening, table, owner, rules).num for table in ids}

    def epochs(self) -> dict[str, tuple[str, int]]:
        """The owner and epoch of each table."""
        query = sa.select(store.tables.c.id, store.tables.c.owner, store.tables.c.epoch)
        return {table: (owner, epoch) for table, owner, epoch in self.run(lambda connection: connection.execute(query).all())}

    def append(self, append: Append) -> list[bool]:
        with self.database.engine.connect() as connection:
            raw = connection.connection.driver_connection
            assert raw is not None
            done = postgres_append(raw, [append], 2.0)
            raw.commit()
        return done


def opening(connection: sa.Connection, table: str, owner: Owner, rules: str = RULES[0]) -> store.TableRow | None:
    row = store.TableRow(table, "room", owner.name, owner.generation, 1, "open", 0.0, "[]", rules=rules)
    return store.open_table(connection.exec_driver_sql, "%s", row, FIRST, [(1, "{}")], 2.0)


def named(rows: list[store.TableRow] | None) -> list[str]:
    assert rows is not None
    return [row.id for row in rows]


@pytest.fixture
def rows(postgres: Any) -> Iterator[Rows]:
    made = Rows(postgres.new_database("ownership"))
    yield made
    made.close()


def test_of_two_processes_that_register_a_new_name_at_once_the_second_waits_for_the_lease_of_the_first(rows: Rows) -> None:
    with rows.held() as connection:
        assert so.register(connection, Profile("new", "x:1", 10, RULES), 600.0) == 1
        second = rows.beside(so.register, Profile("new", "y:1", 10, RULES), 600.0)
        rows.waits(second)
    assert 590 < second.result(10) <= 600


def test_ending_a_server_waits_for_a_table_that_it_is_opening_and_finds_it(rows: Rows) -> None:
    with rows.held() as connection:
        assert opening(connection, "late", DEAD) is not None
        rows.expire("dead")
        killed = rows.beside(so.kill, DEAD)
        rows.waits(killed)
    assert killed.result(10)
    assert named(rows.run(so.claim, ANN, DEAD, RULES)) == ["late"]


def test_a_server_that_was_ended_owns_nothing_though_the_clock_is_set_back(rows: Rows) -> None:
    rows.expire("dead")
    assert rows.run(so.kill, DEAD)
    back = store.servers.update().where(store.servers.c.name == "dead").values(lease_until=1e12)
    rows.run(lambda connection: connection.execute(back))
    assert rows.run(opening, "late", DEAD) is None
    assert not rows.run(so.renew, DEAD, 5.0, 0, 0)
    assert rows.epochs() == {}


def test_only_a_server_whose_lease_has_run_out_can_be_ended_and_once(rows: Rows) -> None:
    assert not rows.run(so.kill, DEAD)
    rows.expire("dead")
    assert rows.run(so.kill, DEAD)
    assert not rows.run(so.kill, DEAD)
    assert not rows.run(so.renew, DEAD, 5.0, 0, 0)
    assert rows.run(so.register, Profile("dead", "dead:2", 10, RULES), 600.0) == 3


def test_tables_of_an_expired_server_are_nobodys_prey_before_it_is_ended(rows: Rows) -> None:
    rows.open("a")
    rows.expire("dead")
    found = rows.run(so.sweep, "ann")
    assert (found.expired, found.orphaned) == ([DEAD], [])
    assert rows.run(so.claim, ANN, DEAD, RULES) == []
    rows.run(so.kill, DEAD)
    found = rows.run(so.sweep, "ann")
    assert (found.expired, found.orphaned) == ([], [DEAD])
    assert named(rows.run(so.claim, ANN, DEAD, RULES)) == ["a"]
    assert rows.epochs() == {"a": ("ann", 2)}


def test_a_table_that_is_opened_too_late_is_found_by_the_next_sweep(rows: Rows) -> None:
    with rows.held() as connection:
        opening(connection, "late", DEAD)
        rows.expire("dead")
        assert rows.run(so.sweep, "ann").expired == []
    assert rows.run(so.sweep, "ann").expired == [DEAD]


def test_a_row_that_commits_while_a_claim_is_under_way_is_read_after_it(rows: Rows) -> None:
    num = rows.open("a")["a"]
    rows.expire("dead")
    rows.run(so.kill, DEAD)
    with rows.held() as connection:
        # Keeps the adopter in the middle of its claim, whose transaction has begun.
        connection.execute(sa.select(store.servers).where(store.servers.c.name == "ann").with_for_update())
        claimed = rows.beside(so.claim, ANN, DEAD, RULES)
        rows.waits(claimed)
        assert rows.append(Append("a", num, 1, [SECOND])) == [True]
    assert named(claimed.result(10)) == ["a"]
    assert [row.seq for row in rows.run(store.read_journal, ["a"])["a"]] == [1, 2]


def test_a_table_with_an_append_in_flight_is_passed_over_and_nothing_is_proven(rows: Rows) -> None:
    nums = rows.open("a", "b")
    rows.expire("dead")
    rows.run(so.kill, DEAD)
    with rows.database.engine.connect() as connection:
        raw: Any = connection.connection.driver_connection
        postgres_append(raw, [Append("a", nums["a"], 1, [SECOND])], 2.0)
        assert named(rows.run(so.claim, ANN, DEAD, RULES)) == ["b"]
        assert rows.run(so.claim, ANN, DEAD, RULES) == []
        assert rows.run(so.sweep, "ann").orphaned == [DEAD]
        raw.commit()
    assert named(rows.run(so.claim, ANN, DEAD, RULES)) == ["a"]
    assert [row.seq for row in rows.run(store.read_journal, ["a"])["a"]] == [1, 2]


def test_an_old_owner_appends_nothing_though_the_new_one_is_idle(rows: Rows) -> None:
    """Its rows are the next ones, and nobody else writes: only the epoch is against them."""
    num = rows.open("a")["a"]
    rows.expire("dead")
    rows.run(so.kill, DEAD)
    rows.run(so.claim, ANN, DEAD, RULES)
    stale = Append("a", num, 1, [SECOND], [(2, "{}")], [1], "closed")
    assert rows.append(stale) == [False]
    with rows.database.engine.connect() as connection:
        assert fate(connection.connection.driver_connection, stale, "%s") is Fate.FENCED
    assert [row.seq for row in rows.run(store.read_journal, ["a"])["a"]] == [1]
    assert [(due.seq, due.body) for due in rows.run(store.unsettled, ["a"])] == [(1, "{}")]
    assert rows.append(Append("a", num, 2, [SECOND])) == [True]


def test_an_append_that_waits_for_a_claim_is_refused_when_it_is_committed(rows: Rows) -> None:
    num = rows.open("a")["a"]
    rows.expire("dead")
    rows.run(so.kill, DEAD)
    with rows.held() as connection:
        assert named(so.claim(connection, ANN, DEAD, RULES)) == ["a"]
        appended = rows.threads.submit(rows.append, Append("a", num, 1, [SECOND]))
        rows.waits(appended)
    assert appended.result(10) == [False]


def test_two_adopters_share_the_tables_and_neither_waits(rows: Rows) -> None:
    ids = [f"t{number}" for number in range(40)]
    rows.open(*ids)
    rows.expire("dead")
    rows.run(so.kill, DEAD)
    with rows.held() as connection:
        first = named(so.claim(connection, ANN, DEAD, RULES))
        second = named(rows.beside(so.claim, BOB, DEAD, RULES).result(10))
    assert (len(first), len(second)) == (32, 8)
    assert sorted(first + second) == sorted(ids)
    assert {owner: sum(one == owner for one, _ in rows.epochs().values()) for owner in ("ann", "bob")} == {"ann": 32, "bob": 8}


def test_an_adopter_that_dies_strands_one_batch(rows: Rows) -> None:
    rows.open(*(f"t{number}" for number in range(40)))
    rows.expire("dead")
    rows.run(so.kill, DEAD)
    assert len(rows.run(so.claim, ANN, DEAD, RULES)) == 32
    rows.expire("ann")
    assert len(rows.run(so.claim, BOB, DEAD, RULES)) == 8
    assert rows.run(so.sweep, "bob").expired == [ANN]
    rows.run(so.kill, ANN)
    # One of them may be what ended it: each is claimed alone.
    assert [len(rows.run(so.claim, BOB, ANN, RULES)) for _ in range(33)] == [1] * 32 + [0]
    assert {epoch for _, epoch in rows.epochs().values()} == {2, 3}
    assert rows.run(so.sweep, "bob").orphaned == []


def test_who_ends_an_adopter_waits_for_its_claim_and_finds_its_tables(rows: Rows) -> None:
    rows.open("a")
    rows.expire("dead")
    rows.run(so.kill, DEAD)
    with rows.held() as connection:
        assert named(so.claim(connection, ANN, DEAD, RULES)) == ["a"]
        rows.expire("ann")
        killed = rows.beside(so.kill, ANN)
        rows.waits(killed)
    assert killed.result(10)
    assert named(rows.run(so.claim, BOB, ANN, RULES)) == ["a"]


def test_a_server_without_a_lease_claims_nothing(rows: Rows) -> None:
    rows.open("a")
    rows.expire("dead")
    rows.run(so.kill, DEAD)
    rows.expire("ann")
    assert rows.run(so.claim, ANN, DEAD, RULES) is None
    assert rows.epochs() == {"a": ("dead", 1)}


def test_a_server_claims_only_tables_whose_rules_it_has(rows: Rows) -> None:
    rows.open("known")
    rows.open("foreign", rules="crazy_xuezhan/9")
    rows.open("unnamed", rules="")
    rows.expire("dead")
    rows.run(so.kill, DEAD)
    assert named(rows.run(so.claim, ANN, DEAD, RULES)) == ["known", "unnamed"]
    assert rows.run(so.claim, ANN, DEAD, RULES) == []
    assert named(rows.run(so.claim, BOB, DEAD, ("crazy_xuezhan/9",))) == ["foreign"]


def test_tables_that_somebody_asks_for_are_claimed_first_and_settling_ones_last(rows: Rows) -> None:
    nums = rows.open("a", "b", "c", "d")
    rows.append(Append("a", nums["a"], 1, [SECOND], [], [], "settling"))
    rows.expire("dead")
    rows.run(so.kill, DEAD)
    order = [named(rows.run(so.claim, ANN, DEAD, RULES, ("d",), 1))[0] for _ in range(4)]
    assert order == ["d", "b", "c", "a"]


def test_a_hand_over_moves_what_is_still_the_sources_and_says_which(rows: Rows) -> None:
    nums = rows.open("a", "b", "c")
    pairs = [(nums["a"], 1), (nums["b"], 2), (nums["c"], 1)]
    assert rows.run(so.move, DEAD, ANN, pairs) == {nums["a"]: 2, nums["c"]: 2}
    assert rows.run(so.move, DEAD, BOB, pairs) == {}
    assert rows.epochs() == {"a": ("ann", 2), "b": ("dead", 1), "c": ("ann", 2)}
    assert rows.run(so.owners, list(nums.values())) == {nums["a"]: (ANN, 2), nums["b"]: (DEAD, 1), nums["c"]: (ANN, 2)}
    assert rows.append(Append("a", nums["a"], 1, [SECOND])) == [False]


@pytest.mark.parametrize("target", ["drains", "expires_soon", "another_generation"])
def test_nothing_is_handed_over_to_a_server_that_would_not_keep_it(rows: Rows, target: str) -> None:
    num = rows.open("a")["a"]
    if target == "drains":
        assert rows.run(so.set_draining, ANN)
    elif target == "expires_soon":
        soon = store.servers.update().values(lease_until=rows.run(store.clock) + 1.5)
        rows.run(lambda connection: connection.execute(soon))
    to = Owner("ann", 2) if target == "another_generation" else ANN
    assert rows.run(so.move, DEAD, to, [(num, 1)]) == {}
    assert rows.epochs() == {"a": ("dead", 1)}


def test_who_ends_the_target_waits_for_a_hand_over_and_finds_the_tables(rows: Rows) -> None:
    num = rows.open("a")["a"]
    with rows.held() as connection:
        assert so.move(connection, DEAD, ANN, [(num, 1)]) == {num: 2}
        rows.expire("ann")
        killed = rows.beside(so.kill, ANN)
        rows.waits(killed)
    assert killed.result(10)
    assert named(rows.run(so.claim, BOB, ANN, RULES)) == ["a"]


def test_a_hand_over_that_waits_too_long_moves_nothing(rows: Rows) -> None:
    num = rows.open("a")["a"]
    with rows.held() as connection:
        connection.execute(sa.select(store.tables).where(store.tables.c.num == num).with_for_update())
        with pytest.raises(UnavailableError):
            rows.run(so.move, DEAD, ANN, [(num, 1)])
    assert rows.run(so.owners, [num]) == {num: (DEAD, 1)}


def test_what_is_owned_is_compared_with_what_is_played(rows: Rows) -> None:
    nums = rows.open("a", "b", owner=ANN)
    rows.append(Append("b", nums["b"], 1, [SECOND], [], [], "closed"))
    assert [(one.id, one.epoch) for one in rows.run(so.owned, ANN)] == [("a", 1)]
    assert rows.run(so.still, ANN, [(nums["a"], 1), (nums["b"], 1)]) == {nums["a"], nums["b"]}
    assert rows.run(so.still, ANN, [(nums["a"], 2)]) == set()
    rows.run(so.move, ANN, BOB, [(nums["a"], 1)])
    assert rows.run(so.still, ANN, [(nums["a"], 1), (nums["b"], 1)]) == {nums["b"]}


def test_servers_are_listed_with_their_state_and_lost_ones_while_they_have_tables(rows: Rows) -> None:
    rows.open("a", "b")
    rows.run(so.set_draining, ANN)
    rows.expire("dead")
    rows.expire("bob")
    found = rows.run(so.list_servers)
    assert [(one.name, one.state, one.tables) for one in found] == [("ann", so.DRAINING, 0), ("dead", so.LOST, 2)]
    assert found[0].rules == {"crazy_xuezhan/1"}


def test_a_table_whose_owner_is_gone_is_told_from_one_that_is_played(rows: Rows) -> None:
    rows.open("a", owner=ANN)
    rows.open("b")
    rows.expire("dead")
    found = rows.run(store_whereabouts.whereabouts, ["a", "b", "c"], BOB)
    assert {table: type(where) for table, where in found.items()} == {"a": Elsewhere, "b": Unowned}
    assert found["a"].address == "ann:1"
    rows.run(so.kill, DEAD)
    assert isinstance(rows.run(store_whereabouts.locate, "b", BOB), Unowned)


def test_no_server_sends_anybody_to_itself(rows: Rows) -> None:
    """A new generation of a server that asks before it knows, and the other way round."""
    rows.open("a", owner=ANN)
    assert isinstance(rows.run(store_whereabouts.locate, "a", ANN), Here)
    for generation in (ANN.generation - 1, ANN.generation + 1):
        assert isinstance(rows.run(store_whereabouts.locate, "a", so.Owner(ANN.name, generation)), Unowned)


def test_a_table_that_is_over_is_over_whoever_had_it_last(rows: Rows) -> None:
    rows.open("a", owner=ANN)
    rows.run(lambda connection: connection.execute(store.tables.update().values(state="closed")))
    rows.expire("ann")
    for own in (ANN, BOB):
        where = rows.run(store_whereabouts.locate, "a", own)
        assert isinstance(where, Over)
        assert where.address == "ann:1"


def test_the_next_lease_to_run_out_is_known(rows: Rows) -> None:
    later = store.servers.update().where(store.servers.c.name == "bob").values(lease_until=rows.run(store.clock) + 3)
    rows.run(lambda connection: connection.execute(later))
    assert 2 < rows.run(so.sweep, "ann").next_seconds <= 3


def test_the_lock_of_a_lease_is_its_own(rows: Rows) -> None:
    """Renewals change no key: they wait neither for openings nor for claims."""
    with rows.held() as connection:
        opening(connection, "a", ANN)
        assert rows.beside(so.renew, ANN, 600.0, 1, 4).result(10)
        assert rows.beside(so.renew, DEAD, 600.0, 1, 4).result(10)
