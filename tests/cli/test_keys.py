"""Folders of keys as an operator sees them: made, divided, missed, refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from services.kit import keys
from services.kit.roles import Role
from tests.cli.command import here, xuezhan
from tests.support.keyring import Keyring
from tests.support.studio import SET

OLD = {name: {"current": "k1", "keys": {"k1": str(number) * 64}} for number, name in enumerate(("tokens", "items", "deal"))}
NOWHERE = ("--settlement", "127.0.0.1:1", "--table", "127.0.0.1:1", "--matchmaking", "127.0.0.1:1")
SERVE = ("serve", "settlement", "--database-url", "sqlite://", "--port", "0", "--metrics-port", "0")


def old_file(path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(OLD))
    path.chmod(0o600)
    return path


def test_keys_are_made_a_folder_a_role_and_kept_when_asked_again(tmp_path: Path) -> None:
    out = tmp_path / "etc" / "xuezhan"
    first = here("keys", "--out", out)
    assert (first.status, first.out) == (0, "")
    assert [line for line in first.err.splitlines() if line.endswith(": made")] == [f"{out / role}: made" for role in Role]
    assert not (out / "development").exists()
    again = here("keys", "--out", out)
    assert (again.status, again.err) == (0, f"{out}: kept\n")


def test_in_development_a_key_for_players_tokens_is_made_too(tmp_path: Path) -> None:
    ran = xuezhan("keys", "--out", tmp_path / "secrets", env={"XUEZHAN_DEVELOPMENT": "1"})
    assert "for development only" in ran.err
    assert xuezhan("token", "alice", "--secrets", tmp_path / "secrets").out.count(".") == 2
    odd = xuezhan("keys", "--out", tmp_path / "secrets", env={"XUEZHAN_DEVELOPMENT": "maybe"})
    assert (odd.status, odd.err.startswith("xuezhan: development: ")) == (2, True)


@pytest.mark.parametrize("where", ["secrets/keys.json", "keys.json"])
def test_a_file_of_an_earlier_version_in_the_folder_or_beside_it_is_divided_once(tmp_path: Path, where: str) -> None:
    old = old_file(tmp_path / where)
    ran = here("keys", "--out", tmp_path / "secrets")
    assert f"{old}: divided: the deal keys are the table servers' alone now" in ran.err
    assert not old.exists()
    assert keys.load_table(tmp_path / "secrets").deal.signing() == ("k1", b"2" * 64)
    assert here("keys", "--out", tmp_path / "secrets").err == f"{tmp_path / 'secrets'}: kept\n"


def test_the_file_of_an_earlier_version_is_no_folder(tmp_path: Path) -> None:
    old = old_file(tmp_path / "keys.json")
    ran = here("keys", "--out", old)
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert "name the folder that it is in" in ran.err
    assert json.loads(old.read_text()) == OLD


def test_a_folder_where_others_may_put_keys_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    ran = here("keys", "--out", tmp_path / "open")
    assert (ran.status, "chmod go-w" in ran.err) == (2, True)


NEEDS = {
    ("deposit", "alice", "5", "--key", "k"): "cashier",
    ("balance", "alice"): "viewer",
    ("statement", "alice"): "viewer",
    ("tables",): "viewer",
    ("servers",): "viewer",
    ("drain", "table-1"): "operator",
    ("retry-tables",): "operator",
    ("watch", "t"): "viewer",
    ("replay", "t"): "auditor",
    ("token", "alice"): "development",
    ("load", "--game", "kaxinwu"): "development",
}


@pytest.mark.parametrize("command", NEEDS, ids=[" ".join(command) for command in NEEDS])
def test_a_command_without_the_key_that_it_needs_says_which_folder_it_looked_for(tmp_path: Path, command: tuple[str, ...]) -> None:
    role = NEEDS[command]
    folder = Keyring(tmp_path / "secrets").folder
    for other in ("viewer", "operator", "finance", "auditor", "cashier", "development"):
        if role in {other, "development"} or other != "auditor":
            shutil.rmtree(folder / other, ignore_errors=True)
    ran = here(*command, "--secrets", folder, *(() if command[0] == "token" else NOWHERE))
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"xuezhan: the key of role {role} is needed, and there is no folder {folder / role} (--secrets names another)\n"


def test_the_folder_of_one_role_is_all_that_its_command_needs(tmp_path: Path) -> None:
    """The studio's backend has the cashier's, and nothing else."""
    folder = Keyring(tmp_path / "secrets").folder
    shutil.copytree(folder / "cashier", tmp_path / "mine")
    ran = here("deposit", "alice", "5", "--key", "k", "--secrets", tmp_path / "mine", *NOWHERE)
    assert (ran.status, "is it running?" in ran.err) == (1, True)
    other = here("tables", "--secrets", tmp_path / "mine", *NOWHERE)
    assert (other.status, other.err.count("\n")) == (2, 1)
    assert "role viewer" in other.err


def test_another_roles_key_in_a_folder_is_refused(tmp_path: Path) -> None:
    folder = Keyring(tmp_path / "secrets").folder
    shutil.copy(folder / "viewer" / "key.pem", folder / "cashier" / "key.pem")
    ran = here("deposit", "alice", "5", "--key", "k", "--secrets", folder, *NOWHERE)
    assert (ran.status, "role viewer, and role cashier is needed" in ran.err) == (2, True)


def test_keys_of_two_installations_in_one_folder_are_refused(tmp_path: Path) -> None:
    folder, other = Keyring(tmp_path / "secrets").folder, Keyring(tmp_path / "other").folder
    shutil.rmtree(folder / "viewer")
    shutil.copytree(other / "viewer", folder / "viewer")
    ran = here("balance", "alice", "--secrets", folder, *NOWHERE)
    assert (ran.status, "several installations" in ran.err) == (2, True)


def test_serve_takes_no_development_key_unless_it_is_told_to(tmp_path: Path) -> None:
    folder = Keyring(tmp_path / "secrets").folder
    for secrets in (folder, folder / "settlement"):
        ran = xuezhan(*SERVE, "--secrets", secrets)
        assert (ran.status, ran.err.count("\n")) == (2, 1)
        assert "settlement/players.jwks: keys[0]: a development key, which only XUEZHAN_DEVELOPMENT=1 allows" in ran.err


def test_serve_without_the_studios_keys_says_what_to_put_where(tmp_path: Path) -> None:
    folder = Keyring(tmp_path / "secrets", development=False).folder
    ran = xuezhan(*SERVE, "--secrets", folder)
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert f"players' keys {folder}/settlement/players.jwks: not there; it is the JSON Web Key Set" in ran.err
    (tmp_path / "studio.jwks").write_text(json.dumps({"keys": [{**SET["keys"][0], "kid": ""}]}))
    named = xuezhan(*SERVE, "--secrets", folder, env={"XUEZHAN_PLAYERS_FILE": str(tmp_path / "studio.jwks")})
    assert "studio.jwks: keys[0].kid" in named.err


@pytest.mark.parametrize("part", ["matchmaking", "table", "settlement", "worker"])
def test_a_part_reads_the_folder_of_its_role_and_names_what_is_missing(tmp_path: Path, part: str) -> None:
    folder = Keyring(tmp_path / "secrets").folder
    shutil.rmtree(folder / part)
    ran = xuezhan("serve", part, "--database-url", "sqlite://", "--broker-url", "amqp://127.0.0.1:1", "--secrets", folder)
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert f"secrets folder {folder / part}: there is no such folder" in ran.err
