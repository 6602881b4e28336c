"""The append on both databases: all or nothing a table, one owner, one next row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.kit.database import Database, migrate
from services.table import server, store
from services.table.appends import Append, Fate, PartlyRefusedError, fate, postgres_append, sqlite_append
from services.table.rows import Kind, Row
from services.table.store_ownership import Profile, register

FIRST = Row(1, Kind.OPEN, -1, 0, 0, '{"a":1}')


class Desk:
    """A database with tables, and the driver's connection as the journal uses it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        migrate(database, Path(server.__file__).parent / "migrations")
        raw = database.engine.raw_connection()
        self.connection: Any = raw.driver_connection
        if database.is_sqlite:
            raw.close()
        else:
            raw.detach()
            assert self.connection is not None
            self.connection.autocommit = True
        self.nums: dict[str, int] = {}
        for name in ("server", "server2"):
            database.run_sync(register, Profile(name, "127.0.0.1:1", 10, ()), 600.0)
        self.mark = "?" if database.is_sqlite else "%s"

    def on(self, name: str, epoch: int, rows: list[Row], *more: Any) -> Append:
        """Return rows of a table as its owner with that epoch would append them."""
        return Append(name, self.nums.get(name, 999), epoch, rows, *more)

    def open(self, *names: str, epoch: int = 1) -> None:
        for name in names:
            row = store.TableRow(name, "room", "server", 1, epoch, "open", 0.0, "[]")
            self.nums[name] = self.find_or_open(row, [(1, '{"kind":"open"}')]).num

    def find_or_open(self, row: store.TableRow, items: list[tuple[int, str]]) -> store.TableRow:
        mark = "?" if self.database.is_sqlite else "%s"
        found = self.database.run_sync(lambda connection: store.open_table(connection.exec_driver_sql, mark, row, FIRST, items, 2.0))
        assert found is not None
        return found

    def append(self, *batch: Append) -> list[bool]:
        write = sqlite_append if self.database.is_sqlite else postgres_append
        try:
            return write(self.connection, batch, 2.0)
        except PartlyRefusedError:
            return [False] * len(batch)

    def fate(self, append: Append) -> Fate | None:
        return fate(self.connection, append, self.mark)

    def rows(self, table: str) -> list[Row]:
        return self.database.run_sync(store.read_journal, [table])[table]

    def due(self, *tables: str) -> list[tuple[str, int]]:
        return [(item.table_id, item.seq) for item in self.database.run_sync(store.unsettled, tables)]


@pytest.fixture(params=["sqlite", "postgres"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    url = f"sqlite:///{tmp_path}/t.db" if request.param == "sqlite" else request.getfixturevalue("postgres").new_database("table")
    database = Database(url, server.SCHEMA)
    made = Desk(database)
    yield made
    if not database.is_sqlite:
        made.connection.close()
    database.close()


def act(seq: int, body: str = '["discard",5]', **more: Any) -> Row:
    return Row(
        seq, Kind.ACT, more.get("seat", 2), store.signed(more.get("action_id", 2**64 - 1)), more.get("auto", 0), body, more.get("digest")
    )


def test_a_batch_stores_rows_items_and_states_of_several_tables(desk: Desk) -> None:
    desk.open("a", "b")
    body = '{"cause":"胡","n":[1,2],"x":"it\'s \\"quoted\\" \\\\ \\u0000"}'
    assert desk.append(
        desk.on("a", 1, [act(2), act(3, '["exchange",-1,[1,2,3],""]', digest="ff")], [(2, body)], [1], "settling"),
        desk.on("b", 1, [act(2, body)]),
    ) == [True, True]
    assert desk.rows("a") == [FIRST, act(2), act(3, '["exchange",-1,[1,2,3],""]', digest="ff")]
    assert store.unsigned(desk.rows("b")[1].action_id) == 2**64 - 1
    assert desk.due("a", "b") == [("a", 2), ("b", 1)]
    (item, _) = desk.database.run_sync(store.unsettled, ["a", "b"])
    assert (item.body, item.attempts) == (body, 1)
    found = desk.database.run_sync(store.find_table, "a")
    assert found is not None
    assert found.state == "settling"


def test_another_epoch_appends_nothing_and_owes_nothing(desk: Desk) -> None:
    """A former owner: its epoch is below the table's."""
    desk.open("a", epoch=2)
    stale = desk.on("a", 1, [act(2)], [(2, "{}")], [1], "closed")
    assert desk.append(stale) == [False]
    assert desk.fate(stale) is Fate.FENCED
    assert desk.rows("a") == [FIRST]
    assert desk.due("a") == [("a", 1)]
    found = desk.database.run_sync(store.find_table, "a")
    assert found is not None
    assert found.state == "open"


@pytest.mark.parametrize("seq", [1, 3, 7])
def test_only_the_next_row_is_appended(desk: Desk, seq: int) -> None:
    """Neither a row that is there, nor one that leaves a gap."""
    desk.open("a")
    assert desk.append(desk.on("a", 1, [act(seq)])) == [False]
    assert desk.rows("a") == [FIRST]


def test_one_table_that_is_refused_takes_none_of_the_others_with_it(desk: Desk) -> None:
    """PostgreSQL stores the others at once; SQLite nothing, and they are stored one by one."""
    desk.open("a", "b", "c")
    batch = [desk.on("a", 1, [act(2)]), desk.on("b", 9, [act(2)]), desk.on("c", 1, [act(2)])]
    stored = desk.append(*batch)
    assert stored in ([True, False, True], [False, False, False])
    for append, done in zip(batch, stored, strict=True):
        if not done and desk.fate(append) is None:
            assert desk.append(append) == [True]
    assert [len(desk.rows(name)) for name in "abc"] == [2, 1, 2]


def test_the_same_rows_again_are_known_as_stored(desk: Desk) -> None:
    """What an owner does that did not hear the outcome."""
    desk.open("a")
    append = desk.on("a", 1, [act(2), act(3, '["exchange",-1,[1,2,3],""]')], [(2, "{}")])
    assert desk.fate(append) is None
    assert desk.append(append) == [True]
    assert desk.fate(append) is Fate.STORED
    assert desk.append(append) == [False]
    assert len(desk.rows("a")) == 3


def test_other_rows_in_the_same_place_are_told_apart(desk: Desk) -> None:
    desk.open("a")
    desk.append(desk.on("a", 1, [act(2)]))
    assert desk.fate(desk.on("a", 1, [act(2, action_id=5)])) is Fate.OVERTAKEN


def test_a_table_that_is_not_there_is_anothers(desk: Desk) -> None:
    assert desk.append(desk.on("nowhere", 1, [act(2)])) == [False]
    assert desk.fate(desk.on("nowhere", 1, [act(2)])) is Fate.FENCED


def test_opening_the_same_table_twice_keeps_the_first(desk: Desk) -> None:
    desk.open("a")
    again = store.TableRow("a", "elsewhere", "server2", 1, 1, "open", 0.0, "[2]")
    found = desk.find_or_open(again, [])
    assert (found.room, found.owner, found.fresh) == ("room", "server", False)
    assert desk.due("a") == [("a", 1)]
