"""Unusable arguments: one line on standard error that names them, exit status 2."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import xuezhan
from xuezhan.cli.main import COMMANDS, main

UNUSABLE = [
    (["nope"], "nope"),
    (["score"], "GAME"),
    (["score", "chess"], "chess"),
    (["score", "crazy_xuezhan", "--option", "cap"], "KEY=VALUE"),
    (["score", "crazy_xuezhan", "--option", "cap=0"], "cap"),
    (["score", "crazy_xuezhan", "--option", "colour=red"], "colour"),
    (["score", "crazy_xuezhan", "--option", "room=Palace"], "room"),
    (["score", "crazy_xuezhan", "--option", "cap=1", "--option", "cap=2"], "cap is given twice"),
    (["waits", "crazy_xuezhan", "--option", "cap=many"], "cap"),
    (["simulate", "crazy_xuezhan", "--seed", "1"], "--hands"),
    (["simulate", "crazy_xuezhan", "--hands", "0", "--seed", "1"], "--hands"),
    (["simulate", "crazy_xuezhan", "--hands", "1", "--seed", "1", "--players", "9"], "players"),
    (["simulate", "crazy_xuezhan", "--hands", "1", "--seed", "1", "--bots", "psychic"], "bots"),
    (["simulate", "crazy_xuezhan", "--hands", "1", "--seed", "1", "--money", "-1"], "money"),
    (["simulate", "crazy_xuezhan", "--hands", "1", "--seed", "1", "--money", "9" * 20], "money"),
    (["simulate", "crazy_xuezhan", "--hands", "1", "--seed", "1", "--leave", "2"], "leave"),
    (["simulate", "crazy_xuezhan", "--hands", "1", "--seed", os.fsdecode(b"\xff")], "'\\udcff' is not UTF-8"),
    *(
        (["deposit", "alice", coins, "--key", "k"], f"'COINS': '{coins}' is no number of coins: a whole number from 1 to {2**53 - 1} is")
        for coins in ("0", "-5", "x", "1.5", "1e3", "", "٣", str(2**53))
    ),
    (["deposit", "alice", "9" * 400, "--key", "k"], f"'COINS': '{'9' * 39}... (402 characters) is no number of coins"),
    (["deposit", "alice", "5"], "--key"),
    (["deposit", "alice", "5", "--key", ""], "'--key': it is empty"),
    (["deposit", "alice bloggs", "5", "--key", "k"], "'PLAYER': 1 to 64 letters, digits or any of _ . : @ - are needed"),
    (["deposit", "house:bots", "5", "--key", "k"], "'PLAYER': house:bots is a reserved name"),
    (["load", "--game", "crazy_xuezhan", "--tables", "0"], "--tables"),
    (["load", "--game", "crazy_xuezhan"], "--data"),
    (["token", "alice"], "--data"),
    (["token", "alice bloggs"], "PLAYER"),
    (["token", ""], "PLAYER"),
    (["token", "bot"], "PLAYER': bot is a reserved name"),
    (["token", "house:bots"], "PLAYER': house:bots is a reserved name"),
    (["ledger", "check"], "data"),
    (["settlement", "dead-letters"], "--data"),
    (["up", "--fast", "--rooms", "rooms.toml"], "--fast"),
]
GROUPED = [
    *("table show", "table call-off", "table log"),
    *("room close", "room open", "room log"),
    *("ledger check", "ledger totals", "ledger table", "ledger flows", "player freeze", "player unfreeze"),
    *("settlement replay", "settlement void-item", "settlement dead-letters", "settlement log"),
]
"""Commands within groups."""
EMPTY = [
    (["up", "--data", ""], "--data"),
    (["up", "--host", ""], "--host"),
    (["up", "--rooms", ""], "--rooms"),
    (["balance", "alice", "--data", ""], "--data"),
    (["balance", "alice", "--secrets", ""], "--secrets"),
    (["balance", "alice", "--settlement", ""], "--settlement"),
    (["tables", "--table", " "], "--table"),
    (["load", "--game", "kaxinwu", "--matchmaking", ""], "--matchmaking"),
    (["load", "--game", "kaxinwu", "--traces", ""], "--traces"),
    (["ledger", "check", "--data", ""], "--data"),
    (["ledger", "check", "--database-url", ""], "--database-url"),
    (["ledger", "check", "--database-url-file", ""], "--database-url-file"),
    (["migrate", "--database-url", ""], "--database-url"),
    (["migrate", "--database-url-file", ""], "--database-url-file"),
    (["users", "--secrets", "", "--database", "h/d", "--broker", "h/v"], "--secrets"),
    (["certificates", "--secrets", ""], "--secrets"),
    (["keys", "--out", ""], "--out"),
    *((["serve", "table", option, ""], option) for option in ("--host", "--advertise", "--database-url", "--broker-url")),
    *((["serve", "table", option, ""], option) for option in ("--database-url-file", "--broker-url-file")),
    *((["serve", "table", option, ""], option) for option in ("--secrets", "--rooms-file", "--settlement-address", "--table-addresses")),
]
"""Paths and addresses that are given, but as nothing: what `--data "$UNSET"` comes to."""
UNUSABLE_SETTINGS = [
    (["up", "--rooms", "missing.toml", "--port-base", "0"], "missing.toml"),
    (["serve", "kitchen"], "kitchen"),
    (["serve", "settlement"], "database_url: it is not set: database.url in the folder of the role's keys, XUEZHAN_DATABASE_URL_FILE, "),
    (["serve", "settlement"], "XUEZHAN_DATABASE_URL or --database-url gives it"),
    (
        ["serve", "settlement", "--database-url", "sqlite:///x.db"],
        "secrets: it is not set: a folder that",
    ),
    (["serve", "table", "--port", "70000", "--database-url", "sqlite:///x.db", "--secrets", "k"], "port"),
    (["serve", "matchmaking", "--database-url", "sqlite:///x.db", "--secrets", "missing.json"], "missing.json"),
    (["serve", "worker", "--database-url", "sqlite:///x.db", "--secrets", "k"], "broker_url"),
    (["serve", "settlement", "--server-name", "t", "--database-url", "sqlite:///x.db"], "--server-name"),
    (["serve", "matchmaking", "--processes", "2", "--database-url", "postgresql://x/y"], "--processes"),
    (["serve", "table", "--processes", "2", "--database-url", "sqlite:///x.db", "--broker-url", "amqp://x", "--secrets", "k"], "SQLite"),
    (["serve", "table", "--processes", "2", "--database-url", "postgresql://x/y", "--secrets", "k"], "memory://"),
]


def written(rows: list[tuple[list[str], str]]) -> list[str]:
    return [ascii(" ".join(arguments))[1:-1] for arguments, _ in rows]


def assert_named_in_one_line(err: str, named: str) -> None:
    assert err.startswith("xuezhan: ")
    assert named in err
    assert err.count("\n") == 1
    assert max(map(len, err.split())) <= 200, "nobody reads more of it"


@pytest.mark.parametrize(("arguments", "named"), UNUSABLE, ids=written(UNUSABLE))
def test_an_argument_that_cannot_be_used_is_named_in_one_line_with_status_2(
    arguments: list[str], named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert_named_in_one_line(said.err, named)


@pytest.mark.parametrize(("arguments", "named"), EMPTY, ids=written(EMPTY))
def test_an_empty_path_or_address_is_refused_by_its_option_and_not_taken_for_the_default(
    arguments: list[str], named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert_named_in_one_line(said.err, f"Invalid value for '{named}': it is empty")
    assert list(tmp_path.iterdir()) == []


def test_a_data_folder_that_is_named_by_where_one_stands_has_its_secrets_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also when the name is that of no folder: `.` and `..`."""
    from tests.support.keyring import Keyring

    (tmp_path / "data" / "below").mkdir(parents=True)
    Keyring(tmp_path / "data.secrets")
    for stands, named in (("data", "."), ("data/below", ".."), (".", "data")):
        monkeypatch.chdir(tmp_path / stands)
        assert main(["token", "alice", "--data", named]) == 0
    assert main(["up", "--data", "/"]) == 2
    assert_named_in_one_line(capsys.readouterr().err, "--data")


@pytest.mark.parametrize(("arguments", "named"), UNUSABLE_SETTINGS, ids=written(UNUSABLE_SETTINGS))
def test_a_setting_that_cannot_be_used_is_named_in_one_line_with_status_2(arguments: list[str], named: str, tmp_path: Path) -> None:
    ran = xuezhan(*arguments, cwd=tmp_path)
    assert (ran.status, ran.out) == (2, "")
    assert_named_in_one_line(ran.err, named)


def test_secrets_that_others_may_read_are_refused(tmp_path: Path) -> None:
    from tests.support.keyring import Keyring

    keys = Keyring(tmp_path / "secrets").folder
    (keys / "development" / "key.pem").chmod(0o644)
    ran = xuezhan("token", "alice", "--secrets", keys)
    assert (ran.status, "chmod 600" in ran.err) == (2, True)


def test_a_service_that_does_not_answer_is_status_1_and_says_what_to_do(tmp_path: Path) -> None:
    from tests.support.keyring import Keyring

    keys = Keyring(tmp_path / "secrets").folder
    ran = xuezhan("balance", "alice", "--secrets", keys, "--settlement", "127.0.0.1:1")
    assert ran.status == 1
    assert "xuezhan doctor` tells what is wrong" in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("command", [*COMMANDS, *GROUPED])
def test_every_command_explains_itself_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command.split(), "--help"]) == 0
    said = capsys.readouterr().out
    assert f"Usage: xuezhan {command}" in said
    if command not in {one.partition(" ")[0] for one in GROUPED}:
        assert f"xuezhan {command}" in said.partition("Example")[2]


def test_help_lists_every_command_at_once() -> None:
    """At once: without what the commands import, which alone takes longer than anybody would wait for a list."""
    program = "import sys; from xuezhan.cli.main import main; main(['--help']); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    said, _, modules = ran.stdout.rstrip().rpartition("\n")
    assert all(f"  {name} " in said for name in COMMANDS)
    assert {name.partition(".")[0] for name in modules.split()} & {"grpc", "sqlalchemy", "celery", "rich", "services", "games"} == set()
