"""A data folder that cannot be used: one line that names it and says why, exit status 2."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Ran, here, xuezhan
from xuezhan.cli.where import DEFAULT_ADDRESSES, find, secrets_beside


def refuses(number: int) -> Any:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return refuse


def up(data: Path) -> Ran:
    return here("up", "--data", data, "--port-base", 0)


@pytest.mark.parametrize(
    ("call", "number", "says"),
    [
        ("pwrite", errno.ENOSPC, "No space left on device"),
        ("ftruncate", errno.EDQUOT, "Disk quota exceeded"),
        ("open", errno.EROFS, "Read-only file system"),
    ],
)
def test_a_folder_that_cannot_be_written_to_is_named_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int, says: str
) -> None:
    monkeypatch.setattr(f"xuezhan.cli.data_folder.os.{call}", refuses(number))
    assert up(tmp_path) == Ran(2, "", f"xuezhan: data: {tmp_path}: {says}; --data names another folder\n")


def test_a_folder_that_fills_up_when_everything_has_been_started_is_named_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it listens cannot be left there, so nobody would find it."""
    monkeypatch.setattr("xuezhan.cli.embedded.write_private", refuses(errno.ENOSPC))
    assert up(tmp_path / "data") == Ran(2, "", f"xuezhan: data: {tmp_path}/data: No space left on device; --data names another folder\n")


@pytest.mark.parametrize("part", ["settlement", "table", "matchmaking"])
def test_a_file_that_is_no_database_is_named_in_one_line(tmp_path: Path, part: str) -> None:
    file = tmp_path / f"{part}.db"
    file.write_bytes(b"not a page of SQLite" * 500)
    file.chmod(0o600)
    secrets_beside(tmp_path).mkdir(mode=0o700)
    ran = xuezhan("up", "--data", tmp_path, "--port-base", 0)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"xuezhan: database_url: {tmp_path}/{part}.db is not a SQLite database")
    assert ran.err.count("\n") == 1


def test_no_new_keys_are_made_for_databases_whose_keys_are_gone(tmp_path: Path) -> None:
    """Hands could not be dealt to their end with others, and the old ones, put back later, would have to be told apart."""
    (tmp_path / "table.db").touch(mode=0o600)
    assert up(tmp_path) == Ran(
        2, "", f"xuezhan: secrets: {tmp_path}.secrets is gone, but not what its keys are for: put it back, or delete {tmp_path} too\n"
    )
    assert not secrets_beside(tmp_path).exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
@pytest.mark.parametrize("command", [["up", "--port-base", "0"], ["tables"], ["token", "ann"]])
def test_a_folder_of_another_user_is_refused_with_what_to_do(tmp_path: Path, command: list[str]) -> None:
    data = tmp_path / "data"
    data.mkdir()
    os.chown(data, 54321, 54321)
    says = f"xuezhan: data: {data} belongs to user 54321: work as that user, chown -R it, or name another folder with --data\n"
    assert here(*command, "--data", data) == Ran(2, "", says)
    assert list(data.iterdir()) == []


@pytest.mark.parametrize("name", ["lock", "running.json"])
def test_a_link_in_the_place_of_a_file_of_the_folder_is_refused_and_leads_nowhere(tmp_path: Path, name: str) -> None:
    data, other = tmp_path / "data", tmp_path / "other"
    data.mkdir()
    other.write_text('{"table": "127.0.0.1:1"}')
    other.chmod(0o644)
    (data / name).symlink_to(other)
    assert up(data) == Ran(2, "", f"xuezhan: data: {data / name} is a link, and must be a file: remove it\n")
    assert (other.read_text(), other.stat().st_mode & 0o777) == ('{"table": "127.0.0.1:1"}', 0o644)
    if name == "running.json":
        assert find(data, None, None, None, None).tables == (DEFAULT_ADDRESSES["table"],)
