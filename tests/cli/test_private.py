"""What is kept at rest is its owner's alone, and a password stands where `ps` does not show it and in no line that anybody reads."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from services.kit.config import ServiceSettings
from services.kit.urls import without_passwords
from tests.cli.command import XUEZHAN, here, xuezhan
from tests.support.postgres import Postgres
from tests.support.process import Process
from xuezhan.cli.options import url_from

SECRET = "hush-hush"


def modes(folder: Path) -> dict[str, str]:
    return {path.name: oct(path.stat().st_mode & 0o777) for path in [folder, *folder.rglob("*")]}


@pytest.fixture
def open_umask() -> Iterator[None]:
    """New files are everybody's unless their maker says otherwise."""
    before = os.umask(0)
    yield
    os.umask(before)


def run_up(data: Path) -> tuple[dict[str, str], str]:
    """Start `up` and return what its folder looks like while it runs, and what it says."""
    with Process([XUEZHAN, "up", "--fast", "--data", data, "--port-base", "0"], log=data.parent / f"up-{uuid4()}.log") as up:
        up.wait_ready(lambda: "xuezhan is up" in up.output(), seconds=60)
        return modes(data), up.output()


@pytest.mark.usefixtures("open_umask")
def test_everything_in_the_data_folder_is_its_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    data = tmp_path / "data"
    seen, _ = run_up(data)
    assert seen.pop("data") == "0o700"
    assert {"running.json", "lock", "settlement.db", "settlement.db-wal", "settlement.db-shm"} <= seen.keys()
    assert set(seen.values()) == {"0o600"}


@pytest.mark.usefixtures("open_umask")
def test_a_folder_that_others_could_read_is_closed_to_them_at_the_start_and_a_line_says_so(tmp_path: Path) -> None:
    data = tmp_path / "data"
    run_up(data)
    data.chmod(0o755)
    for file in data.iterdir():
        file.chmod(0o644)
    seen, said = run_up(data)
    assert seen.pop("data") == "0o700"
    assert set(seen.values()) == {"0o600"}
    assert f"xuezhan: data: {data} was open to others; it is private now" in said
    for name in ("matchmaking.db", "table.db", "settlement.db"):
        assert f'"file": "{data}/{name}", "event": "file_made_private"' in said


@pytest.mark.usefixtures("open_umask")
def test_a_folder_with_other_files_in_it_stays_open_and_a_line_says_so(tmp_path: Path) -> None:
    """Nobody's home or /tmp is closed because the data was put into it."""
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    (data / "letters").write_text("dear")
    seen, said = run_up(data)
    assert (seen.pop("data"), seen.pop("letters")) == ("0o755", "0o666")
    assert set(seen.values()) == {"0o600"}
    assert f"xuezhan: data: {data} is open to others and holds other files" in said


def given(folder: Path, text: str) -> Path:
    file = folder / "url"
    file.write_text(text)
    file.chmod(0o600)
    return file


def test_a_url_comes_from_a_file_which_may_be_standard_input_and_one_given_itself_goes_before(tmp_path: Path) -> None:
    url = f"postgresql://a:{SECRET}@h/d"
    file = given(tmp_path, f"{url}\n")
    common = {"secrets": Path("k"), "database_url_file": file, "broker_url_file": given(tmp_path / "..", "amqp://b:c@h/v")}
    settings = ServiceSettings(**common)  # type: ignore[arg-type]
    assert (settings.database_url, settings.broker_url) == (url, "amqp://b:c@h/v")
    assert ServiceSettings(database_url="sqlite://", **common).database_url == "sqlite://"  # type: ignore[arg-type]


def test_the_ledger_is_checked_with_a_url_from_a_file_the_environment_or_standard_input(tmp_path: Path, postgres: Postgres) -> None:
    url = postgres.new_database("private")
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("CREATE SCHEMA settlement")
    file = given(tmp_path, url)
    for ran in (
        xuezhan("migrate", "--database-url-file", file),
        xuezhan("ledger", "check", "--database-url-file", file),
        xuezhan("ledger", "check", "--database-url-file", "-", stdin=url),
        xuezhan("ledger", "check", env={"XUEZHAN_DATABASE_URL_FILE": str(file)}),
    ):
        assert ran.status == 0, ran.err


@pytest.mark.parametrize("text", ["", "\n\n", "two words", "x" * 5000])
def test_a_file_without_a_url_is_one_line_that_does_not_repeat_it(tmp_path: Path, text: str) -> None:
    ran = here("ledger", "check", "--database-url-file", given(tmp_path, text))
    assert (ran.status, ran.err) == (2, f"xuezhan: database_url_file: {tmp_path}/url: one line with a URL is needed\n")


def nobody_listens() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


WRONG = [
    "postgresql://user:{secret}@127.0.0.1:{port}/db",
    "postgresql://user:{secret}@127.0.0.1:port/db",
    "postgresql://user:{secret}/{secret}@127.0.0.1:{port}/db",
    "postgresql://user:{secret}#{secret}@127.0.0.1:{port}/db",
    "postgresql://user:{secret}@{secret}@127.0.0.1:{port}/db",
    "postgresql://user:{secret}@127.0.0.1:{port}/db?nonsense=1",
    "postgresql://user:{secret}@[::1/db",
    "postgres://user:{secret}@127.0.0.1:{port}/db",
    "mysql://user:{secret}@127.0.0.1:{port}/db",
    "user:{secret}@127.0.0.1:{port}/db",
]


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("command", [["ledger", "check"], ["migrate"], ["serve", "settlement"]])
def test_a_url_that_leads_nowhere_never_shows_its_password(tmp_path: Path, command: list[str], wrong: str) -> None:
    url = wrong.format(secret=SECRET, port=nobody_listens())
    ran = here(*command, "--database-url-file", given(tmp_path, url))
    assert ran.status in (1, 2)
    assert ran.err.startswith("xuezhan: ")
    assert "secrets:" not in ran.err or command[0] == "serve"
    assert SECRET not in ran.err + ran.out


@pytest.mark.parametrize(
    "url", [f"redis://u:{SECRET}@h/v", f"amqp://u:{SECRET}@h:port/v", f"amqp://u:{SECRET}/{SECRET}@h/v", f"amqps://u:{SECRET}#@h/v"]
)
def test_a_brokers_url_that_cannot_be_used_is_named_without_its_password(tmp_path: Path, url: str) -> None:
    common = ("--database-url", "sqlite://", "--secrets", tmp_path / "secrets")
    ran = here("serve", "table", *common, "--broker-url-file", given(tmp_path, url))
    assert ran.status == 2
    assert ran.err.startswith("xuezhan: broker_url: ")
    assert SECRET not in ran.err


def test_passwords_are_left_out_of_whatever_text_holds_a_url() -> None:
    for text, says in (
        ("cannot reach postgresql://a:b@h/d now", "cannot reach postgresql://a:***@h/d now"),
        ("amqp://a:b/c@d@h//", "amqp://a:***@h//"),
        ("amqp://h:5672//, redis://h", "amqp://h:5672//, redis://h"),
        ("at 12:30 a@b", "at 12:30 a@b"),
    ):
        assert without_passwords(text) == says


def test_a_database_is_believed_by_the_ca_beside_the_file_with_its_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XUEZHAN_CA_FILE", raising=False)
    url = "postgresql://u:p@db.example.com/xuezhan?sslmode=verify-full"
    file = given(tmp_path, url)
    assert "sslrootcert" not in (url_from(None, file) or "")
    (file.parent / "ca.pem").touch()
    assert (url_from(None, file) or "").endswith(f"?sslmode=verify-full&sslrootcert={file.parent}/ca.pem")
    monkeypatch.setenv("XUEZHAN_CA_FILE", "/elsewhere/ca.pem")
    assert (url_from(None, file) or "").endswith("&sslrootcert=/elsewhere/ca.pem")


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (["ledger", "check"], "database-url"),
        (["migrate"], "database-url"),
        (["serve", "table"], "database-url"),
        (["serve", "worker"], "broker-url"),
    ],
)
def test_a_password_in_the_command_line_is_warned_of_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch, command: list[str], option: str
) -> None:
    variable = f"XUEZHAN_{option.replace('-', '_').upper()}"
    url = f"postgresql://u:{SECRET}@127.0.0.1:{nobody_listens()}/d"
    warning = (
        f"xuezhan: --{option}: `ps` shows its password to everybody here: use {variable}, --{option}-file FILE,"
        f" or --{option}-file - (standard input)\n"
    )
    ran = here(*command, f"--{option}", url)
    assert ran.err.startswith(warning)
    assert (ran.err.count("\n"), SECRET in ran.err + ran.out) == (2, False)
    assert warning not in here(*command, f"--{option}", url.replace(f":{SECRET}", "")).err
    monkeypatch.setenv(variable, url)
    assert warning not in here(*command).err
