"""`ledger check` on a copy of a data folder: one that can only be read, one that holds what is still to be read, one of somebody else."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.kit.database import Database, migrate
from services.settlement.config import SCHEMA
from services.settlement.worker import MIGRATIONS
from tests.cli.command import Ran, here

NOBODY = 65534
CHECK_AS_NOBODY = """
import os, sys
from xuezhan.cli.main import main
# Imports what it needs while it may.
assert main(["ledger", "check", "--data", sys.argv[1]]) == 0
sys.stdout.flush()
os.setuid(int(sys.argv[3]))
print("as nobody", flush=True)
sys.exit(main(["ledger", "check", "--data", sys.argv[2]]))
"""
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes somebody who may not write")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that everybody may look into."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def data(place: Path) -> Path:
    """A data folder with a ledger that nobody uses now."""
    folder = place / "data #1"
    folder.mkdir()
    database = Database(f"sqlite:///{folder}/settlement.db", SCHEMA)
    migrate(database, MIGRATIONS)
    database.close()
    return folder


def read_only_copy(data: Path, name: str = "copy") -> Path:
    """A copy of nobody's, who cannot write to it."""
    copy = Path(shutil.copytree(data, data.with_name(name)))
    for path in (*copy.iterdir(), copy):
        os.chown(path, NOBODY, NOBODY)
        path.chmod(0o500 if path.is_dir() else 0o400)
    return copy


def checked(data: Path, copy: Path, user: int = NOBODY) -> Ran:
    command = [sys.executable, "-c", CHECK_AS_NOBODY, str(data), str(copy), str(user)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert "as nobody\n" in done.stdout, done.stderr
    return Ran(done.returncode, done.stdout.partition("as nobody\n")[2], done.stderr)


def test_a_copy_that_cannot_be_written_to_is_checked(data: Path) -> None:
    ran = checked(data, read_only_copy(data))
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("ok\t")


def test_a_copy_of_a_running_one_that_cannot_be_written_to_says_what_to_do(data: Path) -> None:
    writing = sqlite3.connect(data / "settlement.db")
    writing.execute("CREATE TABLE new (x)")
    copy = read_only_copy(data)
    (copy / "settlement.db-shm").unlink()
    writing.close()
    ran = checked(data, copy)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == (
        f"xuezhan: database: {copy} cannot be written to, and settlement.db-wal in it is still to be read:"
        " check a copy that can be written to\n"
    )


def test_a_folder_of_another_user_is_refused(data: Path) -> None:
    for path in (data / "settlement.db", data):
        os.chown(path, NOBODY, NOBODY)
    for command in (["ledger", "check"], ["balance", "alice"]):
        ran = here(*command, "--data", data)
        assert (ran.status, ran.out) == (2, "")
        assert ran.err.startswith(f"xuezhan: data: {data} belongs to user {NOBODY}: work as that user, chown -R it, or name another folder")


def test_a_database_that_does_not_answer_is_work_that_failed_and_not_a_wrong_setting() -> None:
    ran = here("ledger", "check", "--database-url", "postgresql://127.0.0.1:1/x")
    assert (ran.status, ran.err.count("\n")) == (1, 1)
    assert re.match("xuezhan: .*database", ran.err)
