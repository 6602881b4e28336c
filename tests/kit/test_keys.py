"""Folders of keys: one a role, made once, read by that role alone."""

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from services.kit import jwks, key_files, keys, make_keys
from services.kit.roles import Role
from services.kit.secrets import SecretsError
from services.kit.signing import SigningKey

SEED = "0" * 64
OLD_RING = {"current": "k1", "keys": {"k1": SEED}}
OLD = {"tokens": {"current": "k1", "keys": {"k1": "1" * 64}}, "items": {"current": "k1", "keys": {"k1": "2" * 64}}, "deal": OLD_RING}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data.secrets"


def made(folder: Path, *, development: bool = False) -> list[str]:
    return make_keys.make(folder, development=development, old=(folder / "keys.json",)).said


def old_file(folder: Path) -> Path:
    folder.mkdir(mode=0o700)
    path = folder / "keys.json"
    path.write_text(json.dumps(OLD))
    path.chmod(0o600)
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_every_role_gets_a_folder_of_its_owner_alone(folder: Path) -> None:
    made(folder)
    assert {path.name for path in folder.iterdir() if path.is_dir()} == set(Role)
    for path in (folder, *folder.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_a_role_has_its_own_private_key_and_no_other(folder: Path) -> None:
    made(folder, development=True)
    owners = {name: data for name, data in contents(folder).items() if b"PRIVATE" in data}
    assert set(owners) == {f"{role}/key.pem" for role in Role} | {"table/records/key.pem", "development/key.pem"}
    assert len(set(owners.values())) == len(owners)
    assert {path.parent.name for path in folder.rglob("*.json") if path.name in {"seats.json", "deal.json"}} == {"table"}


def test_all_roles_believe_the_same_keys_of_one_installation(folder: Path) -> None:
    made(folder)
    loaded = [keys.load(folder, role) for role in Role]
    assert len({one.trust.model_dump_json() for one in loaded}) == 1
    for one in loaded:
        trusted = loaded[0].trust.find(one.key.key_id)
        assert trusted is not None
        assert (trusted.role, trusted.name) == (one.role, one.name)
    shutil.rmtree(folder)
    made(folder)
    assert keys.load(folder, Role.TABLE).installation != loaded[0].installation


def test_making_keys_again_changes_nothing_and_says_nothing(folder: Path) -> None:
    assert made(folder, development=True)
    before = contents(folder)
    assert made(folder, development=True) == []
    assert contents(folder) == before


def test_processes_that_start_together_agree_on_one_set_of_keys(folder: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: made(folder), range(8)))
    before = contents(folder)
    assert made(folder) == []
    assert contents(folder) == before
    assert not list(folder.rglob(".draft*"))


@pytest.mark.parametrize("after", range(1, 41))
def test_making_keys_is_completed_whatever_interrupted_it(folder: Path, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Each write of a file or folder is the last one in turn, once before and once after it took effect."""
    old_file(folder)
    left = [after]

    def interrupted(work: object) -> object:
        def run(*arguments: object) -> None:
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt
            work(*arguments)  # type: ignore[operator]
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt

        return run

    with monkeypatch.context() as patched:
        patched.setattr(key_files, "write", interrupted(key_files.write))
        patched.setattr(key_files, "write_folder", interrupted(key_files.write_folder))
        try:
            made(folder)
        except KeyboardInterrupt:
            made_before = {name: data for name, data in contents(folder).items() if not name.endswith("trust.json")}
        else:
            pytest.skip("it was done by then")
    made(folder)
    found = contents(folder)
    assert {name: found[name] for name in made_before if name != "keys.json"} == {n: d for n, d in made_before.items() if n != "keys.json"}
    assert len({one.trust.model_dump_json() for one in (keys.load(folder, role) for role in Role)}) == 1
    assert len(keys.load(folder, Role.TABLE).trust.keys) == len(Role)
    assert keys.load_table(folder).deal.key("k1") == SEED.encode()


def test_an_old_file_is_divided_and_only_its_deal_ring_lives_on(folder: Path) -> None:
    path = old_file(folder)
    said = made(folder)
    assert any(str(path) in line and "divided" in line for line in said)
    assert not path.exists()
    table = keys.load_table(folder)
    assert table.deal.signing() == ("k1", SEED.encode())
    living = b"".join(data for name, data in contents(folder).items() if name != "keys.json.divided")
    assert b"1" * 64 not in living
    assert b"2" * 64 not in living


def test_an_old_file_that_comes_back_adds_its_deal_keys_or_is_refused(folder: Path) -> None:
    made(folder)
    fresh = keys.load_table(folder).deal
    shutil.copy(_somewhere(folder), folder / "keys.json")
    made(folder)
    deal = keys.load_table(folder).deal
    assert deal.current == fresh.current
    assert deal.key("k1") == SEED.encode()
    another = {**OLD, "deal": {"current": "k1", "keys": {"k1": "9" * 64}}}
    (folder / "keys.json").write_text(json.dumps(another))
    (folder / "keys.json").chmod(0o600)
    with pytest.raises(SecretsError, match="k1"):
        made(folder)


def _somewhere(folder: Path) -> Path:
    return old_file(folder.with_name("elsewhere"))


@pytest.mark.parametrize(
    "content", ["", "[]", "\x00", json.dumps({"deal": OLD_RING}), json.dumps({**OLD, "more": 1}), json.dumps({**OLD, "deal": {}})]
)
def test_what_is_no_old_file_is_named_and_left_alone(folder: Path, content: str) -> None:
    path = old_file(folder)
    path.write_text(content)
    with pytest.raises(SecretsError, match=r"keys\.json"):
        made(folder)
    assert path.read_text() == content


def test_a_role_that_is_missing_is_made_and_the_others_learn_its_key(folder: Path) -> None:
    made(folder)
    before = keys.load(folder, Role.WORKER).key.key_id
    shutil.rmtree(folder / "worker")
    made(folder)
    after = keys.load(folder, Role.WORKER)
    assert after.key.key_id != before
    for role in Role:
        trusted = keys.load(folder, role).trust
        assert trusted.find(after.key.key_id) is not None
        assert trusted.find(before) is not None


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o777])
@pytest.mark.parametrize("name", ["key.pem", "seats.json", "deal.json", "records/key.pem"])
def test_a_secret_that_others_may_read_is_refused(folder: Path, name: str, mode: int) -> None:
    made(folder)
    (folder / "table" / name).chmod(mode)
    with pytest.raises(SecretsError, match="chmod 600"):
        keys.load_table(folder)


@pytest.mark.parametrize("name", ["trust.json", "records/public"])
def test_what_others_may_change_is_refused(folder: Path, name: str) -> None:
    made(folder)
    path = folder / "table" / name
    for file in path.iterdir() if path.is_dir() else [path]:
        file.chmod(0o644)
        keys.load_table(folder)
        file.chmod(0o666)
    with pytest.raises(SecretsError, match="chmod go-w"):
        keys.load_table(folder)


def test_a_folder_that_others_may_look_into_is_refused(folder: Path) -> None:
    made(folder)
    (folder / "table").chmod(0o750)
    with pytest.raises(SecretsError, match="chmod 700"):
        keys.load(folder, Role.TABLE)


def test_a_role_is_read_from_its_own_folder_alone(folder: Path) -> None:
    """Everything else is taken away before it is read, whether the folder or the one above it is named."""
    made(folder, development=True)
    for path in folder.iterdir():
        if path.is_dir() and path.name != "table":
            shutil.rmtree(path)
    assert keys.load_table(folder).key.key_id == keys.load_table(folder / "table").key.key_id


def test_another_roles_key_is_refused(folder: Path) -> None:
    made(folder)
    shutil.copy(folder / "worker" / "key.pem", folder / "table" / "key.pem")
    with pytest.raises(SecretsError, match="role worker"):
        keys.load(folder, Role.TABLE)
    (folder / "table" / "key.pem").write_bytes(SigningKey.generate().pem())
    with pytest.raises(SecretsError, match=r"trust\.json"):
        keys.load(folder, Role.TABLE)


@pytest.mark.parametrize("content", [b"", b"xyz", SigningKey.generate().public.pem()])
def test_an_unusable_key_file_is_named(folder: Path, content: bytes) -> None:
    made(folder)
    (folder / "cashier" / "key.pem").write_bytes(content)
    with pytest.raises(SecretsError, match=r"cashier/key\.pem"):
        keys.load(folder, Role.CASHIER)


def test_a_secret_that_is_too_short_is_named_with_what_it_needs_and_not_shown(folder: Path) -> None:
    made(folder)
    ring = folder / "table" / "seats.json"
    ring.write_text(json.dumps({"current": "a", "keys": {"a": "k" * 32, "new": "hush"}}))
    with pytest.raises(SecretsError, match=r"seats\.json: keys\.new is unusable: .*at least 32") as refused:
        keys.load_table(folder)
    assert "hush" not in str(refused.value)


def test_what_is_missing_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SecretsError, match="nowhere/cashier"):
        keys.load(tmp_path / "nowhere", Role.CASHIER)
    made(folder)
    (folder / "cashier" / "trust.json").unlink()
    with pytest.raises(SecretsError, match=r"cashier/trust\.json"):
        keys.load(folder, Role.CASHIER)


def test_no_private_key_is_shown_where_keys_are_printed(folder: Path) -> None:
    made(folder)
    shown = repr(keys.load_table(folder))
    for path in (folder / "table").rglob("*"):
        if path.suffix == ".json" and path.name != "trust.json":
            assert json.loads(path.read_text())["keys"].popitem()[1] not in shown
    assert "PRIVATE" not in shown


def test_the_public_half_of_a_record_key_outlives_the_key(folder: Path) -> None:
    made(folder)
    first = keys.load_table(folder).records.signing()
    second = SigningKey.generate()
    (folder / "table" / "records" / "key.pem").write_bytes(second.pem())
    with pytest.raises(SecretsError, match="xuezhan keys"):
        keys.load_table(folder)
    assert any(second.key_id in line for line in made(folder))
    records = keys.load_table(folder).records
    assert records.signing().key_id == second.key_id
    assert [one.key_id for one in records.public()] == [second.key_id, first.key_id]
    assert records.find(first.key_id) is not None
    assert records.find("0" * 16) is None


def test_a_key_that_is_in_use_is_missed(folder: Path) -> None:
    made(folder)
    table = keys.load_table(folder)
    table.records.require([table.records.signing().key_id])
    table.require_deal([table.deal.current])
    with pytest.raises(SecretsError, match="ab12"):
        table.records.require([table.records.signing().key_id, "ab12"])
    with pytest.raises(SecretsError, match="k7"):
        table.require_deal(["k7"])


def test_a_development_key_is_marked_and_never_replaces_the_studios(folder: Path) -> None:
    made(folder)
    assert not list(folder.rglob("players.jwks"))
    studio = jwks.development_set(SigningKey.generate().public)
    (folder / "table" / "players.jwks").write_text(json.dumps(studio))
    made(folder, development=True)
    assert json.loads((folder / "table" / "players.jwks").read_text()) == studio
    own = json.loads((folder / "matchmaking" / "players.jwks").read_text())
    assert own == json.loads((folder / "settlement" / "players.jwks").read_text())
    assert own["keys"][0]["xuezhan_development"] is True
    assert own["keys"][0]["kid"] == keys.load_key(folder / "development" / "key.pem").key_id


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SecretsError, match="file"):
        made(tmp_path / "file" / "below")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_one_line(folder: Path) -> None:
    made(folder)
    folder.chmod(0)
    with pytest.raises(SecretsError):
        keys.load(folder, Role.TABLE)
    folder.chmod(0o700)
