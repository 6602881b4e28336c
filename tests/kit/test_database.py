"""What a database tells when something is wrong."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from pathlib import Path
from typing import TypeVar

import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs

from services.kit.config import ConfigError
from services.kit.database import Database, migrate
from services.kit.errors import UnavailableError
from services.settlement.worker import MIGRATIONS
from tests.support.process import free_port


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_an_error_does_not_say_what_was_to_be_stored(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """It is logged, and what is stored may be a tile that nobody may know of."""
    url = f"sqlite:///{tmp_path}/t.db" if kind == "sqlite" else request.getfixturevalue("postgres").new_database("errors")
    database = Database(url, "errors")

    def fail(connection: sa.Connection) -> None:
        connection.execute(sa.text("SELECT CASE WHEN :tile = '' THEN 1 ELSE nothing END"), {"tile": "5p"})

    try:
        with pytest.raises(Exception) as caught:
            database.run_sync(fail)
    finally:
        database.close()
    told = repr((caught.value, str(caught.value), str(caught.value.__cause__)))
    assert "nothing" in told
    assert "5p" not in told


E = TypeVar("E", bound=Exception)


def complaint(database: Database, kind: type[E], scripts: Path = Path("nowhere")) -> E:
    """Migrate a database that cannot be, and return what is told of it, in one line."""
    try:
        with pytest.raises(kind) as caught:
            migrate(database, scripts)
    finally:
        database.close()
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_database_that_is_away_at_the_start_is_told_in_one_line() -> None:
    database = Database(f"postgresql://xuezhan:secret@127.0.0.1:{free_port()}/none", "errors")
    told = complaint(database, UnavailableError)
    assert told.reason == "database"
    assert told.message.startswith("database_url: the errors database does not answer: ")
    assert "secret" not in told.message


def test_a_file_that_is_no_database_is_named_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "junk.db"
    file.write_bytes(b"not a page of SQLite" * 500)
    told = complaint(Database(f"sqlite:///{file}", "errors"), ConfigError)
    assert str(told).startswith(f"database_url: {file} is not a SQLite database")


def test_a_file_that_cannot_be_opened_is_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "folder.db").mkdir()
    told = complaint(Database(f"sqlite:///{tmp_path}/folder.db", "errors"), UnavailableError)
    assert told.message == f"database_url: the errors database in {tmp_path}/folder.db does not answer: unable to open database file"


def test_a_database_that_a_later_version_made_is_told_in_one_line(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path}/later.db", "errors")

    def as_if_later(connection: sa.Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num TEXT)")
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES ('9999')")

    database.run_sync(as_if_later)
    told = str(complaint(database, ConfigError, MIGRATIONS))
    assert told.startswith("database_url: the errors database was made by another version of this service: ")
    assert "9999" in told


def test_a_folder_that_cannot_be_made_for_a_database_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"^database_url: .*/file/x/t.db cannot be made: Not a directory$"):
        Database(f"sqlite:///{tmp_path}/file/x/t.db", "errors")


def test_a_database_is_not_made_where_a_link_leads(tmp_path: Path) -> None:
    (tmp_path / "t.db").symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(ConfigError, match=r"t\.db cannot be made"):
        Database(f"sqlite:///{tmp_path}/t.db", "errors")
    assert not (tmp_path / "elsewhere.db").exists()


def test_what_is_written_moves_into_the_file_while_it_is_open(tmp_path: Path) -> None:
    """No commit has to wait for it, and the log does not grow."""
    file = tmp_path / "x.db"
    database = Database(f"sqlite:///{file}", "x")
    try:
        database.run_sync(lambda connection: connection.exec_driver_sql("CREATE TABLE t (a TEXT)"))
        until = time.monotonic() + 20
        while file.stat().st_size < 40_000:
            assert time.monotonic() < until, "nothing moves"
            database.run_sync(lambda connection: connection.exec_driver_sql("INSERT INTO t VALUES (?)", ("x" * 3000,)))
            time.sleep(0.05)
        assert file.with_name("x.db-wal").stat().st_size < 4_000_000
    finally:
        database.close()
    assert [left.name for left in tmp_path.iterdir()] == ["x.db"]


def test_why_a_database_does_not_answer_is_logged_and_not_over_and_over(tmp_path: Path) -> None:
    """Callers are told only that it does not: an operator must be able to tell a full disk from a lost server."""
    database = Database(f"sqlite:///{tmp_path}/full.db", "errors")

    def fill(connection: sa.Connection) -> None:
        connection.exec_driver_sql("PRAGMA max_page_count = 4")
        connection.exec_driver_sql("CREATE TABLE one (text TEXT)")
        connection.exec_driver_sql("INSERT INTO one VALUES (hex(randomblob(100000)))")

    with capture_logs() as told:
        for _ in range(3):
            with pytest.raises(UnavailableError):
                database.run_sync(fill)
    database.close()
    assert [(line["event"], line["database"], line["why"]) for line in told] == [
        ("database_unavailable", "errors", "database or disk is full")
    ]


async def test_a_caller_that_goes_away_leaves_no_error_behind(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path}/t.db", "errors")
    complaints: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, complaint: complaints.append(complaint))
    going, go = threading.Event(), threading.Event()

    def fail(_connection: sa.Connection) -> None:
        going.set()
        go.wait(10)
        raise UnavailableError("database", "in vain")

    caller = asyncio.ensure_future(database.run(fail))
    await asyncio.to_thread(going.wait, 10)
    caller.cancel()
    await asyncio.wait([caller])
    del caller
    go.set()
    await asyncio.to_thread(database.close)
    gc.collect()
    await asyncio.sleep(0)
    assert complaints == []
