"""Whose keys are believed: those of the process's own user or of root, where not anybody can put others in their place."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from services.kit import key_files, keys, make_keys, urls
from services.kit.config import ConfigError
from services.kit.roles import Role
from services.kit.secrets import SecretsError
from services.kit.tls import ServerTls
from tests.support.certificates import Authority

STRANGER = 54321
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "keys"
    make_keys.make(path, development=True)
    return path


@pytest.mark.parametrize("name", ["", "key.pem", "trust.json", "seats.json", "records", "records/key.pem", "records/public"])
def test_keys_and_folders_of_another_user_are_refused_with_what_to_do(folder: Path, name: str) -> None:
    path = folder / "table" / name
    os.chown(path, STRANGER, STRANGER)
    with pytest.raises(SecretsError, match=rf"belongs to user {STRANGER}, .*: chown -R 0 {path}$"):
        keys.load_table(folder)


def test_a_key_is_refused_by_its_owner_wherever_it_is_read(folder: Path) -> None:
    """Commands for development read a key and nothing around it."""
    os.chown(folder / "development", STRANGER, STRANGER)
    with pytest.raises(SecretsError, match="belongs to user"):
        keys.load_key(folder / "development" / "key.pem")


@pytest.mark.parametrize("linked", [False, True])
def test_keys_below_a_folder_that_anybody_may_change_are_refused(folder: Path, tmp_path: Path, linked: bool) -> None:
    way = folder
    if linked:
        way = tmp_path / "link"
        way.symlink_to(folder)
    tmp_path.chmod(0o777)
    for read in (lambda: keys.load(way, Role.WORKER), lambda: keys.load_key(way / "development" / "key.pem")):
        with pytest.raises(SecretsError, match=f"chmod o-w {tmp_path}$"):
            read()
    with pytest.raises(SecretsError, match=f"chmod o-w {tmp_path}$"):
        make_keys.make(way, development=True)
    tmp_path.chmod(0o1777)
    keys.load(way, Role.WORKER)


def test_mounted_secrets_are_read_through_their_links(folder: Path) -> None:
    """As Kubernetes mounts them: each file is a link into ..data, itself a link to a folder of this time."""
    table = folder / "table"
    (table / "..2026").mkdir(mode=0o755)
    (table / "..data").symlink_to("..2026")
    for path in [one for one in table.iterdir() if one.is_file()]:
        path.rename(table / "..2026" / path.name)
        path.symlink_to(f"..data/{path.name}")
    keys.load_table(folder)
    os.chown(table / "..2026" / "key.pem", STRANGER, STRANGER)
    with pytest.raises(SecretsError, match="belongs to user"):
        keys.load_table(folder)


def test_root_keeps_folders_that_it_gave_to_the_roles_users(folder: Path) -> None:
    """Made again they are looked into, as an upgrade does; served from them is nobody but their user."""
    for path in (folder / "table", *(folder / "table").rglob("*")):
        os.chown(path, STRANGER, STRANGER)
    assert make_keys.make(folder, development=True).said == []
    with pytest.raises(SecretsError, match="belongs to user"):
        keys.load_table(folder)


def test_a_folder_of_folders_of_another_user_is_not_kept(folder: Path) -> None:
    os.chown(folder, STRANGER, STRANGER)
    with pytest.raises(SecretsError, match="belongs to user"):
        make_keys.make(folder, development=True)


def test_a_link_in_the_place_of_the_lock_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (folder / ".lock").unlink()
    (folder / ".lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match=r"\.lock"), key_files.locked(folder):
        pass
    assert not (tmp_path / "elsewhere").exists()


@pytest.fixture
def beside(tmp_path: Path) -> dict[str, Path]:
    """A file with a URL, and a certificate with its key."""
    url = tmp_path / "database.url"
    url.write_text("postgresql://table:hush@localhost/xuezhan\n")
    pair = Authority(tmp_path).issue()
    for path in (url, pair.key):
        path.chmod(0o600)
    return {"url": url, "key": pair.key, "certificate": pair.certificate}


def uses(beside: dict[str, Path]) -> dict[str, Callable[[], object]]:
    return {"url": lambda: urls.read_url(beside["url"]), "key": lambda: ServerTls(beside["certificate"], beside["key"])}


@pytest.mark.parametrize("what", ["url", "key"])
def test_urls_and_tls_keys_of_another_user_are_refused_with_what_to_do(beside: dict[str, Path], what: str) -> None:
    use = uses(beside)[what]
    use()
    os.chown(beside[what], STRANGER, STRANGER)
    with pytest.raises((ValueError, ConfigError), match=rf"belongs to user {STRANGER}, .*: chown -R 0 {beside[what]}$"):
        use()


@pytest.mark.parametrize("what", ["url", "key"])
def test_urls_and_tls_keys_that_anybody_can_put_others_in_the_place_of_are_refused(
    beside: dict[str, Path], what: str, tmp_path: Path
) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises((ValueError, ConfigError), match=f"chmod o-w {tmp_path}$"):
        uses(beside)[what]()


@pytest.mark.parametrize("what", ["url", "key"])
def test_urls_and_tls_keys_that_others_may_read_are_used_and_a_line_says_so(
    beside: dict[str, Path], what: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    says = f"secrets file {beside[what]} may be read by others: chmod 600 {beside[what]}"
    uses(beside)[what]()
    assert says not in "".join(capfd.readouterr()) + caplog.text
    beside[what].chmod(0o640)
    uses(beside)[what]()
    assert says in "".join(capfd.readouterr()) + caplog.text
